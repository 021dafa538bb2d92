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
      'Also questions to you and replies to yours, evidence that was rejected, and work that waits for your review',
  },
  { kind: 'commented', label: 'Comments on what I watch' },
  {
    kind: 'summary',
    label: 'Summary of the day',
    description: 'In the morning, if a task of yours is overdue or due within seven days',
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
      text="Everything is in the inbox. Choose what also comes by mail, two minutes later if you have not read it by then. This holds for all your companies."
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
                The mail server said so on <Time value={data.refusedAt} />. No notifications are sent by mail until you
                try again. Ask an admin if your address is right.
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
