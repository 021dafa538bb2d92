import { Button, Tooltip } from '@mantine/core';
import IconEye from '@tabler/icons-react/dist/esm/icons/IconEye.mjs';
import IconEyeCheck from '@tabler/icons-react/dist/esm/icons/IconEyeCheck.mjs';
import { useQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { messageText } from '../error-text.ts';
import type { Parent } from '../timeline/parent.ts';
import { fail } from '../undo/undo.ts';

/** Shows if the person watches a record, and changes it. */
export function WatchButton({ parent }: { parent: Parent }) {
  const { data } = useQuery(trpc.watch.get.queryOptions(parent));
  if (data === undefined) return null;
  const { watching } = data;
  const Icon = watching ? IconEyeCheck : IconEye;
  return (
    <Tooltip
      multiline
      maw={280}
      label={
        watching
          ? 'You get comments and status changes in your inbox. Click to stop.'
          : 'Click to get comments and status changes in your inbox.'
      }
    >
      <Button
        variant="default"
        leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
        onClick={() => void watch(parent, !watching)}
      >
        {watching ? 'Watching' : 'Watch'}
      </Button>
    </Tooltip>
  );
}

async function watch(parent: Parent, watching: boolean): Promise<void> {
  const queryKey = trpc.watch.get.queryKey(parent);
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, { watching });
  try {
    await client.watch.set.mutate({ ...parent, watching });
  } catch (error) {
    fail({ title: 'Watching could not be changed', reasons: [messageText(errorDetails(error).message)] });
    await queryClient.invalidateQueries({ queryKey });
  }
}

/** Loads again if the person watches: who is assigned or comments does, unless they have set something else. */
export const reloadWatching = (parent: Parent): Promise<void> =>
  queryClient.invalidateQueries(trpc.watch.get.queryFilter(parent));
