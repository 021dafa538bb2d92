import { createTRPCClient, httpBatchLink } from '@trpc/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { generateRawKey } from '../../entities/api-key/raw-key.ts';
import type { AppRouter } from '../../procedures/index.ts';
import { networkPrefix } from '../../server/auth/failed-attempts.ts';
import { openRateLimits } from '../../server/auth/rate-limit.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';

const VENDORS = '/external/smart-inventory/vendor/list';
const LIMIT = 5;

const acme = await createCompany();

type LimitOptions = Parameters<typeof openTestRateLimits>[1];

/** Starts a server with a rate limit, which trusts one proxy. */
async function startLimitedApp(limit: number, options?: LimitOptions) {
  const app = await startApp({ rateLimits: await openTestRateLimits(limit, options), trustProxy: 1 });
  onTestFinished(app.stop);
  const get = (key: string, path = VENDORS, headers: Record<string, string> = {}) =>
    app.ask(path, { 'X-API-Key': key, ...headers });
  return { ...app, get };
}

const createKey = async (name = 'Another') => (await acme.manage.apiKey.create({ name })).key;

/** Parses the `RateLimit` header (draft-ietf-httpapi-ratelimit-headers). */
function remainingQuota({ headers }: Response, policy = 'default'): { left: number; seconds: number } {
  const [, name, left, seconds] = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(headers.get('RateLimit') ?? '') ?? [];
  expect(name).toBe(policy);
  return { left: Number(left), seconds: Number(seconds) };
}

/** A clock that a test moves. */
function movedClock() {
  const clock = { now: 0, advance: (seconds: number) => void (clock.now += seconds * 1000) };
  return clock;
}

