import { Button, Group, Popover, Portal, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import IconFilter from '@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { TOTAL_PLACE } from '../page.tsx';
import { useShortcut } from '../use-shortcut.ts';

/** A filter that is set. */
interface SetFilter {
  /** "Status: Open" */
  text: string;
  remove: () => void;
}

interface FilterBarProps {
  /** Number of matching rows on all pages; undefined while it loads. */
  total: number | undefined;
  /** Number of rows that match, of which `total` are a sample. */
  of?: number | undefined;
  /** True if there are more rows than `total`. */
  hasMore?: boolean | undefined;
  /** Word for the rows: `['vendor', 'vendors']`. */
  unit: readonly [one: string, many: string];
  /** SearchField and selects of size `xs`. */
  children: ReactNode;
  filters?: readonly SetFilter[];
  /** A sentence below the filters. */
  note?: ReactNode;
  onClear?: () => void;
}

/**
 * The lines above a table: search, filters, and buttons that remove the filters that are set. The total is in the top line of
 * the page, which is always visible.
 */
export function FilterBar({
  total,
  of = total,
  hasMore = false,
  unit: [one, many],
  children,
  filters = [],
  note,
  onClear = () => undefined,
}: FilterBarProps) {
  return (
    <>
      <Portal target={`#${TOTAL_PLACE}`}>
        <Text size="sm" c="dimmed" aria-live="polite">
          {total === undefined || of === undefined
            ? '…'
            : `${hasMore ? 'More than ' : ''}${of === total ? '' : `${total.toLocaleString('en')} of `}${of.toLocaleString('en')} ${of === 1 ? one : many}`}
        </Text>
      </Portal>
      <Group gap="xs" mb="xs">
        {children}
      </Group>
      {filters.length > 0 && (
        <>
          <p className="paper-only">{filters.map(({ text }) => text).join(', ')}</p>
          <Group gap={6} mb="xs" role="group" aria-label="Filters that are set" className="screen-only">
            {filters.map(({ text, remove }) => (
              <Button
                key={text}
                variant="light"
                size="compact-xs"
                radius="xl"
                maw="100%"
                aria-label={`Remove filter ${text}`}
                rightSection={<IconX size={12} aria-hidden />}
                onClick={remove}
              >
                {text}
              </Button>
            ))}
            <Button variant="subtle" size="compact-xs" onClick={onClear}>
              Clear filters
            </Button>
          </Group>
        </>
      )}
      {note}
    </>
  );
}

/** Filters behind a button. @param count number of them that are set */
export const FilterPopover = ({ count, children }: { count: number; children: ReactNode }) => (
  <Popover width={260} position="bottom-start" trapFocus returnFocus>
    <Popover.Target>
      <Button variant="default" leftSection={<IconFilter size={14} aria-hidden />}>
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
    </Popover.Target>
    <Popover.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
      <Stack gap="xs">{children}</Stack>
    </Popover.Dropdown>
  </Popover>
);

const DELAY_MS = 200;

interface SearchFieldProps {
  /** Accessible name: "Search vendors". */
  label: string;
  /** Current value of the URL. */
  value: string | undefined;
  onChange: (value: string) => void;
}

/** A search that is applied while one types. `/` focuses it. */
export function SearchField({ label, value = '', onChange }: SearchFieldProps) {
  const ref = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const apply = useDebouncedCallback(onChange, DELAY_MS);
  useEffect(() => {
    if (document.activeElement !== ref.current) setText(value);
  }, [value]);
  useShortcut('/', () => {
    ref.current?.select();
    ref.current?.focus();
  });
  return (
    <TextInput
      ref={ref}
      type="search"
      size="xs"
      w={200}
      maw="100%"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        apply(currentTarget.value.trim());
      }}
    />
  );
}
