import { Group, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { trpc } from '../../../api/client.ts';
import { CopyableId } from '../../../components/copyable-id.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { Page as Frame } from '../../../components/page.tsx';
import { Time } from '../../../components/time.tsx';
import { Facts } from '../../../components/section/facts.tsx';
import { StatusDot } from '../../../components/status-dot.tsx';
import { useSession } from '../../../components/use-session.ts';
import { eventsText, webhookName, webhookStatus } from '../webhook.ts';
import type { Webhook } from '../webhook.ts';
import { Actions } from './actions.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { DisabledNotice } from './disabled-notice.tsx';
import './endpoint.css';

/** One endpoint: settings, actions and deliveries. */
export function Page() {
  const { uniqueId: webhook = '' } = useParams({ strict: false });
  const { isAdmin } = useSession();
  const { data, error, refetch } = useQuery(trpc.webhook.get.queryOptions({ webhook }));
  return (
    <Frame title={data === undefined ? 'Webhook' : webhookName(data)}>
      <Stack gap="md">
        <Group justify="space-between">
          <Link to="/webhooks" className="page-back">
            All webhooks
          </Link>
          {isAdmin && data !== undefined && <Actions webhook={data} />}
        </Group>
        {error !== null && (
          <ErrorMessage title="The webhook could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
        {data === undefined && error === null && <Skeleton h={120} />}
        {data !== undefined && <DisabledNotice webhook={data} />}
        {data !== undefined && <Settings webhook={data} />}
        {data !== undefined && <DeliveryLog key={webhook} webhook={data} />}
      </Stack>
    </Frame>
  );
}

function Settings({ webhook }: { webhook: Webhook }) {
  const { uniqueId, url, description, headers, createdAt, updatedAt } = webhook;
  return (
    <aside aria-label="Settings" className="webhook-settings">
      <Facts
        facts={[
          ['Status', <StatusDot key="status" status={webhookStatus(webhook)} />],
          ['URL', url],
          ['Events', eventsText(webhook)],
          ['Description', description === '' ? 'None' : description],
          ['Headers', headers.length === 0 ? 'None' : headers.join(', ')],
          ['Created', <Time key="created" value={createdAt} />],
          ['Changed', <Time key="changed" value={updatedAt} />],
          ['Unique id', <CopyableId key="id" value={uniqueId} />],
        ]}
      />
    </aside>
  );
}
