import { Alert, Button, CloseButton, Group, Loader, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Fold } from '../../components/fold.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { Changes } from '../../components/record/changes.tsx';
import { EventSentence, eventText, GroupSentence, groupText } from '../../components/record/events/event-sentence.tsx';
import type { EventGroup } from '../../components/record/events/groups.ts';
import { nameOf, resourceOf } from '../../components/record/events/sentence.ts';
import { useEventGroups } from '../../components/record/events/groups.ts';
import type { AuditEvent } from '../../components/record/events/words.ts';
import { useNames } from '../../components/record/use-names.ts';
import type { FindName } from '../../components/record/values.ts';
import { Facts } from '../../components/section/facts.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { ListBar, useList } from '../../components/table/list.tsx';
import { MAX_EXPORTED, useExportMenu } from '../../components/table/use-export-menu.tsx';
import { useExpanded } from '../../components/table/use-expanded.ts';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import { useCurrentView } from '../../components/views/use-views.ts';
import { ViewActions } from '../../components/views/view-actions.tsx';
import { exactTime } from '../../dates.ts';
import { usePrinting } from '../../print/printing.ts';
import './audit-log.css';
import { eventFilters, PAGE_SIZE, useActorNames, useEvents } from './filters.ts';
import type { EventFilters } from './filters.ts';
import { useMayProve } from './proofs/use-may-prove.ts';

type Result = Outputs['management']['audit']['verify'];

interface VerificationProps {
  isPending: boolean;
  error: unknown;
  result: Result | undefined;
  onClose: () => void;
}

/** Progress and result of a verification, in plain sentences. */
function Verification({ isPending, error, result, onClose }: VerificationProps) {
  if (isPending)
    return (
      <Group className="notice" gap="sm" mb="sm" role="status">
        <Loader size={16} />
        <Text size="sm">Comparing every event with its seal. This takes a few seconds for 100,000 events.</Text>
      </Group>
    );
  if (error !== null) return <ErrorMessage title="The audit log could not be verified" error={error} />;
  if (result === undefined) return null;
  return result.intact ? <Intact result={result} onClose={onClose} /> : <Broken result={result} />;
}

