import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { Changes } from '../../components/record/changes.tsx';
import type { AuditEvent } from '../../components/record/events/words.ts';
import { useNames } from '../../components/record/use-names.ts';
import type { FindName } from '../../components/record/values.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { ExportStatus } from '../../components/table/export/export-status.tsx';
import { useExport } from '../../components/table/export/use-export.ts';
import { useSession } from '../../components/use-session.ts';
import { columnsOf } from './columns.tsx';
import { Filters } from './filters.tsx';
import { PAGE_SIZE, useEventFilters, useEvents } from './use-events.ts';
import type { EventFilters } from './use-events.ts';
import { Verification } from './verification.tsx';

/** Events in one file, which the browser holds in memory. */
const MAX_EXPORTED = 50_000;

export function Page() {
  const { role } = useSession();
  const { search, setSearch, filters } = useEventFilters();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useEvents(filters);
  const events = data?.pages.flatMap(({ items }) => items);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const findName = useNames();
  const verification = useMutation({ mutationFn: () => client.management.audit.verify.mutate({}) });
  const { start, ...exported } = useExport();

  const toggle = (uniqueId: string) => {
    const next = new Set(expanded);
    if (!next.delete(uniqueId)) next.add(uniqueId);
    setExpanded(next);
  };
  const actions = (
    <Group gap="xs" wrap="nowrap">
      {role !== 'editor' && (
        <Button variant="default" loading={verification.isPending} onClick={() => verification.mutate()}>
          Verify
        </Button>
      )}
      <Button loading={exported.state?.status === 'running'} onClick={() => void start(exportOf(filters))}>
        Export
      </Button>
    </Group>
  );

  return (
    <Frame title="Audit log" action={actions}>
      <ExportStatus {...exported} unit={['event', 'events']} />
      <Verification
        isPending={verification.isPending}
        error={verification.error}
        result={verification.data}
        onClose={verification.reset}
      />
      <Filters search={search} setSearch={setSearch} events={events ?? []} />
      {error !== null && (
        <ErrorMessage title="The audit log could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || events !== undefined) && (
        <DataTable
          label="Audit log"
          columns={columnsOf(expanded, toggle)}
          rows={events}
          rowKey={({ uniqueId }) => uniqueId}
          onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
          details={({ uniqueId, changes }) =>
            expanded.has(uniqueId) ? <EventChanges changes={changes} findName={findName} /> : undefined
          }
          empty={<EmptyState text="No event matches these filters. Choose a longer period, or clear the filters." />}
        />
      )}
    </Frame>
  );
}

/** The changes of an event; a sentence if only a newer version of the service knows them. */
const EventChanges = ({ changes, findName }: { changes: AuditEvent['changes'] | undefined; findName: FindName }) =>
  changes === undefined ? (
    <Text size="sm">A newer version of the service wrote this event and shows its changes.</Text>
  ) : (
    <Changes changes={changes} findName={findName} />
  );

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
