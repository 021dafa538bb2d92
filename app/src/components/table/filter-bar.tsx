import { Button, Group, Portal, Text } from '@mantine/core';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import type { ReactNode } from 'react';
import { TOTAL_PLACE } from '../page.tsx';
import type { SetFilter } from './set-filters.ts';

interface FilterBarProps {
  /** Number of matching rows on all pages; undefined while it loads. */
  total: number | undefined;
  /** Word for the rows: `['vendor', 'vendors']`. */
  unit: readonly [one: string, many: string];
  /** SearchField and selects of size `xs`. */
  children: ReactNode;
  filters?: readonly SetFilter[];
  onClear?: () => void;
}

/**
 * The lines above a table: search, filters, and buttons that remove the filters that are set. The total is in the top line of
 * the page, which is always visible.
 */
export function FilterBar({ total, unit: [one, many], children, filters = [], onClear }: FilterBarProps) {
  return (
    <>
      <Portal target={`#${TOTAL_PLACE}`}>
        <Text size="sm" c="dimmed" aria-live="polite">
          {total === undefined ? '…' : `${total.toLocaleString('en')} ${total === 1 ? one : many}`}
        </Text>
      </Portal>
      <Group gap="xs" mb="xs">
        {children}
      </Group>
      {filters.length > 0 && (
        <p className="paper-only">{filters.map(({ name, text }) => `${name}: ${text}`).join(', ')}</p>
      )}
      {filters.length > 0 && (
        <Group gap={6} mb="xs" role="group" aria-label="Filters that are set">
          {filters.map((filter) => (
            <RemoveFilter key={filter.name} {...filter} />
          ))}
          <Button variant="subtle" size="compact-xs" onClick={onClear}>
            Clear filters
          </Button>
        </Group>
      )}
    </>
  );
}

const RemoveFilter = ({ name, text, remove }: SetFilter) => (
  <Button
    variant="light"
    size="compact-xs"
    radius="xl"
    maw="100%"
    aria-label={`Remove filter ${name}: ${text}`}
    rightSection={<IconX size={12} aria-hidden />}
    onClick={remove}
  >
    {name}: {text}
  </Button>
);
