import { pino } from 'pino';
import type { Logger } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { openRedisLimits } from '../../server/auth/redis-rate-limit.ts';
import { createCompany } from '../support/tenants/company.ts';
import { findFreePort } from '../support/http/listen.ts';
import { hasRedis, startRedis } from '../support/servers/redis.ts';

const VENDORS = '/external/smart-inventory/vendor/list';
/** Maximum duration of a request. Repeated waiting for Redis would take much longer. */
const MAX_REQUEST_MS = 1500;

const acme = await createCompany();

/** Starts a server that shares a Redis. The result sends a request and returns its remaining quota and duration. */
async function startLimitedServer(redisUrl: string, limit = 1000, log?: Logger, companyRateLimitPerMinute = 0) {
  // In so long a window no test gets a request back.
  const options = { companyRateLimitPerMinute, windowSeconds: 86_400, redisUrl, ...(log && { log }) };
  const limits = await openTestRateLimits(limit, options);
  const app = await startApp({ rateLimits: limits });
  onTestFinished(() => limits.close());
  onTestFinished(app.stop);
  return async (key: string) => {
    const startedAt = performance.now();
    const { status, headers } = await app.ask(VENDORS, { 'X-API-Key': key });
    return {
      status,
      left: Number(/;r=(\d+);/.exec(headers.get('RateLimit') ?? '')?.[1]),
      milliseconds: performance.now() - startedAt,
    };
  };
}

const createKey = async () => (await acme.manage.apiKey.create({ name: 'Another' })).key;

describe.skipIf(!hasRedis)('with Redis (skipped without a redis-server)', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());

  test('two servers share the counter of an API key', async () => {
    const [one, two] = [await startLimitedServer(redis.url, 5), await startLimitedServer(redis.url, 5)];
    const key = await createKey();
    const statuses = [];
    for (let round = 0; round < 4; round++) statuses.push((await one(key)).status, (await two(key)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(await one(await createKey())).toMatchObject({ status: 200, left: 4 });
  });

  test('two servers share the limit of a company, and a request above it counts for no key', async () => {
    const company = await createCompany();
    const [one, two] = [
      await startLimitedServer(redis.url, 3, undefined, 3),
      await startLimitedServer(redis.url, 3, undefined, 3),
    ];
    const other = (await company.manage.apiKey.create({ name: 'Other' })).key;
    const statuses = [];
    for (const send of [one, two, one, two]) statuses.push((await send(company.key)).status);
    for (const send of [one, two]) statuses.push((await send(other)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
    const unlimited = await startLimitedServer(redis.url, 3);
    expect(await unlimited(other)).toMatchObject({ status: 200, left: 2 });
  });

  test('a key gets its requests back evenly, by the clock of Redis', async () => {
    const take = (await openRedisLimits(redis.url, pino({ level: 'silent' }))).tokenBuckets('test', 1000);
    const buckets = [{ key: 'refilling', limit: 100 }];
    expect(await take(buckets, 100, 0)).toMatchObject({ isAccepted: true });
    const rejected = await take(buckets, 90, 0);
    expect(rejected.isAccepted).toBe(false);
    await expect.poll(async () => (await take(buckets, 90, 0)).isAccepted, { timeout: 120_000 }).toBe(true);
    expect(await take(buckets, 100, 20)).toMatchObject({ isAccepted: false });
  });

  test('an outage of Redis neither rejects nor delays requests', async () => {
    const [one, two] = [await startLimitedServer(redis.url), await startLimitedServer(redis.url)];
    await expectShared(one, two);
    const key = await createKey();
    await redis.kill();
    for (let left = 999; left > 989; left--) {
      expect(await one(key)).toEqual({
        status: 200,
        left,
        milliseconds: expect.toSatisfy((milliseconds) => milliseconds < MAX_REQUEST_MS),
      });
    }
    expect(await two(key)).toMatchObject({ status: 200, left: 999 });
    await redis.restart();
    await expectShared(one, two);
  });

  test('a hanging Redis delays only the first requests, and rejects none', async () => {
    const [one, two] = [await startLimitedServer(redis.url), await startLimitedServer(redis.url)];
    const key = await createKey();
    expect(await one(key)).toMatchObject({ left: 999 });
    redis.freeze();
    const first = await Promise.all(Array.from({ length: 20 }, () => one(key)));
    expect(first.filter(({ status, milliseconds }) => status !== 200 || milliseconds > MAX_REQUEST_MS)).toEqual([]);
    const startedAt = performance.now();
    for (let request = 0; request < 100; request++) expect((await one(key)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(100 * 100);
    redis.thaw();
    await expectShared(one, two);
  });

  test('the log shows once that Redis is unavailable, and once that it is available', async () => {
    const lines: string[] = [];
    const [one, two] = [
      await startLimitedServer(redis.url, 1000, pino({ level: 'info' }, { write: (line) => void lines.push(line) })),
      await startLimitedServer(redis.url),
    ];
    const key = await createKey();
    await redis.kill();
    for (let request = 0; request < 10; request++) await one(key);
    await redis.restart();
    await expectShared(one, two);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'Redis unavailable: rate limits are counted per process',
      'Redis available: rate limits are shared',
    ]);
  });

  test('a Redis that returns only errors is treated as unavailable', async () => {
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

  test('the limit applies while Redis is unavailable', async () => {
    const one = await startLimitedServer(redis.url, 3);
    await redis.kill();
    const key = await createKey();
    const statuses = [];
    for (let request = 0; request < 5; request++) statuses.push((await one(key)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    await redis.restart();
  });

  test('a Redis that hangs at startup is used once it responds', async () => {
    redis.freeze();
    const startedAt = performance.now();
    const one = await startLimitedServer(redis.url);
    expect(performance.now() - startedAt).toBeLessThan(MAX_REQUEST_MS);
    expect((await one(await createKey())).status).toBe(200);
    redis.thaw();
    await expectShared(one, await startLimitedServer(redis.url));
  });

  /** Waits until both servers share the counter of a new API key. */
  async function expectShared(...[one, two]: Awaited<ReturnType<typeof startLimitedServer>>[]): Promise<void> {
    await expect
      .poll(
        async () => {
          const key = await createKey();
          await one?.(key);
          return (await two?.(key))?.left;
        },
        { timeout: 120_000, interval: 200 },
      )
      .toBe(998);
  }
});

test('without a reachable Redis, each server counts alone from its start', async () => {
  const startedAt = performance.now();
  const url = `redis://127.0.0.1:${await findFreePort()}`;
  const [one, two] = [await startLimitedServer(url, 2), await startLimitedServer(url, 2)];
  expect(performance.now() - startedAt).toBeLessThan(MAX_REQUEST_MS);
  const key = await createKey();
  for (const send of [one, two]) {
    expect(await send(key)).toMatchObject({ status: 200, left: 1 });
    expect(await send(key)).toMatchObject({ status: 200, left: 0 });
    expect(await send(key)).toMatchObject({ status: 429, left: 0 });
  }
});
