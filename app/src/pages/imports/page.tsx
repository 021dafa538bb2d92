import { Group, Stack, UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';
import type { Search } from '../../api/search.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { StatusDot, statusText } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useLoadMore } from '../../components/table/use-load-more.ts';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import { IMPORT_KINDS } from './file/columns.ts';
import './imports.css';
import { Result } from './result.tsx';
import { UndoImport } from './undo-import.tsx';
import { useImport, useImports } from './use-imports.ts';
import type { ListedImport } from './use-imports.ts';
import { Wizard } from './wizard.tsx';

const KIND_NAMES = { task: 'Tasks', requirement: 'Requirements' } as const;

/** Imports of the last 30 days, newest first. A click on one shows its numbers and its rejected rows. */
function PastImports() {
  const query = useImports();
  const { data, error, refetch } = query;
  const loadMore = useLoadMore(query);
  const { data: frameworks } = useQuery(trpc.framework.list.queryOptions());
  const [shown, setShown] = useState<string>();
  if (error !== null && data === undefined)
    return <ErrorMessage title="The imports could not be loaded" error={error} onRetry={() => void refetch()} />;

  const frameworkName = (id: number) => frameworks?.find((one) => one.id === id)?.name ?? String(id);
  const columns: Column<ListedImport>[] = [
    {
      id: 'kind',
      header: 'Items',
      render: ({ uniqueId, kind, framework, undoOf }) => (
        <UnstyledButton
          className="expander"
          aria-expanded={shown === uniqueId}
          onClick={() => setShown(shown === uniqueId ? undefined : uniqueId)}
        >
          <IconChevron size={14} aria-hidden />
          <span>
            {undoOf !== null && 'Undo: '}
            {kind === 'vendor' ? 'Vendors' : `${KIND_NAMES[kind]} of ${frameworkName(framework ?? 0)}`}
          </span>
        </UnstyledButton>
      ),
    },
    {
      id: 'state',
      header: 'State',
      width: 150,
      render: ({ state, undoneBy }) => (
        <StatusDot status={state} label={undoneBy === null ? statusText(state) : 'Undone'} />
      ),
    },
    {
      id: 'rows',
      header: 'Rows',
      width: 80,
      leaves: 2,
      className: 'align-end',
      render: (row) => numberText(row.rows),
    },
    { id: 'failed', header: 'Rejected', width: 84, className: 'align-end', render: (row) => numberText(row.failed) },
    { id: 'by', header: 'By', width: 180, leaves: 1, render: ({ createdBy }) => createdBy.name },
    {
      id: 'when',
      header: 'When',
      width: 130,
      leaves: 3,
      render: ({ createdAt }) => <Time value={createdAt} />,
    },
  ];
  return (
    <DataTable
      label="Imports"
      columns={columns}
      rows={data?.pages.flatMap(({ items }) => items)}
      rowKey={({ uniqueId }) => uniqueId}
      onLoadMore={loadMore}
      details={({ uniqueId }) => (uniqueId === shown ? <Details uniqueId={uniqueId} /> : undefined)}
      empty={
        <EmptyState text="Files that were imported in the last 30 days are listed here, with their rejected rows." />
      }
    />
  );
}

const numberText = (value: number) => value.toLocaleString('en');

function Details({ uniqueId }: { uniqueId: string }) {
  const { canWrite } = useSession();
  const { data, error, dataUpdatedAt } = useImport(uniqueId);
  if (error !== null) return <ErrorMessage title="The import could not be loaded" error={error} />;
  if (data === undefined) return null;
  return (
    <Stack gap="sm">
      <Result item={data} at={dataUpdatedAt} />
      <Group>{canWrite && <UndoImport item={data} />}</Group>
    </Stack>
  );
}

export function Page() {
  const { canWrite } = useSession();
  const { import: shown, kind, framework }: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const initial = { kind: IMPORT_KINDS.find((one) => one === kind), framework };
  const show = (uniqueId: string | undefined) =>
    void navigate({ to: '.', search: { kind, framework, import: uniqueId } });
  return (
    <Frame title="Imports">
      {canWrite && (
        <section className="transfer screen-only" aria-label="Import">
          <Wizard key={`${kind} ${framework}`} initial={initial} shown={shown} show={show} />
        </section>
      )}
      <h2 className="past">Past imports</h2>
      <PastImports />
    </Frame>
  );
}
