import { randomUUID } from 'node:crypto';
import { createTRPCClient, httpBatchLink, httpLink } from '@trpc/client';
import { initTRPC } from '@trpc/server';
import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import Koa from 'koa';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { appRouter, createCaller as createAppCaller } from '../../procedures/index.ts';

import { compileDirectCall, compileProcedure, listJsonOf } from '../../procedures/core/compile.ts';
import { companyProcedure, createCallerFactory, operatorProcedure, router } from '../../procedures/core/trpc.ts';
import type { Context } from '../../procedures/core/context.ts';
import type { Meta } from '../../procedures/core/meta.ts';
import { LIST_PAGES } from '../../procedures/schemas/pagination.ts';
import { vendorListJson } from '../../procedures/vendor/list.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { HttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { errorHandler } from '../../server/http/error-handler.ts';
import type { RequestState } from '../../server/http/request-state.ts';
import { restHandler } from '../../server/rest/handler.ts';
import { compileRoutes } from '../../server/rest/routes.ts';
import { trpcHandler } from '../../server/trpc/handler.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database } from '../support/database/database.ts';

/** Middlewares and resolvers that ran, in order. */
const calls: string[] = [];
/** Name of the middleware that throws. */
let throwingMiddleware: string | undefined;
beforeEach(() => {
  calls.length = 0;
  throwingMiddleware = undefined;
});

const recordingMiddleware =
  (name: string) =>
  async <Result>({ next }: { next: () => Promise<Result> }): Promise<Result> => {
    calls.push(name);
    if (throwingMiddleware === name) throw new ApiError('forbidden', `${name} throws`);
    return next();
  };
const beforeInput = recordingMiddleware('before');
const afterInput = recordingMiddleware('after');
const EACH_ONCE = ['before', 'after', 'resolver'];

const path = '/external/vendor';
const Query = z.strictObject({ limit: z.int().optional(), cursor: z.string().optional() }).optional();
const Changes = z.strictObject({ vendor: z.string(), name: z.string() });
const Vendor = z.object({ uniqueId: z.string(), name: z.string() });
const Page = z.object({ items: z.array(Vendor), nextCursor: z.string().nullable(), total: z.int() });

const callVendors = (ctx: Context) => {
  calls.push('resolver');
  return createAppCaller(ctx).vendor;
};

const foreignBuilder = () => initTRPC.context<Context>().meta<Meta>().create().procedure;

