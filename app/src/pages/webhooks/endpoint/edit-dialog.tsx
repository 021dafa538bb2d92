import { client, queryClient, trpc } from '../../../api/client.ts';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { useServerForm } from '../../../components/form/use-server-form.ts';
import { toHeaders } from '../headers-field.tsx';
import { WebhookFields } from '../webhook-fields.tsx';
import type { WebhookValues } from '../webhook-fields.tsx';
import type { Webhook } from '../webhook.ts';

interface EditDialogProps {
  webhook: Webhook;
  opened: boolean;
  onClose: () => void;
}

/** Changes the settings of an endpoint. Only what was edited is sent. */
export function EditDialog({ webhook, opened, onClose }: EditDialogProps) {
  return opened ? <EditForm webhook={webhook} opened onClose={onClose} /> : null;
}

function EditForm({ webhook, opened, onClose }: EditDialogProps) {
  const { uniqueId, url, description, events, headers } = webhook;
  const form = useServerForm<WebhookValues>({ url, description, events, headers: headers.length === 0 ? [] : null });
  return (
    <FormDialog
      title="Edit endpoint"
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async (values) => {
        await client.webhook.update.mutate({
          webhook: uniqueId,
          ...(values.url !== url && { url: values.url }),
          ...(values.description !== description && { description: values.description }),
          ...(values.events !== events && { events: values.events }),
          ...(values.headers !== null && { headers: toHeaders(values.headers) }),
        });
        await queryClient.invalidateQueries(trpc.webhook.pathFilter());
      }}
    >
      <WebhookFields form={form} headerNames={headers} />
    </FormDialog>
  );
}
