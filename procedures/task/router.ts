import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { retryOnConflict } from '../../database/retry.ts';
import type { Session } from '../../database/session.ts';
import { isId, isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import {
  countTasks,
  deleteTask,
  getTask,
  getTaskAsOf,
  insertTask,
  checkReferences,
  requireUsableReferences,
  taskFromWrite,
  toTask,
} from '../../entities/statements/task.ts';
import type { TaskRowWithMetadata, TaskRecord } from '../../entities/statements/task.ts';
import { updateTask } from '../../entities/statements/task-update.ts';
import { toCreator } from '../../entities/statements/change-metadata.ts';
import { requireIfMatch } from '../../entities/statements/entity-tag.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { applyTaskChanges, validateTask, validateGaps } from '../../entities/task.ts';
import type { TaskFields, TaskChanges as Changes } from '../../entities/task.ts';
import { pagination } from '../schemas/pagination.ts';
import { TaskList, TaskQuery, listTasks } from './list.ts';
import { openapi } from './openapi.ts';
import { NewTask, TaskId, TaskIdAsOf, TaskChanges, TaskOutput } from './schemas.ts';
import { requireFramework, requirePermission } from '../core/permissions.ts';
import { EventPage, readHistory } from '../audit/events.ts';
import { companyProcedure, router } from '../core/trpc.ts';

const BASE_PATH = '/external/task';

/** The tasks of the caller's company, each of one framework. Contract, section 3. */
export const task = router({
  list: companyProcedure('task:read')
    .meta({
      openapi: { method: 'GET', path: `${BASE_PATH}/framework/{framework}/list`, ...openapi.list },
      totalCountField: 'total',
    })
    .input(TaskQuery)
    .output(TaskList)
    .query(({ ctx, input }) => listTasks(ctx.session, input)),

  create: companyProcedure('task:write')
    .meta({
      openapi: {
        method: 'POST',
        path: `${BASE_PATH}/framework/{framework}/new`,
        ...openapi.create,
        errorResponses: [422],
      },
      location: `${BASE_PATH}/{uniqueId}/item`,
      hasEntityTag: true,
    })
    .input(NewTask)
    .output(TaskOutput)
    .mutation(async ({ ctx, input: { framework, ...taskInput } }) => {
      if (!isId(framework)) throw notFound('framework');
      const fields = { ...taskInput, status: 'todo' as const };
      const validationError = validateTask(fields);
      if (validationError !== undefined) {
        const { total } = await ctx.session.one(countTasks, { framework });
        throw total === null ? notFound('framework') : validationError;
      }
      const row = await ctx.session.one(insertTask, { ...fields, uniqueId: newUniqueId(), framework });
      if (!row.framework_exists) throw notFound('framework');
      if (!row.framework_usable) throw new ApiError('unprocessable', 'framework: is archived');
      requireUsableReferences(row);
      if (row.unique_id === null) throw new Error('a task that nothing refuses was not written');
      const { user } = ctx.session.principal;
      return taskFromWrite(row, user, user);
    }),

  get: companyProcedure('task:read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{taskUniqueId}/item`, ...openapi.get }, hasEntityTag: true })
    .input(TaskIdAsOf)
    .output(TaskOutput)
    .query(({ ctx, input: { taskUniqueId, asOf } }) => {
      if (asOf !== undefined) requirePermission(ctx.session.principal, 'audit:read', ctx.address);
      return readTask(ctx.session, taskUniqueId, asOf);
    }),

  history: companyProcedure('audit:read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{taskUniqueId}/history`, ...openapi.history } })
    .input(TaskId.extend(pagination))
    .output(EventPage)
    .query(({ ctx, input: { taskUniqueId, ...pageRequest } }) =>
      readHistory(ctx.session, 'task', taskUniqueId, pageRequest),
    ),

  update: companyProcedure('task:write')
    .meta({
      openapi: {
        method: 'PATCH',
        path: `${BASE_PATH}/{taskUniqueId}/edit`,
        ...openapi.update,
        errorResponses: [409, 422],
      },
      hasEntityTag: true,
    })
    .input(TaskChanges)
    .output(TaskOutput)
    .mutation(async ({ ctx: { session, ifMatch = null }, input: { taskUniqueId: uniqueId, ...changes } }) => {
      if (!isUniqueId(uniqueId)) throw notFound('task');
      return retryOnConflict(async () => {
        const row = await session.first(updateTask, updateParameters(uniqueId, changes, ifMatch));
        if (row?.is_changed === true) return taskFromWrite(row, toCreator(row), session.principal.user);
        // There is no such task, a rule or its tag forbids it, it would change nothing; or another change came between: again.
        const before = requireTaskAccess(session, row);
        const after = applyTaskChanges(before, changes);
        const references = addedReferences(before, after);
        if (references !== undefined) requireUsableReferences(await session.one(checkReferences, references));
        requireIfMatch(ifMatch, before);
        return isDeepStrictEqual(after, applyTaskChanges(before, {})) ? before : undefined;
      });
    }),

  delete: companyProcedure('task:delete')
    .meta({ openapi: { method: 'DELETE', path: `${BASE_PATH}/{taskUniqueId}/delete`, ...openapi.delete } })
    .input(TaskId)
    .output(z.void())
    .mutation(async ({ ctx: { session, ifMatch = null }, input: { taskUniqueId: uniqueId } }) => {
      if (!isUniqueId(uniqueId)) throw notFound('task');
      await retryOnConflict(async () => {
        if ((await session.first(deleteTask, { uniqueId, ifMatch })) !== undefined) return true;
        // There is none, or in a framework that the key may not touch, or its tag does not match; or else: again.
        requireIfMatch(ifMatch, await readTask(session, uniqueId));
        return undefined;
      });
    }),
});

async function readTask(session: Session, uniqueId: string, asOf?: string) {
  if (!isUniqueId(uniqueId)) throw notFound('task');
  const row = await (asOf === undefined
    ? session.first(getTask, { uniqueId })
    : session.first(getTaskAsOf, { uniqueId, asOf }));
  return requireTaskAccess(session, row);
}

function requireTaskAccess({ principal }: Session, row: TaskRowWithMetadata | undefined): TaskRecord {
  if (row === undefined) throw notFound('task');
  requireFramework(principal, row.framework_id);
  return toTask(row);
}

const updateParameters = (uniqueId: string, changes: Changes, ifMatch: IfMatch) => ({
  ...changes,
  uniqueId,
  ifMatch,
  hasStartDate: changes.startDate !== undefined,
  hasDueDate: changes.dueDate !== undefined,
  hasDepartment: changes.departmentId !== undefined,
  gapsValid: validateGaps(changes.gaps ?? []) === undefined,
});

/** What a change refers to that the task did not, which keeps what was archived later; undefined where that is nothing. */
function addedReferences({ framework, ...before }: TaskRecord, after: TaskFields) {
  const departmentId = after.departmentId === before.departmentId ? null : after.departmentId;
  const gaps = after.gaps.filter((gap) => !before.gaps.includes(gap));
  return departmentId === null && gaps.length === 0 ? undefined : { framework, departmentId, gaps };
}
