import { Button, Group, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/form/confirm-dialog.tsx';
import { webhookName } from '../webhook.ts';
import type { Webhook } from '../webhook.ts';
import { EditDialog } from './edit-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

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
