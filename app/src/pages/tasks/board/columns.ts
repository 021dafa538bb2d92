import { queryClient } from '../../../api/client.ts';
import type { TaskStatus } from '../../../components/task/choices.ts';
import { OPEN_STATUSES, TASK_STATUSES } from '../../../components/task/choices.ts';
import type { TaskFilters } from '../use-filters.ts';
import { taskPagesKey } from '../use-task-pages.ts';
import type { ListedTask, TaskList, TaskPages } from '../use-task-pages.ts';

/** Cards that a column loads at a time. */
export const CARDS = 25;

/** Place of a card in its column. */
export interface Place {
  page: number;
  index: number;
}

/** Statuses that a filter includes, as columns. */
export function columnsOf(filter: string | undefined): readonly TaskStatus[] {
  if (filter === undefined) return TASK_STATUSES;
  const values = filter.split(',');
  return TASK_STATUSES.filter(
    (status) => values.includes(status) || (values.includes('open') && OPEN_STATUSES.includes(status)),
  );
}

export const columnFilters = (filters: TaskFilters, status: TaskStatus): TaskFilters => ({ ...filters, status });

/** Changes the items of a page, and the total of a column, in the loaded pages. */
function updateColumn(
  filters: TaskFilters,
  status: TaskStatus,
  page: number,
  totalChange: number,
  change: (items: ListedTask[]) => ListedTask[],
): void {
  queryClient.setQueryData<TaskPages>(taskPagesKey(columnFilters(filters, status), CARDS), (data) =>
    data === undefined
      ? undefined
      : {
          ...data,
          pages: data.pages.map((list: TaskList, number) => ({
            ...list,
            total: list.total + totalChange,
            items: number === page ? change(list.items ?? []) : (list.items ?? []),
          })),
        },
  );
}

/** Place of a task in its column; undefined if it is not loaded. */
export function placeOf(filters: TaskFilters, { uniqueId, status }: ListedTask): Place | undefined {
  const data = queryClient.getQueryData<TaskPages>(taskPagesKey(columnFilters(filters, status), CARDS));
  for (const [page, { items = [] }] of data?.pages.entries() ?? []) {
    const index = items.findIndex((item) => item.uniqueId === uniqueId);
    if (index !== -1) return { page, index };
  }
  return undefined;
}

export const removeCard = (filters: TaskFilters, task: ListedTask, { page }: Place): void =>
  updateColumn(filters, task.status, page, -1, (items) => items.filter(({ uniqueId }) => uniqueId !== task.uniqueId));

export const insertCard = (filters: TaskFilters, task: ListedTask, { page, index }: Place): void =>
  updateColumn(filters, task.status, page, 1, (items) => items.toSpliced(index, 0, task));
