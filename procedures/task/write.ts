import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { isId, newUniqueId } from '../../entities/ids.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import {
  checkReferences,
  countTasksOfOne,
  requireUsableReferences,
  taskStatements,
} from '../../entities/task/statements.ts';
import type { InsertResult, TaskRecord } from '../../entities/task/statements.ts';
import { applyTaskChanges, taskResource, validateGaps, validateTask } from '../../entities/task/task.ts';
import type { TaskChanges as Changes, TaskStatus } from '../../entities/task/task.ts';
import { resourceActions } from '../core/resource.ts';
import type { NewTask } from './schemas.ts';

export const BASE_PATH = '/external/task';

export const actions = resourceActions(taskStatements);

/** Creates a task in a framework. @throws ApiError 404 for an unknown framework, 422 for unusable references */
export async function createTask(
  session: Session,
  { framework, status = 'todo', ...input }: z.infer<typeof NewTask> & { status?: TaskStatus | undefined },
): Promise<TaskRecord> {
  if (!isId(framework)) throw notFound('framework');
  const fields = { ...input, status };
  const validationError = validateTask(fields);
  if (validationError !== undefined) {
    await requireExistingFramework(session, framework);
    throw validationError;
  }
  const inserted = requireUsable(
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
export function requireUsable(row: InsertResult): InsertResult {
  if (!row.framework_exists) throw notFound('framework');
  if (!row.framework_usable) throw new ApiError('unprocessable', 'framework: is archived');
  requireUsableReferences(row);
  return row;
}

/** Changes a task. @returns the task, and whether it was changed */
export function changeTask(session: Session, uniqueId: string, changes: Changes, ifMatch: IfMatch = null) {
  const gapsValid = validateGaps(changes.gaps ?? []) === undefined;
  const parameters = { ...taskResource.changeParameters(changes), uniqueId, ifMatch, gapsValid };
  return actions.change(session, parameters, changes, applyTaskChanges, (before) =>
    checkAddedReferences(session, before, changes),
  );
}

/** Checks the references that a change adds. A task keeps a department or gap that is archived later. */
async function checkAddedReferences(session: Session, { framework, ...before }: TaskRecord, changes: Changes) {
  const departmentId = changes.departmentId === before.departmentId ? null : (changes.departmentId ?? null);
  const gaps = (changes.gaps ?? []).filter((gap) => !before.gaps.includes(gap));
  const assigneeId = changes.assigneeId === before.assigneeId ? null : (changes.assigneeId ?? null);
  if (departmentId === null && gaps.length === 0 && assigneeId === null) return;
  requireUsableReferences(await session.one(checkReferences, { framework, departmentId, gaps, assigneeId }));
}
