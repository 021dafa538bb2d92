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
  lookUpReferences,
  refuseUnusable,
  taskOf,
  toTask,
} from '../entities/statements/task.ts';
import type { StampedTaskRow, TaskRecord } from '../entities/statements/task.ts';
import { updateTask } from '../entities/statements/task-update.ts';
import { creatorOf } from '../entities/statements/stamps.ts';
import { requireMatch } from '../entities/statements/tag.ts';
import type { IfMatch } from '../entities/statements/tag.ts';
import { changedTask, disagreementOf, disagreementOfGaps } from '../entities/task.ts';
import type { TaskFields, TaskChanges as Changes } from '../entities/task.ts';
import { place } from './page.ts';
import { TaskList, TaskQuery, listTasks } from './task-list.ts';
import { operations } from './task-operations.ts';
import { NewTask, OneTask, OneTaskAsOf, TaskChanges, TaskObject } from './task-shapes.ts';
import { requireFramework, requireRight } from './rights.ts';
import { EventPage, readHistory } from './trail.ts';
import { companyProcedure, router } from './trpc.ts';

const path = '/external/task';

/** The tasks of the caller's company, each of one framework. Contract, section 3. */
export const task = router({
  list: companyProcedure('task:read')
    .meta({
      openapi: { method: 'GET', path: `${path}/framework/{framework}/list`, ...operations.list },
      totalCount: 'total',
    })
    .input(TaskQuery)
    .output(TaskList)
    .query(({ ctx, input }) => listTasks(ctx.session, input)),

  create: companyProcedure('task:write')
    .meta({
      openapi: {
        method: 'POST',
        path: `${path}/framework/{framework}/new`,
        ...operations.create,
        errorResponses: [422],
      },
      location: `${path}/{uniqueId}/item`,
      tagged: true,
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
      const row = await ctx.session.only(insertTask, { ...fields, uniqueId: newUniqueId(), framework });
      if (!row.framework_exists) throw notFound('framework');
      if (!row.framework_usable) throw new Refusal('unprocessable', 'framework: is archived');
      refuseUnusable(row);
      if (row.unique_id === null) throw new Error('a task that nothing refuses was not written');
      const { user } = ctx.session.principal;
      return taskOf(row, user, user);
    }),

  get: companyProcedure('task:read')
    .meta({ openapi: { method: 'GET', path: `${path}/{taskUniqueId}/item`, ...operations.get }, tagged: true })
    .input(OneTaskAsOf)
    .output(TaskObject)
    .query(({ ctx, input: { taskUniqueId, asOf } }) => {
      if (asOf !== undefined) requireRight(ctx.session.principal, 'audit:read', ctx.address);
      return readTask(ctx.session, taskUniqueId, asOf);
    }),

  history: companyProcedure('audit:read')
    .meta({ openapi: { method: 'GET', path: `${path}/{taskUniqueId}/history`, ...operations.history } })
    .input(OneTask.extend(place))
    .output(EventPage)
    .query(({ ctx, input: { taskUniqueId, ...at } }) => readHistory(ctx.session, 'task', taskUniqueId, at)),

  update: companyProcedure('task:write')
    .meta({
      openapi: {
        method: 'PATCH',
        path: `${path}/{taskUniqueId}/edit`,
        ...operations.update,
        errorResponses: [409, 422],
      },
      tagged: true,
    })
    .input(TaskChanges)
    .output(TaskObject)
    .mutation(async ({ ctx: { session, ifMatch = null }, input: { taskUniqueId: uniqueId, ...changes } }) => {
      if (!isUniqueId(uniqueId)) throw notFound('task');
      return change(async () => {
        const row = await session.first(updateTask, updateOf(uniqueId, changes, ifMatch));
        if (row?.is_changed === true) return taskOf(row, creatorOf(row), session.principal.user);
        // There is no such task, a rule or its tag forbids it, it would change nothing; or another change came between: again.
        const before = permitted(session, row);
        const after = changedTask(before, changes);
        const references = newReferences(before, after);
        if (references !== undefined) refuseUnusable(await session.only(lookUpReferences, references));
        requireMatch(ifMatch, before);
        return isDeepStrictEqual(after, changedTask(before, {})) ? before : undefined;
      });
    }),

  delete: companyProcedure('task:delete')
    .meta({ openapi: { method: 'DELETE', path: `${path}/{taskUniqueId}/delete`, ...operations.delete } })
    .input(OneTask)
    .output(z.void())
    .mutation(async ({ ctx: { session, ifMatch = null }, input: { taskUniqueId: uniqueId } }) => {
      if (!isUniqueId(uniqueId)) throw notFound('task');
      await change(async () => {
        if ((await session.first(deleteTask, { uniqueId, ifMatch })) !== undefined) return true;
        // There is none, or in a framework that the key may not touch, or its tag does not match; or else: again.
        requireMatch(ifMatch, await readTask(session, uniqueId));
        return undefined;
      });
    }),
});

async function readTask(session: Session, uniqueId: string, asOf?: string) {
  if (!isUniqueId(uniqueId)) throw notFound('task');
  const row = await (asOf === undefined
    ? session.first(getTask, { uniqueId })
    : session.first(getTaskAsOf, { uniqueId, asOf }));
  return permitted(session, row);
}

function permitted({ principal }: Session, row: StampedTaskRow | undefined): TaskRecord {
  if (row === undefined) throw notFound('task');
  requireFramework(principal, row.framework_id);
  return toTask(row);
}

const updateOf = (uniqueId: string, changes: Changes, ifMatch: IfMatch) => ({
  ...changes,
  uniqueId,
  ifMatch,
  startDateGiven: changes.startDate !== undefined,
  dueDateGiven: changes.dueDate !== undefined,
  departmentGiven: changes.departmentId !== undefined,
  gapsAgree: disagreementOfGaps(changes.gaps ?? []) === undefined,
});

/** What a change refers to that the task did not, which keeps what was archived later; undefined where that is nothing. */
function newReferences({ framework, ...before }: TaskRecord, after: TaskFields) {
  const departmentId = after.departmentId === before.departmentId ? null : after.departmentId;
  const gaps = after.gaps.filter((gap) => !before.gaps.includes(gap));
  return departmentId === null && gaps.length === 0 ? undefined : { framework, departmentId, gaps };
}
