import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiKeyRequests } from '../../database/api-key/requests.ts';
import { Session } from '../../database/session.ts';
import { Database } from '../../database/database.ts';
import { addRequests, deleteOldRequests } from '../../entities/api-key/request.ts';
import type { RequestRow } from '../../entities/api-key/request.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { database, sql } from '../support/database/database.ts';
import { stubDriver } from '../support/database/stub-driver.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { callTool } from '../support/http/mcp.ts';
import { callerForKey, createCompany, operatorCaller } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const VENDORS = '/external/smart-inventory/vendor';

let acme: TestCompany;
let app: Awaited<ReturnType<typeof startApp>>;
beforeAll(async () => {
  app = await startApp({});
});
afterAll(() => app.stop());
beforeEach(async () => {
  acme = await createCompany();
});

const send = (method: string, path: string, { headers = {}, key = acme.key, url = app.url } = {}) =>
  fetch(`${url}${path}`, { method, headers: { 'X-API-Key': key, ...headers } });

/** The requests of a key of the company, newest first, when at least `count` are written. */
async function listed(count: number, { manage, apiKey } = acme) {
  // The server records a request after the client has received its response.
  return vi.waitFor(
    async () => {
      await database.apiKeyRequests.flush();
      const { items } = await manage.apiKey.requests({ uniqueId: apiKey.uniqueId, limit: 100 });
      expect(items.length).toBeGreaterThanOrEqual(count);
      return items;
    },
    { timeout: 60_000 },
  );
}

const requestOf = (
  { id, apiKey }: Pick<TestCompany, 'id' | 'apiKey'>,
  fields: Partial<RequestRow> & { key?: string } = {},
) => ({
  company: id,
  key: apiKey.uniqueId,
  uniqueId: newUniqueId(),
  at: new Date().toISOString(),
  method: 'GET',
  path: '/external/task',
  status: 200,
  code: null,
  requestId: 'a-request',
  durationMs: 1,
  ...fields,
});

const stored = async ({ id }: TestCompany) =>
  (
    await sql<{ path: string }>('select path from api_key_request where company_id = $1 order by at, unique_id', id)
  ).map(({ path }) => path);

