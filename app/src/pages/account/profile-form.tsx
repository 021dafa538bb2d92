import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Section } from '../../components/section/section.tsx';

/** The name of the person, in every company. */
export function ProfileForm({ account: { name, email } }: { account: Outputs['account']['get'] }) {
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
    <Section title="Profile" text={`You sign in as ${email}. Your name is the same in every company.`}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Stack gap="md" maw={360}>
          {form.error !== undefined && <ErrorMessage error={form.error} />}
          <TextInput label="Name" autoComplete="name" {...form.text('name')} />
          <Group gap="xs">
            <Button type="submit" loading={form.isPending}>
              Save
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {isSaved && form.values.name === name && 'Saved'}
            </Text>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
