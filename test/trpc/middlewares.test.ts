import { randomUUID } from 'node:crypto';
import { createTRPCClient, httpBatchLink, httpLink } from '@trpc/client';
import { initTRPC } from '@trpc/server';
import type { AnyTRPCProcedure } from '@trpc/server';
import Koa from 'koa';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { appRouter, createCaller as createAppCaller } from '../../procedures/index.ts';
import { compileProcedure, definitionOf, listJsonOf } from '../../procedures/core/declaration/compile.ts';
import { companyProcedure, createCallerFactory, router } from '../../procedures/core/trpc.ts';
import type { Context } from '../../procedures/core/context.ts';
import type { Meta } from '../../procedures/core/declaration/meta.ts';
import { restRouter } from '../../procedures/core/declaration/rest-router.ts';
import { LIST_PAGES } from '../../procedures/schemas/pagination.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { HttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { errorHandler } from '../../server/http/error-handler.ts';
import type { RequestState } from '../../server/http/request-state.ts';
import { restHandler } from '../../server/rest/handler.ts';
import { compileRoutes } from '../../server/rest/routes.ts';
import { trpcHandler } from '../../server/trpc/handler.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { database } from '../support/database/database.ts';

/** Resolvers that ran, in order. */
const calls: string[] = [];
beforeEach(() => {
  calls.length = 0;
});

const path = '/external/vendor';
const Query = z.strictObject({ limit: z.int().optional(), cursor: z.string().optional() }).optional();
const Changes = z.strictObject({ vendor: z.string(), name: z.string() });
const Vendor = z.object({ uniqueId: z.string(), name: z.string() });
const Page = z.object({ items: z.array(Vendor), nextCursor: z.string().nullable(), total: z.int() });

const callVendors = (ctx: Context) => {
  calls.push('resolver');
  return createAppCaller(ctx).vendor;
};

/** Vendor procedures that record their calls. */
const vendorProcedures = router({
  list: companyProcedure('vendor:read')
    .meta({
      openapi: { method: 'GET', path: `${path}/list` },
      response: { kind: 'list', variant: 'vendor.page', ndjson: LIST_PAGES },
    })
    .input(Query)
    .output(z.array(Vendor))
    .query(({ ctx, input }) => callVendors(ctx).list(input)),
  page: companyProcedure('vendor:read')
    .input(Query)
    .output(Page)
    .query(({ ctx, input }) => callVendors(ctx).page(input)),
  create: companyProcedure('vendor:write')
    .meta({ openapi: { method: 'POST', path: `${path}/new` } })
    .input(z.strictObject({ name: z.string() }))
    .output(Vendor)
    .mutation(({ ctx, input }) => callVendors(ctx).create(input)),
  update: companyProcedure('vendor:write')
    .meta({
      openapi: { method: 'PATCH', path: `${path}/{vendor}/edit` },
      response: { kind: 'json', variant: 'vendor.updateAndGet' },
    })
    .input(Changes)
    .output(z.void())
    .mutation(({ ctx, input }) => callVendors(ctx).update(input)),
  updateAndGet: companyProcedure('vendor:write')
    .input(Changes)
    .output(Vendor)
    .mutation(({ ctx, input }) => callVendors(ctx).updateAndGet(input)),
});

const testRouter = router({ vendor: vendorProcedures });

const authenticate = createAuthentication(database, OPERATOR_TOKEN);
const app = new Koa<RequestState>();
app.use(async (ctx, next) => {
  ctx.state.requestId = randomUUID();
  await next();
});
app.use(errorHandler(createLog('silent')));
const handleTrpc = trpcHandler(authenticate.anyCredential, createLog('silent'), { router: testRouter });
app.use((ctx, next) => (ctx.path.startsWith('/trpc/') ? handleTrpc(ctx, next) : next()));
app.use(restHandler(authenticate.apiKey, { router: testRouter }));
const server = new HttpServer(app.callback());

const url = await server.listen({ host: '127.0.0.1', port: 0 });
const acme = await createCompany();
/** Key without the scopes of the vendor procedures. */
const { key: limitedKey } = await acme.manage.apiKey.create({ name: 'Tasks only', scopes: ['task:read'] });
const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
await acme.vendor.create({ name: 'Paper Ltd' });
/** Key of the requests. */
let key: string;
beforeEach(() => {
  ({ key } = acme);
});
afterAll(() => server.stop(0));

