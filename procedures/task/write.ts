import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import { isId, newUniqueId } from '../../entities/ids.ts';
import { isAdmin } from '../../entities/principal.ts';
import { requireUsable } from '../../entities/statements/references.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { countTasksOfOne } from '../../entities/task/list.ts';
import {
  hasAcceptableEvidence,
  lacksEvidence,
  needsEvidenceNow,
  reviewerViolation,
} from '../../entities/task/four-eyes.ts';
import { lockedError } from '../../entities/task/locked.ts';
import { nextOccurrence, validateRecurrence } from '../../entities/task/recurrence.ts';
import { makeNextTask, taskStatements } from '../../entities/task/statements.ts';
import type { InsertResult, TaskRecord } from '../../entities/task/statements.ts';
import { FINISHED_STATUSES, applyTaskChanges, isOpen, startSeries, taskResource } from '../../entities/task/task.ts';
import type { TaskChanges, TaskFields, TaskStatus } from '../../entities/task/task.ts';
import { requireUsableReferences, resourceActions } from '../core/resource.ts';
import type { NewTask } from './schemas.ts';
import { todayOf } from './due.ts';

export const BASE_PATH = '/external/task';

export const actions = resourceActions(taskStatements);

/** First version that makes the next task of one that recurs. */
const RECURRENCE_VERSION = '0.9.0';
/** First version that keeps the date of a series while the due date moves. */
const SERIES_DATE_VERSION = '0.11.0';
/** First version that knows the requirements of a task, and that keeps them in the next task of one that recurs. */
const REQUIREMENTS_VERSION = '0.17.0';
/** First version that knows the reviewer of a task, and which tasks need evidence. */
const REVIEWER_VERSION = '0.19.0';

/** Error 422 if the fields of a new task contradict each other. */
export const validateNewTask = (fields: TaskFields): ApiError | undefined =>
  taskResource.validate(fields) ?? validateRecurrence(fields);

/** Creates a task in a framework. @throws ApiError 404 for an unknown framework, 422 for unusable references */
export async function createTask(
  session: Session,
  { framework, status = 'todo', ...input }: z.infer<typeof NewTask> & { status?: TaskStatus | undefined },
): Promise<TaskRecord> {
  if (!isId(framework)) throw notFound('framework');
  const fields = startSeries({ ...input, status });
  const validationError = validateNewTask(fields);
  if (validationError !== undefined) {
    await requireExistingFramework(session, framework);
    throw validationError;
  }
  await requireVersions(session, fields);
  await requireFinishable(session, framework, fields);
  const inserted = requireUsableTask(
    await session.one(taskStatements.insert, { ...fields, uniqueId: newUniqueId(), framework }),
  );
  if (inserted.uniqueId === null) throw new Error('task.insert: expected a row for usable references');
  const { user } = session.principal;
  return taskStatements.toWritten(inserted, user, user);
}

/** @throws ApiError 404 */
export async function requireExistingFramework(session: Session, framework: number): Promise<void> {
  if (!isId(framework)) throw notFound('framework');
  const { total } = await session.one(countTasksOfOne, { frameworks: [framework] });
  if (total === null) throw notFound('framework');
}

/** Checks the references of an insert. @throws ApiError 404 for an unknown framework, 422 for an unusable reference */
export function requireUsableTask(row: InsertResult): InsertResult {
  if (!row.framework_exists) throw notFound('framework');
  if (!row.framework_usable) throw new ApiError('unprocessable', 'framework: is archived');
  requireUsable(taskResource, row);
  return row;
}

/**
 * Excludes older versions from the data with the first task that has what only newer ones keep: they would close it without a next one,
 * without its reviewer, or without evidence.
 * @throws ApiError 503 while a process of an older version runs
 */
export async function requireVersions(
  session: Session,
  { recurrence, requirements = [], reviewerId, needsEvidence }: TaskChanges,
): Promise<void> {
  if (typeof recurrence === 'string') await session.requireVersion(RECURRENCE_VERSION);
  if (requirements.length > 0) await session.requireVersion(REQUIREMENTS_VERSION);
  if (typeof reviewerId === 'string' || needsEvidence === true) await session.requireVersion(REVIEWER_VERSION);
}

