import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { trpc } from '../../../api/client.ts';
import { CopyableId } from '../../../components/copyable-id.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { Page as Frame } from '../../../components/page.tsx';
import { Facts } from '../../../components/section/facts.tsx';
import { Time } from '../../../components/time.tsx';
import { useSession } from '../../../components/use-session.ts';
import { DISABLED_TEXTS, eventsText, webhookName } from '../webhook.ts';
import type { Webhook } from '../webhook.ts';
import { WebhookStatus } from '../webhook-status.tsx';
import { Actions } from './actions.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { BackLink } from '../../../components/table/back-link.tsx';
import './endpoint.css';

/** Why an endpoint is disabled, and what to do. */
function DisabledNotice({ webhook: { uniqueId, disabledReason } }: { webhook: Webhook }) {
  const { isAdmin } = useSession();
  if (disabledReason === null) return null;
  const { title, cause, advice } = DISABLED_TEXTS[disabledReason];
  return (
    <Alert
      color={disabledReason === 'manual' ? 'indigo' : 'red'}
      variant="outline"
      role="note"
      aria-label={title}
      title={title}
    >
      <Text size="sm">{cause}</Text>
      <Text size="sm" mt={4}>
        {isAdmin ? advice : `An admin can help: ${advice.charAt(0).toLowerCase()}${advice.slice(1)}`}
      </Text>
      <Text size="sm" mt={4}>
        <Link to="/audit-log" search={{ resourceType: 'webhook', resourceId: uniqueId }}>
          Changes of this endpoint in the audit log
        </Link>
      </Text>
    </Alert>
  );
}

/** One endpoint: settings, actions and deliveries. */
export function Page() {
  const { uniqueId: webhook = '' } = useParams({ strict: false });
  const { isAdmin } = useSession();
  const { data, error, refetch } = useQuery(trpc.webhook.get.queryOptions({ webhook }));
  return (
    <Frame title={data === undefined ? 'Webhook' : webhookName(data)}>
      <Stack gap="md">
        <Group justify="space-between">
          <BackLink to="/webhooks">Back to the webhooks</BackLink>
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
          ['Status', <WebhookStatus key="status" webhook={webhook} />],
          ['URL', url],
          ['Events', eventsText(webhook)],
          ['Description', description === '' ? 'None' : description],
          ['Headers', headers.length === 0 ? 'None' : headers.join(', ')],
          ['Created', <Time key="created" value={createdAt} />],
          ['Changed', <Time key="changed" value={updatedAt} />],
          ['Id', <CopyableId key="id" value={uniqueId} />],
        ]}
      />
    </aside>
  );
}
