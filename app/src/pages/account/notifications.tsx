import { Alert, Button, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Inputs, Outputs } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Section } from '../../components/section/section.tsx';
import { Time } from '../../components/time.tsx';

type Settings = Outputs['account']['notifications']['get'];
type Kind = keyof Inputs['account']['notifications']['update'];

/** Kinds of mails, in the order of the page. */
const KINDS = [
  { kind: 'assigned', label: 'Assigned to me' },
  {
    kind: 'mentioned',
    label: 'Mentions',
    description:
      'Includes questions for you, replies to your questions, rejected evidence, and work that is waiting for your review',
  },
  { kind: 'commented', label: 'Comments on what I watch' },
  {
    kind: 'summary',
    label: 'Daily summary',
    description: 'Sent in the morning when one of your tasks is overdue or due within seven days',
  },
] as const satisfies readonly { kind: Kind; label: string; description?: string }[];

type Changes = Partial<Pick<Settings, Kind>>;

const SAVING = ['save-notifications'];

/** Switches for the kinds of mails. Each is saved at once. */
export function Notifications() {
  const query = trpc.account.notifications.get.queryOptions();
  const { data, error, refetch } = useQuery(query);
  /** Switches that the server has not saved yet. */
  const [unsaved, setUnsaved] = useState<Changes>({});
  const save = useMutation({
    mutationKey: SAVING,
    // One after the other, so that the last response has every change.
    scope: { id: 'notifications' },
    mutationFn: (changes: Changes) => client.account.notifications.update.mutate(changes),
    onMutate: () => queryClient.cancelQueries({ queryKey: query.queryKey }),
    onSuccess: (settings) => queryClient.setQueryData(query.queryKey, settings),
    onError: () => queryClient.invalidateQueries({ queryKey: query.queryKey }),
    onSettled: () => {
      const isLast = queryClient.isMutating({ mutationKey: SAVING }) === 1;
      if (isLast) setUnsaved({});
    },
  });
  const change = (changes: Changes) => {
    setUnsaved((former) => ({ ...former, ...changes }));
    save.mutate(changes);
  };
  return (
    <Section
      title="Notifications"
      text="You find every notification in your inbox. Choose which ones are also sent to you by email if you have not read them after two minutes. These settings apply to all your companies."
    >
      {error !== null && (
        <ErrorMessage title="The notifications could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {save.error !== null && <ErrorMessage title="The notifications could not be saved" error={save.error} />}
      {data === undefined && error === null && <Skeleton h={148} />}
      {data !== undefined && (
        <Stack gap="sm">
          {data.refusedAt !== null && (
            <Alert color="red" variant="outline" title="Your mailbox does not exist">
              <Text size="sm" mb="xs">
                The mail server reported this on <Time value={data.refusedAt} />. You get no notifications by email
                until you try again. If you are not sure that your address is right, ask an admin.
              </Text>
              <Button variant="default" loading={save.isPending} onClick={() => save.mutate({})}>
                Try again
              </Button>
            </Alert>
          )}
          {KINDS.map(({ kind, ...texts }) => (
            <Switch
              key={kind}
              size="xs"
              checked={unsaved[kind] ?? data[kind]}
              onChange={({ currentTarget }) => change({ [kind]: currentTarget.checked })}
              {...texts}
            />
          ))}
          <Text size="sm" c="dimmed" role="status" mih={20}>
            {save.isSuccess && 'Saved'}
          </Text>
        </Stack>
      )}
    </Section>
  );
}
