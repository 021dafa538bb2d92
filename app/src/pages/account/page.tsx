import { Button, Group, Skeleton, Table, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { addPasskey, hasPasskeys, isCancelled } from '../../api/passkey.ts';
import { saveFile } from '../../api/save-file.ts';
import { serviceVersion } from '../../api/service-version.ts';
import { sessionQuery } from '../../api/session.ts';
import { browserName } from '../../components/browser-name.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { askToConfirm } from '../../components/form/dialog.tsx';
import { Form } from '../../components/form/form.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import { UsernameField } from '../../components/form/sign-in-fields.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { Section } from '../../components/section/section.tsx';
import { Time } from '../../components/time.tsx';
import { Notifications } from './notifications.tsx';
import { SecondFactor } from './second-factor.tsx';

type Passkey = Outputs['account']['get']['passkeys'][number];

const reload = () => queryClient.invalidateQueries(trpc.account.get.queryFilter());

/** Passkeys of the person, which sign in without a password. */
function Passkeys({ passkeys }: { passkeys: readonly Passkey[] }) {
  const add = useMutation({ mutationFn: addPasskey, onSuccess: reload });
  const askToRemove = (uniqueId: string) =>
    askToConfirm({
      title: 'Remove this passkey?',
      text: 'You can no longer sign in with it. Your other ways to sign in still work.',
      button: 'Remove',
      submit: async () => {
        await client.account.passkey.remove.mutate({ uniqueId });
        await reload();
      },
    });
  return (
    <Section
      title="Passkeys"
      text="With a passkey you sign in using this device or a security key, without a password or a code."
      action={
        hasPasskeys() && (
          <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
            Add passkey
          </Button>
        )
      }
    >
      {add.error !== null && !isCancelled(add.error) && <ErrorMessage error={add.error} />}
      {!hasPasskeys() && (
        <Text size="sm" c="dimmed">
          {window.isSecureContext
            ? 'This browser cannot add passkeys.'
            : 'Passkeys work only at addresses that begin with https.'}
        </Text>
      )}
      {passkeys.length === 0 ? (
        <Text size="sm" c="dimmed">
          You have no passkeys yet.
        </Text>
      ) : (
        <Table aria-label="Passkeys">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Added</Table.Th>
              <Table.Th>Last use</Table.Th>
              <Table.Th ta="end">Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {passkeys.map(({ uniqueId, createdAt, lastUsedAt }) => (
              <Table.Tr key={uniqueId}>
                <Table.Td>
                  <Time value={createdAt} />
                </Table.Td>
                <Table.Td>{lastUsedAt === null ? 'Never' : <Time value={lastUsedAt} />}</Table.Td>
                <Table.Td ta="end">
                  <Button variant="default" size="compact-xs" onClick={() => askToRemove(uniqueId)}>
                    Remove
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}

/** Browsers in which the person is signed in. */
function Sessions() {
  const { data, error } = useQuery(trpc.account.sessions.queryOptions());
  const end = useMutation({
    mutationFn: (uniqueId: string) => client.account.endSession.mutate({ uniqueId }),
    onSettled: () => queryClient.invalidateQueries(trpc.account.sessions.queryFilter()),
  });
  const failure = error ?? end.error;
  return (
    <Section title="Sessions" text="Browsers in which you are signed in. End any session that is not yours.">
      {failure !== null && <ErrorMessage error={failure} />}
      {data !== undefined && (
        <Table aria-label="Sessions">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Browser</Table.Th>
              <Table.Th className="wide-only">Address</Table.Th>
              <Table.Th>Last seen</Table.Th>
              <Table.Th ta="end">Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.map(({ uniqueId, userAgent, address, seenAt, current }) => (
              <Table.Tr key={uniqueId}>
                <Table.Td title={userAgent}>{browserName(userAgent)}</Table.Td>
                <Table.Td className="wide-only">{address ?? 'Unknown'}</Table.Td>
                <Table.Td>
                  <Time value={seenAt} />
                </Table.Td>
                <Table.Td ta="end">
                  {current ? (
                    <Text size="sm" c="dimmed">
                      This session
                    </Text>
                  ) : (
                    <Button
                      variant="default"
                      size="compact-xs"
                      loading={end.isPending && end.variables === uniqueId}
                      onClick={() => end.mutate(uniqueId)}
                    >
                      End
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}

interface SectionFormProps<Values extends object> {
  title: string;
  /** What the section is for, in a sentence. */
  text: string;
  form: ServerForm<Values>;
  /** Text of the button that submits. */
  submitLabel: string;
  /** True for the main action of the page. */
  isMain?: boolean;
  onSubmit: () => Promise<unknown>;
  /** What was done, beside the button. */
  result: ReactNode;
  /** Fields: `<TextInput label="Name" {...form.text('name')} />`. */
  children: ReactNode;
}

/** A section of the account with a form that changes something at once. */
function SectionForm<Values extends object>(props: SectionFormProps<Values>) {
  const { title, text, form, submitLabel, isMain = false, onSubmit, result, children } = props;
  return (
    <Section title={title} text={text}>
      <Form form={form} onSubmit={onSubmit} noValidate maxWidth={360}>
        {children}
        <Group gap="xs">
          <Button type="submit" loading={form.isPending} {...(!isMain && { variant: 'default' })}>
            {submitLabel}
          </Button>
          <Text size="sm" c="dimmed" role="status" style={{ overflowWrap: 'anywhere' }}>
            {result}
          </Text>
        </Group>
      </Form>
    </Section>
  );
}

/** Changes the password. Field names are those of the API. */
function PasswordForm({ email }: { email: string }) {
  const form = useServerForm({ current: '', password: '' });
  const [isDone, setIsDone] = useState(false);
  const change = async () => {
    setIsDone(false);
    if (!(await form.submit((values) => client.account.changePassword.mutate(values)))) return;
    form.reset();
    setIsDone(true);
    await queryClient.invalidateQueries(trpc.account.sessions.queryFilter());
  };
  return (
    <SectionForm
      title="Password"
      text="Changing your password ends all your other sessions. If you signed in with single sign-on, sign in with your password before you change your email, password, second factor or passkeys."
      form={form}
      submitLabel="Change password"
      onSubmit={change}
      result={isDone && 'Password changed'}
    >
      <UsernameField email={email} />
      <TextInput type="password" label="Current password" autoComplete="current-password" {...form.text('current')} />
      <TextInput
        type="password"
        label="New password"
        description="10 to 200 characters"
        autoComplete="new-password"
        {...form.text('password')}
      />
    </SectionForm>
  );
}

/** The name of the person, in every company. */
function ProfileForm({ account: { name } }: { account: Outputs['account']['get'] }) {
  const form = useServerForm({ name });
  const [isSaved, setIsSaved] = useState(false);
  const save = async () => {
    setIsSaved(false);
    const isDone = await form.submit(async (values) => {
      await client.account.update.mutate(values);
      await Promise.all([
        queryClient.invalidateQueries(trpc.account.get.queryFilter()),
        queryClient.invalidateQueries(sessionQuery),
      ]);
    });
    setIsSaved(isDone);
  };
  return (
    <SectionForm
      title="Profile"
      text="Your name is the same in every company."
      form={form}
      submitLabel="Save"
      isMain
      onSubmit={save}
      result={isSaved && form.values.name === name && 'Saved'}
    >
      <TextInput label="Name" autoComplete="name" {...form.text('name')} />
    </SectionForm>
  );
}

/** Asks for a link to a new address. Field names are those of the API. */
function EmailForm({ email: current }: { email: string }) {
  const form = useServerForm({ email: '', password: '' });
  const [sentTo, setSentTo] = useState<string>();
  const change = async () => {
    setSentTo(undefined);
    const isSent = await form.submit(async (values) => {
      await client.account.changeEmail.mutate(values);
      setSentTo(values.email);
    });
    if (isSent) form.reset();
  };
  return (
    <SectionForm
      title="Email"
      text={`You sign in as ${current}, in every company.`}
      form={form}
      submitLabel="Change email"
      onSubmit={change}
      result={
        sentTo !== undefined &&
        `We sent an email with a link to ${sentTo}. Open the link within 24 hours to change your email.`
      }
    >
      <UsernameField email={current} />
      <TextInput type="email" label="New email" autoComplete="email" {...form.text('email')} />
      <TextInput type="password" label="Password" autoComplete="current-password" {...form.text('password')} />
    </SectionForm>
  );
}

/** Saves everything that is stored about the person as a file. */
function MyData() {
  const download = useMutation({
    mutationFn: () => client.account.data.query(),
    onSuccess: (data) => saveFile('my-data.json', [`${JSON.stringify(data, null, 2)}\n`], 'application/json'),
  });
  return (
    <Section
      title="My data"
      text="Download everything that is stored about you: your profile, memberships, former names, sign-ins and settings, and how many records you created. If you signed in with single sign-on, the file has only the data of that company."
      action={
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          Download my data
        </Button>
      }
    >
      {download.error !== null && <ErrorMessage title="Your data could not be loaded" error={download.error} />}
    </Section>
  );
}

export function Page() {
  const { data: account, error, refetch } = useQuery(trpc.account.get.queryOptions());
  return (
    <Frame title="Account">
      <div className="sections">
        {error !== null && (
          <ErrorMessage title="The account could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
        {error === null && account === undefined && <Skeleton h={480} />}
        {account !== undefined && (
          <>
            <ProfileForm account={account} />
            <EmailForm email={account.email} />
            <PasswordForm email={account.email} />
            <SecondFactor email={account.email} isOn={account.totp} />
            <Passkeys passkeys={account.passkeys} />
            <Notifications />
            <Sessions />
            <MyData />
            <Text size="sm" c="dimmed">
              Version {serviceVersion.get()}
            </Text>
          </>
        )}
      </div>
    </Frame>
  );
}
