import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FilterBarProps {
  /** Number of matching rows on all pages; undefined while it loads. */
  total: number | undefined;
  /** Word for the rows: `['vendor', 'vendors']`. */
  unit: readonly [one: string, many: string];
  /** SearchField and selects of size `xs`. */
  children: ReactNode;
}

/** The line above a table: search, filters, and the total. */
export function FilterBar({ total, unit: [one, many], children }: FilterBarProps) {
  return (
    <Group gap="xs" mb="xs" justify="space-between">
      <Group gap="xs">{children}</Group>
      <Text size="sm" c="dimmed" aria-live="polite">
        {total === undefined ? '…' : `${total.toLocaleString('en')} ${total === 1 ? one : many}`}
      </Text>
    </Group>
  );
}
