import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { companyProcedure, router } from '../../procedures/core/trpc.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { errorHandler } from '../../server/http/error-handler.ts';
import type { RequestState } from '../../server/http/request-state.ts';
import { HttpServer } from '../../server/http/server.ts';
import { restHandler } from '../../server/rest/handler.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { database } from '../support/database/database.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';

const UNIQUE_ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';

/** An operation that returns its name. */
const defineOperation = (name: string, path: `/${string}`, input: z.ZodObject) =>
  companyProcedure('vendor:read')
    .meta({ openapi: { method: 'GET', path, summary: name } })
    .input(input)
    .output(z.strictObject({ name: z.string() }))
    .query(() => ({ name }));

const operations = {
  tasks: defineOperation('tasks', '/external/task/framework/{framework}/list', z.strictObject({ framework: z.int() })),
  comments: defineOperation(
    'comments',
    '/external/task/{taskUniqueId}/comment/list',
    z.strictObject({ taskUniqueId: z.uuid() }),
  ),
  anyTask: defineOperation('anyTask', '/external/task/{title}', z.strictObject({ title: z.string() })),
  newTask: defineOperation('newTask', '/external/task/new', z.strictObject({})),
};
const names = ['tasks', 'comments', 'anyTask', 'newTask'] as const;

describe.each([
  ['in this order', names],
  ['in the reverse order', names.toReversed()],
])('operations that are declared %s', (_, order) => {
  const app = new Koa<RequestState>();
  app.use(async (ctx, next) => {
    ctx.state.requestId = 'a-request';
    await next();
  });
  app.use(errorHandler(createLog('silent')));
  const declared = router(Object.fromEntries(order.map((name) => [name, operations[name]])));
  app.use(restHandler(createAuthentication(database, OPERATOR_TOKEN).apiKey, { router: declared }));
  const server = new HttpServer(app.callback());
  let url: string;
  let key: string;
  beforeAll(async () => {
    url = await server.listen({ host: '127.0.0.1', port: 0 });
    ({ key } = await createCompany());
  });
  afterAll(() => server.stop());

  test.each([
    ['/external/task/framework/7/list', 'tasks'],
    [`/external/task/${UNIQUE_ID}/comment/list`, 'comments'],
    ['/external/task/new', 'newTask'],
    ['/external/task/newer', 'anyTask'],
  ])('%s calls %s', async (path, name) => {
    const response = await fetch(`${url}${path}`, { headers: { 'X-API-Key': key } });
    expect([response.status, await response.json()]).toEqual([200, { name }]);
  });
});
