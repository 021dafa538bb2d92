import { Group, Portal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { TOTAL_PLACE } from '../page.tsx';
import { FilterButtons } from './filter-buttons.tsx';
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
export function FilterBar({
  total,
  unit: [one, many],
  children,
  filters = [],
  onClear = () => undefined,
}: FilterBarProps) {
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
      <FilterButtons filters={filters} onClear={onClear} />
    </>
  );
}
