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

/** Progress of a proof that is made; undefined until it is known. */
export const useProgress = ({ uniqueId, state }: Proof) =>
  useQuery(
    trpc.proof.progress.queryOptions(
      { proof: uniqueId },
      {
        enabled: state === 'running',
        refetchInterval: ({ state: { status } }) => (status === 'error' ? false : PROGRESS_POLL_MS),
      },
    ),
  ).data;

const reloadProofs = () => queryClient.invalidateQueries(trpc.proof.pathFilter());

export async function createProof(input: Inputs['proof']['create']): Promise<Proof> {
  const created = await client.proof.create.mutate(input);
  await reloadProofs();
  return created;
}

export async function deleteProof({ uniqueId }: Proof): Promise<void> {
  await client.proof.delete.mutate({ proof: uniqueId });
  await reloadProofs();
}

/** Path below which the browser downloads the ZIP. */
export const contentPath = ({ uniqueId }: Proof): string => `/session/proof/${uniqueId}/content`;
