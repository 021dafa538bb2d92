import { Button, Popover, Stack } from '@mantine/core';
import IconFilter from '@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs';
import type { ReactNode } from 'react';

interface FilterPopoverProps {
  /** Number of its filters that are set. */
  count: number;
  children: ReactNode;
}

/** The filters that are used less often, behind a button. */
export const FilterPopover = ({ count, children }: FilterPopoverProps) => (
  <Popover width={260} position="bottom-start" trapFocus returnFocus>
    <Popover.Target>
      <Button variant="default" leftSection={<IconFilter size={14} aria-hidden />}>
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
    </Popover.Target>
    <Popover.Dropdown>
      <Stack gap="xs">{children}</Stack>
    </Popover.Dropdown>
  </Popover>
);