/** Vendor procedures with one middleware before the input of each and one after it. */
const vendorProcedures = router({
  list: companyProcedure('vendor:read')
    .use(beforeInput)
    .meta({
      openapi: { method: 'GET', path: `${path}/list` },
      response: { kind: 'list', variant: 'vendor.page', listJson: vendorListJson, ndjson: LIST_PAGES },
    })
    .input(Query)
    .use(afterInput)
    .output(z.array(Vendor))
    .query(({ ctx, input }) => callVendors(ctx).list(input)),
  page: companyProcedure('vendor:read')
    .use(beforeInput)
    .input(Query)
    .use(afterInput)
    .output(Page)
    .query(({ ctx, input }) => callVendors(ctx).page(input)),
  create: companyProcedure('vendor:write')
    .use(beforeInput)
    .meta({ openapi: { method: 'POST', path: `${path}/new` } })
    .input(z.strictObject({ name: z.string() }))
    .use(afterInput)
    .output(Vendor)
    .mutation(({ ctx, input }) => callVendors(ctx).create(input)),
  update: companyProcedure('vendor:write')
    .use(beforeInput)
    .meta({
      openapi: { method: 'PATCH', path: `${path}/{vendor}/edit` },
      response: { kind: 'json', variant: 'vendor.updateAndGet' },
    })
    .input(Changes)
    .use(afterInput)
    .output(z.void())
    .mutation(({ ctx, input }) => callVendors(ctx).update(input)),
  updateAndGet: companyProcedure('vendor:write')
    .use(beforeInput)
    .input(Changes)
    .use(afterInput)
    .output(Vendor)
    .mutation(({ ctx, input }) => callVendors(ctx).updateAndGet(input)),
  /** Built without the procedure builder of the service. */
  foreign: foreignBuilder()
    .concat(companyProcedure('vendor:write'))
    .meta({ openapi: { method: 'POST', path: `${path}/foreign` } })
    .input(z.strictObject({ name: z.string() }))
    .output(Vendor)
    .mutation(({ ctx, input }) => callVendors({ ...ctx, abortBeforeResolver: undefined }).create(input)),
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

let url: string;
let acme: TestCompany;
let vendor: string;
beforeAll(async () => {
  url = await server.listen({ host: '127.0.0.1', port: 0 });
  acme = await createCompany();
  ({ uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' }));
  await acme.vendor.create({ name: 'Paper Ltd' });
});
afterAll(() => server.stop());

const createContext = async (): Promise<Context> =>
  (await authenticate.apiKey({ headers: { 'x-api-key': acme.key }, address: '127.0.0.1', requestId: 'test' })).context;
const createTestCaller = async () => createCallerFactory(testRouter)(await createContext());
const linkOptions = () => ({ url: `${url}/trpc`, headers: { 'X-API-Key': acme.key } });

async function sendRequest(method: string, target: string, headers: Record<string, string> = {}, body?: object) {
  const response = await fetch(`${url}${path}/${target}`, {
    method,
    headers: { 'X-API-Key': acme.key, ...(body && { 'Content-Type': 'application/json' }), ...headers },
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

describe('each middleware of a procedure runs exactly once for', () => {
  test.for(Object.entries(REQUESTS))('%s', async ([, request]) => {
    const response = await request();
    if (response instanceof Object && 'status' in response) expect(response.status).toBeLessThan(300);
    expect(calls).toEqual(EACH_ONCE);
  });

  test('each call of a tRPC batch', async () => {
    const client = createTRPCClient<typeof testRouter>({ links: [httpBatchLink(linkOptions())] });
    await Promise.all([client.vendor.list.query(), client.vendor.page.query()]);
    expect(calls.toSorted()).toEqual([...EACH_ONCE, ...EACH_ONCE].toSorted());
  });
});

describe('a middleware that throws rejects', () => {
  const cases = Object.entries(REQUESTS).flatMap(([name, request]) =>
    ['before', 'after'].map((position) => [name, position, request] as const),
  );
  test.for(cases)('%s, when it is %s the input', async ([name, position, request]) => {
    throwingMiddleware = position;
    if (name.includes('REST')) {
      expect(await request()).toMatchObject({ status: 403, text: JSON.stringify({ error: `${position} throws` }) });
    } else {
      await expect(request()).rejects.toThrow(`${position} throws`);
    }
    expect(calls).toEqual(EACH_ONCE.slice(0, EACH_ONCE.indexOf(position) + 1));
  });
});

describe('before an idempotent response is replayed,', () => {
  const cases: [string, (key: string) => ReturnType<typeof sendRequest>][] = [
    ['of a creation', (key) => sendRequest('POST', 'new', { 'Idempotency-Key': key }, { name: 'Once Ltd' })],
    ['of a change', (key) => sendRequest('PATCH', `${vendor}/edit`, { 'Idempotency-Key': key }, { name: 'Cloud Ltd' })],
  ];

  test.for(cases)('each middleware runs exactly once: %s', async ([, request]) => {
    const key = randomUUID();
    const first = await request(key);
    expect(first.status).toBeLessThan(300);
    expect(calls.splice(0)).toEqual(EACH_ONCE);
    const replay = await request(key);
    expect(calls).toEqual(['before', 'after']);
    expect(replay.headers.get('Idempotency-Replayed')).toBe('true');
    expect([replay.status, replay.text]).toEqual([first.status, first.text]);
  });

  test.for(cases)('a middleware that throws rejects the replay: %s', async ([, request]) => {
    const key = randomUUID();
    await request(key);
    for (const position of ['before', 'after']) {
      throwingMiddleware = position;
      expect(await request(key)).toMatchObject({ status: 403, text: JSON.stringify({ error: `${position} throws` }) });
    }
    throwingMiddleware = undefined;
    expect((await request(key)).headers.get('Idempotency-Replayed')).toBe('true');
  });

  test('a middleware that throws precedes the error for the key of a different request', async () => {
    const key = randomUUID();
    await sendRequest('POST', 'new', { 'Idempotency-Key': key }, { name: 'One Ltd' });
    const other = () => sendRequest('POST', 'new', { 'Idempotency-Key': key }, { name: 'Other Ltd' });
    expect(await other()).toMatchObject({ status: 422 });
    throwingMiddleware = 'after';
    expect(await other()).toMatchObject({ status: 403 });
  });
});

test('a procedure whose resolver runs on a replay is rolled back and rejected', async () => {
  const key = randomUUID();
  const create = () => sendRequest('POST', 'foreign', { 'Idempotency-Key': key }, { name: 'Foreign Ltd' });
  expect(await create()).toMatchObject({ status: 200 });
  expect(await create()).toMatchObject({ status: 500 });
  expect((await acme.vendor.list()).filter(({ name }) => name === 'Foreign Ltd')).toHaveLength(1);
});

describe('a direct call is compiled', () => {
  const input = z.strictObject({ name: z.string() });
  const output = z.string();
  const read = () => companyProcedure('vendor:read');
  const disguised = Object.assign(recordingMiddleware('disguised'), { _type: 'input' });
  test('for every procedure of the service', () => {
    const names = Object.keys(appRouter._def.procedures);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => compileDirectCall(appRouter, name) === undefined)).toEqual([]);
  });

  test('for an authorization, one input and one output', () => {
    expect(
      compileDirectCall(
        router({
          it: read()
            .input(input)
            .output(output)
            .query(() => 'done'),
        }),
        'it',
      ),
    ).toBeDefined();
  });

  const unsupported: [string, AnyTRPCProcedure][] = [
    [
      'a middleware after the authorization',
      read()
        .use(beforeInput)
        .query(() => 'done'),
    ],
    [
      'a middleware before the authorization',
      foreignBuilder()
        .use(beforeInput)
        .concat(read())
        .query(() => 'done'),
    ],
    [
      'a middleware after the input',
      read()
        .input(input)
        .use(afterInput)
        .query(() => 'done'),
    ],
    [
      'a middleware after the output',
      read()
        .output(output)
        .use(afterInput)
        .query(() => 'done'),
    ],
    [
      'a middleware that is marked as an input',
      read()
        .use(disguised)
        .query(() => 'done'),
    ],
    [
      'a middleware in place of the authorization',
      foreignBuilder()
        .use(beforeInput)
        .input(input)
        .query(() => 'done'),
    ],
    [
      'no authorization',
      foreignBuilder()
        .input(input)
        .query(() => 'done'),
    ],
    [
      'two authorizations',
      read()
        .concat(operatorProcedure)
        .query(() => 'done'),
    ],
    [
      'two inputs',
      read()
        .input(z.object({}))
        .input(z.object({}))
        .query(() => 'done'),
    ],
    [
      'an error formatter',
      read()
        .errors(() => undefined)
        .query(() => 'done'),
    ],
    [
      'an experimental caller',
      read()
        .experimental_caller(async () => 'done')
        .query(() => 'done') as unknown as AnyTRPCProcedure,
    ],
  ];
  test.for(unsupported)('not for %s', ([, procedure]) => {
    expect(compileDirectCall(router({ it: procedure }), 'it')).toBeUndefined();
  });

  test('not for a list as JSON whose procedure has a middleware', () => {
    expect(listJsonOf(appRouter, 'vendor.list')).toBeDefined();
    expect(listJsonOf(testRouter, 'vendor.list')).toBeUndefined();
  });
});

describe('REST validates like a caller', () => {
  const procedures = router({
    two: companyProcedure('vendor:read')
      .meta({ openapi: { method: 'POST', path: '/external/two' } })
      .input(z.object({ one: z.string() }))
      .input(z.object({ other: z.int() }))
      .output(z.string())
      .mutation(({ input: { one, other } }) => one.repeat(other)),
    asynchronous: companyProcedure('vendor:read')
      .meta({ openapi: { method: 'POST', path: '/external/asynchronous' } })
      .input(z.object({ one: z.string().refine(async (one) => one !== 'bad', 'one: expected another') }))
      .output(z.string().transform(async (one) => `${one}!`))
      .mutation(({ input: { one } }) => one),
  });
  const inputs = { two: [{ one: 'x', other: 2 }, { one: 'x' }], asynchronous: [{ one: 'x' }, { one: 'bad' }] };

  test.for(['two', 'asynchronous'] as const)('for a procedure with %s input', async (name) => {
    const context = await createContext();
    const route = compileRoutes(procedures).find(({ procedure }) => procedure === name);
    const callProcedure: (input: never) => Promise<unknown> = createCallerFactory(procedures)(context)[name];
    const [valid, invalid] = inputs[name];
    expect([await route?.isValidInput(valid), await route?.isValidInput(invalid)]).toEqual([true, false]);
    expect([...(route?.fieldMetadata.keys() ?? [])]).toEqual(Object.keys(valid ?? {}));
    expect(await route?.call(context, async () => valid)).toBe(await callProcedure(valid as never));
    const messageOf = async (run: () => unknown) => {
      try {
        return await run();
      } catch (error) {
        return error instanceof Error && { message: error.message };
      }
    };
    const message = await messageOf(() => callProcedure(invalid as never));
    expect(message).toEqual({ message: expect.stringMatching(/^(one|other): /) });
    expect(await messageOf(() => route?.call(context, async () => invalid))).toEqual(message);
  });
});

describe('REST rejects a variant of a procedure', () => {
  const list = (procedure: typeof vendorProcedure, variant: string) =>
    procedure
      .meta({ openapi: { method: 'GET', path: '/external/list' }, response: { kind: 'list', variant } })
      .output(z.array(Vendor))
      .query(() => []);
  const vendorProcedure = companyProcedure('vendor:read');
  const page = (procedure: typeof vendorProcedure) =>
    procedure.output(Page).query(() => ({ items: [], nextCursor: null, total: 0 }));

  test.for([
    ['lacks a middleware', vendorProcedure.use(beforeInput), vendorProcedure],
    ['has an additional middleware', vendorProcedure, vendorProcedure.use(beforeInput)],
    ['has a different middleware', vendorProcedure.use(beforeInput), vendorProcedure.use(afterInput)],
    [
      'has a different order of middlewares',
      vendorProcedure.use(beforeInput).use(afterInput),
      vendorProcedure.use(afterInput).use(beforeInput),
    ],
    ['has a different permission', vendorProcedure, companyProcedure('task:read')],
  ] as const)('that %s', ([, one, other]) => {
    const procedures = router({ list: list(one, 'page'), page: page(other) });
    expect(() => compileRoutes(procedures)).toThrow(
      'list: REST calls page, which must have the same scopes and middlewares',
    );
  });

  test('that does not exist', () => {
    expect(() => compileRoutes(router({ list: list(vendorProcedure, 'page') }))).toThrow('page: no such procedure');
  });
});

describe('without the private fields of tRPC', () => {
  /** Simulates a version of tRPC that hides middlewares and resolvers. */
  const withoutPrivateFields = (source: AnyTRPCRouter): AnyTRPCRouter => {
    const procedures = Object.entries<AnyTRPCProcedure>(source._def.procedures).map(([name, procedure]) => {
      const {
        middlewares: _middlewares,
        resolver: _resolver,
        ...publicFields
      } = { ...procedure._def } as Record<string, unknown>;
      return [name, Object.assign((call: Parameters<typeof procedure>[0]) => procedure(call), { _def: publicFields })];
    });
    return { ...source, _def: { ...source._def, procedures: Object.fromEntries(procedures) } };
  };
  const stripped = withoutPrivateFields(testRouter);

  test('every procedure runs through tRPC', () => {
    const service = withoutPrivateFields(appRouter);
    for (const name of Object.keys(service._def.procedures)) expect(compileDirectCall(service, name)).toBeUndefined();
    expect(listJsonOf(service, 'vendor.list')).toBeUndefined();
    expect(compileRoutes(service).map(({ template }) => template)).toEqual(
      compileRoutes(appRouter).map(({ template }) => template),
    );
  });

  test('each middleware runs exactly once, and before a replay', async () => {
    const replayed = new ApiError('internal', 'replayed');
    const context = await createContext();
    const update = compileProcedure(stripped, 'vendor.update');
    const input = async () => ({ vendor, name: 'Cloud Ltd' });
    await update(context, input);
    expect(calls.splice(0)).toEqual(EACH_ONCE);
    await expect(update({ ...context, abortBeforeResolver: replayed }, input)).rejects.toBe(replayed);
    expect(calls).toEqual(['before', 'after']);
  });

  test('errors equal those of a direct call', async () => {
    const service = withoutPrivateFields(appRouter);
    const context = await createContext();
    for (const [name, input] of [
      ['vendor.get', { vendor: 'unknown' }],
      ['vendor.create', { name: 5 }],
      ['management.company.list', {}],
    ] as const) {
      const errorOf = (source: AnyTRPCRouter) =>
        compileProcedure(source, name)(context, async () => input).catch((error: unknown) => error);
      const error = await errorOf(service);
      const direct = await errorOf(appRouter);
      if (!(error instanceof ApiError) || !(direct instanceof ApiError)) throw new Error(`${name} is not rejected`);
      expect([error.code, error.message]).toEqual([direct.code, direct.message]);
    }
  });
});
