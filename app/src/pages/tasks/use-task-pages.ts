import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { InfiniteData } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { pagesKey, pagesOptions } from '../../api/pages.ts';
import { useHidden } from '../../components/undo/undo.ts';
import type { TaskFilters } from './use-filters.ts';

export type TaskList = Outputs['task']['listAll'];
export type ListedTask = NonNullable<TaskList['items']>[number];
export type TaskPages = InfiniteData<TaskList, string | null>;

/** Key of the pages of a list. @param limit tasks of a page */
export const taskPagesKey = (filters: TaskFilters, limit: number) => pagesKey(taskListKey(filters, limit));

const taskListKey = (filters: TaskFilters, limit: number) => trpc.task.listAll.queryKey({ ...filters, limit });

/** Milliseconds for which "Back" finds the loaded pages again. */
const KEPT_MS = 3_600_000;

/** Pages of tasks of all frameworks, with the total of all. */
export function useTaskPages(filters: TaskFilters, limit: number) {
  const query = useInfiniteQuery({
    ...pagesOptions(taskListKey(filters, limit), (position, options) =>
      client.task.listAll.query({ ...filters, limit, ...position }, options),
    ),
    placeholderData: keepPreviousData,
    gcTime: KEPT_MS,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const hidden = useHidden();
  const loaded = data?.pages.flatMap(({ items = [] }) => items) ?? [];
  const tasks = loaded.filter(({ uniqueId }) => !hidden.has(uniqueId));
  const total = data?.pages[0]?.total;
  return {
    ...query,
    tasks: data === undefined ? undefined : tasks,
    total: total === undefined ? undefined : total - (loaded.length - tasks.length),
    /** Loads the next page; undefined if there is none. */
    loadMore: hasNextPage ? () => void (isFetching || fetchNextPage()) : undefined,
    /** Loads all pages. @returns their tasks */
    loadAll: async (): Promise<readonly ListedTask[]> => {
      let result = await fetchNextPage({ throwOnError: true });
      while (result.hasNextPage) result = await fetchNextPage({ throwOnError: true });
      return result.data?.pages.flatMap(({ items = [] }) => items) ?? [];
    },
  };
}
