import { setTimeout as wait } from 'node:timers/promises';
import Koa from 'koa';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { HttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { errorHandler } from '../../server/http/error-handler.ts';
import type { RequestState } from '../../server/http/error-handler.ts';
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
const POLL_OPTIONS = { timeout: 20_000, interval: 50 };
const repeatConcurrently = <T>(times: number, send: (number: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, number) => send(number)));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanups.splice(0)) await end();
});

describe('places', () => {
  const taking = (count: number) => {
    const places = new ConcurrencyLimit();
    while (places.inUse < count) places.tryAcquire();
    return places;
  };

  test('are a thousand while nothing is late', () => {
    const places = taking(1000);
    places.adapt(false);
    expect(places.tryAcquire()).toBe(false);
    places.inUse -= 1;
    expect(places.tryAcquire()).toBe(true);
  });

  test('become fewer than are taken while it stays late, and come back', () => {
    const places = taking(200);
    for (let look = 0; look < 4; look++) places.adapt(true);
    expect(places.limit).toBe(140);
    for (let look = 0; look < 100; look++) places.adapt(true);
    expect(places.limit).toBe(50);
    for (let look = 0; look < 100; look++) places.adapt(false);
    expect(places.limit).toBe(1000);
  });

  test('stay as they are for a hiccup, or where few are taken', () => {
    const hiccups = taking(200);
    for (let look = 0; look < 100; look++) hiccups.adapt(look % 4 !== 0);
    expect(hiccups.limit).toBe(1000);
    const few = taking(50);
    for (let look = 0; look < 100; look++) few.adapt(true);
    expect(few.limit).toBe(1000);
  });
});

/** A server whose requests end when they are told to. */
async function startHangingServer(log = createLog('silent')) {
  const { promise: end, resolve: endAll } = Promise.withResolvers<void>();
  const shedding = new LoadShedder(log, []);
  const app = new Koa<RequestState>();
  app.use(errorHandler(log));
  app.use(shedding.middleware);
  app.use(async (ctx) => {
    if (ctx.path === '/hanging') await end;
    ctx.body = '{}';
  });
  const server = new HttpServer(app.callback());
  const at = await server.listen({ host: '127.0.0.1', port: 0 });
  cleanups.push(
    () => shedding.stop(),
    () => server.stop(),
  );
  return { ask: (path: string, method = 'GET') => http(method, path, { baseUrl: at }), endAll };
}

const SHED_RESPONSE = { ...OVERLOADED_RESPONSE, headers: { 'retry-after': '1', 'x-error-code': 'unavailable' } };

test('the thousand-and-first at work is refused at once, but neither a probe nor who writes', async () => {
  const { ask, endAll } = await startHangingServer();
  const hanging = repeatConcurrently(1001, () => ask('/hanging'));
  let refused = 0;
  void hanging.then((all) => (refused = all.length));
  await vi.waitFor(async () => expect(await ask('/')).toMatchObject(SHED_RESPONSE), POLL_OPTIONS);
  expect(refused).toBe(0);
  for (const probe of ['/healthz', '/readyz']) expect(await ask(probe)).toMatchObject({ status: 200 });
  expect(await ask('/', 'POST')).toMatchObject({ status: 200 });
  endAll();
  const statuses = (await hanging).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1000);
  expect(await ask('/')).toMatchObject({ status: 200 });
});

test('an event loop that stays late has more than a few refused, and one line of log tells of it', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const { ask, endAll } = await startHangingServer(log);
  const hanging = repeatConcurrently(100, () => ask('/hanging'));
  await ask('/healthz');
  const busy = setInterval(() => {
    const until = performance.now() + 250;
    while (performance.now() < until);
  }, 1);
  await vi.waitFor(async () => expect(await ask('/')).toMatchObject(SHED_RESPONSE), POLL_OPTIONS);
  for (let times = 0; times < 5; times++) expect(await ask('/', 'DELETE')).toMatchObject({ status: 200 });
  expect(await ask('/healthz')).toMatchObject({ status: 200 });
  clearInterval(busy);
  await vi.waitFor(async () => expect(await ask('/')).toMatchObject({ status: 200 }), POLL_OPTIONS);
  await wait(200);
  endAll();
  expect(new Set((await hanging).map(({ status }) => status))).toEqual(new Set([200]));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, rejected: expect.any(Number) });
});

test.runIf(databaseUrl !== undefined)(
  'writers who wait for the database too long are refused before anything else; readers and probes do not notice (PostgreSQL only)',
  async () => {
    const over = await openPostgreSql(databaseUrl ?? '', { maxConnections: 4 });
    const shedding = new LoadShedder(createLog('silent'), over.pool === undefined ? [] : [over.pool]);
    const { url: at, stop } = await startApp({ loadShedder: shedding }, over);
    const { key } = await createCompany();
    const read = () => http('GET', LIST_PATH, { key, baseUrl: at });
    expect(await read()).toMatchObject({ status: 200 });
    const { promise: end, resolve } = Promise.withResolvers<void>();
    cleanups.push(
      stop,
      () => shedding.stop(),
      () => over.close(),
    );
    const holding = repeatConcurrently(3, () => over.transaction(() => end));
    let answered = 0;
    const writers = repeatConcurrently(200, async (number) => {
      const answer = await http('POST', CREATE_PATH, { key, baseUrl: at, body: { name: `Vendor ${number}` } });
      answered += 1;
      return answer;
    });
    // Nobody's key, and no JSON: neither is looked at.
    const refused = () =>
      http('POST', CREATE_PATH, { key: 'nobody', baseUrl: at, body: '{', headers: { Accept: 'text/html' } });
    await vi.waitFor(async () => expect(await refused()).toMatchObject(OVERLOADED_RESPONSE), POLL_OPTIONS);
    expect(answered).toBeLessThan(200);
    expect(new Set((await repeatConcurrently(40, read)).map(({ status }) => status))).toEqual(new Set([200]));
    for (const probe of ['/healthz', '/readyz'])
      expect(await http('GET', probe, { baseUrl: at })).toMatchObject({ status: 200, body: { status: 'ok' } });
    resolve();
    await holding;
    for (const { status } of await writers) expect([201, 503]).toContain(status);
    await vi.waitFor(
      async () =>
        expect(await http('POST', CREATE_PATH, { key, baseUrl: at, body: { name: 'After' } })).toMatchObject({
          status: 201,
        }),
      POLL_OPTIONS,
    );
  },
);

test.runIf(databaseUrl !== undefined)(
  'readiness is told soon when no connection is free, and asked for once for all (PostgreSQL only)',
  async () => {
    const over = await openPostgreSql(databaseUrl ?? '', { maxConnections: 1 });
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const holding = over.transaction(() => end);
    const waiting = repeatConcurrently(50, () => over.query('one', 'select 1', []));
    const began = performance.now();
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => over.isReadOnly()));
    expect(performance.now() - began).toBeLessThan(4000);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['rejected']));
    const next = over.isReadOnly();
    resolve();
    expect(await next).toBe(false);
    await Promise.all([holding, waiting.catch(() => {})]);
    await over.close();
  },
);
