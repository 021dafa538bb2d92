import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { isId, newUniqueId } from '../../entities/ids.ts';
import { requireUsable } from '../../entities/statements/references.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { countTasksOfOne } from '../../entities/task/list.ts';
import { validateRecurrence } from '../../entities/task/recurrence.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import type { InsertResult, TaskRecord } from '../../entities/task/statements.ts';
import { applyTaskChanges, startSeries, taskResource } from '../../entities/task/task.ts';
import type { TaskChanges as Changes, TaskFields, TaskStatus } from '../../entities/task/task.ts';
import { resourceActions } from '../core/resource.ts';
import { changeRecurring, requireRecurrence } from './next.ts';
import type { NewTask } from './schemas.ts';

export const BASE_PATH = '/external/task';

export const actions = resourceActions(taskStatements);

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
  await requireRecurrence(session, fields);
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

/** Changes a task. Closing one that recurs makes the next one. @returns the task, and whether it was changed */
export async function changeTask(session: Session, uniqueId: string, changes: Changes, ifMatch: IfMatch = null) {
  await requireRecurrence(session, changes);
  const listsValid = taskResource.validate(changes) === undefined;
  const { moveSeries = false, ...fields } = changes;
  const parameters = {
    ...taskResource.changeParameters(fields),
    uniqueId,
    ifMatch,
    listsValid,
    moveSeries,
    checkedVersion: null,
  };
  return actions.change(session, parameters, changes, applyTaskChanges, {
    changeOtherwise: (before) => changeRecurring(session, before, changes, parameters),
  });
}
