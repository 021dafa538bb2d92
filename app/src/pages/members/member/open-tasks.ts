import { useQueries, useQuery } from '@tanstack/react-query';
import { client, trpc } from '../../../api/client.ts';
import type { Outputs } from '../../../api/client.ts';

export type OpenTask = NonNullable<Outputs['task']['listAll']['items']>[number];

/** Filters of the open tasks of a member. The list of tasks has them in its URL. */
export const openTasksOf = (assignee: string) => ({ assignee, status: 'open' }) as const;

const PAGE_SIZE = 100;

/** "12 open tasks" */
export const openTasksText = (count: number): string =>
  `${count.toLocaleString('en')} open ${count === 1 ? 'task' : 'tasks'}`;

/** Every open task of a member. */
export async function readOpenTasks(assignee: string): Promise<OpenTask[]> {
  const tasks: OpenTask[] = [];
  let position: { cursor?: string } | undefined = {};
  while (position !== undefined) {
    const page: Outputs['task']['listAll'] = await client.task.listAll.query({
      ...openTasksOf(assignee),
      limit: PAGE_SIZE,
      ...position,
    });
    tasks.push(...(page.items ?? []));
    const { nextCursor = null } = page;
    position = nextCursor === null ? undefined : { cursor: nextCursor };
  }
  return tasks;
}

/** Number of the open tasks of a member; undefined while it loads. */
export const useOpenTaskCount = (assignee: string) => useQuery(trpc.task.listAll.queryOptions(openTasksOf(assignee)));

/** Number of the open tasks of a member in each framework that has one; undefined while it loads. */
export function useOpenTasksByFramework(assignee: string) {
  const frameworks = useQuery(trpc.framework.list.queryOptions());
  const counts = useQueries({
    queries: (frameworks.data ?? []).map(({ id }) =>
      trpc.task.listAll.queryOptions({ ...openTasksOf(assignee), framework: String(id) }),
    ),
    combine: (results) => ({
      totals: results.map(({ data }) => data?.total),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  });
  const rows = frameworks.data
    ?.map((framework, index) => ({ framework, total: counts.totals[index] }))
    .filter(({ total }) => total !== 0);
  return {
    rows: rows?.every(hasTotal) === true ? rows : undefined,
    error: frameworks.error ?? counts.error,
  };
}

type Row<Total> = { framework: Outputs['framework']['list'][number]; total: Total };
const hasTotal = (row: Row<number | undefined>): row is Row<number> => row.total !== undefined;
