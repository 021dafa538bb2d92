import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { useServerForm } from '../../../components/form/use-server-form.ts';
import { WebhookSecretDialog } from '../webhook-secret-dialog.tsx';

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
export function RotateDialog({ webhook, opened, onClose }: RotateDialogProps) {
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
