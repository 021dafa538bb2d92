import { positionAfter } from '../statements/order.ts';
import type { Order, Position } from '../statements/order.ts';

/** Orders of a list of tasks. `-` means descending. Contract, section 3. */
export const TASK_SORTS = ['-createdAt', 'createdAt', 'dueDate', '-dueDate', 'priority', '-updatedAt'] as const;
export type TaskSort = (typeof TASK_SORTS)[number];

export const ORDERS: Record<TaskSort, Order> = {
  '-createdAt': { direction: 'desc' },
  createdAt: { direction: 'asc' },
  dueDate: { direction: 'asc', by: { column: 'due_date', type: 'date', start: '-infinity' }, end: 'infinity' },
  '-dueDate': { direction: 'desc', by: { column: 'due_date', type: 'date', start: 'infinity' }, end: '-infinity' },
  priority: { direction: 'asc', by: { column: 'priority', type: 'smallint', start: '0' } },
  '-updatedAt': { direction: 'desc', by: { column: 'updated_at', type: 'timestamptz', start: 'infinity' } },
};

/**
 * Position after a task, or before the first task.
 * @param last `taskPosition` of the task; empty for the first page
 */
export const positionAfterTask = (sort: TaskSort, [id, value]: readonly string[]): Position =>
  positionAfter(ORDERS[sort], id, value);

/** The columns of a task that determine its position. Dates and times are text, as PostgreSQL writes them. */
interface OrderedTask {
  uniqueId: string;
  priority: number;
  dueDate: string | null;
  updatedAt: string;
}

/** Position of a task in a list: its id, and its value in the first column of the order if it has one. */
export function taskPosition(sort: TaskSort, { uniqueId, priority, dueDate, updatedAt }: OrderedTask): string[] {
  const values = { due_date: dueDate, priority: String(priority), updated_at: updatedAt };
  const value = Object.entries(values).find(([column]) => column === ORDERS[sort].by?.column)?.[1] ?? null;
  return value === null ? [uniqueId] : [uniqueId, value];
}
