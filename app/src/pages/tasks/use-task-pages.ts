import { skipToken, useInfiniteQuery } from '@tanstack/react-query';
import type { InfiniteData } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import type { TaskFilters } from './use-filters.ts';

export type TaskList = Outputs['task']['list'];
export type ListedTask = NonNullable<TaskList['items']>[number];
export type TaskPages = InfiniteData<TaskList, string | null>;

/** Key of the pages of a list. `infiniteQueryOptions` of tRPC adds an input field that the API rejects. */
export const taskPagesKey = (filters: TaskFilters, limit: number) =>
  [...trpc.task.list.queryKey(filters), 'pages', limit] as const;

/** Pages of tasks, with the total of all. @param filters undefined until the framework is known */
export function useTaskPages(filters: TaskFilters | undefined, limit: number) {
  const query = useInfiniteQuery({
    queryKey: filters === undefined ? trpc.task.list.queryKey() : taskPagesKey(filters, limit),
    queryFn:
      filters === undefined
        ? skipToken
        : ({ pageParam, signal }) =>
            client.task.list.query({ ...filters, limit, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
    initialPageParam: NO_CURSOR,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (previous) => previous,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  return {
    ...query,
    tasks: data?.pages.flatMap(({ items = [] }) => items),
    total: data?.pages[0]?.total,
    /** Loads the next page; undefined if there is none. */
    loadMore: hasNextPage ? () => void (isFetching || fetchNextPage()) : undefined,
  };
}

const NO_CURSOR: string | null = null;
