import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import type { TaskFilters, taskFilters } from '../../entities/task/filters.ts';
import { TASK_STATUSES, isOpen } from '../../entities/task/task.ts';
import { startOfDay, todayIn } from '../schemas/time-zone.ts';

const DAY_MS = 86_400_000;
/** Last day of `week`, in days after today. */
const DAYS_AHEAD = 7;

/** Adds days to a calendar date. */
export const addDays = (date: string, days: number) =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/** Last day of the tasks that are due this week, included. */
export const lastDayOfWeek = (today: string) => addDays(today, DAYS_AHEAD);

/** Today in the time zone of the company, as `YYYY-MM-DD`. */
export async function todayOf(session: Session): Promise<string> {
  const { timeZone } = await session.one(ownCompany, {});
  return todayIn(timeZone, session.now);
}

type Due = NonNullable<z.output<typeof taskFilters.shape.due>>;

/** Adds the filter `due` to others. A task must match all of them. @param today as `YYYY-MM-DD` */
export function withDue(filters: TaskFilters, due: Due, today: string): TaskFilters {
  if (due === 'none') return { ...filters, noDueDate: true };
  const { dueBefore, dueAfter } = filters;
  const status = (filters.status ?? TASK_STATUSES).filter(isOpen);
  const last = due === 'overdue' ? addDays(today, -1) : lastDayOfWeek(today);
  const first = due === 'overdue' ? null : today;
  // Dates in this format are in the order of their text.
  return {
    ...filters,
    status,
    dueBefore: dueBefore !== null && dueBefore < last ? dueBefore : last,
    dueAfter: first === null || (dueAfter !== null && dueAfter > first) ? dueAfter : first,
  };
}

interface ClosedDays {
  closedAfter?: string | undefined;
  closedBefore?: string | undefined;
}

/** The filter by the days on which tasks were closed, as times: days are those of the time zone of the company. */
export async function toClosedFilter(
  session: Session,
  { closedAfter, closedBefore }: ClosedDays,
): Promise<Pick<TaskFilters, 'closedFrom' | 'closedUntil'>> {
  if (closedAfter === undefined && closedBefore === undefined) return { closedFrom: null, closedUntil: null };
  const { timeZone } = await session.one(ownCompany, {});
  const startOf = (day: string) => startOfDay(day, timeZone).toISOString();
  return {
    closedFrom: closedAfter === undefined ? null : startOf(closedAfter),
    closedUntil: closedBefore === undefined ? null : startOf(addDays(closedBefore, 1)),
  };
}
