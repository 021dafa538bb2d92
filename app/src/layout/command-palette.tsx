import { Modal, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { trpc } from '../api/client.ts';
import { stringifySearch } from '../api/search.ts';
import { containsText } from '../components/contains-text.ts';
import { useViews } from '../components/views/use-views.ts';
import { FIXED_VIEWS, VIEW_PATHS, viewPath } from '../components/views/view.ts';
import type { ListedView } from '../components/views/view.ts';
import './command-palette.css';
import { useNavigation } from './navigation.tsx';

/** Matches of one kind. */
const MAX_MATCHES = 5;

interface Destination {
  /** Path of the application. */
  href: string;
  label: string;
  /** Kind of the destination: "Page", "View", "Vendor", or the framework of a task. */
  kind: string;
}

const FIXED_DESTINATIONS: readonly Destination[] = FIXED_VIEWS.map(({ page, name, search }) => ({
  href: `${VIEW_PATHS[page]}${stringifySearch(search)}`,
  label: name,
  kind: 'View',
}));

const destinationOf = (view: ListedView): Destination => ({
  href: viewPath(view),
  label: view.name,
  kind: 'View',
});

/** Pages, views, vendors and tasks whose names contain a text. */
function useDestinations(text: string): Destination[] {
  const isSearch = text !== '';
  const options = { enabled: isSearch, placeholderData: keepPreviousData };
  const { data: vendors } = useQuery(trpc.vendor.page.queryOptions({ q: text, limit: MAX_MATCHES }, options));
  const { data: frameworks = [] } = useQuery(trpc.framework.list.queryOptions(undefined, { enabled: isSearch }));
  const { data: tasks } = useQuery(trpc.task.listAll.queryOptions({ q: text, limit: MAX_MATCHES }, options));
  const { views } = useViews();
  const contains = (label: string) => containsText(label, text);
  const pages = useNavigation()
    .filter(({ label }) => contains(label))
    .map(({ to, label }) => ({ href: to, label, kind: 'Page' }));
  if (!isSearch) return pages;
  return [
    ...pages,
    ...[...FIXED_DESTINATIONS, ...views.map(destinationOf)].filter(({ label }) => contains(label)),
    ...(tasks?.items ?? []).map(({ uniqueId, title, framework }) => ({
      href: `/tasks/${uniqueId}`,
      label: title,
      kind: frameworks.find(({ id }) => id === framework)?.name ?? 'Task',
    })),
    ...(vendors?.items ?? []).map(({ uniqueId, name }) => ({
      href: `/vendors/${uniqueId}`,
      label: name,
      kind: 'Vendor',
    })),
  ];
}

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
