import { useInfiniteQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { reloadTimeline } from '../timeline/parent.ts';
import type { Parent } from '../timeline/parent.ts';

export type Evidence = Outputs['evidence']['list']['items'][number];

/** Maximum number of pieces of evidence of a record. */
export const MAX_EVIDENCE = 200;
const PAGE_SIZE = 100;

/** The evidence of a record, newest first. */
export function useEvidence(parent: Parent) {
  const query = useInfiniteQuery(
    pagesOptions(trpc.evidence.list.queryKey(parent), (position, options) =>
      client.evidence.list.query({ ...parent, limit: PAGE_SIZE, ...position }, options),
    ),
  );
  return { ...query, items: query.data?.pages.flatMap(({ items }) => items) };
}

/** The lists that show the numbers of pieces of evidence. */
function listOf(parent: Parent) {
  if ('vendor' in parent) return trpc.vendor.page.pathFilter();
  return 'requirement' in parent ? trpc.requirement.list.pathFilter() : trpc.task.listAll.pathFilter();
}

/** Loads again what shows the evidence of a record. */
export const reloadEvidence = (parent: Parent): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries(trpc.evidence.pathFilter()),
    reloadTimeline(parent),
    queryClient.invalidateQueries(listOf(parent)),
    queryClient.invalidateQueries(trpc.overview.pathFilter()),
  ]);

/** "1 piece of evidence", "3 pieces of evidence" */
export const evidenceText = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'piece' : 'pieces'} of evidence`;
