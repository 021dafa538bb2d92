import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/form/confirm-dialog.tsx';
import { EditKeyDialog } from './edit-key-dialog.tsx';
import type { ApiKey } from './key.ts';
import { RotateDialog } from './rotate-dialog.tsx';

type Action = 'edit' | 'rotate' | 'disable' | 'enable' | 'revoke';

const reload = () => queryClient.invalidateQueries(trpc.management.apiKey.pathFilter());

/** Buttons of an admin. A revoked key has none. */
export function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const { uniqueId, name, enabled, revokedAt } = apiKey;
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);

  const setEnabled = async (isEnabled: boolean) => {
    await client.management.apiKey.update.mutate({ uniqueId, enabled: isEnabled });
    await reload();
  };
  const revoke = async () => {
    await client.management.apiKey.revoke.mutate({ uniqueId });
    await reload();
  };
  return (
    <>
      {revokedAt === null && (
        <Group gap="xs">
          <Button variant="default" onClick={() => setAction('edit')}>
            Edit
          </Button>
          <Button variant="default" onClick={() => setAction('rotate')}>
            Rotate
          </Button>
          <Button variant="default" onClick={() => setAction(enabled ? 'disable' : 'enable')}>
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <Button variant="default" c="red" onClick={() => setAction('revoke')}>
            Revoke
          </Button>
        </Group>
      )}
      <EditKeyDialog apiKey={apiKey} opened={action === 'edit'} onClose={close} />
      <RotateDialog apiKey={apiKey} opened={action === 'rotate'} onClose={close} />
      <ConfirmDialog
        title="Disable this key?"
        action="Disable"
        opened={action === 'disable'}
        onClose={close}
        onConfirm={() => setEnabled(false)}
      >
        <Text size="sm">Requests with “{name}” are rejected until you enable it again.</Text>
      </ConfirmDialog>
      <ConfirmDialog
        title="Enable this key?"
        action="Enable"
        color="indigo"
        opened={action === 'enable'}
        onClose={close}
        onConfirm={() => setEnabled(true)}
      >
        <Text size="sm">Requests with “{name}” are accepted again from now on.</Text>
      </ConfirmDialog>
      <ConfirmDialog
        title="Revoke this key?"
        action="Revoke"
        opened={action === 'revoke'}
        onClose={close}
        onConfirm={revoke}
      >
        <Text size="sm">
          Requests with “{name}” are rejected from now on. A revoked key cannot be enabled again. Its history stays.
        </Text>
      </ConfirmDialog>
    </>
  );
}
