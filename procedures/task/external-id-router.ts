import { z } from 'zod';
import { preconditions } from '../core/external-id.ts';
import { runOrDryRun } from '../core/dry-run.ts';
import { companyProcedure } from '../core/trpc.ts';
import { UPSERT_QUERY_FIELDS, upsertOutput } from '../schemas/external-id.ts';
import { linkTask, readTaskByExternalId, upsertTask } from './external-id.ts';
import { openapi } from './openapi.ts';
import { TaskByExternalId, TaskLink, TaskOutput, TaskPut } from './schemas.ts';
import { BASE_PATH, actions } from './write.ts';

const PATH = `${BASE_PATH}/framework/{framework}/by/{source}/{externalId}` as const;

/** Procedures for tasks by external id. Contract, section 10. */
export const tasksByExternalId = {
  putByExternalId: companyProcedure('task:write')
    .meta({
      mcp: {
        description:
          'Only a new task needs a title, and it may have any status. An existing task keeps a status that is not sent.',
      },
      openapi: { method: 'PUT', path: PATH, ...openapi.putByExternalId, errorResponses: [404, 409, 422] },
      body: { kind: 'json', queryFields: UPSERT_QUERY_FIELDS },
      response: { kind: 'upsert', location: `${BASE_PATH}/{uniqueId}/item` },
    })
    .input(TaskPut)
    .output(upsertOutput(TaskOutput))
    .mutation(({ ctx, input: { framework, source, externalId, mode, create, recreate, dryRun, ...body } }) =>
      runOrDryRun(ctx.session, dryRun, (session) =>
        upsertTask(session, { framework, source, externalId }, body, { mode, create, recreate, ...preconditions(ctx) }),
      ),
    ),

  getByExternalId: companyProcedure('task:read')
    .meta({
      openapi: { method: 'GET', path: PATH, ...openapi.getByExternalId },
      response: { kind: 'json', hasEntityTag: true },
    })
    .input(TaskByExternalId)
    .output(TaskOutput)
    .query(({ ctx, input }) => readTaskByExternalId(ctx.session, input)),

  deleteByExternalId: companyProcedure('task:delete')
    .meta({ openapi: { method: 'DELETE', path: PATH, ...openapi.deleteByExternalId } })
    .input(TaskByExternalId)
    .output(z.void())
    .mutation(async ({ ctx: { session, ifMatch = null }, input }) => {
      const { uniqueId } = await readTaskByExternalId(session, input);
      return actions.remove(session, uniqueId, ifMatch);
    }),

  link: companyProcedure('task:write')
    .meta({
      mcp: { isAdditive: true },
      openapi: {
        method: 'POST',
        path: `${BASE_PATH}/{taskUniqueId}/link`,
        ...openapi.link,
        errorResponses: [404, 409, 422],
      },
      response: { kind: 'json', hasEntityTag: true },
    })
    .input(TaskLink)
    .output(TaskOutput)
    .mutation(({ ctx, input: { taskUniqueId, ...reference } }) => linkTask(ctx.session, taskUniqueId, reference)),
};
