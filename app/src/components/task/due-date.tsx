import { RelativeDate, daysUntil } from '../relative-time.tsx';
import { OPEN_STATUSES } from './choices.ts';
import type { Task } from './choices.ts';

/** Due date of a task. The date of an open task in the past has another colour. */
export function DueDate({ task: { dueDate, status } }: { task: Pick<Task, 'dueDate' | 'status'> }) {
  if (dueDate === null) return null;
  return <RelativeDate value={dueDate} isOverdue={OPEN_STATUSES.includes(status) && daysUntil(dueDate) < 0} />;
}
