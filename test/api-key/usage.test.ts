import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiKeyUsageCounter } from '../../database/api-key/usage.ts';
import { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { generateRawKey } from '../../entities/api-key/raw-key.ts';
import { deleteOldUsage } from '../../entities/api-key/usage.ts';
import { database, sql } from '../support/database/database.ts';
import { startApp, openTestRateLimits } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const LIST_PATH = '/external/smart-inventory/vendor/list';

let acme: TestCompany;
beforeEach(async () => {
  acme = await createCompany();
});
afterEach(() => {
  vi.useRealTimers();
});

const usageOf = ({ manage, apiKey }: TestCompany) => manage.apiKey.usage({ uniqueId: apiKey.uniqueId });
const today = async (company: TestCompany) => (await usageOf(company)).at(-1);

/** Requests in the table, by age in days. */
const stored = ({ id }: TestCompany) =>
  sql<{ age: number; requests: number; errors: number; limited: number }>(
    `select (now() at time zone 'utc')::date - day as age, requests, errors, rate_limited as limited from api_key_usage
     where company_id = $1 order by day`,
    id,
  );

describe('requests with an API key', () => {
  test('are counted by response, over REST and tRPC, in batches', async () => {
    const rateLimits = await openTestRateLimits(4);
    const app = await startApp({ rateLimits });
    try {
      const get = (path: string, key = acme.key) => fetch(`${app.url}${path}`, { headers: { 'X-API-Key': key } });
      const statuses: number[] = [];
      for (const path of [LIST_PATH, '/trpc/vendor.list', LIST_PATH, `/external/task/${newUniqueId()}/item`, LIST_PATH])
        statuses.push((await get(path)).status);
      statuses.push((await get(LIST_PATH, generateRawKey())).status);
      expect(statuses).toEqual([200, 200, 200, 404, 429, 401]);
      // The server counts a response after the client has received it.
      await vi.waitFor(
        async () => {
          await database.apiKeyUsage.flush();
          expect(await stored(acme)).toEqual([{ age: 0, requests: 5, errors: 1, limited: 1 }]);
        },
        { timeout: 60_000 },
      );
      expect(await today(acme)).toMatchObject({ requests: 5, errors: 1, rateLimited: 1 });
    } finally {
      await app.stop();
      rateLimits.close();
    }
  });

  test('of a member are counted nowhere', async () => {
    const { caller } = await createMember(acme);
    await caller.vendor.list();
    await database.apiKeyUsage.flush();
    expect(await stored(acme)).toEqual([]);
  });
});

describe('the counter', () => {
  test('adds up the requests of two processes', async () => {
    const [one, two] = [new ApiKeyUsageCounter(database), new ApiKeyUsageCounter(database)];
    const rival = await createCompany('Rival');
    for (const counter of [one, two, two]) {
      counter.record(acme.id, acme.apiKey.uniqueId, 200);
      counter.record(rival.id, rival.apiKey.uniqueId, 500);
    }
    await Promise.all([one.flush(), two.flush()]);
    two.record(acme.id, acme.apiKey.uniqueId, 429);
    await two.flush();
    expect(await stored(acme)).toEqual([{ age: 0, requests: 4, errors: 0, limited: 1 }]);
    expect(await stored(rival)).toEqual([{ age: 0, requests: 3, errors: 3, limited: 0 }]);
  });

  test('writes one statement for many keys and requests, and none without requests', async () => {
    const inputs: object[] = [];
    const run: typeof database.run = (_statement, input) => {
      inputs.push(input);
      return Promise.resolve([]);
    };
    const counter = new ApiKeyUsageCounter({ run });
    await counter.flush();
    for (let request = 0; request < 1000; request++) counter.record(1, `key ${request % 10}`, 200);
    await counter.flush();
    await counter.flush();
    expect(inputs).toMatchObject([{ requests: Array.from({ length: 10 }, () => 100) }]);
  });

  test('keeps its counts while the database is down, and adds them later, each to its day', async () => {
    let isDown = true;
    const run: typeof database.run = (...parameters) =>
      isDown ? Promise.reject(new Error('down')) : database.run(...parameters);
    const counter = new ApiKeyUsageCounter({ run });
    const record = () => counter.record(acme.id, acme.apiKey.uniqueId, 200);
    const now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: now - 2 * 86_400_000 });
    record();
    vi.setSystemTime(now - 86_400_000);
    record();
    record();
    await counter.flush();
    record();
    await counter.flush();
    vi.setSystemTime(now);
    record();
    isDown = false;
    await counter.flush();
    await counter.flush();
    vi.useRealTimers();
    expect(await stored(acme)).toMatchObject([
      { age: 2, requests: 1 },
      { age: 1, requests: 3 },
      { age: 0, requests: 1 },
    ]);
  });

  test('keeps at most 10,000 keys while the database is down', async () => {
    const sizes: number[] = [];
    const counter = new ApiKeyUsageCounter({
      run: (_statement, input) => {
        sizes.push(Object.values(input)[0].length);
        return Promise.reject(new Error('down'));
      },
    });
    for (let round = 0; round < 2; round++) {
      for (let key = 0; key < 12_000; key++) counter.record(1, `${round} ${key}`, 200);
      await counter.flush();
    }
    expect(sizes).toEqual([10_000, 10_000]);
  });

  test('skips a key that does not exist, and writes the others', async () => {
    const counter = new ApiKeyUsageCounter(database);
    counter.record(acme.id, newUniqueId(), 200);
    counter.record(acme.id, acme.apiKey.uniqueId, 200);
    await counter.flush();
    expect(await stored(acme)).toMatchObject([{ requests: 1 }]);
  });
});

describe('management.apiKey.usage', () => {
  test('shows 30 days, oldest first, with zeros for days without requests', async () => {
    await sql(
      `insert into api_key_usage select $1, $2, (now() at time zone 'utc')::date - age, 10 + age, 2, 1
       from unnest('{0,1,29,30}'::int[]) age`,
      acme.id,
      acme.apiKey.uniqueId,
    );
    const days = await usageOf(acme);
    expect(days).toHaveLength(30);
    expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).toSorted());
    expect([days[0], days[28], days[29]]).toMatchObject([{ requests: 39 }, { requests: 11 }, { requests: 10 }]);
    expect(days[15]).toEqual({ day: days[15]?.day, requests: 0, errors: 0, rateLimited: 0 });
    expect(days[29]).toMatchObject({ errors: 2, rateLimited: 1 });
  });

  test('keeps the history of a revoked key', async () => {
    const counter = new ApiKeyUsageCounter(database);
    counter.record(acme.id, acme.apiKey.uniqueId, 200);
    await counter.flush();
    await acme.manage.apiKey.revoke({ uniqueId: acme.apiKey.uniqueId });
    expect(await today(acme)).toMatchObject({ requests: 1 });
  });
});

test('rows older than 31 days are deleted', async () => {
  await sql(
    `insert into api_key_usage select $1, $2, (now() at time zone 'utc')::date - age, 1, 0, 0
     from unnest('{0,30,31,32,100}'::int[]) age`,
    acme.id,
    acme.apiKey.uniqueId,
  );
  await new Session(database, null, 'test').one(deleteOldUsage, { now: new Date().toISOString() });
  expect((await stored(acme)).map(({ age }) => age)).toEqual([31, 30, 0]);
});
