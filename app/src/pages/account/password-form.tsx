import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { UsernameField } from '../../components/form/username-field.tsx';
import { SectionForm } from './section-form.tsx';

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
    <SectionForm
      title="Password"
      text="All other sessions end. If you signed in with single sign-on, you cannot change the email, the password, the second factor or passkeys: sign in with your password first."
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
