import { Button, Stack, Text, UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, trpc } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { StatusDot, statusText } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { ExportStatus } from '../../components/table/export-status.tsx';
import { useExport } from '../../components/table/use-export.ts';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import './imports.css';
import { Result } from './result.tsx';
import { useShownImport } from './steps/use-shown-import.ts';
import { Wizard } from './steps/wizard.tsx';
import { TargetFields } from './target.tsx';
import type { Target } from './target.tsx';
import { useImport, useImports } from './use-imports.ts';
import type { ListedImport } from './use-imports.ts';

/** Imports of the last 30 days, newest first. A click on one shows its numbers and its rejected rows. */
function PastImports() {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useImports();
  const { data: frameworks } = useQuery(trpc.framework.list.queryOptions());
  const [shown, setShown] = useState<string>();
  if (error !== null && data === undefined)
    return <ErrorMessage title="The imports could not be loaded" error={error} onRetry={() => void refetch()} />;

  const frameworkName = (id: number) => frameworks?.find((one) => one.id === id)?.name ?? String(id);
  const columns: Column<ListedImport>[] = [
    {
      id: 'kind',
      header: 'Items',
      render: ({ uniqueId, kind, framework }) => (
        <UnstyledButton
          className="expander"
          aria-expanded={shown === uniqueId}
          onClick={() => setShown(shown === uniqueId ? undefined : uniqueId)}
        >
          <IconChevron size={14} aria-hidden />
          <span>{kind === 'vendor' ? 'Vendors' : `Tasks of ${frameworkName(framework ?? 0)}`}</span>
        </UnstyledButton>
      ),
    },
    {
      id: 'state',
      header: 'State',
      width: 150,
      render: ({ state, dryRun }) => (
        <StatusDot status={state} label={dryRun ? `${statusText(state)}, check` : statusText(state)} />
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
      onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
      details={({ uniqueId }) => (uniqueId === shown ? <Details uniqueId={uniqueId} /> : undefined)}
      empty={
        <EmptyState text="Files that were imported in the last 30 days are listed here, with their rejected rows." />
      }
    />
  );
}

const numberText = (value: number) => value.toLocaleString('en');

function Details({ uniqueId }: { uniqueId: string }) {
  const { data, error, dataUpdatedAt } = useImport(uniqueId);
  if (error !== null) return <ErrorMessage title="The import could not be loaded" error={error} />;
  return data === undefined ? null : <Result item={data} at={dataUpdatedAt} />;
}

/** Rows in one file, which the browser holds in memory. */
const MAX_EXPORTED = 100_000;

/** Saves all vendors, or the tasks of all frameworks or one of them, as a CSV file. */
function ExportForm({ target: { kind, framework } }: { target: Target }) {
  const { start, ...exported } = useExport();
  const run = () =>
    void start({
      fileName: `${kind}s.csv`,
      type: 'text/csv;charset=utf-8',
      maxRows: MAX_EXPORTED,
      load: (cursor, signal) => {
        const position = cursor === undefined ? {} : { cursor };
        return kind === 'task'
          ? client.task.exportAllCsv.query({ ...(framework !== null && { framework }), ...position }, { signal })
          : client.vendor.exportCsv.query(position, { signal });
      },
    });
  const whatIsExported =
    kind === 'vendor' ? 'All vendors' : `All tasks of ${framework === null ? 'all frameworks' : 'the framework'}`;
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm" c="dimmed">
        {whatIsExported} as a CSV file. An import accepts the same columns.
      </Text>
      <Button variant="default" loading={exported.state?.status === 'running'} onClick={run}>
        Export
      </Button>
      <ExportStatus {...exported} unit={kind === 'vendor' ? ['vendor', 'vendors'] : ['task', 'tasks']} />
    </Stack>
  );
}

export function Page() {
  const { canWrite } = useSession();
  const [target, setTarget] = useState<Target>({ kind: 'vendor', framework: null });
  const [frameworkError, setFrameworkError] = useState<string>();
  const [shown, show] = useShownImport();
  const onFrameworkMissing = () => setFrameworkError('Choose a framework.');
  const key = `${target.kind} ${target.framework}`;
  return (
    <Frame title="Imports">
      <TargetFields
        value={target}
        frameworkError={frameworkError}
        onChange={(next) => {
          setTarget(next);
          // A check holds for the kind and the framework for which it was made.
          if (shown !== undefined) show(undefined);
          setFrameworkError(undefined);
        }}
      />
      <div className="transfer screen-only">
        {canWrite && (
          <section>
            <h2>Import</h2>
            <Wizard target={target} onFrameworkMissing={onFrameworkMissing} />
          </section>
        )}
        <section>
          <h2>Export</h2>
          <ExportForm key={key} target={target} />
        </section>
      </div>
      <h2 className="past">Past imports</h2>
      <PastImports />
    </Frame>
  );
}
