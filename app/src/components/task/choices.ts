import type { Outputs } from '../../api/client.ts';
import { statusText } from '../status-dot.tsx';

export type Task = Outputs['task']['get'];
export type TaskStatus = Task['status'];

/** Statuses of a task, in the order of the board. */
export const TASK_STATUSES = [
  'todo',
  'in_progress',
  'in_review',
  'done',
  'not_applicable',
  'canceled',
] as const satisfies readonly TaskStatus[];

/** Statuses of a task that is not closed. */
export const OPEN_STATUSES: readonly TaskStatus[] = ['todo', 'in_progress', 'in_review'];

const PRIORITIES = [1, 2, 3, 4] as const;
const PRIORITY_TEXTS: Readonly<Record<number, string>> = { 1: 'Urgent', 2: 'High', 3: 'Medium', 4: 'Low' };

/** A priority as people read it: "High". */
export const priorityText = (priority: number): string => PRIORITY_TEXTS[priority] ?? String(priority);

export const statusOptions = TASK_STATUSES.map((value) => ({ value, label: statusText(value) }));
export const priorityOptions = PRIORITIES.map((value) => ({ value: String(value), label: priorityText(value) }));

/** Options of a select from frameworks or departments. A task keeps what was archived later, so filters show it too. */
export const referenceOptions = (
  rows: readonly { id: number; name: string; archived: boolean }[] = [],
  { withArchived = false } = {},
) =>
  rows
    .filter(({ archived }) => withArchived || !archived)
    .map(({ id, name, archived }) => ({ value: String(id), label: archived ? `${name} (archived)` : name }));
