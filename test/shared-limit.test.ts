import { pino } from 'pino';
import type { Logger } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { limitsOf, startApp } from './support/app.ts';
import { company } from './support/company.ts';
import type { TestCompany } from './support/company.ts';
import { freePort, hasRedis, redisServer } from './support/redis.ts';

const VENDORS = '/external/smart-inventory/vendor/list';
/** Far below what a request that waits for Redis again and again would take, in milliseconds. */
const SOON = 1500;

let acme: TestCompany;
let ends: (() => unknown)[] = [];
beforeAll(async () => {
  acme = await company();
});
afterEach(async () => {
  await Promise.all(ends.map((end) => end()));
  ends = [];
});

/** One of the servers that share a Redis, each with a memory of its own: what it says of a key. */
async function serverOn(redisUrl: string, limit = 1000, log?: Logger) {
  const limits = await limitsOf(limit, 60, redisUrl, log);
  const app = await startApp({ limits });
  ends.push(app.stop, () => limits.close());
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

const newKey = async () => (await acme.manage.apiKey.create({ name: 'Another' })).key;

describe.skipIf(!hasRedis)('with Redis (skipped where there is no redis-server to start):', () => {
  let redis: Awaited<ReturnType<typeof redisServer>>;
  beforeAll(async () => {
    redis = await redisServer();
  });
  afterAll(() => redis.remove());

  test('two servers count a key’s requests together', async () => {
    const [one, two] = [await serverOn(redis.url, 5), await serverOn(redis.url, 5)];
    const key = await newKey();
    const statuses = [];
    for (let round = 0; round < 4; round++) statuses.push((await one(key)).status, (await two(key)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(await one(await newKey())).toMatchObject({ status: 200, left: 4 });
  });

  test('a Redis that dies and comes back refuses and slows nobody', async () => {
    const [one, two] = [await serverOn(redis.url), await serverOn(redis.url)];
    const key = await newKey();
    await one(key);
    expect(await two(key)).toMatchObject({ status: 200, left: 998 });
    await redis.kill();
    for (let left = 999; left > 989; left--) {
      expect(await one(key)).toEqual({ status: 200, left, milliseconds: expect.toSatisfy((took) => took < SOON) });
    }
    expect(await two(key)).toMatchObject({ status: 200, left: 999 });
    await redis.startAgain();
    await expectTogether(one, two);
  });

  test('a Redis that hangs makes no request wait but the first, and nobody is refused', async () => {
    const [one, two] = [await serverOn(redis.url), await serverOn(redis.url)];
    const key = await newKey();
    expect(await one(key)).toMatchObject({ left: 999 });
    redis.freeze();
    const first = await Promise.all(Array.from({ length: 20 }, () => one(key)));
    expect(first.filter(({ status, milliseconds }) => status !== 200 || milliseconds > SOON)).toEqual([]);
    const began = performance.now();
    for (let request = 0; request < 100; request++) expect((await one(key)).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(100 * 100);
    redis.thaw();
    await expectTogether(one, two);
  });

  test('the log says once that Redis is gone, and once that it is there', async () => {
    const lines: string[] = [];
    const [one, two] = [
      await serverOn(redis.url, 1000, pino({ level: 'info' }, { write: (line) => void lines.push(line) })),
      await serverOn(redis.url),
    ];
    const key = await newKey();
    await redis.kill();
    for (let request = 0; request < 10; request++) await one(key);
    await redis.startAgain();
    await expectTogether(one, two);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'Redis cannot be used: this process counts requests on its own',
      'Redis is there: requests are counted together',
    ]);
  });

  test('a Redis that only answers errors is done without', async () => {
    const lines: string[] = [];
    const one = await serverOn(redis.url, 3, pino({ level: 'info' }, { write: (line) => void lines.push(line) }));
    await redis.tell('CONFIG', 'SET', 'maxmemory', '1');
    const key = await newKey();
    const statuses = [];
    for (let request = 0; request < 5; request++) statuses.push((await one(key)).status);
    await redis.tell('CONFIG', 'SET', 'maxmemory', '0');
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(lines).toHaveLength(1);
  });

  test('the limit holds while Redis is gone', async () => {
    const one = await serverOn(redis.url, 3);
    await redis.kill();
    const key = await newKey();
    const statuses = [];
    for (let request = 0; request < 5; request++) statuses.push((await one(key)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    await redis.startAgain();
  });

  test('a Redis that hangs when the server starts is used once it answers', async () => {
    redis.freeze();
    const began = performance.now();
    const one = await serverOn(redis.url);
    expect(performance.now() - began).toBeLessThan(SOON);
    expect((await one(await newKey())).status).toBe(200);
    redis.thaw();
    await expectTogether(one, await serverOn(redis.url));
  });

  /** Sooner or later a new key’s request at one server is known at the other. */
  async function expectTogether(...[one, two]: Awaited<ReturnType<typeof serverOn>>[]): Promise<void> {
    await expect
      .poll(
        async () => {
          const key = await newKey();
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
  const url = `redis://127.0.0.1:${await freePort()}`;
  const [one, two] = [await serverOn(url, 2), await serverOn(url, 2)];
  expect(performance.now() - began).toBeLessThan(SOON);
  const key = await newKey();
  for (const ask of [one, two]) {
    expect(await ask(key)).toMatchObject({ status: 200, left: 1 });
    expect(await ask(key)).toMatchObject({ status: 200, left: 0 });
    expect(await ask(key)).toMatchObject({ status: 429, left: 0 });
  }
});
