import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useParams, useRouter } from '@tanstack/react-router';
import { queryClient } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { acceptInvitation } from '../../api/session.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { useCodeField } from '../../components/form/use-code-field.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Entry } from './entry.tsx';
import { LinkNotFound } from './link-not-found.tsx';

/** Accepts an invitation: a new person sets a password, another one gives the present one. */
export function Page() {
  const router = useRouter();
  const { token = '' } = useParams({ strict: false });
  const form = useServerForm({ name: '', password: '', code: '' });
  const { codeField, isFirstRequest, sendWithCode } = useCodeField(form);
  const accept = () =>
    form.submit(async ({ name, password }) => {
      await sendWithCode((code) => acceptInvitation({ token, password, ...(name !== '' && { name }), ...code }));
      queryClient.clear();
      await router.navigate({ to: '/', replace: true });
    });
  if (form.error !== undefined && errorDetails(form.error).status === 404)
    return (
      <LinkNotFound title="This invitation does not work">
        The link was used, revoked or replaced, or has expired. If you accepted it before, sign in. Otherwise ask the
        person who invited you for a new one.
      </LinkNotFound>
    );
  return (
    <Entry title="Accept the invitation">
      <Text size="sm" c="dimmed">
        If you have an account with this email, enter its password. The name is then not needed.
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void accept();
        }}
      >
        <Stack gap="md">
          {form.error !== undefined && !isFirstRequest && <ErrorMessage error={form.error} />}
          <TextInput label="Name" autoComplete="name" autoFocus {...form.text('name')} />
          <TextInput
            type="password"
            label="Password"
            description="10 to 200 characters, or that of your account"
            autoComplete="current-password"
            {...form.text('password')}
          />
          {codeField}
          <Button type="submit" size="sm" loading={form.isPending}>
            Accept
          </Button>
        </Stack>
      </form>
    </Entry>
  );
}
