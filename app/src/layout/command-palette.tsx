import { Modal, Text, TextInput, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { trpc } from '../api/client.ts';
import { stringifySearch } from '../api/search.ts';
import { errorDetails } from '../api/errors.ts';
import { containsText } from '../components/contains-text.ts';
import { fail } from '../components/undo/undo.ts';
import { useSession } from '../components/use-session.ts';
import { useViews } from '../components/views/use-views.ts';
import { FIXED_VIEWS, VIEW_PATHS, viewPath } from '../components/views/view.ts';
import { useMayProve } from '../pages/audit-log/proofs/use-may-prove.ts';
import './command-palette.css';
import { useNavigation } from './navigation.tsx';
import { useSignOut } from './use-sign-out.ts';

/** Matches of one kind. */
const MAX_MATCHES = 5;

/** A line of the palette. */
interface Entry {
  key: string;
  label: string;
  /** Kind of the line: "Action", "Page", "View", "Vendor", or the framework of a task. */
  kind: string;
  run: () => void;
}

/** A line that leads to a path of the application. */
type Destination = Omit<Entry, 'run' | 'key'> & { href: string };

const FIXED_DESTINATIONS: readonly Destination[] = FIXED_VIEWS.map(({ page, name, search }) => ({
  href: `${VIEW_PATHS[page]}${stringifySearch(search)}`,
  label: name,
  kind: 'View',
}));

/** Opens a dialog of another page, whose code is loaded with its first use. */
const open = (load: () => Promise<void>): void =>
  void load().catch((error: unknown) =>
    fail({ title: 'The dialog could not be opened', reasons: [errorDetails(error).message] }),
  );

/** The actions that the rights of the member permit. */
function useActions(): Entry[] {
  const { navigate } = useRouter();
  const { isAdmin, canWrite } = useSession();
  const mayProve = useMayProve();
  const { data: frameworks = [] } = useQuery(trpc.framework.list.queryOptions());
  const { setColorScheme } = useMantineColorScheme();
  const otherScheme = useComputedColorScheme() === 'dark' ? 'light' : 'dark';
  const { mutate: leave } = useSignOut();
  const show = (href: string) => void navigate({ href });
  const hasFramework = frameworks.some(({ archived }) => !archived);
  const actions: readonly { label: string; isAllowed: boolean; run: () => void }[] = [
    {
      label: 'New task',
      isAllowed: canWrite && hasFramework,
      run: () =>
        open(async () => {
          const { openNewTask } = await import('../pages/tasks/new-task-dialog.tsx');
          openNewTask(frameworks, undefined, ({ uniqueId }) => show(`/tasks/${uniqueId}`));
        }),
    },
    {
      label: 'New vendor',
      isAllowed: canWrite,
      run: () =>
        open(async () => {
          const { openNewVendor } = await import('../pages/vendors/page.tsx');
          openNewVendor(({ uniqueId }) => show(`/vendors/${uniqueId}`));
        }),
    },
    {
      label: 'Invite people',
      isAllowed: isAdmin,
      run: () => open(async () => (await import('../pages/members/invite-dialog.tsx')).openInviting()),
    },
    { label: 'Import a file', isAllowed: canWrite, run: () => void navigate({ to: '/imports' }) },
    {
      label: 'Export an audit proof',
      isAllowed: mayProve,
      run: () =>
        open(async () => {
          const { openNewProof } = await import('../pages/audit-log/proofs/page.tsx');
          openNewProof(({ uniqueId }) => show(`/audit-log/proofs?proof=${uniqueId}`));
        }),
    },
    { label: `Switch to the ${otherScheme} theme`, isAllowed: true, run: () => setColorScheme(otherScheme) },
    { label: 'Sign out', isAllowed: true, run: leave },
  ];
  return actions
    .filter(({ isAllowed }) => isAllowed)
    .map(({ label, run }) => ({ key: label, label, kind: 'Action', run }));
}

/** What the service finds: the tasks and vendors whose names contain a text. */
function useFound(text: string): Destination[] {
  const options = { enabled: text !== '', placeholderData: keepPreviousData };
  const { data: vendors } = useQuery(trpc.vendor.page.queryOptions({ q: text, limit: MAX_MATCHES }, options));
  const { data: frameworks = [] } = useQuery(trpc.framework.list.queryOptions());
  const { data: tasks } = useQuery(trpc.task.listAll.queryOptions({ q: text, limit: MAX_MATCHES }, options));
  if (text === '') return [];
  return [
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

/** Pages, views, actions, tasks and vendors whose names contain a text; without a text the actions and the pages. */
function useEntries(text: string): Entry[] {
  const { navigate } = useRouter();
  const { views } = useViews();
  const actions = useActions();
  const found = useFound(text);
  const toEntry = (destination: Destination): Entry => ({
    ...destination,
    key: destination.href,
    run: () => void navigate({ href: destination.href }),
  });
  const pages = useNavigation().map((page) =>
    toEntry({
      href: 'search' in page ? `${page.to}${stringifySearch(page.search)}` : page.to,
      label: page.label,
      kind: 'Page',
    }),
  );
  if (text === '') return [...actions, ...pages];
  const saved = views.map((view) => ({ href: viewPath(view), label: view.name, kind: 'View' }));
  const named = [...pages, ...[...FIXED_DESTINATIONS, ...saved].map(toEntry), ...actions];
  return [...named.filter(({ label }) => containsText(label, text)), ...found.map(toEntry)];
}

const DELAY_MS = 150;

interface CommandPaletteProps {
  onClose: () => void;
}

/** Finds pages, tasks and vendors, and runs actions. */
export const CommandPalette = ({ onClose }: CommandPaletteProps) => (
  <Modal opened onClose={onClose} title="Search" size="lg" yOffset="12vh">
    <Finder onClose={onClose} />
  </Modal>
);

/** A combobox. https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ */
function Finder({ onClose }: CommandPaletteProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [query] = useDebouncedValue(text.trim(), DELAY_MS);
  const entries = useEntries(query);
  const optionId = (index: number) => `${id}-${index}`;

  const choose = ({ run }: Entry) => {
    onClose();
    run();
  };
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const entry = entries[active];
    if (step !== undefined) {
      event.preventDefault();
      const next = Math.min(Math.max(active + step, 0), entries.length - 1);
      setActive(next);
      document.querySelector(`#${CSS.escape(optionId(next))}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && entry !== undefined) {
      event.preventDefault();
      choose(entry);
    }
  };

  return (
    <>
      <TextInput
        data-autofocus
        aria-label="Search pages, tasks, vendors and actions"
        placeholder="Search pages, tasks, vendors and actions"
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={entries.length > 0 ? optionId(active) : undefined}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setActive(0);
        }}
        onKeyDown={handleKey}
      />
      <div className="destinations" role="listbox" id={id} aria-label="Results">
        {entries.map((entry, index) => (
          <div
            key={entry.key}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onClick={() => choose(entry)}
            onMouseMove={() => setActive(index)}
          >
            <span dir="auto">{entry.label}</span>
            <Text span size="xs" c="dimmed">
              {entry.kind}
            </Text>
          </div>
        ))}
      </div>
      {entries.length === 0 && (
        <Text c="dimmed" size="sm" py="md">
          Nothing matches.
        </Text>
      )}
    </>
  );
}
