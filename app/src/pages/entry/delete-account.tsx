import { Button, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { queryClient } from '../../api/client.ts';
import { deleteAccount } from '../../api/session.ts';
import { useCodeField } from '../../components/form/sign-in-fields.tsx';
import { Form } from '../../components/form/form.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Entry } from './entry.tsx';

/** Deletes the account of a person who is not a member any more, and so cannot sign in. */
export function Page() {
  const form = useServerForm({ email: '', password: '', code: '' });
  const { codeField, isFirstRequest, sendWithCode } = useCodeField(form);
  const [isDone, setIsDone] = useState(false);
  const remove = async () => {
    const isDeleted = await form.submit(({ email, password }) =>
      sendWithCode((code) => deleteAccount({ email, password, ...code })),
    );
    if (isDeleted) queryClient.clear();
    setIsDone(isDeleted);
  };
  if (isDone)
    return (
      <Entry title="Account deleted">
        <Text role="status">
          Your account was deleted, together with its password, passkeys, sessions and settings.
        </Text>
        <Text>
          Companies that you worked for keep your name and email in their own records. If you want these deleted too,
          ask the companies to forget you.
        </Text>
        <Link to="/sign-in" search={{ to: '/' }}>
          Go to sign-in
        </Link>
      </Entry>
    );
  return (
    <Entry title="Delete my account">
      <Text size="sm" c="dimmed">
        You can delete your account once you are no longer a member of any company. Your password, passkeys, sessions
        and settings are deleted permanently. Companies keep your name in their own records until they forget you.
      </Text>
      <Form form={form} onSubmit={remove} isQuiet={isFirstRequest}>
        <TextInput label="Email" type="email" autoComplete="username" autoFocus {...form.text('email')} />
        <TextInput type="password" label="Password" autoComplete="current-password" {...form.text('password')} />
        {codeField}
        <Button type="submit" size="sm" color="red.9" loading={form.isPending}>
          Delete my account
        </Button>
        <Text size="sm">
          <Link to="/sign-in" search={{ to: '/' }}>
            Go to sign-in
          </Link>
        </Text>
      </Form>
    </Entry>
  );
}
