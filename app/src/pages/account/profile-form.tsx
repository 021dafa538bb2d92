import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { SectionForm } from './section-form.tsx';

/** The name of the person, in every company. */
export function ProfileForm({ account: { name } }: { account: Outputs['account']['get'] }) {
  const form = useServerForm({ name });
  const [isSaved, setIsSaved] = useState(false);
  const save = async () => {
    setIsSaved(false);
    const isDone = await form.submit(async (values) => {
      await client.account.update.mutate(values);
      await Promise.all([
        queryClient.invalidateQueries(trpc.account.get.queryFilter()),
        queryClient.invalidateQueries(sessionQuery),
      ]);
    });
    setIsSaved(isDone);
  };
  return (
    <SectionForm
      title="Profile"
      text="Your name is the same in every company."
      form={form}
      submitLabel="Save"
      isMain
      onSubmit={save}
      result={isSaved && form.values.name === name && 'Saved'}
    >
      <TextInput label="Name" autoComplete="name" {...form.text('name')} />
    </SectionForm>
  );
}
