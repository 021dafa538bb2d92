import { Button, Text, TextInput } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { queryClient } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { confirmEmail } from '../../api/session.ts';
import { Form } from '../../components/form/form.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { UsernameField } from '../../components/form/sign-in-fields.tsx';
import { Entry } from './entry.tsx';
import { LinkNotFound } from './link-not-found.tsx';

/** Gives the account the address to which a link was mailed. Only the button does: mail programs open links to check them. */
export function Page() {
  const { token = '' } = useParams({ strict: false });
  const form = useServerForm({ password: '' });
  const [needsPassword, setNeedsPassword] = useState(false);
  const [isDone, setIsDone] = useState(false);
  const confirm = async () => {
    const isChanged = await form.submit(async ({ password }) => {
      try {
        await confirmEmail({ token, ...(needsPassword && { password }) });
      } catch (error) {
        const { status, message } = errorDetails(error);
        // An admin made the link, and this browser has no session of the person.
        if (status === 422 && message.startsWith('password:')) setNeedsPassword(true);
        throw error;
      }
    });
    // Pages may have the former address.
    if (isChanged) queryClient.clear();
    setIsDone(isChanged);
  };
  if (isDone)
    return (
      <Entry title="Your address was changed">
        <Text role="status">
          From now on you sign in with this address. Your password and your other ways to sign in have not changed.
        </Text>
        <Link to="/account">Go to your account</Link>
      </Entry>
    );
  if (form.error !== undefined && errorDetails(form.error).status === 404)
    return (
      <LinkNotFound title="This link does not work">
        It was already used, was replaced by a newer one, or has expired. A link to a new address works once, within 24
        hours. Change your email again under Account, or ask an admin of your company.
      </LinkNotFound>
    );
  return (
    <Entry title="Use this address">
      <Text>
        Confirm that the mailbox that received this link is yours. From then on you sign in to Compliance with its
        address. If you did not expect the email, close this page, and nothing will change.
      </Text>
      <Form form={form} onSubmit={confirm} noValidate>
        {needsPassword && (
          <>
            <UsernameField />
            <TextInput
              type="password"
              label="Password"
              description="The password of your account"
              autoComplete="current-password"
              autoFocus
              {...form.text('password')}
            />
          </>
        )}
        <Button type="submit" size="sm" loading={form.isPending}>
          Use this address
        </Button>
        {needsPassword && (
          <Text size="sm">
            <Link to="/sign-in" search={{ to: `/email/${token}` }}>
              Sign in another way
            </Link>
          </Text>
        )}
      </Form>
    </Entry>
  );
}
