import { Button, Text, TextInput } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { errorDetails } from '../../api/errors.ts';
import { resetPassword } from '../../api/session.ts';
import { Form } from '../../components/form/form.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { UsernameField } from '../../components/form/sign-in-fields.tsx';
import { Entry } from './entry.tsx';
import { LinkNotFound } from './link-not-found.tsx';

/** Sets a new password with the token of a link. */
export function Page() {
  const { token = '' } = useParams({ strict: false });
  const form = useServerForm({ password: '' });
  const [isDone, setIsDone] = useState(false);
  const reset = async () => setIsDone(await form.submit(({ password }) => resetPassword({ token, password })));
  if (isDone)
    return (
      <Entry title="Password changed">
        <Text>All your sessions have ended. Sign in with the new password.</Text>
        <Link to="/sign-in" search={{ to: '/' }}>
          Sign in
        </Link>
      </Entry>
    );
  if (form.error !== undefined && errorDetails(form.error).status === 404)
    return (
      <LinkNotFound title="This link does not work">
        It was already used, was replaced by a newer one, or has expired. A reset link works once, within one hour.{' '}
        <Link to="/forgot">Ask for a new one</Link>.
      </LinkNotFound>
    );
  return (
    <Entry title="Set a new password">
      <Form form={form} onSubmit={reset}>
        <UsernameField />
        <TextInput
          type="password"
          label="Password"
          description="10 to 200 characters"
          autoComplete="new-password"
          autoFocus
          {...form.text('password')}
        />
        <Button type="submit" size="sm" loading={form.isPending}>
          Set password
        </Button>
      </Form>
    </Entry>
  );
}
