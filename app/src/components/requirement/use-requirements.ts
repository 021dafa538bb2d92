import { useQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';

export type ListedRequirement = Outputs['requirement']['list']['items'][number];

const PAGE_SIZE = 500;

/** Reads all requirements of a framework. */
async function readAll(framework: number, signal: AbortSignal): Promise<ListedRequirement[]> {
  const items: ListedRequirement[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await client.requirement.list.query(
      { framework, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) },
      { signal },
    );
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/** All requirements of a framework in the order of lists: an outline needs the headings above each. */
export const useRequirements = (framework: number | undefined) =>
  useQuery({
    queryKey: [...trpc.requirement.list.queryKey({ framework: framework ?? 0 }), 'all'],
    queryFn: ({ signal }) => readAll(framework ?? 0, signal),
    enabled: framework !== undefined,
  });

/** Loads again what shows requirements, after a change. */
export const reloadRequirements = (): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries(trpc.requirement.list.pathFilter()),
    queryClient.invalidateQueries(trpc.overview.tasks.pathFilter()),
  ]);
