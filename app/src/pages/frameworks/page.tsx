import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';
import { containsText } from '../../components/contains-text.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { useHidden } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { KINDS, KIND_NAMES, rowKey } from './kinds.ts';
import type { KindName, ReferenceRow } from './kinds.ts';
import { NewGapDialog, NewNamedDialog } from './new-dialogs.tsx';
import './frameworks.css';
import { ReferenceTable } from './reference-table.tsx';

/** Parameters of a list without filters. */
const searchOf = (name: KindName) => (name === 'frameworks' ? {} : { tab: name });

/** Frameworks, gaps and departments, with the ids that the API takes. */
export function Page() {
  const { isAdmin } = useSession();
  const [search, setSearch] = useSearch(['tab', 'q', 'framework']);
  const navigate = useNavigate();
  const [creating, setCreating] = useState<KindName>();
  const tab = KIND_NAMES.find((name) => name === search.tab) ?? 'frameworks';
  const lists = useLists(tab);
  const { data, error, refetch } = lists[tab];
  const hidden = useHidden();
  // Only gaps have a framework.
  const { framework, ...others } = search;
  const filters = tab === 'gaps' ? search : others;
  const rows = data?.filter((row) => matches(row, filters) && !hidden.has(rowKey(tab, row)));
  const frameworks = lists.frameworks.data ?? [];
  const hasFramework = frameworks.some(({ archivedAt }) => archivedAt === null);
  const canCreate = (name: KindName) => isAdmin && (name !== 'gaps' || hasFramework);
  useShortcut('c', () => setCreating(canCreate(tab) ? tab : undefined));

  const dialogProps = (name: KindName) => ({
    opened: creating === name,
    onClose: () => setCreating(undefined),
    onCreated: () => void navigate({ to: '.', search: searchOf(name) }),
  });
  const newButton = (name: KindName) =>
    canCreate(name) && (
      <Button key={name} variant={name === tab ? 'filled' : 'default'} onClick={() => setCreating(name)}>
        New {KINDS[name].one}
      </Button>
    );

  const isEmpty = rows?.length === 0 && search.q === undefined && framework === undefined;

  return (
    <Frame title="Frameworks" action={!isEmpty && newButton(tab)}>
      <Group justify="space-between" gap="sm" mb="md">
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
        <Group gap="xs">{KIND_NAMES.filter((name) => name !== tab).map(newButton)}</Group>
      </Group>
      {error === null ? (
        <ReferenceTable
          kindName={tab}
          rows={rows}
          frameworks={frameworks}
          filters={filters}
          onFilter={setSearch}
          isAdmin={isAdmin}
          firstAction={newButton(tab)}
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
      <NewGapDialog frameworks={frameworks} framework={framework} {...dialogProps('gaps')} />
    </Frame>
  );
}

function matches({ name, framework }: ReferenceRow, filters: { q?: string; framework?: string }): boolean {
  return (
    containsText(name, filters.q ?? '') && (filters.framework === undefined || String(framework) === filters.framework)
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
