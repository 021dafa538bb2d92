import { client, queryClient, trpc } from '../../api/client.ts';
import type { Inputs, Outputs } from '../../api/client.ts';
import type { BatchKind } from '../table/batch.ts';

export type ListedTask = NonNullable<Outputs['task']['listAll']['items']>[number];

export type TaskChanges = Pick<
  Inputs['task']['update'],
  'status' | 'priority' | 'dueDate' | 'departmentId' | 'assigneeId' | 'reviewerId'
>;

/** Changes of many tasks. */
export const TASK_BATCH: BatchKind<ListedTask, TaskChanges> = {
  unit: ['task', 'tasks'],
  nameOf: ({ title }) => title,
  send: (items) => client.task.batch.mutate({ items: [...items] }),
  formerOf: ({ status, priority, dueDate, departmentId, assignee, reviewer }, changes) => ({
    ...(changes.status !== undefined && { status }),
    ...(changes.priority !== undefined && { priority }),
    ...(changes.dueDate !== undefined && { dueDate }),
    ...(changes.departmentId !== undefined && { departmentId }),
    ...(changes.reviewerId !== undefined && { reviewerId: reviewer?.uniqueId ?? null }),
    ...(changes.assigneeId !== undefined && { assigneeId: assignee?.uniqueId ?? null }),
  }),
  reload: () => queryClient.invalidateQueries(trpc.task.pathFilter()),
  // Closing a task that recurs makes the next one.
  alsoText: (changed) => {
    const made = changed.filter(({ row, item }) => item !== undefined && item.next !== row.next).length;
    return made === 0 ? '' : ` ${made.toLocaleString('en')} next ${made === 1 ? 'task was' : 'tasks were'} made.`;
  },
};
