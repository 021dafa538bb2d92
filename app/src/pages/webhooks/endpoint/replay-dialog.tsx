import { Text, TextInput } from '@mantine/core';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { useServerForm } from '../../../components/form/use-server-form.ts';
import { localMinute } from '../../../dates.ts';

const HOUR_MS = 3_600_000;

interface ReplayDialogProps {
  webhook: string;
  opened: boolean;
  onClose: () => void;
}

/** Delivers the events from a time on again. */
export function ReplayDialog({ webhook, opened, onClose }: ReplayDialogProps) {
  return opened ? <ReplayForm webhook={webhook} opened onClose={onClose} /> : null;
}

function ReplayForm({ webhook, opened, onClose }: ReplayDialogProps) {
  const form = useServerForm({ since: localMinute(new Date(Date.now() - HOUR_MS).toISOString()) });
  return (
    <FormDialog
      title="Replay events"
      submitLabel="Replay"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async ({ since }) => {
        await client.webhook.replay.mutate({ webhook, since: toTimestamp(since) });
        await queryClient.invalidateQueries(trpc.webhook.deliveries.pathFilter());
      }}
    >
      <Text size="sm">
        The endpoint receives every selected event from this time on again. Programs skip events whose id they know.
      </Text>
      <TextInput
        type="datetime-local"
        label="Since"
        description="In the time zone of this browser"
        data-autofocus
        {...form.text('since')}
      />
    </FormDialog>
  );
}

/** A local time as the API takes it. The server names the field of one that is incomplete. */
const toTimestamp = (localTime: string): string =>
  Number.isNaN(Date.parse(localTime)) ? localTime : new Date(localTime).toISOString();
