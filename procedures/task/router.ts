import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { isId, newUniqueId } from '../../entities/ids.ts';
import {
  checkReferences,
  countTasks,
  requireUsableReferences,
  taskStatements,
} from '../../entities/statements/task/task.ts';
import type { TaskRecord } from '../../entities/statements/task/task.ts';
import { applyTaskChanges, taskResource, validateGaps, validateTask } from '../../entities/task.ts';
import type { TaskChanges as Changes } from '../../entities/task.ts';
import { EventPage, readHistory } from '../audit/events.ts';
import { requireFramework, requirePermission } from '../core/permissions.ts';
import { resourceActions } from '../core/resource.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import { importTasks } from '../import/router.ts';
import { pagination } from '../schemas/pagination.ts';
import { TaskList, TaskQuery, listTasks } from './list.ts';
import { openapi } from './openapi.ts';
import { NewTask, TaskChanges, TaskId, TaskIdAsOf, TaskOutput } from './schemas.ts';

const BASE_PATH = '/external/task';

const actions = resourceActions('task', taskStatements, ({ principal }, { framework }) =>
  requireFramework(principal, framework),
);

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
      const row = await ctx.session.one(taskStatements.insert, { ...fields, uniqueId: newUniqueId(), framework });
      if (!row.framework_exists) throw notFound('framework');
      if (!row.framework_usable) throw new ApiError('unprocessable', 'framework: is archived');
      requireUsableReferences(row);
      if (row.uniqueId === null) throw new Error('task.insert: expected a row for usable references');
      const { user } = ctx.session.principal;
      return taskStatements.toWritten(row, user, user);
    }),

  import: importTasks,

  get: companyProcedure('task:read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{taskUniqueId}/item`, ...openapi.get }, hasEntityTag: true })
    .input(TaskIdAsOf)
    .output(TaskOutput)
    .query(({ ctx, input: { taskUniqueId, asOf } }) => {
      if (asOf !== undefined) requirePermission(ctx.session.principal, 'audit:read', ctx.address);
      return actions.read(ctx.session, taskUniqueId, asOf);
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
    .mutation(({ ctx: { session, ifMatch = null }, input: { taskUniqueId: uniqueId, ...changes } }) => {
      const gapsValid = validateGaps(changes.gaps ?? []) === undefined;
      const parameters = { ...taskResource.changeParameters(changes), uniqueId, ifMatch, gapsValid };
      return actions.update(session, parameters, changes, applyTaskChanges, (before) =>
        checkAddedReferences(session, before, changes),
      );
    }),

  delete: companyProcedure('task:delete')
    .meta({ openapi: { method: 'DELETE', path: `${BASE_PATH}/{taskUniqueId}/delete`, ...openapi.delete } })
    .input(TaskId)
    .output(z.void())
    .mutation(({ ctx: { session, ifMatch = null }, input }) => actions.remove(session, input.taskUniqueId, ifMatch)),
});

/** Checks the references that a change adds. A task keeps a department or gap that is archived later. */
async function checkAddedReferences(session: Session, { framework, ...before }: TaskRecord, changes: Changes) {
  const departmentId = changes.departmentId === before.departmentId ? null : (changes.departmentId ?? null);
  const gaps = (changes.gaps ?? []).filter((gap) => !before.gaps.includes(gap));
  if (departmentId === null && gaps.length === 0) return;
  requireUsableReferences(await session.one(checkReferences, { framework, departmentId, gaps }));
}
