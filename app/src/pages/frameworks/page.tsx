import { Button, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Page as Frame } from '../../components/page.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { useHidden } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { invalidateReferences, KIND_NAMES, KINDS, rowKey } from './kinds.ts';
import type { KindName, ReferenceRow } from './kinds.ts';
import { ReferenceTable } from './reference-table.tsx';

interface DialogProps {
  opened: boolean;
  onClose: () => void;
  /** Shows the list of the new object. */
  onCreated: () => void;
}

interface NewNamedDialogProps extends DialogProps {
  kind: 'framework' | 'department';
}

/** Creates a framework or a department. */
function NewNamedDialog({ kind, opened, onClose, onCreated }: NewNamedDialogProps) {
  const form = useServerForm({ name: '' });
  return (
    <FormDialog
      title={`New ${kind}`}
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async ({ name }) => {
        await client.management[kind].create.mutate({ name });
        await invalidateReferences();
        onCreated();
      }}
    >
      <TextInput label="Name" data-autofocus {...form.text('name')} />
    </FormDialog>
  );
}

interface NewGapDialogProps extends DialogProps {
  frameworks: readonly ReferenceRow[];
  /** Framework that is proposed. */
  framework: string | undefined;
}

interface GapValues {
  /** Null proposes a framework. */
  framework: string | null;
  title: string;
}

const EMPTY: GapValues = { framework: null, title: '' };

/** Creates a gap of a framework. */
function NewGapDialog({ frameworks, framework, opened, onClose, onCreated }: NewGapDialogProps) {
  const form = useServerForm(EMPTY);
  const options = frameworks
    .filter(({ archivedAt }) => archivedAt === null)
    .map(({ id, name }) => ({ value: String(id), label: name }));
  const proposed = options.find(({ value }) => value === framework) ?? options[0];
  const chosen = form.values.framework ?? proposed?.value ?? null;
  return (
    <FormDialog
      title="New gap"
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async ({ title }) => {
        await client.management.gap.create.mutate({ framework: Number(chosen), title });
        await invalidateReferences();
        onCreated();
      }}
    >
      <TextInput label="Title" data-autofocus {...form.text('title')} />
      <Select label="Framework" allowDeselect={false} data={options} {...form.field('framework')} value={chosen} />
    </FormDialog>
  );
}

/** Parameters of a list without filters. */
const searchOf = (name: KindName) => (name === 'frameworks' ? {} : { tab: name });

/** Frameworks, gaps and departments, with the ids that the API takes. */
export function Page() {
  const { isAdmin } = useSession();
  const [search] = useSearch(['tab', 'q', 'framework']);
  const navigate = useNavigate();
  const [creating, setCreating] = useState<KindName>();
  const tab = KIND_NAMES.find((name) => name === search.tab) ?? 'frameworks';
  const lists = useLists(tab);
  const { data, error, refetch } = lists[tab];
  const hidden = useHidden();
  const rows = data?.filter((row) => !hidden.has(rowKey(tab, row)));
  const frameworks = lists.frameworks.data ?? [];
  const hasFramework = frameworks.some(({ archivedAt }) => archivedAt === null);
  const canCreate = (name: KindName) => isAdmin && (name !== 'gaps' || hasFramework);
  useShortcut('c', () => setCreating(canCreate(tab) ? tab : undefined));

  const dialogProps = (name: KindName) => ({
    opened: creating === name,
    onClose: () => setCreating(undefined),
    onCreated: () => void navigate({ to: '.', search: searchOf(name) }),
  });
  const newButton = canCreate(tab) && <Button onClick={() => setCreating(tab)}>New {KINDS[tab].one}</Button>;

  const isEmpty = rows?.length === 0 && search.q === undefined && search.framework === undefined;

  return (
    <Frame title="Frameworks" action={!isEmpty && newButton}>
      <nav className="tabs" aria-label="Lists">
        {KIND_NAMES.map((name) => (
          <Link
            key={name}
            to="."
            search={searchOf(name)}
            activeOptions={{ exact: true }}
            aria-current={name === tab ? 'page' : undefined}
          >
            {KINDS[name].heading}
          </Link>
        ))}
      </nav>
      {error === null ? (
        <ReferenceTable
          key={tab}
          kindName={tab}
          all={rows}
          frameworks={frameworks}
          isAdmin={isAdmin}
          firstAction={newButton}
          isCovered={creating !== undefined}
        />
      ) : (
        <ErrorMessage
          title={`The ${KINDS[tab].unit[1]} could not be loaded`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      <NewNamedDialog kind="framework" {...dialogProps('frameworks')} />
      <NewNamedDialog kind="department" {...dialogProps('departments')} />
      <NewGapDialog frameworks={frameworks} framework={search.framework} {...dialogProps('gaps')} />
    </Frame>
  );
}

/** The list of a tab, and the frameworks, whose names the gaps show. */
function useLists(tab: KindName) {
  const { management } = trpc;
  return {
    frameworks: useQuery(management.framework.list.queryOptions()),
    departments: useQuery(management.department.list.queryOptions(undefined, { enabled: tab === 'departments' })),
    gaps: useQuery(
      management.gap.list.queryOptions(undefined, {
        enabled: tab === 'gaps',
        select: (gaps) => gaps.map(({ title, ...gap }) => ({ ...gap, name: title })),
      }),
    ),
  };
}
