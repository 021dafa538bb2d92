import { Button, Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { sendResetLink, serviceQuery } from '../../api/session.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Form } from '../../components/form/form.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Entry } from './entry.tsx';

/** Height in pixels of the form. */
const FORM_HEIGHT = 176;

/** Sends a link for a new password by mail, or says whom to ask if the service sends no mails. */
export function Page() {
  const { data: facts, error, refetch } = useQuery(serviceQuery);
  return (
    <Entry title="Forgot your password?" company={facts?.company}>
      {error !== null && (
        <ErrorMessage title="The page could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {facts === undefined && error === null && <Skeleton height={FORM_HEIGHT} aria-busy="true" />}
      {facts !== undefined && (facts.mail ? <LinkByMail /> : <WhomToAsk />)}
      <Text size="sm">
        <Link to="/sign-in" search={{ to: '/' }}>
          Go to sign-in
        </Link>
      </Text>
    </Entry>
  );
}

function WhomToAsk() {
  return (
    <>
      <Text>This service does not send email. Ask an admin of your company for a link to set a new password.</Text>
      <Text>If you are the only admin, ask the operator of this service.</Text>
    </>
  );
}

function LinkByMail() {
  const form = useServerForm({ email: '' });
  const [sentTo, setSentTo] = useState<string>();
  const send = async () => {
    const { email } = form.values;
    if (await form.submit(() => sendResetLink(email))) setSentTo(email.trim());
  };
  if (sentTo !== undefined)
    return (
      <>
        <Text role="status">
          If <b>{sentTo}</b> has an account, an email with a link is on its way. The link works once, within one hour.
        </Text>
        <Text size="sm" c="dimmed">
          No email after a few minutes? Look in your spam folder, and check the address. An admin of your company can
          also send you a link.
        </Text>
      </>
    );
  return (
    <Form form={form} onSubmit={send}>
      <Text size="sm" c="dimmed">
        We will send you a link to set a new password. If your company uses single sign-on, change your password with
        its identity provider instead.
      </Text>
      <TextInput label="Email" type="email" autoComplete="username" autoFocus {...form.text('email')} />
      <Button type="submit" size="sm" loading={form.isPending}>
        Send link
      </Button>
    </Form>
  );
}
