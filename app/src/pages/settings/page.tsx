import { Button, Checkbox, Group, NativeSelect, Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Form } from '../../components/form/form.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Page as Frame } from '../../components/page.tsx';
import { Facts } from '../../components/section/facts.tsx';
import { Section } from '../../components/section/section.tsx';
import { useSession } from '../../components/use-session.ts';

type Settings = Outputs['management']['settings']['get'];

/** Time zones of the browser, and the present one, which may be an alias. */
const zones = (present: string) => [...new Set([present, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

const LOCK_TEXT =
  'Nobody can change or delete a closed task, its comments or its evidence until an admin reopens the task. New comments and evidence can still be added.';

function SettingsForm({ saved }: { saved: Settings }) {
  const form = useServerForm(saved);
  const [isSaved, setIsSaved] = useState(false);
  const save = async () => {
    setIsSaved(false);
    const isDone = await form.submit(async (values) => {
      await client.management.settings.update.mutate(values);
      await Promise.all([
        queryClient.invalidateQueries(trpc.management.settings.pathFilter()),
        queryClient.invalidateQueries(sessionQuery),
      ]);
    });
    setIsSaved(isDone);
  };
  return (
    <Form form={form} onSubmit={save} noValidate>
      <TextInput label="Name" {...form.text('name')} />
      <NativeSelect
        label="Time zone"
        description="Decides when a day begins, for example for due dates, reviews and the end of memberships"
        data={zones(saved.timeZone)}
        {...form.text('timeZone')}
      />
      <Checkbox
        label="Lock closed work"
        description={LOCK_TEXT}
        checked={form.values.lockClosed}
        onChange={({ currentTarget }) => form.set('lockClosed', currentTarget.checked)}
      />
      <Group gap="xs">
        <Button type="submit" loading={form.isPending}>
          Save
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {isSaved && 'Saved'}
        </Text>
      </Group>
    </Form>
  );
}

/** Settings of the company. Auditors read them. */
export function Page() {
  const { isAdmin } = useSession();
  const { data, error, refetch } = useQuery(trpc.management.settings.get.queryOptions());
  return (
    <Frame title="Settings">
      {error !== null && (
        <ErrorMessage title="The settings could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton h={240} maw={720} />}
      {data !== undefined && (
        <Section title="Company">
          {isAdmin ? (
            <SettingsForm saved={data} />
          ) : (
            <Facts
              facts={[
                ['Name', data.name],
                ['Time zone', data.timeZone],
                ['Lock closed work', data.lockClosed ? 'Yes' : 'No'],
              ]}
            />
          )}
        </Section>
      )}
    </Frame>
  );
}
