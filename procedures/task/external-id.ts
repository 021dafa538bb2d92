import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { isId, newUniqueId } from '../../entities/ids.ts';
import type { ExternalIdKey } from '../../entities/external-id/reservation.ts';
import { taskExternalIds, taskStatements } from '../../entities/task/statements.ts';
import type { TaskRecord } from '../../entities/task/statements.ts';
import { applyTaskChanges, startSeries, taskResource } from '../../entities/task/task.ts';
import type { TaskChanges, TaskFields } from '../../entities/task/task.ts';
import { externalIdActions, undefinedIfNotFound } from '../external-id/actions.ts';
import type { UpsertOptions, UpsertResult } from '../external-id/actions.ts';
import { externalIdProcedures } from '../external-id/router.ts';
import { openapi } from './openapi.ts';
import { TaskByExternalId, TaskLink, TaskOutput, TaskPut } from './schemas.ts';
import type { TaskBody } from './schemas.ts';
import {
  BASE_PATH,
  actions,
  changeTask,
  removeTask,
  requireExistingFramework,
  requireFinishable,
  requireUsableTask,
  requireVersions,
  validateNewTask,
} from './write.ts';

const byExternalId = externalIdActions('task', { ...taskStatements, ...taskExternalIds });

/** The task with an external id in a framework. @throws ApiError 404 */
export async function readTaskByExternalId(session: Session, key: ExternalIdKey): Promise<TaskRecord> {
  if (!isId(key.framework)) throw notFound('framework');
  return byExternalId.read(session, key);
}

type Body = z.infer<typeof TaskBody> & Pick<TaskChanges, 'moveSeries'>;

/** Fields of a new task with a body. */
const toNewFields = ({ title = '', ...body }: Body): TaskFields =>
  startSeries(taskResource.withChanges({ ...taskResource.defaults, title }, body));

/**
 * Changes that a body makes to a task that exists. With `replace`, fields that are not sent take their default, except those that keep
 * their value. One that sends neither the recurrence nor the due date keeps both of a task that recurs. Contract, section 18.
 */
function toChanges(before: TaskRecord, body: Body, mode: UpsertOptions['mode']): TaskChanges {
  if (mode === 'merge') return body;
  const { status, assigneeId, vendors, requirements, recurrence, reviewerId, needsEvidence, dueDate, moveSeries } =
    body;
  const keepsDueDate = before.recurrence !== null && recurrence === undefined && dueDate === undefined;
  const { seriesDate: _, ...newFields } = toNewFields(body);
  const kept = { status, assigneeId, vendors, requirements, recurrence, reviewerId, needsEvidence, moveSeries };
  return { ...newFields, ...kept, ...(keepsDueDate && { dueDate }) };
}

/** Creates or changes the task with an external id in a framework. @throws ApiError */
export async function upsertTask(
  session: Session,
  { framework, source, externalId, ...body }: ExternalIdKey & Body,
  options: UpsertOptions,
): Promise<UpsertResult<TaskRecord>> {
  if (!isId(framework)) throw notFound('framework');
  const key = { framework, source, externalId };
  const changesOf = (before: TaskRecord) => toChanges(before, body, options.mode);
  return byExternalId.upsert(session, key, options, {
    fieldsBefore: (before) => applyTaskChanges(before, {}),
    fieldsAfter: (before) => applyTaskChanges(before, changesOf(before)),
    change: (before) => changeTask(session, before.uniqueId, changesOf(before), options.ifMatch),
    requireParent: () => requireExistingFramework(session, framework),
    create: async (reservedId) => {
      const newFields = toNewFields(body);
      const error =
        newFields.title === '' ? new ApiError('invalid_request', 'title: required') : validateNewTask(newFields);
      if (error !== undefined) {
        await requireExistingFramework(session, framework);
        throw error;
      }
      await requireVersions(session, newFields);
      await requireFinishable(session, framework, newFields);
      const task = { ...newFields, ...key, uniqueId: newUniqueId() };
      const row = requireUsableTask(
        await (reservedId === undefined
          ? session.one(taskExternalIds.insert, task)
          : session.one(taskExternalIds.recreate, { ...task, reservedId })),
      );
      const { user } = session.principal;
      return row.uniqueId === null ? undefined : taskStatements.toWritten(row, user, user);
    },
  });
}

/** Changes the task of a framework as a PUT does. @returns undefined if the framework has no such task */
export async function putTask(
  session: Session,
  { framework, uniqueId, ...body }: { framework: number; uniqueId: string } & Body,
  mode: UpsertOptions['mode'],
): Promise<UpsertResult<TaskRecord> | undefined> {
  const before = await session.first(taskStatements.get, { uniqueId });
  if (before?.framework !== framework) return undefined;
  const changes = toChanges(taskStatements.toRecord(before), body, mode);
  const change = await changeTask(session, uniqueId, changes).catch(undefinedIfNotFound);
  return change && { upsert: change.isChanged ? 'updated' : 'unchanged', item: change.item };
}

/** Adds an external id to a task, in the framework of the task. @throws ApiError */
async function linkTask(
  session: Session,
  { taskUniqueId: uniqueId, ...reference }: z.infer<typeof TaskLink>,
): Promise<TaskRecord> {
  const { framework } = await actions.read(session, uniqueId);
  return byExternalId.link(session, { ...reference, framework }, () => actions.read(session, uniqueId));
}

/** Procedures for tasks by external id. */
export const tasksByExternalId = externalIdProcedures({
  resource: taskResource,
  paths: {
    item: `${BASE_PATH}/{uniqueId}/item`,
    byExternalId: `${BASE_PATH}/framework/{framework}/by/{source}/{externalId}`,
    link: `${BASE_PATH}/{taskUniqueId}/link`,
  },
  openapi,
  putToolDescription: 'Only a new task needs a title.',
  putErrors: [404, 409, 422],
  schemas: { reference: TaskByExternalId, put: TaskPut, link: TaskLink, item: TaskOutput },
  actions: { read: readTaskByExternalId, upsert: upsertTask, remove: removeTask, link: linkTask },
});
