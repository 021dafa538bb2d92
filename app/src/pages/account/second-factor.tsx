import { Button, Group, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { encode } from 'uqr';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { CopyableId } from '../../components/copyable-id.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { UsernameField } from '../../components/form/username-field.tsx';
import { Section } from '../../components/section/section.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { useCopy } from '../../components/use-copy.ts';
import './second-factor.css';

/** Modules around the code. https://www.iso.org/standard/83389.html */
const QUIET_ZONE = 4;

/** A text as a QR code, dark on white in both colour schemes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

interface TotpSetupProps {
  secret: Outputs['account']['totp']['begin']['secret'];
  uri: Outputs['account']['totp']['begin']['uri'];
  onConfirmed: (recoveryCodes: string[]) => Promise<void>;
  onCancel: () => void;
}

/** Shows the key of an authenticator app and confirms its first code. */
function TotpSetup({ secret, uri, onConfirmed, onCancel }: TotpSetupProps) {
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

/** Shows the recovery codes once. Only its button closes it. */
function RecoveryCodesDialog({ codes, onClose }: { codes: string[] | undefined; onClose: () => void }) {
  const { copied, copy } = useCopy();
  const text = (codes ?? []).join('\n');
  return (
    <Modal
      opened={codes !== undefined}
      onClose={onClose}
      title="Recovery codes"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">
          The second factor is on. If you lose the app, each of these codes signs you in once. Keep them in a safe
          place: they are shown only this once.
        </Text>
        <SimpleGrid cols={2} spacing="xs" className="secret recovery-codes" component="ul">
          {codes?.map((code) => (
            <li key={code} className="mono">
              {code}
            </li>
          ))}
        </SimpleGrid>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => copy(text)}>
            {copied ? 'Copied' : 'Copy codes'}
          </Button>
          <Button
            variant="default"
            component="a"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
            download="recovery-codes.txt"
          >
            Download
          </Button>
          <Button data-autofocus onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

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
