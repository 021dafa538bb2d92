import { keepPreviousData, skipToken, useInfiniteQuery } from '@tanstack/react-query';
import type { InfiniteData } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { pagesKey, pagesOptions } from '../../api/pages.ts';
import type { TaskFilters } from './use-filters.ts';

export type TaskList = Outputs['task']['list'];
export type ListedTask = NonNullable<TaskList['items']>[number];
export type TaskPages = InfiniteData<TaskList, string | null>;

/** Key of the pages of a list. @param limit tasks of a page */
export const taskPagesKey = (filters: TaskFilters, limit: number) => pagesKey(taskListKey(filters, limit));

const taskListKey = (filters: TaskFilters, limit: number) => trpc.task.list.queryKey({ ...filters, limit });

/** Pages of tasks, with the total of all. @param filters undefined until the framework is known */
export function useTaskPages(filters: TaskFilters | undefined, limit: number) {
  const query = useInfiniteQuery({
    ...(filters === undefined
      ? pagesOptions<TaskList>(trpc.task.list.queryKey(), skipToken)
      : pagesOptions(taskListKey(filters, limit), (position, options) =>
          client.task.list.query({ ...filters, limit, ...position }, options),
        )),
    placeholderData: keepPreviousData,
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
