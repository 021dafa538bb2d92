import { Button, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { UsernameField } from '../../components/form/username-field.tsx';
import { Section } from '../../components/section/section.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { TotpSetup } from './totp-setup.tsx';

const reload = () => queryClient.invalidateQueries(trpc.account.get.queryFilter());

/** Codes of an authenticator app, which the sign-in with a password then needs. */
export function SecondFactor({ email, isOn }: { email: string; isOn: boolean }) {
  const begin = useMutation({ mutationFn: () => client.account.totp.begin.mutate() });
  const [recoveryCodes, setRecoveryCodes] = useState<string[]>();
  const [isDisabling, setIsDisabling] = useState(false);
  const form = useServerForm({ password: '' });
  const confirm = async (codes: string[]) => {
    setRecoveryCodes(codes);
    begin.reset();
    await reload();
  };
  return (
    <Section
      title="Second factor"
      text="A sign-in with your password then also needs a code of an authenticator app. A session from single sign-on does not show it."
      action={
        isOn ? (
          <Button variant="default" onClick={() => setIsDisabling(true)}>
            Turn off
          </Button>
        ) : (
          begin.data === undefined && (
            <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
              Turn on
            </Button>
          )
        )
      }
    >
      {begin.error !== null && <ErrorMessage error={begin.error} />}
      {begin.data === undefined || isOn ? (
        <StatusDot status={isOn ? 'enabled' : 'disabled'} label={isOn ? 'On' : 'Off'} />
      ) : (
        <TotpSetup {...begin.data} onConfirmed={confirm} onCancel={begin.reset} />
      )}
      <RecoveryCodesDialog codes={recoveryCodes} onClose={() => setRecoveryCodes(undefined)} />
      <FormDialog
        title="Turn off the second factor?"
        submitLabel="Turn off"
        opened={isDisabling}
        onClose={() => setIsDisabling(false)}
        form={form}
        onSubmit={async (values) => {
          await client.account.totp.disable.mutate(values);
          await reload();
        }}
      >
        <UsernameField email={email} />
        <Text size="sm">Your recovery codes are deleted.</Text>
        <TextInput
          type="password"
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.text('password')}
        />
      </FormDialog>
    </Section>
  );
}
