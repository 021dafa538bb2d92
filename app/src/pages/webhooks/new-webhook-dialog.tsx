import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { toHeaders } from './headers-field.tsx';
import { WebhookFields } from './webhook-fields.tsx';
import type { WebhookValues } from './webhook-fields.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';

const NEW_WEBHOOK: WebhookValues = { url: '', description: '', events: null, headers: [] };

interface NewWebhookDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Creates an endpoint and shows its secret once. */
export function NewWebhookDialog({ opened, onClose }: NewWebhookDialogProps) {
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
