import { useQuery } from '@tanstack/react-query';
import { client, trpc, queryClient } from '../../api/client.ts';
import type { Inputs, Outputs } from '../../api/client.ts';

export type Import = Outputs['import']['get'];
export type Options = Omit<Inputs['vendor']['import'], 'content' | 'dryRun'>;

const POLL_MS = 700;

export const hasEnded = ({ state }: Pick<Import, 'state'>): boolean => state !== 'queued' && state !== 'running';

interface Destination {
  kind: Import['kind'];
  framework: number | null;
}

/** Uploads a file and queues its import. */
export async function startImport(
  { kind, framework }: Destination,
  options: Options & { content: string; dryRun: boolean },
): Promise<Import> {
  const started =
    kind === 'task' && framework !== null
      ? await client.task.import.mutate({ ...options, framework })
      : await client.vendor.import.mutate(options);
  await queryClient.invalidateQueries(trpc.import.list.pathFilter());
  return started;
}

/** An import, read again until it has ended. While the session has ended the request waits, so nothing is sent. */
export const useImport = (uniqueId: string | undefined) =>
  useQuery({
    ...trpc.import.get.queryOptions({ importUniqueId: uniqueId ?? '' }),
    enabled: uniqueId !== undefined,
    refetchInterval: ({ state: { data, status } }) =>
      status === 'error' || (data !== undefined && hasEnded(data)) ? false : POLL_MS,
  });
