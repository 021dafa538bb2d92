import type { Outputs } from '../../api/client.ts';
import { valuesOf } from '../../api/values.ts';

export type Task = Outputs['task']['get'];
export type TaskStatus = Task['status'];

/** Every status of a task, in the order of the board, with the group that the overview counts it in. */
const STATUS_GROUPS = {
  todo: 'Open',
  in_progress: 'Open',
  in_review: 'Open',
  done: 'Done',
  not_applicable: 'Other closed',
  canceled: 'Other closed',
} as const satisfies Record<TaskStatus, string>;

export const TASK_STATUSES = valuesOf<TaskStatus>(STATUS_GROUPS);

export const statusesOf = (group: (typeof STATUS_GROUPS)[TaskStatus]): readonly TaskStatus[] =>
  TASK_STATUSES.filter((status) => STATUS_GROUPS[status] === group);

/** Statuses of a task that is not closed. */
export const OPEN_STATUSES = statusesOf('Open');

/** Every priority, the most urgent first. */
export const PRIORITIES: readonly number[] = [1, 2, 3, 4];
const PRIORITY_TEXTS: Readonly<Record<number, string>> = { 1: 'Urgent', 2: 'High', 3: 'Medium', 4: 'Low' };

/** A priority as people read it: "High". */
export const priorityText = (priority: number): string => PRIORITY_TEXTS[priority] ?? String(priority);

export const priorityOptions = PRIORITIES.map((value) => ({ value: String(value), label: priorityText(value) }));

/** Options of a select from frameworks or departments. A task keeps what was archived later, so filters show it too. */
export const referenceOptions = (
  rows: readonly { id: number; name: string; archived: boolean }[] = [],
  { withArchived = false } = {},
) =>
  rows
    .filter(({ archived }) => withArchived || !archived)
    .map(({ id, name, archived }) => ({ value: String(id), label: archived ? `${name} (archived)` : name }));
