import { setTimeout as wait } from 'node:timers/promises';
import Koa from 'koa';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { HttpServer } from '../../server/http/server.ts';
import { knownCompany } from '../../server/auth/authenticate.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { errorHandler } from '../../server/http/error-handler.ts';
import type { RequestState } from '../../server/http/request-state.ts';
import { ConcurrencyLimit, LoadShedder } from '../../server/http/load-shedding.ts';
import { startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import { databaseUrl } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';

const LIST_PATH = '/external/smart-inventory/vendor/list';
const CREATE_PATH = '/external/smart-inventory/vendor/new';
const OVERLOADED_RESPONSE = {
  status: 503,
  headers: { 'retry-after': '1', 'x-error-code': 'unavailable', 'x-request-id': expect.stringMatching(/./) },
  body: { error: 'The service is overloaded. Try again shortly.' },
};
const POLL_OPTIONS = { timeout: 120_000, interval: 50 };
const repeatConcurrently = <T>(times: number, send: (number: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, number) => send(number)));

describe('a concurrency limit', () => {
  const limitWithSlotsInUse = (count: number) => {
    const limit = new ConcurrencyLimit();
    while (limit.inUse < count) limit.tryAcquire();
    return limit;
  };

  test('allows 1000 concurrent requests without overload', () => {
    const limit = limitWithSlotsInUse(1000);
    limit.adapt(false);
    expect(limit.tryAcquire()).toBe(false);
    limit.release(undefined);
    expect(limit.tryAcquire()).toBe(true);
  });

  test('decreases below the slots in use during overload, and recovers', () => {
    const limit = limitWithSlotsInUse(200);
    for (let check = 0; check < 4; check++) limit.adapt(true);
    expect(limit.limit).toBe(140);
    for (let check = 0; check < 100; check++) limit.adapt(true);
    expect(limit.limit).toBe(50);
    for (let check = 0; check < 100; check++) limit.adapt(false);
    expect(limit.limit).toBe(1000);
  });

  test('does not change for a short spike or if few slots are in use', () => {
    const spikes = limitWithSlotsInUse(200);
    for (let check = 0; check < 100; check++) spikes.adapt(check % 4 !== 0);
    expect(spikes.limit).toBe(1000);
    const few = limitWithSlotsInUse(50);
    for (let check = 0; check < 100; check++) few.adapt(true);
    expect(few.limit).toBe(1000);
  });
});

describe('beyond a concurrency limit', () => {
  const overloadedBy = (company: number) => {
    const limit = new ConcurrencyLimit();
    for (let slot = 0; slot < 100; slot++) limit.tryAcquire(company);
    for (let check = 0; check < 100; check++) limit.adapt(true);
    expect(limit.limit).toBe(50);
    return limit;
  };

  test('the company that uses most slots gets no more, and another one gets its share', () => {
    const limit = overloadedBy(1);
    expect(limit.tryAcquire(1)).toBe(false);
    for (let slot = 0; slot < 25; slot++) expect(limit.tryAcquire(2)).toBe(true);
    expect(limit.tryAcquire(2)).toBe(false);
    expect(limit.tryAcquire(3)).toBe(true);
    limit.release(3);
    for (let slot = 0; slot < 76; slot++) limit.release(1);
    expect(limit.tryAcquire(1)).toBe(true);
  });

  test('a request whose company is known late counts for it from then on', () => {
    const limit = overloadedBy(1);
    expect(limit.tryAcquire()).toBe(true);
    expect(limit.tryAssign(1)).toBe(false);
    expect(limit.tryAssign(2)).toBe(true);
    expect(limit.inUse).toBe(101);
    limit.release(2);
    expect(limit.inUse).toBe(100);
  });
});

/** Starts a server whose requests to /hanging end when the test calls `endAll`. */
async function startHangingServer(log = createLog('silent')) {
  const { promise: end, resolve: endAll } = Promise.withResolvers<void>();
  const loadShedder = new LoadShedder(log, []);
  const app = new Koa<RequestState>();
  app.use(errorHandler(log));
  app.use(loadShedder.middleware);
  app.use(async (ctx) => {
    if (ctx.path === '/hanging') await end;
    ctx.body = '{}';
  });
  const server = new HttpServer(app.callback());
  const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.stop(0));
  onTestFinished(() => loadShedder.stop());
  return { send: (path: string, method = 'GET') => http(method, path, { baseUrl, repeats: false }), endAll };
}

const SHED_RESPONSE = { ...OVERLOADED_RESPONSE, headers: { 'retry-after': '1', 'x-error-code': 'unavailable' } };

