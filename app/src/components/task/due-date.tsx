import { dateText, daysUntil, overdueText, relativeDate } from '../../dates.ts';
import { CalendarDate } from '../time.tsx';
import { OPEN_STATUSES } from './choices.ts';
import type { Task } from './choices.ts';

/** Days before the due date from which on it is also said in words. */
const SOON_DAYS = 13;

type Due = Pick<Task, 'dueDate' | 'status'>;

/** Words for the due date of an open task that is near or past: "in 3 days", "42 days overdue". */
export function dueWords({ dueDate, status }: Due): { words: string; isOverdue: boolean } | undefined {
  if (dueDate === null || !OPEN_STATUSES.includes(status)) return undefined;
  const days = daysUntil(dueDate);
  if (days > SOON_DAYS) return undefined;
  return days < 0
    ? { words: overdueText(dueDate), isOverdue: true }
    : { words: relativeDate(dueDate), isOverdue: false };
}

/** Due date of a task, with words when it is near or past. */
export function DueDate({ task }: { task: Due }) {
  const due = dueWords(task);
  if (task.dueDate === null) return null;
  return <CalendarDate value={task.dueDate} addition={due?.words} isOverdue={due?.isOverdue ?? false} />;
}

/** Says when the task is due that a closed one made. */
export const nextTaskText = ({ dueDate }: Due): string =>
  dueDate === null ? 'The next task has no due date' : `The next task is due ${dateText(dueDate)}`;
