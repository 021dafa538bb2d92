import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { isId, newUniqueId } from '../../entities/ids.ts';
import type { ExternalIdKey } from '../../entities/external-id/reservation.ts';
import { taskExternalIds } from '../../entities/task/external-id.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import type { TaskRecord } from '../../entities/task/statements.ts';
import { applyTaskChanges, taskResource } from '../../entities/task/task.ts';
import type { TaskChanges, TaskFields } from '../../entities/task/task.ts';
import { externalIdActions } from '../external-id/actions.ts';
import type { UpsertOptions, UpsertResult } from '../external-id/actions.ts';
import { externalIdProcedures } from '../external-id/router.ts';
import { openapi } from './openapi.ts';
import { TaskByExternalId, TaskLink, TaskOutput, TaskPut } from './schemas.ts';
import type { TaskBody } from './schemas.ts';
import { requireRecurrence } from './next.ts';
import { BASE_PATH, actions, changeTask, requireExistingFramework, requireUsable, validateNewTask } from './write.ts';

const byExternalId = externalIdActions('task', { ...taskStatements, ...taskExternalIds });

/** The task with an external id in a framework. @throws ApiError 404 */
async function readTaskByExternalId(session: Session, key: ExternalIdKey): Promise<TaskRecord> {
  if (!isId(key.framework)) throw notFound('framework');
  return byExternalId.read(session, key);
}

/**
 * Changes of a PUT that replaces: fields that are not sent take their default, except those that keep their value. One that sends
 * neither the recurrence nor the due date keeps both of a task that recurs. Contract, section 18.
 */
function replacing(before: TaskRecord, newFields: TaskFields, body: TaskChanges): TaskChanges {
  const { status, assigneeId, vendors, recurrence, dueDate } = body;
  const keepsDueDate = before.recurrence !== null && recurrence === undefined && dueDate === undefined;
  return { ...newFields, status, assigneeId, vendors, recurrence, ...(keepsDueDate && { dueDate }) };
}

/** Creates or changes the task with an external id in a framework. @throws ApiError */
export async function upsertTask(
  session: Session,
  { framework, source, externalId, ...body }: ExternalIdKey & z.infer<typeof TaskBody>,
  options: UpsertOptions,
): Promise<UpsertResult<TaskRecord>> {
  if (!isId(framework)) throw notFound('framework');
  const key = { framework, source, externalId };
  const { title = '' } = body;
  const newFields = taskResource.applyChanges({ ...taskResource.defaults, title }, body);
  const changesOf = (before: TaskRecord) => (options.mode === 'merge' ? body : replacing(before, newFields, body));
  return byExternalId.upsert(session, key, options, {
    fieldsBefore: (before) => applyTaskChanges(before, {}),
    fieldsAfter: (before) => applyTaskChanges(before, changesOf(before)),
    change: (before) => changeTask(session, before.uniqueId, changesOf(before), options.ifMatch),
    requireParent: () => requireExistingFramework(session, framework),
    create: async (reservedId) => {
      const error = title === '' ? new ApiError('invalid_request', 'title: required') : validateNewTask(newFields);
      if (error !== undefined) {
        await requireExistingFramework(session, framework);
        throw error;
      }
      await requireRecurrence(session, newFields);
      const task = { ...newFields, ...key, uniqueId: newUniqueId() };
      const row = requireUsable(
        await (reservedId === undefined
          ? session.one(taskExternalIds.insert, task)
          : session.one(taskExternalIds.recreate, { ...task, reservedId })),
      );
      const { user } = session.principal;
      return row.uniqueId === null ? undefined : taskStatements.toWritten(row, user, user);
    },
  });
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
  actions: { read: readTaskByExternalId, upsert: upsertTask, remove: actions.remove, link: linkTask },
});
