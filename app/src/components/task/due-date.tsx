import { daysUntil, overdueText, relativeDate } from '../../dates.ts';
import { CalendarDate } from '../time.tsx';
import { OPEN_STATUSES } from './choices.ts';
import type { Task } from './choices.ts';

/** Days before the due date from which on it is also said in words. */
const SOON_DAYS = 13;

/** Due date of a task. That of an open task says in words when it is near or past. */
export function DueDate({ task: { dueDate, status } }: { task: Pick<Task, 'dueDate' | 'status'> }) {
  if (dueDate === null) return null;
  const days = daysUntil(dueDate);
  if (!OPEN_STATUSES.includes(status) || days > SOON_DAYS) return <CalendarDate value={dueDate} />;
  return days < 0 ? (
    <CalendarDate value={dueDate} addition={overdueText(dueDate)} isOverdue />
  ) : (
    <CalendarDate value={dueDate} addition={relativeDate(dueDate)} />
  );
}
