import { Modal, Text, TextInput, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { trpc } from '../api/client.ts';
import type { Outputs } from '../api/client.ts';
import { stringifySearch } from '../api/search.ts';
import { errorDetails } from '../api/errors.ts';
import { containsText } from '../components/contains-text.ts';
import { ErrorMessage } from '../components/error-message.tsx';
import { addressOf } from '../components/record/events/resource-address.ts';
import { statusText } from '../components/status-dot.tsx';
import { requestExport } from '../components/table/export-request.ts';
import { fail } from '../components/undo/undo.ts';
import { useSession } from '../components/use-session.ts';
import { useViews } from '../components/views/use-views.ts';
import { FIXED_VIEWS, VIEW_PATHS, viewPath } from '../components/views/view.ts';
import { dateText } from '../dates.ts';
import { useMayProve } from '../pages/audit-log/proofs/use-may-prove.ts';
import './command-palette.css';
import { useNavigation } from './navigation.tsx';
import { useSignOut } from './use-sign-out.ts';

/** The service searches for texts of this length. */
const MIN_LENGTH = 2;
const MAX_LENGTH = 255;

/** A line of the palette. */
interface Entry {
  key: string;
  label: string;
  /** Kind of the line: "Action", "Page", "View", "Task", … */
  kind: string;
  /** What an object belongs to, its status and its due date. */
  facts?: string;
  /** The text around the hit. */
  excerpt?: string;
  run: () => void;
}

/** A line that leads to a path of the application. */
type Destination = Omit<Entry, 'run' | 'key'> & {
  href: string;
  /** Of an object; several may have one page. */
  id?: string;
};

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

/** Pages with the menu "Export", and those with samples. Elsewhere an action is about all tasks. */
const LISTS = new Set(['/tasks', '/vendors', '/audit-log']);
const LISTS_WITH_SAMPLES = new Set(['/tasks', '/vendors']);
/** Rows of a new sample, and characters of its seed. The page changes both. */
const SAMPLE_SIZE = 10;
const SEED_LENGTH = 8;

/** The actions that the rights of the member permit. */
function useActions(): Entry[] {
  const { navigate, state } = useRouter();
  const { pathname, search } = state.location;
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
      label: 'Export',
      isAllowed: true,
      run: () => {
        requestExport();
        if (!LISTS.has(pathname)) void navigate({ href: '/tasks' });
      },
    },
    {
      label: 'Sample',
      isAllowed: true,
      run: () => {
        const list = LISTS_WITH_SAMPLES.has(pathname) ? { path: pathname, search } : { path: '/tasks', search: {} };
        const sample = { sort: 'sample', seed: crypto.randomUUID().slice(0, SEED_LENGTH), sample: String(SAMPLE_SIZE) };
        show(list.path + stringifySearch({ ...list.search, ...sample }));
      },
    },
    {
      label: 'Export an audit proof',
      isAllowed: mayProve,
      run: () =>
        open(async () => {
          const { openNewProof } = await import('../pages/audit-log/proofs/page.tsx');
          openNewProof(({ uniqueId }) => show(`/audit-log/proofs?proof=${uniqueId}`));
        }),
    },
    {
      label: 'Open the API documentation',
      isAllowed: true,
      run: () => void window.open('/docs', '_blank', 'noopener'),
    },
    { label: `Switch to the ${otherScheme} theme`, isAllowed: true, run: () => setColorScheme(otherScheme) },
    { label: 'Sign out', isAllowed: true, run: leave },
  ];
  return actions
    .filter(({ isAllowed }) => isAllowed)
    .map(({ label, run }) => ({ key: label, label, kind: 'Action', run }));
}

type Found = Outputs['search']['find']['items'][number];

const KINDS: Readonly<Record<Found['type'], string>> = {
  task: 'Task',
  vendor: 'Vendor',
  requirement: 'Requirement',
  comment: 'Comment',
  evidence: 'Evidence',
  framework: 'Framework',
  department: 'Department',
  member: 'Member',
};

/** The object that the service has found, with its place. What has no page leads to what it belongs to. */
function toDestination({ type, uniqueId, title, excerpt, parent, status, dueDate }: Found): Destination[] {
  const address = addressOf({ type, uniqueId }) ?? (parent === null ? undefined : addressOf(parent));
  if (address === undefined) return [];
  const facts = [
    ...(parent === null || parent.title === title ? [] : [parent.title]),
    ...(status === null ? [] : [statusText(status)]),
    ...(dueDate === null ? [] : [`due ${dateText(dueDate)}`]),
  ];
  return [
    {
      href: address.to + stringifySearch(address.search ?? {}),
      id: `${type} ${uniqueId}`,
      label: title,
      kind: KINDS[type],
      ...(facts.length > 0 && { facts: facts.join(' · ') }),
      ...(excerpt !== title && { excerpt }),
    },
  ];
}

/** What the service finds. */
function useFound(text: string) {
  const { data, error } = useQuery(
    trpc.search.find.queryOptions(
      { q: text },
      { enabled: text.length >= MIN_LENGTH, placeholderData: keepPreviousData },
    ),
  );
  if (text.length < MIN_LENGTH) return { found: [], error: null };
  return { found: (data?.items ?? []).flatMap(toDestination), error };
}

/** Pages, views and actions whose names contain a text, and objects with its words; without a text the actions and the pages. */
function useEntries(text: string): { entries: Entry[]; error: unknown } {
  const { navigate } = useRouter();
  const { views } = useViews();
  const actions = useActions();
  const { found, error } = useFound(text);
  const toEntry = (destination: Destination): Entry => ({
    ...destination,
    key: destination.id ?? destination.href,
    run: () => void navigate({ href: destination.href }),
  });
  const pages = useNavigation().map((page) =>
    toEntry({
      href: 'search' in page ? `${page.to}${stringifySearch(page.search)}` : page.to,
      label: page.label,
      kind: 'Page',
    }),
  );
  if (text === '') return { entries: [...actions, ...pages], error: null };
  const saved = views.map((view) => ({ href: viewPath(view), label: view.name, kind: 'View' }));
  const named = [...pages, ...[...FIXED_DESTINATIONS, ...saved].map(toEntry), ...actions];
  const entries = [...named.filter(({ label }) => containsText(label, text)), ...found.map(toEntry)];
  return { entries, error };
}

const DELAY_MS = 150;

interface CommandPaletteProps {
  onClose: () => void;
}

/** Finds pages and everything of the company, and runs actions. */
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
  const { entries, error } = useEntries(query);
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
        aria-label="Search everything"
        placeholder="Tasks, vendors, comments, people, pages, actions, …"
        maxLength={MAX_LENGTH}
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
            <span className="destination">
              <span dir="auto">{entry.label}</span>
              {[entry.facts, entry.excerpt].map(
                (line, place) =>
                  line !== undefined && (
                    <Text key={place} span size="xs" c="dimmed" dir="auto">
                      {line}
                    </Text>
                  ),
              )}
            </span>
            <Text span size="xs" c="dimmed">
              {entry.kind}
            </Text>
          </div>
        ))}
      </div>
      {error !== null && <ErrorMessage error={error} />}
      {error === null && entries.length === 0 && (
        <Text c="dimmed" size="sm" py="md">
          No results.
        </Text>
      )}
    </>
  );
}