const createContext = async (): Promise<Context> =>
  (await authenticate.apiKey({ headers: { 'x-api-key': key }, address: '127.0.0.1', requestId: 'test' })).context;
const createTestCaller = async () => createCallerFactory(testRouter)(await createContext());
const linkOptions = () => ({ url: `${url}/trpc`, headers: { 'X-API-Key': key } });

async function sendRequest(method: string, target: string, headers: Record<string, string> = {}, body?: object) {
  const response = await fetch(`${url}${path}/${target}`, {
    method,
    headers: { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Successful requests by transport. */
const REQUESTS: Record<string, () => Promise<unknown>> = {
  'a query of a caller': async () => (await createTestCaller()).vendor.list(),
  'a mutation of a caller': async () => (await createTestCaller()).vendor.update({ vendor, name: 'Cloud Ltd' }),
  'a query over tRPC': () =>
    createTRPCClient<typeof testRouter>({ links: [httpLink(linkOptions())] }).vendor.list.query(),
  'a mutation over tRPC': () =>
    createTRPCClient<typeof testRouter>({ links: [httpLink(linkOptions())] }).vendor.update.mutate({
      vendor,
      name: 'Cloud Ltd',
    }),
  'a batch of one call over tRPC': () =>
    createTRPCClient<typeof testRouter>({ links: [httpBatchLink(linkOptions())] }).vendor.list.query(),
  'a REST list': () => sendRequest('GET', 'list'),
  'a page of a REST list': () => sendRequest('GET', 'list?limit=2'),
  'a REST list in NDJSON': () => sendRequest('GET', 'list', { Accept: 'application/x-ndjson' }),
  'a REST creation': () => sendRequest('POST', 'new', {}, { name: 'Paper Ltd' }),
  'a REST change': () => sendRequest('PATCH', `${vendor}/edit`, {}, { name: 'Cloud Ltd' }),
  'a REST change with its representation': () =>
    sendRequest('PATCH', `${vendor}/edit`, { Prefer: 'return=representation' }, { name: 'Cloud Ltd' }),
  'a REST change with an Idempotency-Key': () =>
    sendRequest('PATCH', `${vendor}/edit`, { 'Idempotency-Key': randomUUID() }, { name: 'Cloud Ltd' }),
};

describe('the resolver of a procedure runs exactly once for', () => {
  test.for(Object.entries(REQUESTS))('%s', async ([, request]) => {
    const response = await request();
    if (response instanceof Object && 'status' in response) expect(response.status).toBeLessThan(300);
    expect(calls).toEqual(['resolver']);
  });

  test('each call of a tRPC batch', async () => {
    const client = createTRPCClient<typeof testRouter>({ links: [httpBatchLink(linkOptions())] });
    await Promise.all([client.vendor.list.query(), client.vendor.page.query()]);
    expect(calls).toEqual(['resolver', 'resolver']);
  });
});

describe('a missing scope rejects before the resolver', () => {
  test.for(Object.entries(REQUESTS))('%s', async ([name, request]) => {
    key = limitedKey;
    if (name.includes('REST'))
      expect(await request()).toMatchObject({ status: 403, text: expect.stringMatching(/scope/) });
    else await expect(request()).rejects.toThrow('scope');
    expect(calls).toEqual([]);
  });
});

test('a mutation that must not reach its resolver is authorized and validated', async () => {
  const reached = new ApiError('internal', 'reached');
  const update = compileProcedure(testRouter, 'vendor.update');
  const context = { ...(await createContext()), abortBeforeResolver: reached };
  await expect(update(context, async () => ({ vendor, name: 'Cloud Ltd' }))).rejects.toBe(reached);
  await expect(update(context, async () => ({ vendor }))).rejects.toThrow('name: ');
  const caller = createCallerFactory(testRouter)(context).vendor;
  await expect(caller.update({ vendor, name: 'Cloud Ltd' })).rejects.toThrow('reached');
  key = limitedKey;
  const limited = { ...(await createContext()), abortBeforeResolver: reached };
  await expect(update(limited, async () => ({ vendor, name: 'Cloud Ltd' }))).rejects.toThrow('scope');
  expect(calls).toEqual([]);
});

describe('the start', () => {
  const { procedure } = initTRPC.context<Context>().meta<Meta>().create();
  const input = z.strictObject({ name: z.string() });

  test('compiles every procedure of the service', () => {
    const names = Object.keys(appRouter._def.procedures);
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) expect(compileProcedure(appRouter, name)).toBeInstanceOf(Function);
  });

  const foreign: [string, AnyTRPCProcedure][] = [
    ['without an authorization', procedure.input(input).query(() => 'done')],
    ['with a middleware', procedure.use(({ next }) => next()).query(() => 'done')],
    [
      'with two inputs',
      procedure
        .input(input)
        .input(z.object({}))
        .mutation(() => 'done'),
    ],
  ];
  test.for(foreign)('rejects and names a procedure of another builder, %s', ([, it]) => {
    const service = router({ fine: vendorProcedures.list, it });
    for (const compile of [
      () => compileRoutes(service),
      () => restRouter(service),
      () => compileProcedure(service, 'it'),
      () => definitionOf(service, 'it'),
      () => listJsonOf(service, 'it'),
    ])
      expect(compile).toThrow('it: expected a procedure of a builder of procedures/core/trpc.ts');
  });

  test('has no builder that takes a middleware, a second input or no output', () => {
    const builder = companyProcedure('vendor:read');
    expect(Object.keys(builder)).toEqual(['meta', 'input']);
    expect(Object.keys(builder.input(input))).toEqual(['output']);
    expect(Object.keys(builder.input(input).output(input))).toEqual(['query', 'mutation']);
  });

  test('has the list as JSON only of a procedure that declares it', () => {
    expect(listJsonOf(appRouter, 'vendor.list')).toBeDefined();
    expect(listJsonOf(appRouter, 'vendor.page')).toBeUndefined();
  });
});

describe('REST validates like a caller', () => {
  const procedures = router({
    asynchronous: companyProcedure('vendor:read')
      .meta({ openapi: { method: 'POST', path: '/external/asynchronous' } })
      .input(z.object({ one: z.string().refine(async (one) => one !== 'bad', 'one: expected another') }))
      .output(z.string().transform(async (one) => `${one}!`))
      .mutation(({ input: { one } }) => one),
  });

  test('for a procedure with an asynchronous input', async () => {
    const context = await createContext();
    const [route] = compileRoutes(procedures);
    const callProcedure = createCallerFactory(procedures)(context).asynchronous;
    const [valid, invalid] = [{ one: 'x' }, { one: 'bad' }];
    expect([await route?.isValidInput(valid), await route?.isValidInput(invalid)]).toEqual([true, false]);
    expect([...(route?.fieldMetadata.keys() ?? [])]).toEqual(Object.keys(valid));
    expect(await route?.call(context, async () => valid)).toBe(await callProcedure(valid));
    const messageOf = async (run: () => unknown) => {
      try {
        return await run();
      } catch (error) {
        return error instanceof Error && { message: error.message };
      }
    };
    const message = await messageOf(() => callProcedure(invalid));
    expect(message).toEqual({ message: expect.stringMatching(/^one: /) });
    expect(await messageOf(() => route?.call(context, async () => invalid))).toEqual(message);
  });
});

describe('REST rejects a variant of a procedure', () => {
  const list = companyProcedure('vendor:read')
    .meta({ openapi: { method: 'GET', path: '/external/list' }, response: { kind: 'list', variant: 'page' } })
    .input(Query)
    .output(z.array(Vendor))
    .query(() => []);

  test('that has a different permission', () => {
    const page = companyProcedure('task:read')
      .input(Query)
      .output(Page)
      .query(() => ({ items: [], nextCursor: null, total: 0 }));
    expect(() => compileRoutes(router({ list, page }))).toThrow(
      'list: REST calls page, which must have the same scopes',
    );
  });

  test('that does not exist', () => {
    expect(() => compileRoutes(router({ list }))).toThrow('page: no such procedure');
  });
});
