import { Button, Group, NativeSelect, Text, TextInput, UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../../api/client.ts';
import type { Outputs } from '../../../api/client.ts';
import { pagesOptions } from '../../../api/pages.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { openDialog } from '../../../components/form/dialog.tsx';
import { Facts } from '../../../components/section/facts.tsx';
import { Section } from '../../../components/section/section.tsx';
import { StatusDot } from '../../../components/status-dot.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { useExpanded } from '../../../components/table/use-expanded.ts';
import { useLoadMore } from '../../../components/table/use-load-more.ts';
import { Time } from '../../../components/time.tsx';
import { useSession } from '../../../components/use-session.ts';
import { localMinute } from '../../../dates.ts';
import { TEST_TYPE, TEST_TYPES } from '../webhook.ts';
import type { Webhook } from '../webhook.ts';

type Delivery = Outputs['webhook']['deliveries']['items'][number];

const PAGE_SIZE = 50;
/** Milliseconds between two requests for a page of the log, if an attempt is due soon, and otherwise. */
const PENDING_INTERVAL_MS = 3000;
const IDLE_INTERVAL_MS = 5000;
/** Milliseconds until an attempt that is due soon. A lease is at most that long. */
const SOON_MS = 60_000;

const isSoon = ({ nextAttemptAt }: Delivery): boolean =>
  nextAttemptAt !== null && Date.parse(nextAttemptAt) - Date.now() <= SOON_MS;

/** Pages of the deliveries of an endpoint, newest first. They stay up to date while somebody looks at them. */
const useDeliveries = (webhook: string) =>
  useInfiniteQuery({
    ...pagesOptions(trpc.webhook.deliveries.queryKey({ webhook }), (position, options) =>
      client.webhook.deliveries.query({ webhook, limit: PAGE_SIZE, ...position }, options),
    ),
    refetchInterval: ({ state: { data } }) => {
      const { pages } = data ?? { pages: [] };
      const isPending = pages.some(({ items }) => items.some(isSoon));
      return (isPending ? PENDING_INTERVAL_MS : IDLE_INTERVAL_MS) * Math.max(1, pages.length);
    },
  });

type DeliveryStatus = 'waiting' | 'retrying' | 'delivered' | 'failed';

/** Outcome of the last attempt, with its words: "500 Retrying". */
function deliveryStatus({ lastStatus, lastError, nextAttemptAt }: Delivery): {
  status: DeliveryStatus;
  label: string;
} {
  const isPending = nextAttemptAt !== null;
  if (lastStatus === null && lastError === null)
    return isPending ? { status: 'waiting', label: 'Waiting' } : { status: 'failed', label: 'Not sent' };
  if (lastError === null) return { status: 'delivered', label: `${lastStatus} Delivered` };
  if (lastStatus !== null)
    return isPending
      ? { status: 'retrying', label: `${lastStatus} Retrying` }
      : { status: 'failed', label: `${lastStatus} Failed` };
  const text = lastError.startsWith('not sent') ? 'Not sent' : 'No response';
  return isPending ? { status: 'retrying', label: `${text}, retrying` } : { status: 'failed', label: text };
}

interface ColumnOptions {
  expanded: ReadonlySet<string>;
  onToggle: (uniqueId: string) => void;
}

/** Columns of the log. The button with the type shows and hides the whole error. */
const columnsOf = ({ expanded, onToggle }: ColumnOptions): readonly Column<Delivery>[] => [
  {
    id: 'type',
    header: 'Type',
    render: ({ uniqueId, type }) => (
      <UnstyledButton className="expander" aria-expanded={expanded.has(uniqueId)} onClick={() => onToggle(uniqueId)}>
        <IconChevron size={14} aria-hidden />
        <span>{type}</span>
      </UnstyledButton>
    ),
  },
  { id: 'lastStatus', header: 'Last status', width: 170, render: (row) => <StatusDot {...deliveryStatus(row)} /> },
  {
    id: 'sequence',
    header: 'Sequence',
    width: 84,
    leaves: 2,
    className: 'align-end',
    render: ({ sequence }) => sequence ?? <span className="quiet">None</span>,
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: 80,
    leaves: 3,
    className: 'align-end',
    render: ({ attempts }) => attempts,
  },
  {
    id: 'nextAttemptAt',
    header: 'Next attempt',
    width: 130,
    leaves: 4,
    render: (row) => <NextAttempt delivery={row} />,
  },
  {
    id: 'lastError',
    header: 'Last error',
    width: 180,
    leaves: 1,
    className: 'wrap',
    render: ({ lastError }) => lastError,
  },
];

const replayColumn = (replay: Replay): Column<Delivery> => ({
  id: 'actions',
  header: 'Actions',
  width: 84,
  leaves: 5,
  className: 'align-end',
  render: ({ sequence }) => <ReplayButton sequence={sequence} replay={replay} />,
});

interface Replay {
  /** Sequence of the event that is replayed now. */
  running: number | undefined;
  start: (sequence: number) => void;
}

interface ReplayButtonProps {
  sequence: number | null;
  replay: Replay;
  className?: string;
}

/** Delivers an event again. A test event has no sequence and cannot be replayed. */
function ReplayButton({ sequence, replay: { running, start }, className }: ReplayButtonProps) {
  if (sequence === null) return null;
  return (
    <Button
      variant="default"
      size="compact-xs"
      aria-label={`Replay event ${sequence}`}
      loading={running === sequence}
      onClick={() => start(sequence)}
      {...(className !== undefined && { className })}
    >
      Replay
    </Button>
  );
}

/** Time of the next attempt. */
function NextAttempt({ delivery }: { delivery: Delivery }) {
  const { nextAttemptAt } = delivery;
  if (nextAttemptAt === null) return <span className="quiet">None</span>;
  return isSoon(delivery) ? 'In a moment' : <Time value={nextAttemptAt} withRelative />;
}

const HOUR_MS = 3_600_000;

/** Delivers the events from a time on again. */
const openReplay = (webhook: string) =>
  openDialog({
    title: 'Replay events',
    text: 'Sends every selected event since this time to the endpoint again. Programs should skip events whose id they already know.',
    initial: { since: localMinute(new Date(Date.now() - HOUR_MS).toISOString()) },
    fields: (form) => (
      <TextInput
        type="datetime-local"
        label="Since"
        description="In the time zone of this browser"
        data-autofocus
        {...form.text('since')}
      />
    ),
    button: 'Replay',
    submit: async ({ since }) => {
      await client.webhook.replay.mutate({ webhook, since: toTimestamp(since) });
      await reload();
    },
  });

/** A local time as the API takes it. The server names the field of one that is incomplete. */
const toTimestamp = (localTime: string): string =>
  Number.isNaN(Date.parse(localTime)) ? localTime : new Date(localTime).toISOString();

const reload = () => queryClient.invalidateQueries(trpc.webhook.deliveries.pathFilter());

/** The deliveries of an endpoint. An admin sends test events and replays. */
export function DeliveryLog({ webhook: { uniqueId: webhook, enabled } }: { webhook: Webhook }) {
  const canSend = useSession().isAdmin && enabled;
  const query = useDeliveries(webhook);
  const { data, error, refetch } = query;
  const loadMore = useLoadMore(query);
  const [expanded, toggle] = useExpanded();
  const [testType, setTestType] = useState<string>(TEST_TYPE);
  const test = useMutation({
    mutationFn: (type: string) => client.webhook.test.mutate({ webhook, type }),
    onSuccess: reload,
  });
  const {
    mutate,
    isPending,
    variables,
    error: replayError,
  } = useMutation({
    mutationFn: (sequence: number) => client.webhook.replay.mutate({ webhook, sequence }),
    onSuccess: reload,
  });
  const replay = { running: isPending ? variables : undefined, start: (sequence: number) => mutate(sequence) };
  const columns = columnsOf({ expanded, onToggle: toggle });
  const details = (row: Delivery) => (
    <div className="webhook-delivery">
      <Facts
        facts={[
          ['Sequence', row.sequence ?? 'None, because this is a test event'],
          ['Attempts', row.attempts],
          ['Next attempt', <NextAttempt key="next" delivery={row} />],
          ['Last error', row.lastError ?? 'None'],
        ]}
      />
      {canSend && <ReplayButton sequence={row.sequence} replay={replay} className="narrow-only" />}
    </div>
  );

  return (
    <Section
      title="Delivery log"
      text={enabled ? LOG_TEXT : DISABLED_LOG_TEXT}
      action={
        canSend && (
          <Group gap="xs">
            <Button variant="default" onClick={() => openReplay(webhook)}>
              Replay since
            </Button>
            <NativeSelect
              aria-label="Type of the test event"
              data={TEST_TYPES}
              value={testType}
              onChange={({ currentTarget }) => setTestType(currentTarget.value)}
            />
            <Button loading={test.isPending} onClick={() => test.mutate(testType)}>
              Send test event
            </Button>
          </Group>
        )
      }
    >
      {test.error !== null && <ErrorMessage title="The test event was not sent" error={test.error} />}
      {replayError !== null && <ErrorMessage title="The event was not replayed" error={replayError} />}
      {error !== null && (
        <ErrorMessage title="The deliveries could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      <Text size="sm" c="dimmed" role="status">
        {test.isSuccess && 'The test event is in the log.'}
      </Text>
      {(error === null || data !== undefined) && (
        <DataTable
          label="Delivery log"
          columns={canSend ? [...columns, replayColumn(replay)] : columns}
          rows={data?.pages.flatMap(({ items }) => items)}
          rowKey={({ uniqueId }) => uniqueId}
          onLoadMore={loadMore}
          details={(row) => (expanded.has(row.uniqueId) ? details(row) : undefined)}
          empty={<EmptyState text={canSend ? FIRST_STEP : 'Nothing was sent in the last 30 days.'} />}
        />
      )}
    </Section>
  );
}

const LOG_TEXT =
  'The events of the last 30 days, newest first. Each event is attempted up to ten times within about three days.';
const DISABLED_LOG_TEXT =
  'The events of the last 30 days, newest first. Nothing is sent while the endpoint is disabled.';
const FIRST_STEP =
  'Nothing was sent in the last 30 days. Send a test event to see if the program receives it, or change a task or a vendor.';