/** @throws ApiError 409 for a closed task, if the company locks them */
async function requireUnlocked(session: Session, { status }: Pick<TaskRecord, 'status'>): Promise<void> {
  if (!isOpen(status) && (await session.one(ownCompany, {})).lockClosed) throw lockedError();
}

/** Deletes a task. @throws ApiError 409 for a locked one */
export const removeTask = (session: Session, uniqueId: string, ifMatch: IfMatch) =>
  actions.remove(session, uniqueId, ifMatch, async () => {
    const task = await session.first(taskStatements.get, { uniqueId });
    if (task !== undefined) await requireUnlocked(session, task);
  });

/** @throws ApiError 409 for a new task that the caller cannot create with its status, after 422 for what is wrong with its fields */
export async function requireFinishable(session: Session, framework: number, fields: TaskFields): Promise<void> {
  const open = { status: 'todo', reviewerId: fields.reviewerId } as const;
  const error =
    reviewerViolation(open, fields, session.principal) ??
    (needsEvidenceNow(open, fields) ? lacksEvidence() : undefined);
  if (error === undefined) return;
  await requireExistingFramework(session, framework);
  await requireUsableReferences(session, taskStatements, {}, fields, framework);
  throw error;
}

/** @throws ApiError 409 for a change that the caller cannot make, or that needs evidence */
async function requireChangeable(session: Session, before: TaskRecord, after: TaskFields): Promise<void> {
  const isReopened =
    isAdmin(session.principal) &&
    isOpen(after.status) &&
    isDeepStrictEqual({ ...after, status: before.status }, applyTaskChanges(before, {}));
  if (!isReopened) await requireUnlocked(session, before);
  const error = reviewerViolation(before, after, session.principal);
  if (error !== undefined) throw error;
  if (!needsEvidenceNow(before, after)) return;
  const { hasEvidence } = await session.one(hasAcceptableEvidence, { task: before.uniqueId });
  if (!hasEvidence) throw lacksEvidence();
}

/** Changes a task. Closing one that recurs makes the next one. @returns the task, and whether it was changed */
export async function changeTask(session: Session, uniqueId: string, changes: TaskChanges, ifMatch: IfMatch = null) {
  await requireVersions(session, changes);
  const listsValid = taskResource.validate(changes) === undefined;
  const { moveSeries: _, ...fields } = changes;
  const parameters = {
    ...taskResource.changeParameters(fields),
    uniqueId,
    ifMatch,
    listsValid,
    checkedVersion: null,
  };
  return actions.change(session, parameters, changes, applyTaskChanges, {
    changeOtherwise: async (before) => {
      await requireChangeable(session, before, applyTaskChanges(before, changes));
      return changeRecurring(session, before, changes, parameters);
    },
  });
}

type UpdateInput = Parameters<(typeof taskStatements.update)['values']>[1];

/** True if a change closes a task that recurs. */
const closes = (before: TaskFields, after: TaskFields) =>
  isOpen(before.status) && FINISHED_STATUSES.some((status) => status === after.status) && after.recurrence !== null;

/**
 * Changes a task that recurs, or is to recur, and makes the next one if this closes it, in one transaction. The rules of
 * recurrence were checked with the version that was read.
 * @returns undefined if another change came between
 */
async function changeRecurring(
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
  const isDated = recurrence !== before.recurrence || dueDate !== before.dueDate;
  const checked = { checkedVersion: before.version, seriesDate, seriesDateGiven: isDated };
  return session.transaction(async (inside) => {
    const row = await inside.one(taskStatements.update, { ...parameters, ...checked });
    if (!row.is_changed) return undefined;
    const item = taskStatements.toRecord(row);
    const made =
      next && (await inside.first(makeNextTask, { ...next, uniqueId: item.uniqueId, nextId: newUniqueId() }));
    return { item: { ...item, ...(made !== undefined && { next: made.uniqueId }) }, isChanged: true };
  });
}