test('the 1001st concurrent read is rejected at once, but health checks and writes are not', async () => {
  const { send, endAll } = await startHangingServer();
  const hanging = repeatConcurrently(1001, () => send('/hanging'));
  let completed = 0;
  void hanging.then((all) => (completed = all.length));
  await vi.waitFor(async () => expect(await send('/')).toMatchObject(SHED_RESPONSE), POLL_OPTIONS);
  expect(completed).toBe(0);
  for (const probe of ['/healthz', '/readyz']) expect(await send(probe)).toMatchObject({ status: 200 });
  expect(await send('/', 'POST')).toMatchObject({ status: 200 });
  endAll();
  const statuses = (await hanging).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1000);
  expect(await send('/')).toMatchObject({ status: 200 });
});

test('a sustained event loop delay causes rejections, which are logged in one line', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const { send, endAll } = await startHangingServer(log);
  const hanging = repeatConcurrently(100, () => send('/hanging'));
  await send('/healthz');
  const busy = setInterval(() => {
    const endAt = performance.now() + 250;
    while (performance.now() < endAt);
  }, 1);
  await vi.waitFor(async () => expect(await send('/')).toMatchObject(SHED_RESPONSE), POLL_OPTIONS);
  for (let times = 0; times < 5; times++) expect(await send('/', 'DELETE')).toMatchObject({ status: 200 });
  expect(await send('/healthz')).toMatchObject({ status: 200 });
  clearInterval(busy);
  await vi.waitFor(async () => expect(await send('/')).toMatchObject({ status: 200 }), POLL_OPTIONS);
  await wait(200);
  endAll();
  expect(new Set((await hanging).map(({ status }) => status))).toEqual(new Set([200]));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, rejected: expect.any(Number) });
});

test.runIf(databaseUrl !== undefined)(
  'writes that wait too long for the database are rejected first; reads and health checks are not affected (PostgreSQL only)',
  async () => {
    const pool = await openPostgreSql(databaseUrl ?? '', { maxConnections: 4 });
    const loadShedder = new LoadShedder(
      createLog('silent'),
      pool.pool === undefined ? [] : [pool.pool],
      knownCompany(pool),
    );
    const { url: baseUrl, stop } = await startApp({ loadShedder }, pool);
    const { key } = await createCompany();
    const read = () => http('GET', LIST_PATH, { key, baseUrl, repeats: false });
    expect(await read()).toMatchObject({ status: 200 });
    const { promise: end, resolve } = Promise.withResolvers<void>();
    onTestFinished(() => pool.close());
    onTestFinished(() => loadShedder.stop());
    onTestFinished(stop);
    const holding = repeatConcurrently(3, () => pool.transaction(() => end));
    let completed = 0;
    const writers = repeatConcurrently(200, async (number) => {
      const response = await http('POST', CREATE_PATH, {
        key,
        baseUrl,
        repeats: false,
        body: { name: `Vendor ${number}` },
      });
      completed += 1;
      return response;
    });
    // The server does not check the body.
    const rejectedWrite = () =>
      http('POST', CREATE_PATH, {
        key,
        baseUrl,
        repeats: false,
        body: '{',
        headers: { Accept: 'text/html' },
      });
    await vi.waitFor(async () => expect(await rejectedWrite()).toMatchObject(OVERLOADED_RESPONSE), POLL_OPTIONS);
    expect(completed).toBeLessThan(200);
    expect(new Set((await repeatConcurrently(40, read)).map(({ status }) => status))).toEqual(new Set([200]));
    const other = await createCompany();
    const malformed = { key: other.key, baseUrl, repeats: false, body: '{' };
    expect(await http('POST', CREATE_PATH, malformed)).toMatchObject({ status: 400 });
    for (const probe of ['/healthz', '/readyz'])
      expect(await http('GET', probe, { baseUrl })).toMatchObject({ status: 200, body: { status: 'ok' } });
    resolve();
    await holding;
    for (const { status } of await writers) expect([201, 503]).toContain(status);
    await vi.waitFor(
      async () =>
        expect(await http('POST', CREATE_PATH, { key, baseUrl, body: { name: 'After' } })).toMatchObject({
          status: 201,
        }),
      POLL_OPTIONS,
    );
  },
);

test.runIf(databaseUrl !== undefined)(
  'a readiness check fails quickly without a free connection, and concurrent checks share one query (PostgreSQL only)',
  async () => {
    const pool = await openPostgreSql(databaseUrl ?? '', { maxConnections: 1 });
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const holding = pool.transaction(() => end);
    const waiting = repeatConcurrently(50, () => pool.query('one', 'select 1', []));
    const startedAt = performance.now();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => pool.isReadOnly()));
    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    const next = pool.isReadOnly();
    resolve();
    expect(await next).toBe(false);
    await Promise.all([holding, waiting.catch(() => {})]);
    await pool.close();
  },
);
