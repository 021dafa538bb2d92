import { randomUUID } from 'node:crypto';
import { createTRPCClient, httpBatchLink, httpLink } from '@trpc/client';
import { initTRPC } from '@trpc/server';
import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import Koa from 'koa';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Refusal } from '../entities/refusal.ts';
import { appRouter, createCaller as createAppCaller } from '../procedures/index.ts';

import { directCallOf, runOf, writtenOf } from '../procedures/run.ts';
import { companyProcedure, createCallerFactory, operatorProcedure, router } from '../procedures/trpc.ts';
import type { Context, Meta } from '../procedures/trpc.ts';
import { writtenVendors } from '../procedures/vendor-list.ts';
import { authentication } from '../server/context.ts';
import { HttpServer } from '../server/http.ts';
import { createLog } from '../server/log.ts';
import { refuse } from '../server/refuse.ts';
import type { State } from '../server/refuse.ts';
import { rest } from '../server/rest.ts';
import { routesOf } from '../server/routes.ts';
import { rpc } from '../server/rpc.ts';
import { OPERATOR_TOKEN, company } from './support/company.ts';
import type { TestCompany } from './support/company.ts';
import { database } from './support/database.ts';

/** The middlewares that ran, in order, and the resolvers. */
const ran: string[] = [];
/** The middleware that throws. */
let throwing: string | undefined;
beforeEach(() => {
  ran.length = 0;
  throwing = undefined;
});

const noted =
  (name: string) =>
  async <Result>({ next }: { next: () => Promise<Result> }): Promise<Result> => {
    ran.push(name);
    if (throwing === name) throw new Refusal('forbidden', `${name} throws`);
    return next();
  };
const before = noted('before');
const after = noted('after');
const EACH_ONCE = ['before', 'after', 'resolver'];

const path = '/external/vendor';
const Query = z.strictObject({ limit: z.int().optional(), cursor: z.string().optional() }).optional();
const Changes = z.strictObject({ vendor: z.string(), name: z.string() });
const Vendor = z.object({ uniqueId: z.string(), name: z.string() });
const Page = z.object({ items: z.array(Vendor), nextCursor: z.string().nullable(), total: z.int() });

const vendorsOf = (ctx: Context) => {
  ran.push('resolver');
  return createAppCaller(ctx).vendor;
};

const foreignProcedure = () => initTRPC.context<Context>().meta<Meta>().create().procedure;

/** Vendors again, with one middleware before the input of each procedure and one after it. */
const vendorProcedures = router({
  list: companyProcedure('vendor:read')
    .use(before)
    .meta({
      openapi: { method: 'GET', path: `${path}/list` },
      pagedBy: 'vendor.page',
      written: writtenVendors,
      everyPage: true,
    })
    .input(Query)
    .use(after)
    .output(z.array(Vendor))
    .query(({ ctx, input }) => vendorsOf(ctx).list(input)),
  page: companyProcedure('vendor:read')
    .use(before)
    .input(Query)
    .use(after)
    .output(Page)
    .query(({ ctx, input }) => vendorsOf(ctx).page(input)),
  create: companyProcedure('vendor:write')
    .use(before)
    .meta({ openapi: { method: 'POST', path: `${path}/new` } })
    .input(z.strictObject({ name: z.string() }))
    .use(after)
    .output(Vendor)
    .mutation(({ ctx, input }) => vendorsOf(ctx).create(input)),
  update: companyProcedure('vendor:write')
    .use(before)
    .meta({ openapi: { method: 'PATCH', path: `${path}/{vendor}/edit` }, shownBy: 'vendor.updateAndGet' })
    .input(Changes)
    .use(after)
    .output(z.void())
    .mutation(({ ctx, input }) => vendorsOf(ctx).update(input)),
  updateAndGet: companyProcedure('vendor:write')
    .use(before)
    .input(Changes)
    .use(after)
    .output(Vendor)
    .mutation(({ ctx, input }) => vendorsOf(ctx).updateAndGet(input)),
  /** Made by a builder that is not the service's own. */
  foreign: foreignProcedure()
    .concat(companyProcedure('vendor:write'))
    .meta({ openapi: { method: 'POST', path: `${path}/foreign` } })
    .input(z.strictObject({ name: z.string() }))
    .output(Vendor)
    .mutation(({ ctx, input }) => vendorsOf({ ...ctx, insteadOfResolver: undefined }).create(input)),
});

const vendors = router({ vendor: vendorProcedures });

