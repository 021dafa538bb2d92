import { Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { queryClient } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { acceptInvitation, lookAtInvitation } from '../../api/session.ts';
import type { Invitation, Role } from '../../api/session.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { useCodeField, UsernameField } from '../../components/form/sign-in-fields.tsx';
import { Form } from '../../components/form/form.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Entry } from './entry.tsx';
import { LinkNotFound } from './link-not-found.tsx';

/** Each role behind "as". */
const AS_ROLE: Readonly<Record<Role, string>> = { admin: 'an admin', editor: 'an editor', auditor: 'an auditor' };

interface AcceptFormProps {
  invitation: Invitation;
  token: string;
  /** Shows that the invitation was used or revoked meanwhile. */
  onNotFound: () => void;
}

/** The password that the form asks for, by the account of the invitation. */
const PASSWORDS = {
  true: { description: 'The password of your account with this email', autoComplete: 'current-password' },
  false: { description: '10 to 200 characters', autoComplete: 'new-password' },
  null: {
    description:
      'If you already have an account with this email, enter its password. Otherwise choose one with 10 to 200 characters',
  },
} as const;

/**
 * Accepts an invitation: a new person sets a name and a password, another one gives the present password. The form of a link that was
 * shown is the same for both.
 */
function AcceptForm({ invitation: { company, email, role, account: hasAccount }, token, onNotFound }: AcceptFormProps) {
  const router = useRouter();
  const form = useServerForm({ name: '', password: '', code: '' });
  const { codeField, isFirstRequest, sendWithCode } = useCodeField(form);
  /** An empty name is an error of the name, unless the person may have an account. */
  const hasName = (name: string) => hasAccount === false || (hasAccount === null && name !== '');
  const accept = () =>
    form.submit(async ({ name, password }) => {
      try {
        await sendWithCode((code) => acceptInvitation({ token, password, ...(hasName(name) && { name }), ...code }));
      } catch (error) {
        if (errorDetails(error).status === 404) return onNotFound();
        throw error;
      }
      queryClient.clear();
      return router.navigate({ to: '/', replace: true });
    });
  return (
    <>
      <Text className="invited">
        <b>{company}</b> invites <b>{email}</b> as {AS_ROLE[role]}.
      </Text>
      <Form form={form} onSubmit={accept} isQuiet={isFirstRequest}>
        <UsernameField email={email} />
        {hasAccount !== true && <TextInput label="Name" autoComplete="name" autoFocus {...form.text('name')} />}
        <TextInput
          type="password"
          label="Password"
          {...PASSWORDS[`${hasAccount}`]}
          autoFocus={hasAccount === true}
          {...form.text('password')}
        />
        {codeField}
        <Button type="submit" size="sm" loading={form.isPending}>
          Accept
        </Button>
      </Form>
    </>
  );
}

/** Height in pixels of the form of a person who has an account. */
const FORM_HEIGHT = 158;

/** Shows an invitation and accepts it. */
export function Page() {
  const { token = '' } = useParams({ strict: false });
  const [wasUsed, setWasUsed] = useState(false);
  // A second look, for example after a change of the window, would take away what was typed.
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => lookAtInvitation(token),
    staleTime: Infinity,
  });
  if (wasUsed || (error !== null && errorDetails(error).status === 404))
    return (
      <LinkNotFound title="This invitation does not work">
        The link was already used, was revoked or replaced, or has expired. If you have accepted the invitation, sign
        in. Otherwise, ask the person who invited you for a new link.
      </LinkNotFound>
    );
  return (
    <Entry title="Accept the invitation">
      {error !== null && (
        <ErrorMessage title="The invitation could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && (
        <Stack gap="lg" aria-busy="true">
          <Skeleton height={42} />
          <Skeleton height={FORM_HEIGHT} />
        </Stack>
      )}
      {data !== undefined && <AcceptForm invitation={data} token={token} onNotFound={() => setWasUsed(true)} />}
    </Entry>
  );
}
