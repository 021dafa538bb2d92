/** Orders of a list of tasks. `-` means descending. Contract, section 3. */
export const TASK_SORTS = ['-createdAt', 'createdAt', 'dueDate', '-dueDate', 'priority', '-updatedAt'] as const;
export type TaskSort = (typeof TASK_SORTS)[number];

interface Order {
  direction: 'asc' | 'desc';
  /** First column of the order, with its type and a value before all others; undefined for the order of uniqueId. */
  by?: { column: 'due_date' | 'priority' | 'updated_at'; type: string; start: string };
  /** Set if the column may be null: a value after all others. Rows with null come last. */
  end?: string;
}

/** Each order ends in uniqueId, in the same direction, so that one index serves both directions. */
export const ORDERS: Record<TaskSort, Order> = {
  '-createdAt': { direction: 'desc' },
  createdAt: { direction: 'asc' },
  dueDate: { direction: 'asc', by: { column: 'due_date', type: 'date', start: '-infinity' }, end: 'infinity' },
  '-dueDate': { direction: 'desc', by: { column: 'due_date', type: 'date', start: 'infinity' }, end: '-infinity' },
  priority: { direction: 'asc', by: { column: 'priority', type: 'smallint', start: '0' } },
  '-updatedAt': { direction: 'desc', by: { column: 'updated_at', type: 'timestamptz', start: 'infinity' } },
};

/** Ids before all others, by direction. */
const START_IDS = {
  asc: '00000000-0000-0000-0000-000000000000',
  desc: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
} as const;

/** Position between two tasks of a list. */
export interface TaskPosition {
  /** Tasks with a value in the first column of the order come after this value and id. */
  afterValue: string;
  afterId: string;
  /** Tasks without a value come after this id. */
  afterIdWithoutValue: string;
}

/**
 * Position after a task, or before the first task.
 * @param last `taskPosition` of the task; empty for the first page
 */
export function positionAfter(sort: TaskSort, [id, value]: readonly string[]): TaskPosition {
  const { direction, by, end } = ORDERS[sort];
  const startId = START_IDS[direction];
  const start = { afterValue: by?.start ?? '', afterId: startId, afterIdWithoutValue: startId };
  if (id === undefined) return start;
  if (value !== undefined) return { ...start, afterValue: value, afterId: id };
  return { afterValue: end ?? start.afterValue, afterId: id, afterIdWithoutValue: id };
}

/** The columns of a task that determine its position. Dates and times are text, as PostgreSQL writes them. */
interface OrderedTask {
  uniqueId: string;
  priority: number;
  dueDate: string | null;
  updatedAt: string;
}

/** Position of a task in a list: its id, and its value in the first column of the order if it has one. */
export function taskPosition(sort: TaskSort, { uniqueId, priority, dueDate, updatedAt }: OrderedTask): string[] {
  const column = ORDERS[sort].by?.column;
  if (column === undefined) return [uniqueId];
  const value = { due_date: dueDate, priority: String(priority), updated_at: updatedAt }[column];
  return value === null ? [uniqueId] : [uniqueId, value];
}
