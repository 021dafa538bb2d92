import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { Facts } from '../../../components/section/facts.tsx';
import { Section } from '../../../components/section/section.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { useSession } from '../../../components/use-session.ts';
import { TEST_TYPE, TEST_TYPES } from '../webhook.ts';
import type { Webhook } from '../webhook.ts';
import { NextAttempt, ReplayButton, columnsOf, replayColumn } from './delivery-columns.tsx';
import { useDeliveries } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import { ReplayDialog } from './replay-dialog.tsx';

const reload = () => queryClient.invalidateQueries(trpc.webhook.deliveries.pathFilter());

/** The deliveries of an endpoint. An admin sends test events and replays. */
export function DeliveryLog({ webhook: { uniqueId: webhook, enabled } }: { webhook: Webhook }) {
  const canSend = useSession().isAdmin && enabled;
  const { data, error, refetch, hasNextPage, fetchNextPage } = useDeliveries(webhook);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [isReplaying, setIsReplaying] = useState(false);
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
  const toggle = (uniqueId: string) => {
    const next = new Set(expanded);
    if (!next.delete(uniqueId)) next.add(uniqueId);
    setExpanded(next);
  };
  const columns = columnsOf({ expanded, onToggle: toggle });
  const details = (row: Delivery) => (
    <div className="webhook-delivery">
      <Facts
        facts={[
          ['Sequence', row.sequence ?? 'None, as for each test event'],
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
            <Button variant="default" onClick={() => setIsReplaying(true)}>
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
          onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
          details={(row) => (expanded.has(row.uniqueId) ? details(row) : undefined)}
          empty={<EmptyState text={canSend ? FIRST_STEP : 'Nothing was sent in the last 30 days.'} />}
        />
      )}
      <ReplayDialog webhook={webhook} opened={isReplaying} onClose={() => setIsReplaying(false)} />
    </Section>
  );
}

const LOG_TEXT = 'The events of the last 30 days, newest first. Up to ten attempts within about three days.';
const DISABLED_LOG_TEXT =
  'The events of the last 30 days, newest first. Nothing is sent while the endpoint is disabled.';
const FIRST_STEP =
  'Nothing was sent in the last 30 days. Send a test event to see if the program receives it, or change a task or a vendor.';
