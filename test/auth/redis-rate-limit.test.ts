import { pino } from 'pino';
import type { Logger } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { findFreePort, hasRedis, startRedis } from '../support/servers/redis.ts';

const VENDORS = '/external/smart-inventory/vendor/list';
/** Far below what a request that waits for Redis again and again would take, in milliseconds. */
const MAX_REQUEST_MS = 1500;

let acme: TestCompany;
let cleanups: (() => unknown)[] = [];
beforeAll(async () => {
  acme = await createCompany();
});
afterEach(async () => {
  await Promise.all(cleanups.map((end) => end()));
  cleanups = [];
});

/** One of the servers that share a Redis, each with a memory of its own: what it says of a key. */
async function startLimitedServer(redisUrl: string, limit = 1000, log?: Logger) {
  const limits = await openTestRateLimits(limit, 60, redisUrl, log);
  const app = await startApp({ rateLimits: limits });
  cleanups.push(app.stop, () => limits.close());
  return async (key: string) => {
    const began = performance.now();
    const { status, headers } = await app.ask(VENDORS, { 'X-API-Key': key });
    return {
      status,
      left: Number(/;r=(\d+);/.exec(headers.get('RateLimit') ?? '')?.[1]),
      milliseconds: performance.now() - began,
    };
  };
}

const createKey = async () => (await acme.manage.apiKey.create({ name: 'Another' })).key;

describe.skipIf(!hasRedis)('with Redis (skipped where there is no redis-server to start):', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());

  test('two servers count a key’s requests together', async () => {
    const [one, two] = [await startLimitedServer(redis.url, 5), await startLimitedServer(redis.url, 5)];
    const key = await createKey();
    const statuses = [];
    for (let round = 0; round < 4; round++) statuses.push((await one(key)).status, (await two(key)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(await one(await createKey())).toMatchObject({ status: 200, left: 4 });
  });

  test('a Redis that dies and comes back refuses and slows nobody', async () => {
    const [one, two] = [await startLimitedServer(redis.url), await startLimitedServer(redis.url)];
    const key = await createKey();
    await one(key);
    expect(await two(key)).toMatchObject({ status: 200, left: 998 });
    await redis.kill();
    for (let left = 999; left > 989; left--) {
      expect(await one(key)).toEqual({
        status: 200,
        left,
        milliseconds: expect.toSatisfy((took) => took < MAX_REQUEST_MS),
      });
    }
    expect(await two(key)).toMatchObject({ status: 200, left: 999 });
    await redis.restart();
    await expectTogether(one, two);
  });

  test('a Redis that hangs makes no request wait but the first, and nobody is refused', async () => {
    const [one, two] = [await startLimitedServer(redis.url), await startLimitedServer(redis.url)];
    const key = await createKey();
    expect(await one(key)).toMatchObject({ left: 999 });
    redis.freeze();
    const first = await Promise.all(Array.from({ length: 20 }, () => one(key)));
    expect(first.filter(({ status, milliseconds }) => status !== 200 || milliseconds > MAX_REQUEST_MS)).toEqual([]);
    const began = performance.now();
    for (let request = 0; request < 100; request++) expect((await one(key)).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(100 * 100);
    redis.thaw();
    await expectTogether(one, two);
  });

  test('the log says once that Redis is gone, and once that it is there', async () => {
    const lines: string[] = [];
    const [one, two] = [
      await startLimitedServer(redis.url, 1000, pino({ level: 'info' }, { write: (line) => void lines.push(line) })),
      await startLimitedServer(redis.url),
    ];
    const key = await createKey();
    await redis.kill();
    for (let request = 0; request < 10; request++) await one(key);
    await redis.restart();
    await expectTogether(one, two);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'Redis cannot be used: this process counts requests on its own',
      'Redis is there: requests are counted together',
    ]);
  });

  test('a Redis that only answers errors is done without', async () => {
    const lines: string[] = [];
    const one = await startLimitedServer(
      redis.url,
      3,
      pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
    );
    await redis.runCommand('CONFIG', 'SET', 'maxmemory', '1');
    const key = await createKey();
    const statuses = [];
    for (let request = 0; request < 5; request++) statuses.push((await one(key)).status);
    await redis.runCommand('CONFIG', 'SET', 'maxmemory', '0');
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(lines).toHaveLength(1);
  });

  test('the limit holds while Redis is gone', async () => {
    const one = await startLimitedServer(redis.url, 3);
    await redis.kill();
    const key = await createKey();
    const statuses = [];
    for (let request = 0; request < 5; request++) statuses.push((await one(key)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    await redis.restart();
  });

  test('a Redis that hangs when the server starts is used once it answers', async () => {
    redis.freeze();
    const began = performance.now();
    const one = await startLimitedServer(redis.url);
    expect(performance.now() - began).toBeLessThan(MAX_REQUEST_MS);
    expect((await one(await createKey())).status).toBe(200);
    redis.thaw();
    await expectTogether(one, await startLimitedServer(redis.url));
  });

  /** Sooner or later a new key’s request at one server is known at the other. */
  async function expectTogether(...[one, two]: Awaited<ReturnType<typeof startLimitedServer>>[]): Promise<void> {
    await expect
      .poll(
        async () => {
          const key = await createKey();
          await one?.(key);
          return (await two?.(key))?.left;
        },
        { timeout: 15_000, interval: 200 },
      )
      .toBe(998);
  }
});

test('without the Redis that is set, each server limits on its own, at once', async () => {
  const began = performance.now();
  const url = `redis://127.0.0.1:${await findFreePort()}`;
  const [one, two] = [await startLimitedServer(url, 2), await startLimitedServer(url, 2)];
  expect(performance.now() - began).toBeLessThan(MAX_REQUEST_MS);
  const key = await createKey();
  for (const ask of [one, two]) {
    expect(await ask(key)).toMatchObject({ status: 200, left: 1 });
    expect(await ask(key)).toMatchObject({ status: 200, left: 0 });
    expect(await ask(key)).toMatchObject({ status: 429, left: 0 });
  }
});