const authenticate = authentication(database, OPERATOR_TOKEN);
const app = new Koa<State>();
app.use(async (ctx, next) => {
  ctx.state.requestId = randomUUID();
  await next();
});
app.use(refuse(createLog('silent')));
const overTrpc = rpc(authenticate.any, createLog('silent'), undefined, vendors);
app.use((ctx, next) => (ctx.path.startsWith('/trpc/') ? overTrpc(ctx, next) : next()));
app.use(rest(authenticate.apiKey, undefined, vendors));
const server = new HttpServer(app.callback());

let url: string;
let acme: TestCompany;
let vendor: string;
beforeAll(async () => {
  url = await server.listen({ host: '127.0.0.1', port: 0 });
  acme = await company();
  ({ uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' }));
  await acme.vendor.create({ name: 'Paper Ltd' });
});
afterAll(() => server.stop());

const contextOf = async (): Promise<Context> =>
  (await authenticate.apiKey({ headers: { 'x-api-key': acme.key }, address: '127.0.0.1', requestId: 'test' })).context;
const caller = async () => createCallerFactory(vendors)(await contextOf());
const links = () => ({ url: `${url}/trpc`, headers: { 'X-API-Key': acme.key } });

async function ask(method: string, at: string, headers: Record<string, string> = {}, body?: object) {
  const response = await fetch(`${url}${path}/${at}`, {
    method,
    headers: { 'X-API-Key': acme.key, ...(body && { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A request that succeeds, by each transport. */
const REQUESTS: Record<string, () => Promise<unknown>> = {
  'a query of a caller': async () => (await caller()).vendor.list(),
  'a mutation of a caller': async () => (await caller()).vendor.update({ vendor, name: 'Cloud Ltd' }),
  'a query over tRPC': () => createTRPCClient<typeof vendors>({ links: [httpLink(links())] }).vendor.list.query(),
  'a mutation over tRPC': () =>
    createTRPCClient<typeof vendors>({ links: [httpLink(links())] }).vendor.update.mutate({
      vendor,
      name: 'Cloud Ltd',
    }),
  'a batch of one call over tRPC': () =>
    createTRPCClient<typeof vendors>({ links: [httpBatchLink(links())] }).vendor.list.query(),
  'a REST list': () => ask('GET', 'list'),
  'a page of a REST list': () => ask('GET', 'list?limit=2'),
  'a REST list in NDJSON': () => ask('GET', 'list', { Accept: 'application/x-ndjson' }),
  'a REST creation': () => ask('POST', 'new', {}, { name: 'Paper Ltd' }),
  'a REST change': () => ask('PATCH', `${vendor}/edit`, {}, { name: 'Cloud Ltd' }),
  'a REST change with its representation': () =>
    ask('PATCH', `${vendor}/edit`, { Prefer: 'return=representation' }, { name: 'Cloud Ltd' }),
  'a REST change with an Idempotency-Key': () =>
    ask('PATCH', `${vendor}/edit`, { 'Idempotency-Key': randomUUID() }, { name: 'Cloud Ltd' }),
};

describe('each middleware of a procedure runs exactly once for', () => {
  test.for(Object.entries(REQUESTS))('%s', async ([, request]) => {
    const response = await request();
    if (response instanceof Object && 'status' in response) expect(response.status).toBeLessThan(300);
    expect(ran).toEqual(EACH_ONCE);
  });

  test('each call of a tRPC batch', async () => {
    const client = createTRPCClient<typeof vendors>({ links: [httpBatchLink(links())] });
    await Promise.all([client.vendor.list.query(), client.vendor.page.query()]);
    expect(ran.toSorted()).toEqual([...EACH_ONCE, ...EACH_ONCE].toSorted());
  });
});

describe('a middleware that throws rejects', () => {
  const cases = Object.entries(REQUESTS).flatMap(([name, request]) =>
    ['before', 'after'].map((at) => [name, at, request] as const),
  );
  test.for(cases)('%s, when it is %s the input', async ([name, at, request]) => {
    throwing = at;
    if (name.includes('REST')) {
      expect(await request()).toMatchObject({ status: 403, text: JSON.stringify({ error: `${at} throws` }) });
    } else {
      await expect(request()).rejects.toThrow(`${at} throws`);
    }
    expect(ran).toEqual(EACH_ONCE.slice(0, EACH_ONCE.indexOf(at) + 1));
  });
});

describe('before an idempotent response is replayed,', () => {
  const cases: [string, (key: string) => ReturnType<typeof ask>][] = [
    ['of a creation', (key) => ask('POST', 'new', { 'Idempotency-Key': key }, { name: 'Once Ltd' })],
    ['of a change', (key) => ask('PATCH', `${vendor}/edit`, { 'Idempotency-Key': key }, { name: 'Cloud Ltd' })],
  ];

  test.for(cases)('each middleware runs exactly once: %s', async ([, request]) => {
    const key = randomUUID();
    const first = await request(key);
    expect(first.status).toBeLessThan(300);
    expect(ran.splice(0)).toEqual(EACH_ONCE);
    const replay = await request(key);
    expect(ran).toEqual(['before', 'after']);
    expect(replay.headers.get('Idempotency-Replayed')).toBe('true');
    expect([replay.status, replay.text]).toEqual([first.status, first.text]);
  });

  test.for(cases)('a middleware that throws refuses the replay: %s', async ([, request]) => {
    const key = randomUUID();
    await request(key);
    for (const at of ['before', 'after']) {
      throwing = at;
      expect(await request(key)).toMatchObject({ status: 403, text: JSON.stringify({ error: `${at} throws` }) });
    }
    throwing = undefined;
    expect((await request(key)).headers.get('Idempotency-Replayed')).toBe('true');
  });

  test('a middleware that throws refuses the key of another request, too', async () => {
    const key = randomUUID();
    await ask('POST', 'new', { 'Idempotency-Key': key }, { name: 'One Ltd' });
    const other = () => ask('POST', 'new', { 'Idempotency-Key': key }, { name: 'Other Ltd' });
    expect(await other()).toMatchObject({ status: 422 });
    throwing = 'after';
    expect(await other()).toMatchObject({ status: 403 });
  });
});

test('a procedure whose resolver runs on a replay is rolled back and rejected', async () => {
  const key = randomUUID();
  const create = () => ask('POST', 'foreign', { 'Idempotency-Key': key }, { name: 'Foreign Ltd' });
  expect(await create()).toMatchObject({ status: 200 });
  expect(await create()).toMatchObject({ status: 500 });
  expect((await acme.vendor.list()).filter(({ name }) => name === 'Foreign Ltd')).toHaveLength(1);
});

describe('a direct call is made', () => {
  const input = z.strictObject({ name: z.string() });
  const output = z.string();
  const read = () => companyProcedure('vendor:read');
  const disguised = Object.assign(noted('disguised'), { _type: 'input' });
  test('for every procedure of the service', () => {
    const names = Object.keys(appRouter._def.procedures);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => directCallOf(appRouter, name) === undefined)).toEqual([]);
  });

  test('for an authorization, one input and one output', () => {
    expect(
      directCallOf(
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

  const others: [string, AnyTRPCProcedure][] = [
    [
      'a middleware after the authorization',
      read()
        .use(before)
        .query(() => 'done'),
    ],
    [
      'a middleware before the authorization',
      foreignProcedure()
        .use(before)
        .concat(read())
        .query(() => 'done'),
    ],
    [
      'a middleware after the input',
      read()
        .input(input)
        .use(after)
        .query(() => 'done'),
    ],
    [
      'a middleware after the output',
      read()
        .output(output)
        .use(after)
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
      foreignProcedure()
        .use(before)
        .input(input)
        .query(() => 'done'),
    ],
    [
      'no authorization',
      foreignProcedure()
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
      'a formatter of errors',
      read()
        .errors(() => undefined)
        .query(() => 'done'),
    ],
    [
      'a caller of its own',
      read()
        .experimental_caller(async () => 'done')
        .query(() => 'done') as unknown as AnyTRPCProcedure,
    ],
  ];
  test.for(others)('not for %s', ([, procedure]) => {
    expect(directCallOf(router({ it: procedure }), 'it')).toBeUndefined();
  });

  test('not for a list as JSON whose procedure has a middleware', () => {
    expect(writtenOf(appRouter, 'vendor.list')).toBeDefined();
    expect(writtenOf(vendors, 'vendor.list')).toBeUndefined();
  });
});

describe('REST validates as a caller does', () => {
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

  test.for(['two', 'asynchronous'] as const)('%s', async (name) => {
    const context = await contextOf();
    const route = routesOf(procedures).find(({ procedure }) => procedure === name);
    const byCaller: (input: never) => Promise<unknown> = createCallerFactory(procedures)(context)[name];
    const [good, bad] = inputs[name];
    expect([await route?.accepts(good), await route?.accepts(bad)]).toEqual([true, false]);
    expect([...(route?.fields.keys() ?? [])]).toEqual(Object.keys(good ?? {}));
    expect(await route?.run(context, async () => good)).toBe(await byCaller(good as never));
    const messageOf = async (run: () => unknown) => {
      try {
        return await run();
      } catch (error) {
        return error instanceof Error && { message: error.message };
      }
    };
    const message = await messageOf(() => byCaller(bad as never));
    expect(message).toEqual({ message: expect.stringMatching(/^(one|other): /) });
    expect(await messageOf(() => route?.run(context, async () => bad))).toEqual(message);
  });
});

describe('REST refuses to start with a procedure in place of another', () => {
  const list = (procedure: typeof ofVendors, pagedBy: string) =>
    procedure
      .meta({ openapi: { method: 'GET', path: '/external/list' }, pagedBy })
      .output(z.array(Vendor))
      .query(() => []);
  const ofVendors = companyProcedure('vendor:read');
  const page = (procedure: typeof ofVendors) =>
    procedure.output(Page).query(() => ({ items: [], nextCursor: null, total: 0 }));

  test.for([
    ['lacks a middleware', ofVendors.use(before), ofVendors],
    ['has one more', ofVendors, ofVendors.use(before)],
    ['has another one', ofVendors.use(before), ofVendors.use(after)],
    ['has them in another order', ofVendors.use(before).use(after), ofVendors.use(after).use(before)],
    ['has another permission', ofVendors, companyProcedure('task:read')],
  ] as const)('that %s', ([, one, other]) => {
    const procedures = router({ list: list(one, 'page'), page: page(other) });
    expect(() => routesOf(procedures)).toThrow(
      'list: REST calls page, which must have the same permission and middlewares',
    );
  });

  test('that does not exist', () => {
    expect(() => routesOf(router({ list: list(ofVendors, 'page') }))).toThrow('page: no such procedure');
  });
});

describe('without the private fields of tRPC', () => {
  /** The router as a version of tRPC would make it that keeps its middlewares and resolvers to itself. */
  const withoutPrivateFields = (of: AnyTRPCRouter): AnyTRPCRouter => {
    const procedures = Object.entries<AnyTRPCProcedure>(of._def.procedures).map(([name, procedure]) => {
      const {
        middlewares: _middlewares,
        resolver: _resolver,
        ...publicFields
      } = { ...procedure._def } as Record<string, unknown>;
      return [name, Object.assign((call: Parameters<typeof procedure>[0]) => procedure(call), { _def: publicFields })];
    });
    return { ...of, _def: { ...of._def, procedures: Object.fromEntries(procedures) } };
  };
  const stripped = withoutPrivateFields(vendors);

  test('every procedure runs through tRPC', () => {
    const service = withoutPrivateFields(appRouter);
    for (const name of Object.keys(service._def.procedures)) expect(directCallOf(service, name)).toBeUndefined();
    expect(writtenOf(service, 'vendor.list')).toBeUndefined();
    expect(routesOf(service).map(({ template }) => template)).toEqual(
      routesOf(appRouter).map(({ template }) => template),
    );
  });

  test('each middleware runs exactly once, and before a replay', async () => {
    const replayed = new Refusal('internal', 'replayed');
    const context = await contextOf();
    const update = runOf(stripped, 'vendor.update');
    const input = async () => ({ vendor, name: 'Cloud Ltd' });
    await update(context, input);
    expect(ran.splice(0)).toEqual(EACH_ONCE);
    await expect(update({ ...context, insteadOfResolver: replayed }, input)).rejects.toBe(replayed);
    expect(ran).toEqual(['before', 'after']);
  });

  test('errors are those of a direct call', async () => {
    const service = withoutPrivateFields(appRouter);
    const context = await contextOf();
    for (const [name, input] of [
      ['vendor.get', { vendor: 'unknown' }],
      ['vendor.create', { name: 5 }],
      ['management.company.list', {}],
    ] as const) {
      const errorOf = (of: AnyTRPCRouter) =>
        runOf(of, name)(context, async () => input).catch((error: unknown) => error);
      const error = await errorOf(service);
      const direct = await errorOf(appRouter);
      if (!(error instanceof Refusal) || !(direct instanceof Refusal)) throw new Error(`${name} is not rejected`);
      expect([error.code, error.message]).toEqual([direct.code, direct.message]);
    }
  });
});