describe('requests with an API key', () => {
  test('are listed with method, path, status and code, newest first, refused ones too', async () => {
    const rateLimits = await openTestRateLimits(4);
    const limited = await startApp({ rateLimits });
    try {
      const { url } = limited;
      const missing = `${VENDORS}/${newUniqueId()}/item`;
      const { headers } = await send('HEAD', `${VENDORS}/list?q=secret-text`, { url });
      for (const [method, path] of [
        ['GET', missing],
        ['POST', `${VENDORS}/list`],
        ['GET', '/external/nowhere'],
        ['GET', '/external/api-key/whoami'],
      ])
        await (await send(String(method), String(path), { url })).text();
      const items = await listed(5);
      expect(items).toEqual([
        expect.objectContaining({ method: 'GET', path: '/external/api-key/whoami', status: 429, code: 'rate_limited' }),
        expect.objectContaining({ path: '/external/nowhere', status: 404, code: 'not_found' }),
        expect.objectContaining({ method: 'POST', path: `${VENDORS}/list`, status: 405, code: 'method_not_allowed' }),
        expect.objectContaining({ path: missing, status: 404, code: 'not_found' }),
        {
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
          method: 'HEAD',
          path: `${VENDORS}/list`,
          status: 200,
          code: null,
          requestId: headers.get('X-Request-Id'),
          durationMs: expect.any(Number),
        },
      ]);
    } finally {
      await limited.stop();
      rateLimits.close();
    }
  });

  test('are listed with 403 and 412 of the procedure', async () => {
    const { key, ...apiKey } = await acme.manage.apiKey.create({ name: 'Reader', scopes: ['vendor:read'] });
    const vendor = await acme.vendor.create({ name: 'Cloud Ltd' });
    await send('DELETE', `${VENDORS}/${vendor.uniqueId}/delete`, { key });
    expect(await listed(1, { ...acme, apiKey })).toMatchObject([{ status: 403, code: 'forbidden' }]);
    await send('DELETE', `${VENDORS}/${vendor.uniqueId}/delete`, { headers: { 'If-Match': '"other"' } });
    expect(await listed(1)).toMatchObject([{ status: 412, code: 'precondition_failed' }]);
  });

  test('over tRPC and MCP have the code of the call that failed', async () => {
    await send('GET', '/trpc/vendor.get?input=%7B%22vendor%22%3A%22x%22%7D');
    expect(await listed(1)).toMatchObject([{ path: '/trpc/vendor.get', status: 404, code: 'not_found' }]);
    await callTool(acme.key, 'vendor_get', { vendor: 'x' });
    expect((await listed(2))[0]).toMatchObject({ method: 'POST', path: '/mcp', status: 200, code: 'not_found' });
  });

  test('that is disabled or revoked show the reason to its admins', async () => {
    const { uniqueId } = acme.apiKey;
    await acme.manage.apiKey.update({ uniqueId, enabled: false });
    await send('GET', `${VENDORS}/list`);
    expect(await listed(1)).toMatchObject([{ status: 401, code: 'key_disabled' }]);
    await acme.manage.apiKey.revoke({ uniqueId });
    await send('GET', `${VENDORS}/list`);
    expect((await listed(2))[0]).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  test('show no secret: a key in the path is redacted, and a long path is truncated', async () => {
    await send('GET', `/external/${acme.key}`);
    await send('GET', `/external/${'x'.repeat(5000)}`);
    const [long, redacted] = await listed(2);
    expect(redacted).toMatchObject({ path: '/external/svc_sk_live_[redacted]' });
    expect(long?.path).toHaveLength(2048);
  });

  test('have no status if the client leaves before the response', async () => {
    const left = new AbortController();
    const { cursor } = await (await callerForKey(acme.key)).changes.list({ from: 'now' });
    const waiting = fetch(`${app.url}/external/changes?cursor=${cursor}&wait=30`, {
      headers: { 'X-API-Key': acme.key },
      signal: left.signal,
    });
    await vi.waitFor(() => expect(database.sealWaiters.count).toBeGreaterThan(0), { timeout: 60_000 });
    left.abort();
    await expect(waiting).rejects.toThrow('aborted');
    expect(await listed(1)).toMatchObject([{ path: '/external/changes', status: null, code: null }]);
  });

  test('of members and of other companies are not listed, and nothing is audited', async () => {
    const rival = await createCompany('Rival');
    const before = (await acme.events()).length;
    await send('GET', `${VENDORS}/list`);
    await send('GET', `${VENDORS}/list`, { key: rival.key });
    expect(await listed(1)).toHaveLength(1);
    const uniqueId = rival.apiKey.uniqueId;
    await expect(acme.manage.apiKey.requests({ uniqueId })).rejects.toThrow('apiKey: not found');
    await expect(acme.manage.apiKey.requests({ uniqueId: 'x' })).rejects.toThrow('apiKey: not found');
    expect(await acme.events()).toHaveLength(before);
    const { caller } = await createMember(acme, { role: 'editor' });
    await expect(caller.management.apiKey.requests({ uniqueId: acme.apiKey.uniqueId })).rejects.toThrow('role');
    await expect(caller.apiKey.requests({})).rejects.toThrow('API key');
  });

  test('are listed to the key itself over REST in pages, whatever its scopes', async () => {
    const { key, ...apiKey } = await acme.manage.apiKey.create({ name: 'Writer', scopes: ['vendor:write'] });
    for (const path of ['/a', '/b', '/c']) await send('GET', `/external${path}`, { key });
    await listed(3, { ...acme, apiKey });
    const page = async (query: string) =>
      (await app.ask(`/external/api-key/requests?limit=2${query}`, { 'X-API-Key': key })).json() as Promise<{
        items: { path: string }[];
        nextCursor: string;
      }>;
    const first = await page('');
    const second = await page(`&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items].map(({ path }) => path)).toEqual([
      '/external/c',
      '/external/b',
      '/external/a',
    ]);
    expect(second.nextCursor).toBeNull();
    const other = await send('GET', `/external/api-key/requests?cursor=${first.nextCursor}`);
    expect(other.status).toBe(400);
  });
});

describe('the recorder', () => {
  test('keeps the last 1,000 requests of a key, and deletes the others when enough new ones are there', async () => {
    const recorder = new ApiKeyRequests(database);
    const now = Date.now();
    let sent = 0;
    const record = (count: number) => {
      for (const end = sent + count; sent < end; sent++)
        recorder.record(requestOf(acme, { path: `/${sent}`, at: new Date(now - 60_000 + sent).toISOString() }));
      return recorder.flush();
    };
    await record(1200); // of which memory keeps 1,000
    for (const count of [400, 400, 200]) await record(count);
    expect(await stored(acme)).toEqual(Array.from({ length: 1200 }, (_, index) => `/${index + 1000}`));
    const { items } = await acme.manage.apiKey.requests({ uniqueId: acme.apiKey.uniqueId, limit: 1 });
    expect(items).toMatchObject([{ path: '/2199' }]);
    const all = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await acme.manage.apiKey.requests({ uniqueId: acme.apiKey.uniqueId, limit: 100, cursor });
      all.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(all.map(({ path }) => path)).toEqual(Array.from({ length: 1000 }, (_, index) => `/${2199 - index}`));
  });

  test('writes one statement for many keys and requests, and none without requests', async () => {
    const sizes: number[] = [];
    const recorder = new ApiKeyRequests({
      run: (_statement, input) => {
        sizes.push(Object.values(input)[0].length);
        return Promise.resolve([]);
      },
    });
    await recorder.flush();
    for (let request = 0; request < 300; request++) recorder.record(requestOf(acme, { key: `key ${request % 10}` }));
    await recorder.flush();
    await recorder.flush();
    expect(sizes).toEqual([300]);
  });

  test('keeps requests while the database is down, at most 10,000, and writes them once', async () => {
    let isDown = true;
    let attempts = 0;
    const recorder = new ApiKeyRequests({
      run: async (...parameters) => {
        attempts += 1;
        if (isDown) throw new Error('down');
        await database.run(...parameters);
        if (attempts === 3) throw new Error('the connection broke after the commit');
        return [];
      },
    });
    recorder.record(requestOf(acme, { path: '/first' }));
    await recorder.flush();
    for (let request = 0; request < 12_000; request++) recorder.record(requestOf(acme, { key: newUniqueId() }));
    await recorder.flush();
    isDown = false;
    await recorder.flush();
    await recorder.flush();
    expect(await stored(acme)).toEqual(['/first']);
    expect(attempts).toBe(3 + 10_000 / 500);
  });

  test('is written when the service ends', async () => {
    const driver = stubDriver({ [addRequests.name]: () => [] });
    const ending = new Database(driver);
    ending.apiKeyRequests.record(requestOf(acme));
    await ending.close();
    expect(driver.calls.map(({ statement }) => statement.name)).toEqual([addRequests.name]);
  });

  test('skips a key that does not exist, and writes the others', async () => {
    const recorder = new ApiKeyRequests(database);
    recorder.record(requestOf(acme, { key: newUniqueId() }));
    recorder.record(requestOf(acme));
    await recorder.flush();
    expect(await stored(acme)).toHaveLength(1);
  });
});

test('requests older than a day are neither listed nor kept', async () => {
  const recorder = new ApiKeyRequests(database);
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  for (const hours of [0, 23, 25]) recorder.record(requestOf(acme, { path: `/${hours}`, at: hoursAgo(hours) }));
  await recorder.flush();
  const { items } = await operatorCaller(acme).management.apiKey.requests({ uniqueId: acme.apiKey.uniqueId });
  expect(items.map(({ path }) => path)).toEqual(['/0', '/23']);
  await new Session(database, null, 'test').one(deleteOldRequests, { now: new Date().toISOString() });
  expect(await stored(acme)).toEqual(['/23', '/0']);
});
