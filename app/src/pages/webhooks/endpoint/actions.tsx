import { Button, Group, NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { askToConfirm, openDialog } from '../../../components/form/dialog.tsx';
import { showWebhookSecret, toHeaders, WebhookFields } from '../webhook-fields.tsx';
import type { WebhookValues } from '../webhook-fields.tsx';
import { webhookName } from '../webhook.ts';
import type { Webhook } from '../webhook.ts';

/** Times for which the old secret signs too, in seconds. */
const OVERLAPS = [
  { value: '0', label: 'None' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
];

const reload = () => queryClient.invalidateQueries(trpc.webhook.pathFilter());

/** Gives an endpoint a new secret and shows it once. */
const openRotation = (webhook: string) =>
  openDialog({
    title: 'Rotate the secret?',
    text: 'The endpoint gets a new secret and keeps its settings and its log.',
    initial: { overlapSeconds: '0' },
    fields: (form) => (
      <NativeSelect
        label="Overlap"
        description="How long requests are also signed with the old secret"
        data={OVERLAPS}
        {...form.text('overlapSeconds')}
      />
    ),
    button: 'Rotate',
    submit: async ({ overlapSeconds }) => {
      const { secret } = await client.webhook.rotate.mutate({ webhook, overlapSeconds: Number(overlapSeconds) });
      showWebhookSecret('Secret rotated', secret);
      await reload();
    },
  });

/** Changes the settings of an endpoint. Only what was edited is sent. */
function openEditing({ uniqueId, url, description, events, headers }: Webhook): void {
  const initial: WebhookValues = { url, description, events, headers: headers.length === 0 ? [] : null };
  openDialog({
    title: 'Edit endpoint',
    initial,
    fields: (form) => <WebhookFields form={form} headerNames={headers} />,
    button: 'Save',
    submit: async (values) => {
      await client.webhook.update.mutate({
        webhook: uniqueId,
        ...(values.url !== url && { url: values.url }),
        ...(values.description !== description && { description: values.description }),
        ...(values.events !== events && { events: values.events }),
        ...(values.headers !== null && { headers: toHeaders(values.headers) }),
      });
      await reload();
    },
  });
}

/** Buttons of an admin. */
export function Actions({ webhook }: { webhook: Webhook }) {
  const { uniqueId, enabled, disabledReason } = webhook;
  const navigate = useNavigate();
  const name = webhookName(webhook);
  const setEnabled = async () => {
    await client.webhook.update.mutate({ webhook: uniqueId, enabled: !enabled });
    await reload();
  };
  const askToDisable = () =>
    askToConfirm({
      title: 'Disable this endpoint?',
      text: `“${name}” receives nothing until you enable it again. Events that happen in the meantime are sent only if you replay them.`,
      button: 'Disable',
      submit: setEnabled,
    });
  const askToEnable = () =>
    askToConfirm({
      title: 'Enable this endpoint?',
      text: `“${name}” receives new events from now on, and those that are still waiting in its log. Replay the events that happened while it was disabled.`,
      button: 'Enable',
      color: 'indigo',
      submit: setEnabled,
    });
  const askToDelete = () =>
    askToConfirm({
      title: 'Delete this endpoint?',
      text: `“${name}” will receive nothing more. Its secret and its log are deleted. If you create the endpoint again, it gets a new secret.`,
      button: 'Delete',
      submit: async () => {
        await client.webhook.delete.mutate({ webhook: uniqueId });
        // The page closes first: it must not load what no longer exists.
        await navigate({ to: '/webhooks' });
        await reload();
      },
    });
  return (
    <Group gap="xs">
      <Button variant="default" onClick={() => openEditing(webhook)}>
        Edit
      </Button>
      <Button variant="default" onClick={() => openRotation(uniqueId)}>
        Rotate
      </Button>
      {disabledReason !== 'key' && (
        <Button variant="default" onClick={enabled ? askToDisable : askToEnable}>
          {enabled ? 'Disable' : 'Enable'}
        </Button>
      )}
      <Button variant="default" c="red" onClick={askToDelete}>
        Delete
      </Button>
    </Group>
  );
}
