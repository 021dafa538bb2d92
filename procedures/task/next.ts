import type { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { toCreator } from '../../entities/statements/change-metadata.ts';
import { nextOccurrence } from '../../entities/task/recurrence.ts';
import { NEXT_STATUSES, makeNextTask, taskStatements } from '../../entities/task/statements.ts';
import type { TaskRecord } from '../../entities/task/statements.ts';
import { applyTaskChanges, isOpen } from '../../entities/task/task.ts';
import type { TaskChanges, TaskFields } from '../../entities/task/task.ts';
import { todayOf } from './due.ts';

/** First version that makes the next task of one that recurs. */
const RECURRENCE_VERSION = '0.9.0';
/** First version that keeps the date of a series while the due date moves. */
const SERIES_DATE_VERSION = '0.11.0';

/**
 * Excludes older versions from the data with the first task that recurs: they would close it without a next one.
 * @throws ApiError 503 while a process of an older version runs
 */
export async function requireRecurrence(session: Session, { recurrence }: TaskChanges): Promise<void> {
  if (typeof recurrence === 'string') await session.requireVersion(RECURRENCE_VERSION);
}

type UpdateInput = Parameters<(typeof taskStatements.update)['values']>[1];

/** True if a change closes a task that recurs. */
const closes = (before: TaskFields, after: TaskFields) =>
  isOpen(before.status) && NEXT_STATUSES.some((status) => status === after.status) && after.recurrence !== null;

/**
 * Changes a task that recurs, or is to recur, and makes the next one if this closes it, in one transaction. The rules of
 * recurrence were checked with the version that was read.
 * @returns undefined if another change came between
 */
export async function changeRecurring(
  session: Session,
  before: TaskRecord,
  changes: TaskChanges,
  parameters: UpdateInput,
): Promise<{ item: TaskRecord; isChanged: boolean } | undefined> {
  const after = applyTaskChanges(before, changes);
  const { recurrence, dueDate, seriesDate } = after;
  if (recurrence === null || seriesDate === null) return undefined;
  if (seriesDate !== dueDate) await session.requireVersion(SERIES_DATE_VERSION);
  const next = closes(before, after)
    ? nextOccurrence({ recurrence, dueDate: seriesDate }, await todayOf(session))
    : undefined;
  return session.transaction(async (inside) => {
    const row = await inside.one(taskStatements.update, { ...parameters, checkedVersion: before.version });
    if (!row.is_changed) return undefined;
    const item = taskStatements.toWritten(row, toCreator(row), session.principal.user);
    const made =
      next && (await inside.first(makeNextTask, { ...next, uniqueId: item.uniqueId, nextId: newUniqueId() }));
    return { item: { ...item, ...(made !== undefined && { next: made.uniqueId }) }, isChanged: true };
  });
}
