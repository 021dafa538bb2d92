import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Inputs, Outputs } from '../../api/client.ts';
import type { Kind } from './file/facts.ts';

export type Import = Outputs['import']['get'];
export type ListedImport = Outputs['import']['list']['items'][number];
export type Options = Omit<Inputs['vendor']['import'], 'content' | 'dryRun'>;

const POLL_MS = 700;
const LIST_POLL_MS = 2000;
const PAGE_SIZE = 50;

/** Rows that have a result. */
export const doneRows = ({ created, updated, unchanged, failed }: ListedImport): number =>
  created + updated + unchanged + failed;

export const hasEnded = ({ state }: Pick<Import, 'state'>): boolean => state !== 'queued' && state !== 'running';

interface Destination {
  kind: Kind;
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
  queryClient.setQueryData(trpc.import.get.queryKey({ importUniqueId: started.uniqueId }), started);
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

/** Imports of the last 30 days, newest first. They are read again while one runs. */
export const useImports = () =>
  useInfiniteQuery({
    queryKey: [...trpc.import.list.queryKey(), 'all'],
    queryFn: ({ pageParam, signal }) =>
      client.import.list.query({ limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
    initialPageParam: NO_CURSOR,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state: { data, status } }) =>
      status !== 'error' && data?.pages.some(({ items }) => !items.every(hasEnded)) === true ? LIST_POLL_MS : false,
  });

const NO_CURSOR: string | null = null;
