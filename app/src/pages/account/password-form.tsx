import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { UsernameField } from '../../components/form/username-field.tsx';
import { Section } from '../../components/section/section.tsx';

/** Changes the password. Field names are those of the API. */
export function PasswordForm({ email }: { email: string }) {
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
    <Section
      title="Password"
      text="All other sessions end. If you signed in with single sign-on, you cannot change the password, the second factor or passkeys: sign in with your password first."
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void change();
        }}
      >
        <Stack gap="md" maw={360}>
          {form.error !== undefined && <ErrorMessage error={form.error} />}
          <UsernameField email={email} />
          <TextInput
            type="password"
            label="Current password"
            autoComplete="current-password"
            {...form.text('current')}
          />
          <TextInput
            type="password"
            label="New password"
            description="10 to 200 characters"
            autoComplete="new-password"
            {...form.text('password')}
          />
          <Group gap="xs">
            <Button type="submit" variant="default" loading={form.isPending}>
              Change password
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {isDone && 'Password changed'}
            </Text>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
