import { Button, Text, TextInput } from '@mantine/core';
import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { queryClient } from '../../api/client.ts';
import { localPath } from '../../api/search.ts';
import { linkAccount } from '../../api/session.ts';
import { useCodeField } from '../../components/form/sign-in-fields.tsx';
import { Form } from '../../components/form/form.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Entry } from './entry.tsx';

/** Links an account of single sign-on with an account that has a password. */
export function Page() {
  const router = useRouter();
  const { to } = useSearch({ strict: false });
  const form = useServerForm({ password: '', code: '' });
  const { codeField, isFirstRequest, sendWithCode } = useCodeField(form);
  const link = () =>
    form.submit(async ({ password }) => {
      await sendWithCode((code) => linkAccount({ password, ...code }));
      queryClient.clear();
      await router.navigate({ href: localPath(to), replace: true });
    });
  return (
    <Entry title="Link single sign-on">
      <Text size="sm" c="dimmed">
        You have an account with this email. Enter its password once. After that, single sign-on is enough.
      </Text>
      <Form form={form} onSubmit={link} isQuiet={isFirstRequest}>
        <TextInput
          type="password"
          label="Password"
          autoComplete="current-password"
          autoFocus
          {...form.text('password')}
        />
        {codeField}
        <Button type="submit" size="sm" loading={form.isPending}>
          Link
        </Button>
        <Text size="sm">
          <Link to="/sign-in">Sign in another way</Link>
        </Text>
      </Form>
    </Entry>
  );
}
