import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../../api/client.ts';
import type { Inputs, Outputs } from '../../../api/client.ts';
import { pagesOptions } from '../../../api/pages.ts';

export type Proof = Outputs['proof']['list']['items'][number];

const PAGE_SIZE = 50;
const LIST_POLL_MS = 2000;
const PROGRESS_POLL_MS = 1000;

export const hasEnded = ({ state }: Pick<Proof, 'state'>): boolean => state === 'done' || state === 'failed';

/** The proofs of the company, newest first. They are read again while one is made and the page is visible. */
export const useProofs = () =>
  useInfiniteQuery({
    ...pagesOptions(trpc.proof.list.queryKey(), (position, options) =>
      client.proof.list.query({ limit: PAGE_SIZE, ...position }, options),
    ),
    refetchInterval: ({ state: { data, status } }) =>
      status !== 'error' && data?.pages.some(({ items }) => !items.every(hasEnded)) === true ? LIST_POLL_MS : false,
  });

/** Proofs that this page deletes or has deleted. Their progress would be 404. */
const deleted = new Set<string>();

const progressKey = (proof: string) => trpc.proof.progress.queryKey({ proof });

/** Progress of a proof that is made; undefined until it is known. */
export const useProgress = ({ uniqueId, state }: Proof) =>
  useQuery({
    queryKey: progressKey(uniqueId),
    queryFn: async ({ signal }) =>
      deleted.has(uniqueId)
        ? (queryClient.getQueryData(progressKey(uniqueId)) ?? null)
        : client.proof.progress.query({ proof: uniqueId }, { signal }),
    enabled: state === 'running',
    refetchInterval: ({ state: { status } }) => (status === 'error' ? false : PROGRESS_POLL_MS),
  }).data ?? undefined;

const reloadProofs = () => queryClient.invalidateQueries(trpc.proof.pathFilter());

export async function createProof(input: Inputs['proof']['create']): Promise<Proof> {
  const created = await client.proof.create.mutate(input);
  await reloadProofs();
  return created;
}

export async function deleteProof({ uniqueId }: Proof): Promise<void> {
  deleted.add(uniqueId);
  try {
    await queryClient.cancelQueries({ queryKey: progressKey(uniqueId) });
    await client.proof.delete.mutate({ proof: uniqueId });
  } catch (error) {
    deleted.delete(uniqueId);
    throw error;
  }
  await reloadProofs();
}

/** Path below which the browser downloads the ZIP. */
export const contentPath = ({ uniqueId }: Proof): string => `/session/proof/${uniqueId}/content`;
