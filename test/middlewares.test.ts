import { randomUUID } from 'node:crypto';
import { createTRPCClient, httpBatchLink, httpLink } from '@trpc/client';
import { initTRPC } from '@trpc/server';
import type { AnyTRPCRouter } from '@trpc/server';
import Koa from 'koa';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Refusal } from '../entities/refusal.ts';
import { appRouter, createCaller as createAppCaller } from '../procedures/index.ts';

import { companyProcedure, createCallerFactory, router } from '../procedures/trpc.ts';
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
