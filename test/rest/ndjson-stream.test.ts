import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, vi } from 'vitest';
import { OPERATOR } from '../../entities/company/user.ts';
import { test } from '../support/fixtures/test.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database, tamper } from '../support/database/database.ts';
import { http, url } from '../support/http/server.ts';

const LIST_PATH = '/external/audit/list';
const NDJSON_HEADERS = { Accept: 'application/x-ndjson' };

/** Inserts large audit events. A socket buffer holds a few hundred of them. */
const seedEvents = (acme: TestCompany, events: number) =>
  tamper(`insert into audit_event
      (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, changes, request_id)
      select ${acme.id}, uuid_v7(), now() - i * interval '1 second', '${OPERATOR.uniqueId}', 'vendor.update', 'vendor', 'seeded',
        jsonb_build_object('description', jsonb_build_object('from', repeat('x', 10000), 'to', i::text)), 'seed'
      from generate_series(1, ${events}) i`);

/** Opens an export without reading from it. */
function openStream(key: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(`${url}${LIST_PATH}`, { headers: { 'X-API-Key': key, ...NDJSON_HEADERS }, agent: false }, resolve)
    .on('error', reject)
    .end();
  return promise;
}

describe('the audit log as NDJSON', () => {
  test('contains every matching event, newest first, as the pages do, and a last line without a cursor', async ({
    acme,
  }) => {
    for (let index = 0; index < 120; index++) await acme.vendor.create({ name: `Vendor ${index}` });
    const response = await http('GET', LIST_PATH, { key: acme.key, headers: NDJSON_HEADERS });
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'application/x-ndjson' } });
    expect(response.headers['x-request-id']).toEqual(expect.any(String));
    const events = response.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const first = await acme.audit.list({ limit: 100 });
    const second = await acme.audit.list({ limit: 100, cursor: first.nextCursor ?? '' });
    expect(events).toEqual([...first.items, ...second.items, { cursor: null }]);
    expect(events).toHaveLength(126);
  });

  test('respects the filters, and has only the last line if nothing matches', async ({ acme }) => {
    const { createdAt } = await acme.vendor.create({ name: 'Cloud Ltd' });
    const range = `since=${createdAt}&resourceType=vendor`;
    expect(
      (await http('GET', `${LIST_PATH}?${range}`, { key: acme.key, headers: NDJSON_HEADERS })).text.split('\n'),
    ).toHaveLength(3);
    const none = await http('GET', `${LIST_PATH}?until=2000-01-01T00:00:00Z`, {
      key: acme.key,
      headers: NDJSON_HEADERS,
    });
    expect(none).toMatchObject({ status: 200, text: '{"cursor":null}\n' });
  });

  test.for([
    ['?limit=5', 400, 'limit: not allowed with Accept: application/x-ndjson'],
    ['?cursor=x', 400, 'cursor: not allowed with Accept: application/x-ndjson'],
    ['?since=now', 400, 'since: expected a timestamp'],
    ['?colour=red', 400, 'colour: unknown parameter; known: resourceType, '],
  ] as const)('rejects %s before the first line', async ([query, status, message], { acme }) => {
    const response = await http('GET', LIST_PATH + query, { key: acme.key, headers: NDJSON_HEADERS });
    expect(response).toMatchObject({ status, body: { error: expect.stringContaining(message) } });
    expect(await http('GET', LIST_PATH, { key: 'nonsense', headers: NDJSON_HEADERS })).toMatchObject({ status: 401 });
  });

  test('returns the content type without a line for HEAD', async ({ acme }) => {
    const response = await http('HEAD', LIST_PATH, { key: acme.key, headers: NDJSON_HEADERS });
    expect(response).toMatchObject({ status: 200, text: '', headers: { 'content-type': 'application/x-ndjson' } });
  });

  test.for([
    '*/*',
    'application/json',
    'text/html',
    'application/json, application/x-ndjson',
    'application/x-ndjson;q=0',
  ])('is not returned for Accept: %s', async (accept, { acme }) => {
    const response = await http('GET', LIST_PATH, { key: acme.key, headers: { Accept: accept } });
    expect(response.body).toEqual(await acme.audit.list());
  });

  test('does not affect other lists', async ({ acme }) => {
    const response = await http('GET', '/external/department/list', {
      key: acme.key,
      headers: NDJSON_HEADERS,
    });
    expect(response).toMatchObject({ status: 200, body: [{ id: acme.department }] });
  });
});

describe('an export', () => {
  let acme: TestCompany;
  beforeAll(async () => {
    acme = await createCompany();
    await seedEvents(acme, 3000);
  });

  test('stops at a full socket buffer, and is complete when the client reads later', async () => {
    await withPageCount(async (pages) => {
      const response = await openStream(acme.key);
      await wait(600);
      expect(pages()).toBeLessThan(25); // of 31
      let bytes = 0;
      for await (const chunk of response) bytes += (chunk as Buffer).length;
      expect(bytes).toBeGreaterThan(30_000_000);
      expect(pages()).toBe(31);
    });
  });

  test('stops when the client closes the connection', async () => {
    await withPageCount(async (pages) => {
      const response = await openStream(acme.key);
      await wait(200);
      response.destroy();
      await wait(200);
      const pageCount = pages();
      await wait(300);
      expect(pages()).toBe(pageCount);
      expect(pageCount).toBeLessThan(31);
    });
  });

  test('is aborted, and not completed, when its API key is revoked', async () => {
    const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'Export' });
    const response = await openStream(key);
    await acme.manage.apiKey.revoke({ uniqueId });
    await wait(1100); // every process knows the revocation after a second
    const reading = (async () => {
      for await (const chunk of response) void chunk;
    })();
    await expect(reading).rejects.toThrow('aborted');
  });
});

/** Runs a function with a counter of the pages that the database has read since. */
async function withPageCount(run: (pages: () => number) => Promise<void>): Promise<void> {
  const spy = vi.spyOn(database, 'run');
  try {
    await run(() => spy.mock.calls.filter(([{ name }]) => name.startsWith('audit.by-')).length);
  } finally {
    spy.mockRestore();
  }
}
