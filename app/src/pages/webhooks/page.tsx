import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, queryClient, trpc } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { openDialog } from '../../components/form/dialog.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { WebhookReason, WebhookStatus } from './webhook-status.tsx';
import { showWebhookSecret, toHeaders, WebhookFields } from './webhook-fields.tsx';
import type { WebhookValues } from './webhook-fields.tsx';
import { eventsText } from './webhook.ts';
import type { Webhook } from './webhook.ts';

const columns: readonly Column<Webhook>[] = [
  {
    id: 'url',
    header: 'URL',
    className: 'wrap',
    render: ({ uniqueId, url }) => (
      <Link to="/webhooks/$uniqueId" params={{ uniqueId }}>
        {url}
      </Link>
    ),
  },
  {
    id: 'events',
    header: 'Events',
    width: 200,
    leaves: 2,
    className: 'wrap',
    render: eventsText,
  },
  {
    id: 'description',
    header: 'Description',
    width: 200,
    leaves: 1,
    className: 'wrap',
    render: ({ description }) => description,
  },
  {
    id: 'status',
    header: 'Status',
    width: 150,
    className: 'wrap',
    render: (webhook) => <WebhookStatus webhook={webhook} />,
  },
  {
    id: 'reason',
    header: 'Reason',
    width: 176,
    leaves: 3,
    className: 'wrap',
    render: (webhook) => <WebhookReason webhook={webhook} />,
  },
];

const NEW_WEBHOOK: WebhookValues = { url: '', description: '', events: null, headers: [] };

/** Creates an endpoint and shows its secret once. */
const openNewWebhook = () =>
  openDialog({
    title: 'New endpoint',
    initial: NEW_WEBHOOK,
    fields: (form) => <WebhookFields form={form} />,
    button: 'Save',
    submit: async (values) => {
      const headers = toHeaders(values.headers ?? []);
      const { secret } = await client.webhook.create.mutate({ ...values, headers });
      showWebhookSecret('Endpoint created', secret);
      await queryClient.invalidateQueries(trpc.webhook.pathFilter());
    },
  });

/** The endpoints of the company. They are at most 20, so one page has all. */
export function Page() {
  const { isAdmin } = useSession();
  const { data, error, refetch } = useQuery(trpc.webhook.list.queryOptions());
  useShortcut('c', () => isAdmin && openNewWebhook());
  const newWebhook = isAdmin && <Button onClick={openNewWebhook}>New endpoint</Button>;
  const isEmpty = data?.items.length === 0;

  return (
    <Frame title="Webhooks" action={!isEmpty && newWebhook}>
      {error !== null && (
        <ErrorMessage title="The webhooks could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || data !== undefined) && (
        <DataTable
          label="Webhooks"
          columns={columns}
          rows={data?.items}
          rowKey={({ uniqueId }) => uniqueId}
          empty={
            <EmptyState
              text="A webhook sends every change to your program as soon as it happens. Each request is signed, and failed ones are sent again. Add the URL that receives the events."
              action={newWebhook}
            />
          }
        />
      )}
    </Frame>
  );
}