const counted = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`;

function Intact({ result: { sealed, unsealed, head }, onClose }: { result: Result; onClose: () => void }) {
  return (
    <div className="notice" role="status">
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" fw={600}>
          The audit log is intact.
        </Text>
        <CloseButton size="sm" aria-label="Close the message" onClick={onClose} />
      </Group>
      <Text size="sm">
        {counted(sealed)} {sealed === 1 ? 'is' : 'are'} sealed. Each seal includes the one before it, so nobody has
        changed, removed or inserted a sealed event.
      </Text>
      {unsealed > 0 && (
        <Text size="sm">
          {counted(unsealed)} {unsealed === 1 ? 'is' : 'are'} not sealed yet. The service seals new events within about
          a minute.
        </Text>
      )}
      {head !== null && (
        <Text size="sm" c="dimmed">
          Seal {head.seq}: <span className="mono break">{head.hash}</span>{' '}
          <CopyButton value={head.hash} label="Copy seal" />
          <br />
          Store this seal outside the service. You can then prove later, with a verification on the command line, that
          the events up to it were not rewritten.
        </Text>
      )}
    </div>
  );
}

function Broken({ result: { reason, firstBad, sealed } }: { result: Result }) {
  return (
    <Alert color="red" variant="outline" role="alert" title="The audit log is not intact" mb="sm">
      <Text size="sm">
        Somebody changed the database without using the service: an event or a seal was modified, removed or inserted.
      </Text>
      <Text size="sm">
        First difference: <span className="mono">{reason}</span>
      </Text>
      <Text size="sm">
        {firstBad !== null && firstBad.seq !== null && firstBad.seq > 1
          ? `The ${counted(firstBad.seq - 1)} before it are intact. `
          : ''}
        The chain has {counted(sealed)}.
      </Text>
      <Text size="sm">
        Do not delete anything. Ask the operator of the service to keep a copy of the database, and to compare it with a
        backup.
      </Text>
    </Alert>
  );
}

/** A row of the audit log: an event, or a group of several, whose events follow it while it is unfolded. */
interface Row {
  key: string;
  group: EventGroup<AuditEvent>;
  /** Undefined for the row of the group. */
  event: AuditEvent | undefined;
  /** True for an event below the row of its group. */
  isMember: boolean;
}

const eventRow = (group: Row['group'], event: AuditEvent, isMember: boolean): Row => ({
  key: event.uniqueId,
  group,
  event,
  isMember,
});

/** @param isExpanded true for the key of a line that is unfolded */
const rowsOf = (groups: readonly EventGroup<AuditEvent>[], isExpanded: (key: string) => boolean): Row[] =>
  groups.flatMap((group) => {
    if (group.events.length === 1) return [eventRow(group, group.newest, false)];
    const members = isExpanded(group.key) ? group.events.map((event) => eventRow(group, event, true)) : [];
    return [{ key: group.key, group, event: undefined, isMember: false }, ...members];
  });

interface ColumnOptions {
  findName: FindName;
  expanded: ReadonlySet<string>;
  onToggle: (key: string) => void;
}

/** Columns of the audit log. The button of a row shows and hides the details of its event, or the events of its group. */
const columnsOf = ({ findName, expanded, onToggle }: ColumnOptions): readonly Column<Row>[] => [
  {
    id: 'event',
    header: 'Event',
    className: 'wrap',
    render: (row) => {
      const { key, group, event, isMember } = row;
      return (
        <div className={isMember ? 'audit-event audit-member' : 'audit-event'}>
          <UnstyledButton
            className="expander"
            aria-label={buttonText(row, findName)}
            aria-expanded={expanded.has(key)}
            onClick={() => onToggle(key)}
          >
            <IconChevron size={14} aria-hidden />
          </UnstyledButton>
          <div>
            {event === undefined ? (
              <GroupSentence group={group} />
            ) : (
              <EventSentence event={event} findName={findName} />
            )}
            <div className="audit-time">
              <RowTime row={row} />
            </div>
          </div>
        </div>
      );
    },
  },
  { id: 'when', header: 'When', width: 208, leaves: 1, render: (row) => <RowTime row={row} /> },
];

const RowTime = ({ row: { group, event = group.newest } }: { row: Row }) => <Time value={event.occurredAt} isExact />;

/** Name of the button of a row. The time tells equal sentences apart. */
const buttonText = ({ group, event }: Row, findName: FindName): string =>
  event === undefined
    ? `Events: ${groupText(group)}, ${exactTime(group.newest.occurredAt)}`
    : `Details: ${eventText(event, findName)}, ${exactTime(event.occurredAt)}`;

interface EventDetailsProps {
  event: AuditEvent;
  findName: FindName;
}

/** The changes of an event, and what an investigation needs. */
function EventDetails({ event, findName }: EventDetailsProps) {
  const { uniqueId, changes, requestId, apiKey, resource } = event;
  return (
    <div className="audit-details">
      {changes === undefined ? (
        <Text size="sm">A newer version of the service wrote this event. Only that version can show its changes.</Text>
      ) : (
        <Changes changes={changes} findName={findName} />
      )}
      <Facts
        facts={[
          [
            'History',
            <Link key="history" to="/audit-log" search={{ resourceId: resource.uniqueId }}>
              All events of {nameOf(resourceOf(event))}
            </Link>,
          ],
        ]}
      />
      <div>
        <Fold
          label={
            <>
              Details for integrators<VisuallyHidden> of event {uniqueId}</VisuallyHidden>
            </>
          }
        >
          <Facts
            facts={[
              ['Request id', id(requestId, 'request id')],
              ['Event id', id(uniqueId, 'event id')],
              ['API key', apiKey === null ? undefined : id(apiKey, 'id of the API key of event')],
            ]}
          />
        </Fold>
      </div>
    </div>
  );

  function id(value: string, what: string) {
    return value === '' ? undefined : <CopyableId value={value} label={`Copy ${what} ${uniqueId}`} />;
  }
}

const UNIT = ['event', 'events'] as const;

export function Page() {
  const { canReadManagement } = useSession();
  const mayProve = useMayProve();
  const [expanded, toggle] = useExpanded();
  const isPrinting = usePrinting();
  const findName = useNames();
  const declaration = { name: 'audit', unit: UNIT, columns: columnsOf({ findName, expanded, onToggle: toggle }) };
  // The filters decide which events are loaded, and offer the people of these events.
  const { query: filters } = useList({ ...declaration, filters: eventFilters() });
  const query = useEvents(filters);
  const { error, refetch, hasNextPage } = query;
  const { q, ...others } = filters;
  const isSearch = q !== undefined;
  const { data: total } = useQuery({ ...trpc.audit.count.queryOptions(others), enabled: !isSearch });
  const { groups, loadMore } = useEventGroups(query);
  const events = groups?.flatMap((group) => group.events) ?? [];
  const choices = { events, names: useActorNames(events, filters.actor), resourceType: filters.resourceType };
  const list = useList({ ...declaration, filters: eventFilters(choices) });
  const verification = useMutation({ mutationFn: () => client.management.audit.verify.mutate({}) });
  const [exportMenu, exportStatus] = useExportMenu({
    fileName: 'audit-log.csv',
    unit: UNIT,
    // The number of all events is not known.
    load: async (options, signal) => {
      const { total: _, ...part } = await client.audit.exportCsv.query({ ...filters, ...options }, { signal });
      return part;
    },
    ...(!isSearch && { other: { label: 'JSON, one event on each line', job: exportOf(others) } }),
  });
  const { title = 'Audit log' } = useCurrentView('audit', list.values);

  const actions = (
    <div className="page-actions">
      <ViewActions page="audit" search={list.values} onChange={list.setValues} />
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
      {exportMenu}
    </div>
  );

  return (
    <Frame title={title} action={actions}>
      {exportStatus}
      <Verification
        isPending={verification.isPending}
        error={verification.error}
        result={verification.data}
        onClose={verification.reset}
      />
      <ListBar list={list} total={isSearch ? undefined : total?.count} hasMore={total?.more} />
      {error !== null && (
        <ErrorMessage title="The audit log could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || groups !== undefined) && (
        <DataTable
          {...list.table}
          label="Audit log"
          rows={groups && rowsOf(groups, (key) => isPrinting || expanded.has(key))}
          rowKey={({ key }) => key}
          onLoadMore={hasNextPage ? () => void loadMore() : undefined}
          details={({ key, event }) =>
            event !== undefined && expanded.has(key) ? <EventDetails event={event} findName={findName} /> : undefined
          }
          empty={<EmptyState text="No events match these filters. Choose a longer period, or clear the filters." />}
        />
      )}
    </Frame>
  );
}

/** The events that match the filters, one JSON object on each line. */
const exportOf = (filters: Omit<EventFilters, 'q'>) => ({
  fileName: 'audit-log.ndjson',
  type: 'application/x-ndjson',
  maxRows: MAX_EXPORTED,
  load: async (cursor: string | undefined, signal: AbortSignal) => {
    const query = { ...filters, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor } = await client.audit.list.query(query, { signal });
    return { content: items.map((item) => `${JSON.stringify(item)}\n`).join(''), rows: items.length, nextCursor };
  },
});
