import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/form/confirm-dialog.tsx';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { useServerForm } from '../../../components/form/use-server-form.ts';
import { toHeaders } from '../headers-field.tsx';
import { WebhookFields } from '../webhook-fields.tsx';
import type { WebhookValues } from '../webhook-fields.tsx';
import { WebhookSecretDialog } from '../webhook-secret-dialog.tsx';
import { webhookName } from '../webhook.ts';
import type { Webhook } from '../webhook.ts';

/** Times for which the old secret signs too, in seconds. */
const OVERLAPS = [
  { value: '0', label: 'None' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
];

interface RotateDialogProps {
  webhook: string;
  opened: boolean;
  onClose: () => void;
}

/** Gives an endpoint a new secret and shows it once. */
function RotateDialog({ webhook, opened, onClose }: RotateDialogProps) {
  const form = useServerForm({ overlapSeconds: '0' });
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <FormDialog
        title="Rotate the secret?"
        submitLabel="Rotate"
        opened={opened}
        onClose={onClose}
        form={form}
        onSubmit={async ({ overlapSeconds }) => {
          const rotated = await client.webhook.rotate.mutate({ webhook, overlapSeconds: Number(overlapSeconds) });
          setSecret(rotated.secret);
          await queryClient.invalidateQueries(trpc.webhook.pathFilter());
        }}
      >
        <Text size="sm">The endpoint gets a new secret. Its settings and its log stay.</Text>
        <NativeSelect
          label="Overlap"
          description="Time for which the old secret signs too"
          data={OVERLAPS}
          {...form.text('overlapSeconds')}
        />
      </FormDialog>
      <WebhookSecretDialog title="Secret rotated" secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

interface EditDialogProps {
  webhook: Webhook;
  opened: boolean;
  onClose: () => void;
}

/** Changes the settings of an endpoint. Only what was edited is sent. */
function EditDialog({ webhook, opened, onClose }: EditDialogProps) {
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

type Action = 'edit' | 'rotate' | 'disable' | 'enable' | 'delete';

const reload = () => queryClient.invalidateQueries(trpc.webhook.pathFilter());

/** Buttons of an admin. */
export function Actions({ webhook }: { webhook: Webhook }) {
  const { uniqueId, enabled, disabledReason } = webhook;
  const navigate = useNavigate();
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  const name = webhookName(webhook);

  const setEnabled = async (isEnabled: boolean) => {
    await client.webhook.update.mutate({ webhook: uniqueId, enabled: isEnabled });
    await reload();
  };
  const remove = async () => {
    await client.webhook.delete.mutate({ webhook: uniqueId });
    // The page closes first: it must not load what no longer exists.
    await navigate({ to: '/webhooks' });
    await reload();
  };
  return (
    <>
      <Group gap="xs">
        <Button variant="default" onClick={() => setAction('edit')}>
          Edit
        </Button>
        <Button variant="default" onClick={() => setAction('rotate')}>
          Rotate
        </Button>
        {disabledReason !== 'key' && (
          <Button variant="default" onClick={() => setAction(enabled ? 'disable' : 'enable')}>
            {enabled ? 'Disable' : 'Enable'}
          </Button>
        )}
        <Button variant="default" c="red" onClick={() => setAction('delete')}>
          Delete
        </Button>
      </Group>
      <EditDialog webhook={webhook} opened={action === 'edit'} onClose={close} />
      <RotateDialog webhook={uniqueId} opened={action === 'rotate'} onClose={close} />
      <ConfirmDialog
        title="Disable this endpoint?"
        action="Disable"
        opened={action === 'disable'}
        onClose={close}
        onConfirm={() => setEnabled(false)}
      >
        <Text size="sm" className="break">
          “{name}” receives nothing until you enable it again. Events that happen meanwhile are sent only if you replay
          them.
        </Text>
      </ConfirmDialog>
      <ConfirmDialog
        title="Enable this endpoint?"
        action="Enable"
        color="indigo"
        opened={action === 'enable'}
        onClose={close}
        onConfirm={() => setEnabled(true)}
      >
        <Text size="sm" className="break">
          “{name}” receives the events from now on, and those that still wait in its log. Replay the events that
          happened while it was disabled.
        </Text>
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete this endpoint?"
        action="Delete"
        opened={action === 'delete'}
        onClose={close}
        onConfirm={remove}
      >
        <Text size="sm" className="break">
          “{name}” receives nothing from now on. Its secret and its log are gone; another endpoint gets a new secret.
        </Text>
      </ConfirmDialog>
    </>
  );
}
