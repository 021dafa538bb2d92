import Koa from 'koa';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { companyProcedure, createCallerFactory, router } from '../../procedures/core/trpc.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { HttpServer } from '../../server/http/server.ts';
import type { RequestState } from '../../server/http/request-state.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { trpcHandler } from '../../server/trpc/handler.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { database } from '../support/database/database.ts';

/** Calls that have begun, in this order, and the functions that end them. */
const started: number[] = [];
const ends = new Map<number, () => void>();
beforeEach(() => {
  started.length = 0;
  ends.clear();
});

const Call = z.strictObject({ call: z.int() });
const untilEnded = (call: number) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  started.push(call);
  ends.set(call, resolve);
  return promise;
};
const end = (call: number) => ends.get(call)?.();

const run = companyProcedure('vendor:read')
  .input(Call)
  .output(z.int())
  .query(async ({ input: { call } }) => {
    await untilEnded(call);
    return call;
  });
const testRouter = router({
  run,
  fail: companyProcedure('vendor:read')
    .input(Call)
    .output(z.int())
    .query(async () => {
      throw new ApiError('not_found', 'call: not found');
    }),
  wait: companyProcedure('vendor:read')
    .input(Call)
    .output(z.int())
    .query(async ({ ctx, input: { call } }) => {
      await ctx.suspend?.(() => untilEnded(call));
      return call;
    }),
  runAnother: companyProcedure('vendor:read')
    .input(Call)
    .output(z.int())
    .query(({ ctx, input }) => createCallerFactory(router({ run }))(ctx).run(input)),
});

const app = new Koa<RequestState>();
app.use(async (ctx, next) => {
  ctx.state.requestId = 'a-request';
  await next();
});
const { anyCredential } = createAuthentication(database, OPERATOR_TOKEN);
app.use(trpcHandler(anyCredential, createLog('silent'), { router: testRouter }));
const server = new HttpServer(app.callback());
const url = await server.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => server.stop(0));
const acme = await createCompany();

/** Sends calls of one procedure each in a batch, and returns their results when all have ended. */
async function sendBatch(procedures: readonly string[], headers: Record<string, string> = {}) {
  const input = encodeURIComponent(JSON.stringify(Object.fromEntries(procedures.map((_, call) => [call, { call }]))));
  const response = await fetch(`${url}/trpc/${procedures.join(',')}?batch=1&input=${input}`, {
    headers: { 'X-API-Key': acme.key, ...headers },
  });
  return response.text();
}

const resultsOf = (text: string): unknown =>
  z
    .array(z.object({ result: z.object({ data: z.int() }) }))
    .parse(JSON.parse(text))
    .map(({ result }) => result.data);

test.for([
  ['whole', {}],
  ['streamed', { 'trpc-accept': 'application/jsonl' }],
] as const)('at most four calls of a batch run at a time, in their order: %s', async ([, headers]) => {
  const batch = sendBatch(Array<string>(7).fill('run'), headers);
  await expect.poll(() => started).toEqual([0, 1, 2, 3]);
  end(2);
  await expect.poll(() => started).toEqual([0, 1, 2, 3, 4]);
  end(0);
  end(1);
  await expect.poll(() => started).toEqual([0, 1, 2, 3, 4, 5, 6]);
  for (const call of [3, 4, 5, 6]) end(call);
  const text = await batch;
  if (!('trpc-accept' in headers)) expect(resultsOf(text)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('a call that only waits lets another one run', async () => {
  const batch = sendBatch(['wait', 'wait', 'wait', 'wait', 'run', 'run']);
  await expect.poll(() => new Set(started)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  for (const call of started) end(call);
  expect(resultsOf(await batch)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a call that fails lets the next one run', async () => {
  const batch = sendBatch(['fail', 'fail', 'fail', 'fail', 'fail', 'run']);
  await expect.poll(() => started).toEqual([5]);
  end(5);
  expect(await batch).toContain('"data":5');
});

test('a call that makes another one has one turn', async () => {
  const batch = sendBatch(Array<string>(5).fill('runAnother'));
  await expect.poll(() => started).toEqual([0, 1, 2, 3]);
  for (const call of [0, 1, 2, 3]) end(call);
  await expect.poll(() => started).toEqual([0, 1, 2, 3, 4]);
  end(4);
  expect(resultsOf(await batch)).toEqual([0, 1, 2, 3, 4]);
});
