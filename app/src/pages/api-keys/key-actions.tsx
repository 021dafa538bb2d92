import { Button, Group, NativeSelect } from '@mantine/core';
import { client, queryClient, trpc } from '../../api/client.ts';
import { askToConfirm, openDialog, showSecret } from '../../components/form/dialog.tsx';
import { curlCommand, KeyFields, toRestrictions, keyValuesOf } from './key-fields.tsx';
import type { ApiKey } from './key-fields.tsx';

/** Times for which the old secret keeps working, in seconds. */
const OVERLAPS = [
  { value: '0', label: 'None' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];

const reload = () => queryClient.invalidateQueries(trpc.management.apiKey.pathFilter());

/** Gives a key a new secret and shows it once. */
const openRotation = ({ uniqueId, name }: ApiKey) =>
  openDialog({
    title: 'Rotate this key?',
    text: `“${name}” gets a new secret and keeps its name, scopes and history.`,
    initial: { overlapSeconds: '0' },
    fields: (form) => (
      <NativeSelect
        label="Overlap"
        description="How long the old secret keeps working"
        data={OVERLAPS}
        {...form.text('overlapSeconds')}
      />
    ),
    button: 'Rotate',
    submit: async ({ overlapSeconds }) => {
      const { key } = await client.management.apiKey.rotate.mutate({
        uniqueId,
        overlapSeconds: Number(overlapSeconds),
      });
      showSecret({ title: 'API key rotated', label: 'key', secret: key, curl: curlCommand(key) });
      await reload();
    },
  });

/** Changes the name and the restrictions of a key. The time of its expiry stays if the day stays. */
function openEditing(apiKey: ApiKey): void {
  const initial = keyValuesOf(apiKey);
  openDialog({
    title: 'Edit API key',
    initial,
    fields: (form) => <KeyFields form={form} />,
    button: 'Save',
    submit: async (values) => {
      const { expiresAt, ...restrictions } = toRestrictions(values);
      await client.management.apiKey.update.mutate({
        uniqueId: apiKey.uniqueId,
        name: values.name,
        ...restrictions,
        ...(values.expiresAt !== initial.expiresAt && { expiresAt }),
      });
      await reload();
    },
  });
}

/** Buttons of an admin. A revoked key has none. */
export function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const { uniqueId, name, enabled, revokedAt } = apiKey;
  if (revokedAt !== null) return null;
  const setEnabled = async () => {
    await client.management.apiKey.update.mutate({ uniqueId, enabled: !enabled });
    await reload();
  };
  const revoke = async () => {
    await client.management.apiKey.revoke.mutate({ uniqueId });
    await reload();
  };
  const askToDisable = () =>
    askToConfirm({
      title: 'Disable this key?',
      text: `Requests with “${name}” are rejected until you enable it again.`,
      button: 'Disable',
      submit: setEnabled,
    });
  const askToEnable = () =>
    askToConfirm({
      title: 'Enable this key?',
      text: `Requests with “${name}” are accepted again from now on.`,
      button: 'Enable',
      color: 'indigo',
      submit: setEnabled,
    });
  const askToRevoke = () =>
    askToConfirm({
      title: 'Revoke this key?',
      text: `Requests with “${name}” are rejected from now on. A revoked key cannot be enabled again. Its history is kept.`,
      button: 'Revoke',
      submit: revoke,
    });
  return (
    <Group gap="xs">
      <Button variant="default" onClick={() => openEditing(apiKey)}>
        Edit
      </Button>
      <Button variant="default" onClick={() => openRotation(apiKey)}>
        Rotate
      </Button>
      <Button variant="default" onClick={enabled ? askToDisable : askToEnable}>
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button variant="default" c="red" onClick={askToRevoke}>
        Revoke
      </Button>
    </Group>
  );
}
