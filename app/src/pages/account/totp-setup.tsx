import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { client } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { CopyableId } from '../../components/copyable-id.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { QrCode } from './qr-code.tsx';

interface TotpSetupProps {
  secret: Outputs['account']['totp']['begin']['secret'];
  uri: Outputs['account']['totp']['begin']['uri'];
  onConfirmed: (recoveryCodes: string[]) => Promise<void>;
  onCancel: () => void;
}

/** Shows the key of an authenticator app and confirms its first code. */
export function TotpSetup({ secret, uri, onConfirmed, onCancel }: TotpSetupProps) {
  const form = useServerForm({ code: '' });
  const confirm = () =>
    form.submit(async (values) => {
      const { recoveryCodes } = await client.account.totp.confirm.mutate(values);
      await onConfirmed(recoveryCodes);
    });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void confirm();
      }}
    >
      <Group align="flex-start" gap="lg">
        <QrCode text={uri} label="Picture of the authenticator key" />
        <Stack gap="md" maw={360} flex="1 1 240px">
          {form.error !== undefined && <ErrorMessage error={form.error} />}
          <Text size="sm">Scan the picture with an authenticator app, or enter this key:</Text>
          <CopyableId value={secret} label="Copy authenticator key" />
          <TextInput
            label="Code"
            description="The 6 digits that the app shows now"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            {...form.text('code')}
          />
          <Group gap="xs">
            <Button type="submit" loading={form.isPending}>
              Confirm
            </Button>
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </Group>
    </form>
  );
}
