import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { encode } from 'uqr';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { CopyableId } from '../../components/copyable-id.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { openDialog, showOnce } from '../../components/form/dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { UsernameField } from '../../components/form/sign-in-fields.tsx';
import { Section } from '../../components/section/section.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { useCopy } from '../../components/use-copy.ts';

/** Modules around the code. https://www.iso.org/standard/83389.html */
const QUIET_ZONE = 4;

/** A text as a QR code, dark on white in both colour schemes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      width={176}
      height={176}
      style={{ border: '1px solid var(--app-line)', borderRadius: 8 }}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
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
        <QrCode text={uri} label="QR code of the authenticator key" />
        <Stack gap="md" maw={360} flex="1 1 240px">
          {form.error !== undefined && <ErrorMessage error={form.error} />}
          <Text size="sm">Scan the QR code with an authenticator app, or enter this key:</Text>
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

/** Shows the recovery codes once. */
const showRecoveryCodes = (codes: readonly string[]) =>
  showOnce(
    'Recovery codes',
    <>
      <Text size="sm">
        Your second factor is on. If you lose the app, you can sign in with one of these codes. Each code works once.
        Keep them in a safe place, because they will not be shown again.
      </Text>
      <SimpleGrid cols={2} spacing="xs" m={0} className="secret" style={{ listStyle: 'none' }} component="ul">
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </SimpleGrid>
    </>,
    <>
      <CopyCodes text={codes.join('\n')} />
      <Button
        variant="default"
        component="a"
        href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\n')}\n`)}`}
        download="recovery-codes.txt"
      >
        Download
      </Button>
    </>,
  );

function CopyCodes({ text }: { text: string }) {
  const { copied, copy } = useCopy();
  return (
    <Button variant="default" onClick={() => copy(text)}>
      {copied ? 'Copied' : 'Copy codes'}
    </Button>
  );
}

const reload = () => queryClient.invalidateQueries(trpc.account.get.queryFilter());

/** Codes of an authenticator app, which the sign-in with a password then needs. */
export function SecondFactor({ email, isOn }: { email: string; isOn: boolean }) {
  const begin = useMutation({ mutationFn: () => client.account.totp.begin.mutate() });
  const askToTurnOff = () =>
    openDialog({
      title: 'Turn off the second factor?',
      text: 'Your recovery codes are deleted.',
      initial: { password: '' },
      fields: (form) => (
        <>
          <UsernameField email={email} />
          <TextInput
            type="password"
            label="Password"
            autoComplete="current-password"
            data-autofocus
            {...form.text('password')}
          />
        </>
      ),
      button: 'Turn off',
      submit: async (values) => {
        await client.account.totp.disable.mutate(values);
        await reload();
      },
    });
  const confirm = async (codes: string[]) => {
    showRecoveryCodes(codes);
    begin.reset();
    await reload();
  };
  return (
    <Section
      title="Second factor"
      text="When it is on, you need a code from an authenticator app each time you sign in with your password. While you are signed in with single sign-on, it is not shown and you cannot change it."
      action={
        isOn ? (
          <Button variant="default" onClick={askToTurnOff}>
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
    </Section>
  );
}
