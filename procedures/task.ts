import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { change } from '../entities/database/change.ts';
import type { Session } from '../entities/database/session.ts';
import { isId, isUniqueId, newUniqueId } from '../entities/ids.ts';
import { Refusal, notFound } from '../entities/refusal.ts';
import {
  countTasks,
  deleteTask,
  getTask,
  getTaskAsOf,
  insertTask,
  refuseUnusable,
  toTask,
  updateTask,
} from '../entities/statements/task.ts';
import { changedTask, disagreementOf } from '../entities/task.ts';
import { place } from './page.ts';
import { NewTask, OneTask, OneTaskAsOf, TaskChanges, TaskObject, ofFramework } from './task-shapes.ts';
import { requireFramework, requireRight } from './rights.ts';
import { EventPage, readHistory } from './trail.ts';
import { companyProcedure, router } from './trpc.ts';

const path = '/external/task';
const tags = ['Tasks'];

/** The tasks of the caller's company, each of one framework. Contract, section 3. */
export const task = router({
  list: companyProcedure('task:read')
    .meta({
      openapi: {
        method: 'GET',
        path: `${path}/framework/{framework}/list`,
        tags,
        summary: 'Count the tasks of a framework',
      },
      totalCount: 'total',
    })
    .input(z.strictObject(ofFramework))
    .output(z.object({ total: z.int().meta({ description: 'Tasks of the framework' }) }).meta({ id: 'TaskCount' }))
    .query(async ({ ctx, input: { framework } }) => {
      const { total } = isId(framework) ? await ctx.session.only(countTasks, { framework }) : { total: null };
      if (total === null) throw notFound('framework');
      return { total };
    }),

  create: companyProcedure('task:write')
    .meta({
      openapi: {
        method: 'POST',
        path: `${path}/framework/{framework}/new`,
        tags,
        summary: 'Create a task in a framework',
        errorResponses: [422],
      },
      location: `${path}/{uniqueId}/item`,
    })
    .input(NewTask)
    .output(TaskObject)
    .mutation(async ({ ctx, input: { framework, ...given } }) => {
      if (!isId(framework)) throw notFound('framework');
      const fields = { ...given, status: 'todo' as const };
      const disagreement = disagreementOf(fields);
      if (disagreement !== undefined) {
        const { total } = await ctx.session.only(countTasks, { framework });
        throw total === null ? notFound('framework') : disagreement;
      }
      const row = await ctx.session.only(insertTask, {
        ...fields,
        uniqueId: newUniqueId(),
        framework,
        newDepartment: fields.departmentId,
        newGaps: fields.gaps,
      });
      if (!row.framework_exists) throw notFound('framework');
      if (!row.framework_usable) throw new Refusal('unprocessable', 'framework: is archived');
      refuseUnusable(row);
      if (row.unique_id === null) throw new Error('a task that nothing refuses was not written');
      return toTask(row);
    }),

  get: companyProcedure('task:read')
    .meta({ openapi: { method: 'GET', path: `${path}/{taskUniqueId}/item`, tags, summary: 'Read a task' } })
    .input(OneTaskAsOf)
    .output(TaskObject)
    .query(({ ctx, input: { taskUniqueId, asOf } }) => {
      if (asOf !== undefined) requireRight(ctx.session.principal, 'audit:read', ctx.address);
      return readTask(ctx.session, taskUniqueId, asOf);
    }),

  history: companyProcedure('audit:read')
    .meta({
      openapi: {
        method: 'GET',
        path: `${path}/{taskUniqueId}/history`,
        tags,
        summary: 'Read what happened to a task, newest first',
        description: 'Also of a task that is deleted.',
      },
    })
    .input(OneTask.extend(place))
    .output(EventPage)
    .query(({ ctx, input: { taskUniqueId, ...at } }) => readHistory(ctx.session, 'task', taskUniqueId, at)),

  update: companyProcedure('task:write')
    .meta({
      openapi: {
        method: 'PATCH',
        path: `${path}/{taskUniqueId}/edit`,
        tags,
        summary: 'Change some fields of a task',
        description: 'Fields that are not sent keep their value; null clears a date or the department.',
        errorResponses: [409, 422],
      },
    })
    .input(TaskChanges)
    .output(TaskObject)
    .mutation(({ ctx, input: { taskUniqueId: uniqueId, ...changes } }) =>
      change(
        () => readTask(ctx.session, uniqueId),
        async (before) => {
          const after = changedTask(before, changes);
          if (isDeepStrictEqual(after, changedTask(before, {}))) return before;
          const row = await ctx.session.only(updateTask, {
            ...after,
            uniqueId,
            framework: before.framework,
            version: before.version,
            newDepartment: after.departmentId === before.departmentId ? null : after.departmentId,
            newGaps: after.gaps.filter((gap) => !before.gaps.includes(gap)),
          });
          refuseUnusable(row);
          return row.unique_id === null ? undefined : toTask(row);
        },
      ),
    ),

  delete: companyProcedure('task:delete')
    .meta({ openapi: { method: 'DELETE', path: `${path}/{taskUniqueId}/delete`, tags, summary: 'Delete a task' } })
    .input(OneTask)
    .output(z.void())
    .mutation(async ({ ctx, input: { taskUniqueId: uniqueId } }) => {
      if (ctx.session.principal.frameworks !== null) await readTask(ctx.session, uniqueId);
      const gone = isUniqueId(uniqueId) && (await ctx.session.first(deleteTask, { uniqueId }));
      if (!gone) throw notFound('task');
    }),
});

async function readTask(session: Session, uniqueId: string, asOf?: string) {
  if (!isUniqueId(uniqueId)) throw notFound('task');
  const row = await (asOf === undefined
    ? session.first(getTask, { uniqueId })
    : session.first(getTaskAsOf, { uniqueId, asOf }));
  if (row === undefined) throw notFound('task');
  requireFramework(session.principal, row.framework_id);
  return toTask(row);
}
