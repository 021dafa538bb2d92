import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { UsernameField } from '../../components/form/username-field.tsx';
import { SectionForm } from './section-form.tsx';

/** Asks for a link to a new address. Field names are those of the API. */
export function EmailForm({ email: current }: { email: string }) {
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
        `A mail with a link was sent to ${sentTo}. The change is made when you open it, within 24 hours.`
      }
    >
      <UsernameField email={current} />
      <TextInput type="email" label="New email" autoComplete="email" {...form.text('email')} />
      <TextInput type="password" label="Password" autoComplete="current-password" {...form.text('password')} />
    </SectionForm>
  );
}
