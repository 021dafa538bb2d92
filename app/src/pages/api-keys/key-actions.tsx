import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/form/confirm-dialog.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { SecretDialog } from '../../components/form/secret-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { KeyFields, toRestrictions, valuesOf } from './key-fields.tsx';
import { curlCommand } from './key.ts';
import type { ApiKey } from './key.ts';

/** Times for which the old secret keeps working, in seconds. */
const OVERLAPS = [
  { value: '0', label: 'None' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];

interface RotateDialogProps {
  apiKey: ApiKey;
  opened: boolean;
  onClose: () => void;
}

/** Gives a key a new secret and shows it once. */
function RotateDialog({ apiKey, opened, onClose }: RotateDialogProps) {
  const form = useServerForm({ overlapSeconds: '0' });
  const [key, setKey] = useState<string>();
  return (
    <>
      <FormDialog
        title="Rotate this key?"
        submitLabel="Rotate"
        opened={opened}
        onClose={onClose}
        form={form}
        onSubmit={async ({ overlapSeconds }) => {
          const rotated = await client.management.apiKey.rotate.mutate({
            uniqueId: apiKey.uniqueId,
            overlapSeconds: Number(overlapSeconds),
          });
          setKey(rotated.key);
          await queryClient.invalidateQueries(trpc.management.apiKey.pathFilter());
        }}
      >
        <Text size="sm">“{apiKey.name}” gets a new secret. Its name, scopes and history stay.</Text>
        <NativeSelect
          label="Overlap"
          description="Time for which the old secret keeps working"
          data={OVERLAPS}
          value={form.values.overlapSeconds}
          onChange={({ currentTarget }) => form.set('overlapSeconds', currentTarget.value)}
        />
      </FormDialog>
      <SecretDialog
        title="API key rotated"
        label="key"
        secret={key}
        curl={key === undefined ? undefined : curlCommand(key)}
        onClose={() => setKey(undefined)}
      />
    </>
  );
}

interface EditKeyDialogProps {
  apiKey: ApiKey;
  opened: boolean;
  onClose: () => void;
}

/** Changes the name and the restrictions of a key. Only what was edited is sent. */
function EditKeyDialog({ apiKey, opened, onClose }: EditKeyDialogProps) {
  return opened ? <EditKeyForm apiKey={apiKey} opened onClose={onClose} /> : null;
}

function EditKeyForm({ apiKey, opened, onClose }: EditKeyDialogProps) {
  const initial = valuesOf(apiKey);
  const form = useServerForm(initial);
  return (
    <FormDialog
      title="Edit API key"
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async (values) => {
        const { expiresAt, ...restrictions } = toRestrictions(values);
        await client.management.apiKey.update.mutate({
          uniqueId: apiKey.uniqueId,
          name: values.name,
          ...restrictions,
          ...(values.expiresAt !== initial.expiresAt && { expiresAt }),
        });
        await queryClient.invalidateQueries(trpc.management.apiKey.pathFilter());
      }}
    >
      <KeyFields form={form} />
    </FormDialog>
  );
}

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
