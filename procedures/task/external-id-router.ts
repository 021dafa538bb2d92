import { taskResource } from '../../entities/task/task.ts';
import { externalIdProcedures } from '../external-id/router.ts';
import { linkTask, readTaskByExternalId, upsertTask } from './external-id.ts';
import { openapi } from './openapi.ts';
import { TaskByExternalId, TaskLink, TaskOutput, TaskPut } from './schemas.ts';
import { BASE_PATH, actions } from './write.ts';

/** Procedures for tasks by external id. */
export const tasksByExternalId = externalIdProcedures({
  resource: taskResource,
  paths: {
    item: `${BASE_PATH}/{uniqueId}/item`,
    byExternalId: `${BASE_PATH}/framework/{framework}/by/{source}/{externalId}`,
    link: `${BASE_PATH}/{taskUniqueId}/link`,
  },
  openapi,
  putToolDescription:
    'Only a new task needs a title, and it may have any status. An existing task keeps a status that is not sent.',
  putErrors: [404, 409, 422],
  schemas: { reference: TaskByExternalId, put: TaskPut, link: TaskLink, item: TaskOutput },
  actions: { read: readTaskByExternalId, upsert: upsertTask, remove: actions.remove, link: linkTask },
});