async function expectRateLimited(response: Response): Promise<void> {
  expect(response.status).toBe(429);
  expect(response.headers.get('X-Error-Code')).toBe('rate_limited');
  const seconds = Number(response.headers.get('Retry-After'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(await response.json()).toEqual({
    error: expect.stringMatching(new RegExp(`^Too many .* in ${seconds} s\\.$`)),
  });
}

describe('an API key over REST', () => {
  test('gets the remaining requests with every response, and 429 when none remain', async () => {
    const { get } = await startLimitedApp(LIMIT);
    const key = await createKey();
    for (let left = LIMIT - 1; left >= 0; left--) {
      const response = await get(key);
      expect(response.status).toBe(200);
      expect(response.headers.get('RateLimit-Policy')).toBe(`"default";q=${LIMIT};w=60`);
      expect(remainingQuota(response)).toEqual({ left, seconds: 60 / LIMIT });
    }
    const rejected = await get(key);
    expect(remainingQuota(rejected)).toEqual({ left: 0, seconds: Number(rejected.headers.get('Retry-After')) });
    expect(rejected.headers.get('RateLimit-Policy')).toBe(`"default";q=${LIMIT};w=60`);
    await expectRateLimited(rejected);
  });

  test('may send the whole limit at once, and gets a sixtieth of it back each second', async () => {
    const clock = movedClock();
    const { get } = await startLimitedApp(LIMIT, { now: () => clock.now });
    const key = await createKey();
    const left = async () => remainingQuota(await get(key));
    for (let request = 1; request <= LIMIT; request++) expect(await left()).toMatchObject({ left: LIMIT - request });
    clock.advance(60 / LIMIT - 1);
    const rejected = await get(key);
    expect(rejected.headers.get('Retry-After')).toBe('1');
    await expectRateLimited(rejected);
    clock.advance(1);
    expect((await get(key)).status).toBe(200);
    await expectRateLimited(await get(key));
    clock.advance(2 * (60 / LIMIT));
    expect(await left()).toEqual({ left: 1, seconds: 60 / LIMIT });
    clock.advance(600);
    expect(await left()).toMatchObject({ left: LIMIT - 1 });
  });

  test('above its limit does not wait longer because it sends more', async () => {
    const clock = movedClock();
    const { get } = await startLimitedApp(1, { now: () => clock.now });
    const key = await createKey();
    await get(key);
    for (let request = 0; request < 5; request++) await expectRateLimited(await get(key));
    clock.advance(60);
    expect((await get(key)).status).toBe(200);
  });

  test('has one limit for both of its secrets, separate from other API keys', async () => {
    const { get } = await startLimitedApp(2);
    const { key: previousSecret, uniqueId } = await acme.manage.apiKey.create({ name: 'Rotated' });
    const { key: newSecret } = await acme.manage.apiKey.rotate({ uniqueId, overlapSeconds: 600 });
    expect(remainingQuota(await get(previousSecret))).toMatchObject({ left: 1 });
    expect(remainingQuota(await get(newSecret))).toMatchObject({ left: 0 });
    await expectRateLimited(await get(previousSecret));
    await expectRateLimited(await get(newSecret));
    expect(remainingQuota(await get(await createKey()))).toMatchObject({ left: 1 });
  });

  test('gets 429 after errors of the path and the method, and before errors of its permissions and the body', async () => {
    const { get, ask } = await startLimitedApp(1);
    const { key } = await acme.manage.apiKey.create({ name: 'Reader', scopes: ['audit:read'] });
    expect((await get(key)).status).toBe(403);
    const unknown = await get(key, '/external/nothing');
    expect(unknown.status).toBe(404);
    expect(remainingQuota(unknown)).toMatchObject({ left: 0 });
    const headers = { 'X-API-Key': key, 'Content-Type': 'text/plain' };
    expect((await ask(VENDORS, headers, { method: 'PUT', body: 'x' })).status).toBe(405);
    await expectRateLimited(await ask('/external/smart-inventory/vendor/new', headers, { method: 'POST', body: '{' }));
    await expectRateLimited(await get(key));
    expect((await get('nonsense')).status).toBe(401);
  });

  test('counts failed requests', async () => {
    const { get } = await startLimitedApp(3);
    const key = await createKey();
    expect(remainingQuota(await get(key, '/external/nothing'))).toMatchObject({ left: 2 });
    expect(remainingQuota(await get(key, '/external/smart-inventory/vendor/abc/item'))).toMatchObject({ left: 1 });
    expect(remainingQuota(await get(key))).toMatchObject({ left: 0 });
  });
});

describe('a batch of items', () => {
  const batchOf = (count: number) =>
    JSON.stringify({
      items: Array.from({ length: count }, (_, index) => ({ op: 'create', body: { name: `V${index}` } })),
    });

  test.for(['/external/smart-inventory/vendor/batch', '/trpc/vendor.batch'])(
    'at %s counts as one request for every ten items, and writes nothing beyond the limit',
    async (path) => {
      const { get, ask } = await startLimitedApp(6);
      const key = await createKey();
      const send = (count: number) =>
        ask(path, { 'X-API-Key': key, 'Content-Type': 'application/json' }, { method: 'POST', body: batchOf(count) });
      expect(remainingQuota(await send(10))).toMatchObject({ left: 5 });
      expect(remainingQuota(await send(11))).toMatchObject({ left: 3 });
      const vendors = async () => (await acme.vendor.list()).length;
      const before = await vendors();
      expect((await send(41)).status).toBe(429);
      expect(await vendors()).toBe(before);
      expect(remainingQuota(await get(key))).toMatchObject({ left: 2 });
    },
  );
});

describe('over tRPC', () => {
  const list = (key: string) => ({ 'X-API-Key': key });

  test('a call counts as one request, against the same limit as REST', async () => {
    const { get, ask } = await startLimitedApp(3);
    const key = await createKey();
    expect(remainingQuota(await get(key))).toMatchObject({ left: 2 });
    const response = await ask('/trpc/vendor.list', list(key));
    expect(response.status).toBe(200);
    expect(remainingQuota(response)).toMatchObject({ left: 1 });
    expect(remainingQuota(await get(key))).toMatchObject({ left: 0 });
    const rejected = await ask('/trpc/vendor.list', list(key));
    expect(rejected.status).toBe(429);
    expect(Number(rejected.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(await rejected.json()).toMatchObject({
      error: { data: { code: 'TOO_MANY_REQUESTS', httpStatus: 429, errorCode: 'rate_limited' } },
    });
  });

  test('each call of a batch counts, also with encoded commas', async () => {
    const { url, get, ask } = await startLimitedApp(10);
    const key = await createKey();
    const client = createTRPCClient<AppRouter>({
      links: [httpBatchLink({ url: `${url}/trpc`, headers: { 'X-API-Key': key } })],
    });
    await Promise.all([client.vendor.list.query(), client.vendor.list.query(), client.vendor.list.query()]);
    expect(remainingQuota(await get(key))).toMatchObject({ left: 6 });
    for (const [comma, left] of [
      ['%2C', 4],
      ['%2c', 2],
    ] as const) {
      const response = await ask(`/trpc/vendor.list${comma}vendor.list?batch=1`, list(key));
      expect(await response.json()).toHaveLength(2);
      expect(remainingQuota(response)).toMatchObject({ left });
    }
    const batch = await ask('/trpc/vendor.list,vendor.list,vendor.list?batch=1', list(key));
    expect(batch.status).toBe(429);
    expect(remainingQuota(batch)).toMatchObject({ left: 2 });
    expect(await batch.json()).toHaveLength(3);
    expect(remainingQuota(await get(key))).toMatchObject({ left: 1 });
  });

  test('the operator is not limited', async () => {
    const { ask } = await startLimitedApp(1);
    for (let call = 0; call < 5; call++) {
      const response = await ask('/trpc/management.company.list', { Authorization: `Bearer ${OPERATOR_TOKEN}` });
      expect(response.status).toBe(200);
      expect(response.headers.has('RateLimit')).toBe(false);
    }
  });
});

describe('a company', () => {
  const startCompanyLimit = async (companyRateLimitPerMinute: number, limit: number, options?: LimitOptions) => {
    const company = await createCompany();
    const app = await startLimitedApp(limit, { companyRateLimitPerMinute, ...options });
    const keyOf = async (name: string) => (await company.manage.apiKey.create({ name })).key;
    return { ...app, company, keys: [await keyOf('One'), await keyOf('Other')] as const };
  };

  test('has one limit for all of its keys, beside the limit of each key, and responses show the nearer one', async () => {
    const { get, keys } = await startCompanyLimit(5, 3);
    const [one, other] = keys;
    expect(remainingQuota(await get(one))).toMatchObject({ left: 2 });
    expect(remainingQuota(await get(one))).toMatchObject({ left: 1 });
    expect(remainingQuota(await get(other))).toMatchObject({ left: 2 });
    const fourth = await get(other);
    expect(remainingQuota(fourth)).toMatchObject({ left: 1 });
    expect(fourth.headers.get('RateLimit-Policy')).toBe('"default";q=3;w=60');
    const fifth = await get(one);
    expect(remainingQuota(fifth)).toMatchObject({ left: 0 });
    const rejected = await get(other);
    expect(rejected.headers.get('RateLimit-Policy')).toBe('"company";q=5;w=60');
    expect(remainingQuota(rejected, 'company')).toEqual({ left: 0, seconds: 12 });
    await expectRateLimited(rejected);
    expect((await get(acme.key)).status).toBe(200);
  });

  test('shows its limit when it is nearer than that of the key', async () => {
    const { get, keys } = await startCompanyLimit(2, 100);
    const first = await get(keys[0]);
    expect(first.headers.get('RateLimit-Policy')).toBe('"company";q=2;w=60');
    expect(remainingQuota(first, 'company')).toMatchObject({ left: 1 });
  });

  test('loses nothing by requests above the limit of a key', async () => {
    const { get, keys } = await startCompanyLimit(3, 1);
    const [one, other] = keys;
    expect((await get(one)).status).toBe(200);
    for (let request = 0; request < 10; request++) await expectRateLimited(await get(one));
    expect((await get(other)).status).toBe(200);
  });

  test('has keys that lose nothing by requests above its limit', async () => {
    const clock = movedClock();
    const { get, keys } = await startCompanyLimit(2, 2, { now: () => clock.now });
    const [one, other] = keys;
    for (let request = 0; request < 2; request++) expect((await get(one)).status).toBe(200);
    for (let request = 0; request < 10; request++) await expectRateLimited(await get(other));
    clock.advance(30);
    // One of the two requests of the key is left, which the limit of the company would hide if it were not nearer.
    expect(remainingQuota(await get(other), 'company')).toEqual({ left: 0, seconds: 30 });
  });

  test('has its limit also if keys have none, and then failed attempts have none', async () => {
    const { get, keys } = await startCompanyLimit(1, 0);
    expect(remainingQuota(await get(keys[0]), 'company')).toMatchObject({ left: 0 });
    await expectRateLimited(await get(keys[1]));
    for (let attempt = 0; attempt < 70; attempt++) expect((await get('nonsense')).status).toBe(401);
  });

  test('is not limited where the operator acts for it', async () => {
    const { ask, company } = await startCompanyLimit(1, 1);
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(company.id) };
    for (let call = 0; call < 3; call++) {
      const response = await ask('/trpc/management.framework.list', headers);
      expect(response.status).toBe(200);
      expect(response.headers.has('RateLimit')).toBe(false);
    }
  });
});

describe('an address with sixty failed attempts', () => {
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  const FAILURES = 60;

  async function startExhausted(address: string, options?: LimitOptions) {
    const app = await startLimitedApp(1000, options);
    const statuses = await Promise.all(
      Array.from({ length: FAILURES }, async (_, attempt) => {
        const key = attempt % 2 === 0 ? 'nonsense' : generateRawKey();
        return (await app.get(key, VENDORS, from(address))).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    await expectRateLimited(await app.get('nonsense', VENDORS, from(address)));
    return app;
  }

  test('gets 429 instead of 401 for any invalid credential, until the window ends', async () => {
    const { ask, get } = await startExhausted('192.0.2.1', { windowSeconds: 5 });
    await expectRateLimited(await ask(VENDORS, from('192.0.2.1')));
    await expectRateLimited(await get(generateRawKey(), '/external/nothing', from('192.0.2.1')));
    for (const token of ['nonsense', generateRawKey()])
      await expectRateLimited(await ask(VENDORS, { Authorization: `Bearer ${token}`, ...from('192.0.2.1') }));
    const twoKeys = { 'X-API-Key': generateRawKey(), Authorization: `Bearer ${generateRawKey()}` };
    await expectRateLimited(await ask(VENDORS, { ...twoKeys, ...from('192.0.2.1') }));
    const rejected = await ask('/trpc/management.company.list', {
      Authorization: `Bearer ${'x'.repeat(40)}`,
      ...from('192.0.2.1'),
    });
    expect(rejected.status).toBe(429);
    await expect
      .poll(async () => (await get('nonsense', VENDORS, from('192.0.2.1'))).status, { timeout: 120_000 })
      .toBe(401);
  });

  test('is the same from each of its ports', async () => {
    const { get } = await startExhausted('192.0.2.6:1000');
    for (const address of ['192.0.2.6:1001', '192.0.2.6', '[192.0.2.6]:2'])
      await expectRateLimited(await get('nonsense', VENDORS, from(address)));
    expect((await get('nonsense', VENDORS, from('192.0.2.7:1000'))).status).toBe(401);
  });

  test('may still use a valid API key or token', async () => {
    const { ask, get } = await startExhausted('192.0.2.2');
    const key = await createKey();
    for (let request = 0; request < 30; request++) {
      expect((await get(key, VENDORS, from('192.0.2.2'))).status).toBe(200);
      await expectRateLimited(await get('nonsense', VENDORS, from('192.0.2.2')));
    }
    const operator = { Authorization: `Bearer ${OPERATOR_TOKEN}`, ...from('192.0.2.2') };
    expect((await ask('/trpc/management.company.list', operator)).status).toBe(200);
  });

  test('gets a few lookups of unknown keys, and may use a known key during a flood of them', async () => {
    const { get } = await startExhausted('192.0.2.3');
    const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'Beside a flood' });
    expect((await get(key, VENDORS, from('192.0.2.3'))).status).toBe(200);
    const flood = await Promise.all(
      Array.from({ length: 200 }, () => get(generateRawKey(), VENDORS, from('192.0.2.3'))),
    );
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([429]));
    expect((await get(key, VENDORS, from('192.0.2.3'))).status).toBe(200);
    await acme.manage.apiKey.revoke({ uniqueId });
    await expectRateLimited(await get(key, VENDORS, from('192.0.2.3')));
  });

  test('may use a known key, and gets a short Retry-After for an unknown one', async () => {
    const app = await startLimitedApp(1000);
    const key = await createKey();
    expect((await app.get(key, VENDORS, from('192.0.2.9'))).status).toBe(200);
    const { uniqueId } = await acme.manage.apiKey.create({ name: 'Invalidates the cache of API keys' });
    await acme.manage.apiKey.revoke({ uniqueId });
    for (let attempt = 0; attempt <= FAILURES; attempt++) await app.get('nonsense', VENDORS, from('192.0.2.8'));
    const shortestWait = async () => {
      const flood = await Promise.all(
        Array.from({ length: 50 }, () => app.get(generateRawKey(), VENDORS, from('192.0.2.8'))),
      );
      return Math.min(...flood.map(({ headers }) => Number(headers.get('Retry-After'))));
    };
    // All requests of a flood may arrive before ten of them have failed.
    await expect.poll(shortestWait, { interval: 0 }).toBe(1);
    expect((await app.get(key, VENDORS, from('192.0.2.8'))).status).toBe(200);
  });

  test('does not affect other addresses, and disabled keys count as failures', async () => {
    const { get } = await startExhausted('192.0.2.4');
    expect((await get('nonsense', VENDORS, from('192.0.2.5'))).status).toBe(401);
    const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'Disabled' });
    await acme.manage.apiKey.update({ uniqueId, enabled: false });
    const codes = new Map<string | null, number>();
    for (let attempt = 0; attempt < FAILURES + 5; attempt++) {
      const code = (await get(key, VENDORS, from('192.0.2.6'))).headers.get('X-Error-Code');
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect(Object.fromEntries(codes)).toEqual({ key_disabled: FAILURES, rate_limited: 5 });
  });

  test.for([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '8193:3512:1:2'],
    ['2001:db8:1:2::', '8193:3512:1:2'],
    ['2001:DB8:0001:2::6', '8193:3512:1:2'],
    ['2001:db8::6', '8193:3512:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', '65152:0:0:0'],
    ['64:ff9b::203.0.113.7', '100:65435:0:0'],
    ['1:2:3::192.0.2.1', '1:2:3:0'],
    ['::2:3:4:5:6:7:8', '0:2:3:4'],
    ['unknown', 'unknown'],
  ] as const)('%s is counted as %s', ([address, network]) => {
    expect(networkPrefix(address)).toBe(network);
  });
});

test('a limit of 0 disables rate limits and their headers', async () => {
  const settings = { rateLimitPerMinute: 0, companyRateLimitPerMinute: 0, redisUrl: undefined };
  expect(await openRateLimits(settings, createLog('silent'))).toBeUndefined();
  const app = await startApp({});
  onTestFinished(app.stop);
  for (let attempt = 0; attempt < 70; attempt++) {
    const response = await app.ask(VENDORS, { 'X-API-Key': 'nonsense' });
    expect(response.status).toBe(401);
  }
  const response = await app.ask(VENDORS, { 'X-API-Key': acme.key });
  expect(response.status).toBe(200);
  expect([...response.headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
});
