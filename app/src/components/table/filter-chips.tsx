import { Button, Group } from '@mantine/core';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';

interface FilterChipsProps {
  /** Filters that are set, as people read them. */
  chips: readonly { label: string; onRemove: () => void }[];
}

/** The filters that are set. Each one is a button that removes it. */
export const FilterChips = ({ chips }: FilterChipsProps) =>
  chips.length > 0 && (
    <Group gap={6}>
      {chips.map(({ label, onRemove }) => (
        <Button
          key={label}
          variant="default"
          size="compact-xs"
          radius="xl"
          rightSection={<IconX size={12} aria-hidden />}
          aria-label={`Remove filter ${label}`}
          onClick={onRemove}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
