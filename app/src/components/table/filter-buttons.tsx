import { Button, Group } from '@mantine/core';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import type { SetFilter } from './set-filters.ts';

interface FilterButtonsProps {
  filters: readonly SetFilter[];
  /** Removes all filters. */
  onClear: () => void;
}

/** The filters that are set. Each one is a button that removes it; on paper they are a line of text. */
export const FilterButtons = ({ filters, onClear }: FilterButtonsProps) =>
  filters.length > 0 && (
    <>
      <p className="paper-only">{filters.map(({ name, text }) => `${name}: ${text}`).join(', ')}</p>
      <Group gap={6} mb="xs" role="group" aria-label="Filters that are set" className="screen-only">
        {filters.map(({ name, text, remove }) => (
          <Button
            key={name}
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
        ))}
        <Button variant="subtle" size="compact-xs" onClick={onClear}>
          Clear filters
        </Button>
      </Group>
    </>
  );
