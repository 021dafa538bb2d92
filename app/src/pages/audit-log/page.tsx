import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { useEventGroups } from '../../components/record/events/use-event-groups.ts';
import { useNames } from '../../components/record/use-names.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { ExportStatus } from '../../components/table/export/export-status.tsx';
import { useExport } from '../../components/table/export/use-export.ts';
import { useSession } from '../../components/use-session.ts';
import { useCurrentView } from '../../components/views/use-views.ts';
import { ViewActions } from '../../components/views/view-actions.tsx';
import { usePrinting } from '../../print/printing.ts';
import { columnsOf } from './columns.tsx';
import { EventDetails } from './event-details.tsx';
import { Filters } from './filters.tsx';
import { useMayProve } from './proofs/use-may-prove.ts';
import { rowsOf } from './rows.ts';
import { PAGE_SIZE, useEventFilters, useEvents } from './use-events.ts';
import type { EventFilters } from './use-events.ts';
import { Verification } from './verification.tsx';

/** Events in one file, which the browser holds in memory. */
const MAX_EXPORTED = 50_000;

export function Page() {
  const { canReadManagement } = useSession();
  const mayProve = useMayProve();
  const { search, setSearch, filters } = useEventFilters();
  const query = useEvents(filters);
  const { error, refetch, hasNextPage } = query;
  const { groups, loadMore } = useEventGroups(query);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const isPrinting = usePrinting();
  const findName = useNames();
  const verification = useMutation({ mutationFn: () => client.management.audit.verify.mutate({}) });
  const { start, ...exported } = useExport();
  const { title = 'Audit log' } = useCurrentView('audit', search);

  const toggle = (key: string) => {
    const next = new Set(expanded);
    if (!next.delete(key)) next.add(key);
    setExpanded(next);
  };
  const actions = (
    <div className="page-actions">
      <ViewActions page="audit" search={search} onChange={setSearch} />
      {mayProve && (
        <Button variant="default" renderRoot={(props) => <Link to="/audit-log/proofs" {...props} />}>
          Proofs
        </Button>
      )}
      {canReadManagement && (
        <Button variant="default" loading={verification.isPending} onClick={() => verification.mutate()}>
          Verify
        </Button>
      )}
      <Button loading={exported.state?.status === 'running'} onClick={() => void start(exportOf(filters))}>
        Export
      </Button>
    </div>
  );

  return (
    <Frame title={title} action={actions}>
      <ExportStatus {...exported} unit={['event', 'events']} />
      <Verification
        isPending={verification.isPending}
        error={verification.error}
        result={verification.data}
        onClose={verification.reset}
      />
      <Filters search={search} setSearch={setSearch} events={groups?.flatMap(({ events }) => events) ?? []} />
      {error !== null && (
        <ErrorMessage title="The audit log could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || groups !== undefined) && (
        <DataTable
          label="Audit log"
          columns={columnsOf({ findName, expanded, onToggle: toggle })}
          rows={groups && rowsOf(groups, (key) => isPrinting || expanded.has(key))}
          rowKey={({ key }) => key}
          onLoadMore={hasNextPage ? () => void loadMore() : undefined}
          details={({ key, event }) =>
            event !== undefined && expanded.has(key) ? <EventDetails event={event} findName={findName} /> : undefined
          }
          empty={<EmptyState text="No event matches these filters. Choose a longer period, or clear the filters." />}
        />
      )}
    </Frame>
  );
}

/** The events that match the filters, one JSON object on each line. */
const exportOf = (filters: EventFilters) => ({
  fileName: 'audit-log.ndjson',
  type: 'application/x-ndjson',
  maxRows: MAX_EXPORTED,
  load: async (cursor: string | undefined, signal: AbortSignal) => {
    const query = { ...filters, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor } = await client.audit.list.query(query, { signal });
    return { content: items.map((item) => `${JSON.stringify(item)}\n`).join(''), rows: items.length, nextCursor };
  },
});
