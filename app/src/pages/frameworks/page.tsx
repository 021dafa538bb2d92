import { Button, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { client, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { openDialog } from '../../components/form/dialog.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { useHidden } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { invalidateReferences, KIND_NAMES, KINDS, rowKey } from './kinds.ts';
import type { KindName, ReferenceRow } from './kinds.ts';
import { ReferenceTable } from './reference-table.tsx';

/** Creates a framework or a department. @param onCreated shows its list */
const openNewNamed = (kind: 'framework' | 'department', onCreated: () => void) =>
  openDialog({
    title: `New ${kind}`,
    initial: NEW_NAMED[kind],
    fields: (form) => <TextInput label="Name" data-autofocus {...form.text('name')} />,
    button: 'Save',
    submit: async ({ name }) => {
      await client.management[kind].create.mutate({ name });
      await invalidateReferences();
      onCreated();
    },
  });

const NEW_NAMED = { framework: { name: '' }, department: { name: '' } } as const;

interface GapValues {
  /** Null proposes a framework. */
  framework: string | null;
  title: string;
}

const NEW_GAP: GapValues = { framework: null, title: '' };

/** Creates a gap of a framework. @param framework the one that is proposed */
function openNewGap(frameworks: readonly ReferenceRow[], framework: string | undefined, onCreated: () => void): void {
  const options = frameworks
    .filter(({ archivedAt }) => archivedAt === null)
    .map(({ id, name }) => ({ value: String(id), label: name }));
  const proposed = options.find(({ value }) => value === framework) ?? options[0];
  const chosen = (values: GapValues) => values.framework ?? proposed?.value ?? null;
  openDialog({
    title: 'New gap',
    initial: NEW_GAP,
    fields: (form) => (
      <>
        <TextInput label="Title" data-autofocus {...form.text('title')} />
        <Select
          label="Framework"
          allowDeselect={false}
          data={options}
          {...form.field('framework')}
          value={chosen(form.values)}
        />
      </>
    ),
    button: 'Save',
    submit: async (values) => {
      await client.management.gap.create.mutate({ framework: Number(chosen(values)), title: values.title });
      await invalidateReferences();
      onCreated();
    },
  });
}

/** Parameters of a list without filters. */
const searchOf = (name: KindName) => (name === 'frameworks' ? {} : { tab: name });

/** Frameworks, gaps and departments, with the ids that the API takes. */
export function Page() {
  const { isAdmin } = useSession();
  const [search] = useSearch(['tab', 'q', 'framework']);
  const navigate = useNavigate();
  const tab = KIND_NAMES.find((name) => name === search.tab) ?? 'frameworks';
  const lists = useLists(tab);
  const { data, error, refetch } = lists[tab];
  const hidden = useHidden();
  const rows = data?.filter((row) => !hidden.has(rowKey(tab, row)));
  const frameworks = lists.frameworks.data ?? [];
  const hasFramework = frameworks.some(({ archivedAt }) => archivedAt === null);
  const canCreate = isAdmin && (tab !== 'gaps' || hasFramework);
  const create = () => {
    const showList = () => void navigate({ to: '.', search: searchOf(tab) });
    if (tab === 'gaps') openNewGap(frameworks, search.framework, showList);
    else openNewNamed(KINDS[tab].one, showList);
  };
  useShortcut('c', () => canCreate && create());
  const newButton = canCreate && <Button onClick={create}>New {KINDS[tab].one}</Button>;

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
        />
      ) : (
        <ErrorMessage
          title={`The ${KINDS[tab].unit[1]} could not be loaded`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
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
