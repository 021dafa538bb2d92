import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Page as Frame } from '../../components/page.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { toHeaders } from './headers-field.tsx';
import { WebhookReason, WebhookStatus } from './webhook-status.tsx';
import { WebhookFields } from './webhook-fields.tsx';
import type { WebhookValues } from './webhook-fields.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';
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

interface NewWebhookDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Creates an endpoint and shows its secret once. */
function NewWebhookDialog({ opened, onClose }: NewWebhookDialogProps) {
  const form = useServerForm(NEW_WEBHOOK);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <FormDialog
        title="New endpoint"
        submitLabel="Save"
        opened={opened}
        onClose={onClose}
        form={form}
        onSubmit={async (values) => {
          const headers = toHeaders(values.headers ?? []);
          const created = await client.webhook.create.mutate({ ...values, headers });
          setSecret(created.secret);
          await queryClient.invalidateQueries(trpc.webhook.pathFilter());
        }}
      >
        <WebhookFields form={form} />
      </FormDialog>
      <WebhookSecretDialog title="Endpoint created" secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

/** The endpoints of the company. They are at most 20, so one page has all. */
export function Page() {
  const { isAdmin } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const { data, error, refetch } = useQuery(trpc.webhook.list.queryOptions());
  useShortcut('c', () => setIsCreating(isAdmin));
  const newWebhook = isAdmin && <Button onClick={() => setIsCreating(true)}>New endpoint</Button>;
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
              text="A webhook sends every change to a program of yours as soon as it happens, signed and with retries. Add the URL that receives the events."
              action={newWebhook}
            />
          }
        />
      )}
      <NewWebhookDialog opened={isCreating} onClose={() => setIsCreating(false)} />
    </Frame>
  );
}
