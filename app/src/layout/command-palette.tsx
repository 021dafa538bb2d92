import { Modal, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { KeyboardEvent } from 'react';
import './command-palette.css';
import { useDestinations } from './use-destinations.ts';
import type { Destination } from './use-destinations.ts';

const DELAY_MS = 150;

interface CommandPaletteProps {
  opened: boolean;
  onClose: () => void;
}

/** Finds pages, tasks and vendors. */
export function CommandPalette({ opened, onClose }: CommandPaletteProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Go to" size="lg" yOffset="12vh">
      <Finder onClose={onClose} />
    </Modal>
  );
}

/** A combobox. https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ */
function Finder({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [query] = useDebouncedValue(text.trim(), DELAY_MS);
  const destinations = useDestinations(query);
  const optionId = (index: number) => `${id}-${index}`;

  const open = ({ href }: Destination) => {
    onClose();
    void router.navigate({ href });
  };
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const destination = destinations[active];
    if (step !== undefined) {
      event.preventDefault();
      const next = Math.min(Math.max(active + step, 0), destinations.length - 1);
      setActive(next);
      document.querySelector(`#${CSS.escape(optionId(next))}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && destination !== undefined) open(destination);
  };

  return (
    <>
      <TextInput
        data-autofocus
        aria-label="Search pages, tasks and vendors"
        placeholder="Search pages, tasks and vendors"
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={destinations.length > 0 ? optionId(active) : undefined}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setActive(0);
        }}
        onKeyDown={handleKey}
      />
      <div className="destinations" role="listbox" id={id} aria-label="Results">
        {destinations.map((destination, index) => (
          <div
            key={destination.href}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onClick={() => open(destination)}
            onMouseMove={() => setActive(index)}
          >
            <span>{destination.label}</span>
            <Text span size="xs" c="dimmed">
              {destination.kind}
            </Text>
          </div>
        ))}
      </div>
      {destinations.length === 0 && (
        <Text c="dimmed" size="sm" py="md">
          Nothing matches.
        </Text>
      )}
    </>
  );
}
