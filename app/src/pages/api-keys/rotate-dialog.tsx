import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { SecretDialog } from '../../components/form/secret-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
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
export function RotateDialog({ apiKey, opened, onClose }: RotateDialogProps) {
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
