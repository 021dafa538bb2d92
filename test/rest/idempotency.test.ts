import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { IdempotencyRecord, deleteExpiredRecords } from '../../entities/idempotency-record/idempotency-record.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { test } from '../support/fixtures/test.ts';
import { runJob } from '../support/database/jobs.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database, databaseUrl, sql } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

const acme = await createCompany();

const VENDORS = '/external/smart-inventory/vendor';

interface RequestOptions {
  method?: string;
  path?: string;
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
}

/** Sends a request with an idempotency key. The default request creates a vendor. */
const requestWithKey = (
  idempotencyKey: string,
  { method = 'POST', path = `${VENDORS}/new`, body, key = acme.key, headers }: RequestOptions = {},
) =>
  http(method, path, {
    key,
    headers: { 'Idempotency-Key': idempotencyKey, ...headers },
    body: method === 'DELETE' ? undefined : (body ?? { name: 'Cloud Ltd' }),
  });

const uniqueIdOf = ({ body }: HttpResponse) => String(Reflect.get(Object(body), 'uniqueId'));
/** Parts of a response that a replay must repeat. */
const replayedParts = ({ status, text, headers }: HttpResponse) => ({
  status,
  text,
  headers: ['location', 'etag', 'content-type', 'preference-applied'].map((name) => headers[name]),
});
const storedRecords = (of: TestCompany) => sql('select status from idempotency_record where company_id = $1', of.id);
/** Makes all idempotency records of a company older. */
const ageRecords = (of: TestCompany, by: string) =>
  sql('update idempotency_record set created_at = created_at - $2::interval where company_id = $1', of.id, by);

describe('a retry with the same Idempotency-Key', () => {
  const cases: [string, () => Promise<RequestOptions>][] = [
    ['vendor creation', async () => ({})],
    ['task creation', async () => ({ path: `/external/task/framework/${acme.framework}/new`, body: { title: 'x' } })],
    ['vendor update', async () => vendorEdit({})],
    ['vendor update that returns the vendor', async () => vendorEdit({ Prefer: 'return=representation' })],
    ['vendor update with If-Match', async () => vendorEdit({ 'If-Match': '*' })],
    [
      'task update',
      async () => {
        const { uniqueId } = await acme.newTask();
        return { method: 'PATCH', path: `/external/task/${uniqueId}/edit`, body: { priority: 1 } };
      },
    ],
    ['vendor deletion', async () => ({ method: 'DELETE', path: `${VENDORS}/${await newVendor()}/delete` })],
    [
      'task deletion',
      async () => ({ method: 'DELETE', path: `/external/task/${(await acme.newTask()).uniqueId}/delete` }),
    ],
  ];
  const newVendor = async () => (await acme.vendor.create({ name: 'Cloud Ltd' })).uniqueId;
  const vendorEdit = async (headers: Record<string, string>): Promise<RequestOptions> => ({
    method: 'PATCH',
    path: `${VENDORS}/${await newVendor()}/edit`,
    body: { name: 'Cloud Inc' },
    headers,
  });

  test.for(cases)('has no second effect and returns the original response: %s', async ([, build]) => {
    const options = await build();
    const name = randomUUID();
    const first = await requestWithKey(name, options);
    expect(first.status).toBeLessThan(300);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const events = await acme.events();
    const retry = await requestWithKey(name, options);
    expect(retry.headers['idempotency-replayed']).toBe('true');
    expect(retry.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(replayedParts(retry)).toEqual(replayedParts(first));
    expect(await acme.events()).toEqual(events);
  });

  test('may change the field order, and add a slash to the path', async () => {
    const first = await requestWithKey('order', { body: { name: 'x', description: 'y' } });
    const retry = await requestWithKey('order', {
      body: '{ "description": "y",\n"name": "\\u0078" }',
      path: `${VENDORS}/new/`,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(replayedParts(retry)).toEqual(replayedParts(first));
    expect(retry.headers['idempotency-replayed']).toBe('true');
  });

  test('returns the original response after the resource was deleted', async () => {
    const first = await requestWithKey('gone');
    await acme.vendor.delete({ vendor: uniqueIdOf(first) });
    expect(replayedParts(await requestWithKey('gone'))).toEqual(replayedParts(first));
  });

  test('creates one vendor and one audit event, even if twenty requests run concurrently', async ({ globex }) => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => requestWithKey('burst', { key: globex.key })));
    for (const { status, headers } of responses) {
      expect([201, 409]).toContain(status);
      if (status === 409) expect(headers).toMatchObject({ 'retry-after': '1', 'x-error-code': 'idempotency_conflict' });
    }
    const created = responses.filter(({ status }) => status === 201);
    expect(created.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    expect(new Set(created.map(uniqueIdOf)).size).toBe(1);
    expect(await globex.vendor.list()).toHaveLength(1);
    expect((await globex.events()).filter(({ action }) => action === 'vendor.create')).toHaveLength(1);
  });
});

describe('a different request with the same Idempotency-Key gets 422 and changes nothing:', () => {
  test.for<[string, (vendor: string) => RequestOptions]>([
    ['different body', () => ({ body: { name: 'Other Ltd' } })],
    ['additional field', () => ({ body: { name: 'Cloud Ltd', active: true } })],
    ['different path', () => ({ path: `/external/task/framework/${acme.framework}/new`, body: { title: 'x' } })],
    ['different method', (vendor) => ({ method: 'DELETE', path: `${VENDORS}/${vendor}/delete` })],
  ])('%s', async ([, build]) => {
    const name = randomUUID();
    const vendor = uniqueIdOf(await requestWithKey(name));
    const events = await acme.events();
    const response = await requestWithKey(name, build(vendor));
    expect(response).toMatchObject({ status: 422, headers: { 'x-error-code': 'idempotency_conflict' } });
    expect(response.body).toEqual({ error: 'Idempotency-Key: already used for a different request' });
    expect(await acme.events()).toEqual(events);
  });

  test('different entity tag or preference', async () => {
    const { uniqueId } = await acme.vendor.create({ name: 'x' });
    const edit = (headers: Record<string, string>) =>
      requestWithKey('tags', { method: 'PATCH', path: `${VENDORS}/${uniqueId}/edit`, body: { name: 'y' }, headers });
    expect((await edit({ 'If-Match': '*' })).status).toBe(204);
    expect((await edit({ 'If-Match': '"2-00000000"' })).status).toBe(422);
    expect((await edit({ 'If-Match': '*', Prefer: 'return=representation' })).status).toBe(422);
  });
});

describe('the Idempotency-Key header', () => {
  test('is ignored by GET', async () => {
    const responses = [];
    for (let time = 0; time < 2; time++)
      responses.push(await http('GET', `${VENDORS}/list`, { key: acme.key, headers: { 'Idempotency-Key': 'ü' } }));
    for (const { status, headers } of responses) {
      expect(status).toBe(200);
      expect(headers['idempotency-replayed']).toBeUndefined();
    }
  });

  test('is stored only as a hash', async () => {
    await requestWithKey(acme.key);
    expect((await requestWithKey(acme.key)).headers['idempotency-replayed']).toBe('true'); // test/support/setup/redaction.ts searches all tables for it
  });
});

describe('no idempotency record is stored for', () => {
  test.for<[number, RequestOptions]>([
    [400, { body: { nonsense: 1 } }],
    [400, { body: '{', headers: { 'Content-Type': 'application/json' } }],
    [404, { method: 'DELETE', path: `${VENDORS}/0199aaaa-0000-7000-8000-000000000000/delete` }],
    [404, { path: '/external/task/framework/2147483647/new', body: { title: 'x' } }],
  ])('a request rejected with %i', async ([status, options], { globex }) => {
    expect((await requestWithKey('rejected', { ...options, key: globex.key })).status).toBe(status);
    expect(await storedRecords(globex)).toEqual([]);
    expect((await requestWithKey('rejected', { key: globex.key })).status).toBe(201);
  });

  test('a request rejected inside the transaction (409, 412, 422), which succeeds once the reason is removed', async ({
    globex,
  }) => {
    const { uniqueId } = await globex.newTask({ startDate: '2026-02-01' });
    await globex.task.update({ taskUniqueId: uniqueId, status: 'done' });
    const edit = (body: object, headers: Record<string, string> = {}) =>
      requestWithKey('rules', {
        method: 'PATCH',
        path: `/external/task/${uniqueId}/edit`,
        body,
        key: globex.key,
        headers,
      });
    expect((await edit({ status: 'canceled' })).headers['x-error-code']).toBe('conflict');
    expect((await edit({ title: 'x' }, { 'If-Match': '"1-00000000"' })).status).toBe(412);
    expect((await edit({ dueDate: '2026-01-01' })).status).toBe(422);
    expect(await storedRecords(globex)).toEqual([]);
    await globex.task.update({ taskUniqueId: uniqueId, startDate: null });
    expect((await edit({ dueDate: '2026-01-01' })).status).toBe(200);
  });

  test('a request whose record cannot be inserted, and its change is rolled back', async ({ globex }) => {
    await sql(`alter table idempotency_record add constraint rejected check (company_id <> ${globex.id})`);
    try {
      expect((await requestWithKey('broken', { key: globex.key })).status).toBe(500);
    } finally {
      await sql('alter table idempotency_record drop constraint rejected');
    }
    expect(await globex.vendor.list()).toEqual([]);
    expect((await globex.events()).filter(({ action }) => action === 'vendor.create')).toEqual([]);
    expect((await requestWithKey('broken', { key: globex.key })).headers['idempotency-replayed']).toBeUndefined();
  });
});

describe('a replay', () => {
  test('is returned for 24 hours, and then the request is executed retry', async ({ globex }) => {
    const first = await requestWithKey('day', { key: globex.key });
    await ageRecords(globex, '23 hours 59 minutes');
    expect(uniqueIdOf(await requestWithKey('day', { key: globex.key }))).toBe(uniqueIdOf(first));
    await ageRecords(globex, '1 minute');
    const second = await requestWithKey('day', { key: globex.key });
    expect(second.headers['idempotency-replayed']).toBeUndefined();
    expect(uniqueIdOf(second)).not.toBe(uniqueIdOf(first));
    expect(uniqueIdOf(await requestWithKey('day', { key: globex.key }))).toBe(uniqueIdOf(second));
    expect(await storedRecords(globex)).toHaveLength(1);
  });

  test('is returned to both secrets of an API key, and to no other API key', async () => {
    const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'Rotated' });
    const first = await requestWithKey('mine', { key });
    const rotated = await acme.manage.apiKey.rotate({ uniqueId, overlapSeconds: 60 });
    for (const secret of [key, rotated.key])
      expect(uniqueIdOf(await requestWithKey('mine', { key: secret }))).toBe(uniqueIdOf(first));
    const others = [(await acme.manage.apiKey.create({ name: 'Other' })).key, (await createCompany('Globex')).key];
    for (const other of others) {
      const response = await requestWithKey('mine', { key: other });
      expect(response.headers['idempotency-replayed']).toBeUndefined();
      expect(uniqueIdOf(response)).not.toBe(uniqueIdOf(first));
    }
  });

  test('needs the current permissions: 403 after a restriction, 401 after a revocation', async () => {
    const other = await acme.manage.framework.create({ name: 'SOC 2' });
    const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'Narrowed' });
    const edited = (await acme.newTask()).uniqueId;
    const deleted = (await acme.newTask()).uniqueId;
    const requests: [string, RequestOptions][] = [
      ['create', { key, path: `/external/task/framework/${acme.framework}/new`, body: { title: 'x' } }],
      ['edit', { key, method: 'PATCH', path: `/external/task/${edited}/edit`, body: { priority: 1 } }],
      ['delete', { key, method: 'DELETE', path: `/external/task/${deleted}/delete` }],
    ];
    const all = async () =>
      Promise.all(requests.map(async ([name, options]) => (await requestWithKey(name, options)).status));
    expect(await all()).toEqual([201, 200, 204]);
    await acme.manage.apiKey.update({ uniqueId, frameworks: [other.id] });
    expect(await all()).toEqual([403, 403, 403]);
    // The same framework with escaped digits: the response does not reveal if a record exists.
    const escaped = String(acme.framework).replace(/^\d/, (digit) => `%3${digit}`);
    for (const title of ['x', 'y']) {
      const path = `/external/task/framework/${escaped}/new`;
      expect((await requestWithKey('create', { key, path, body: { title } })).status).toBe(403);
    }
    await acme.manage.apiKey.update({ uniqueId, frameworks: [acme.framework] });
    expect(await all()).toEqual([201, 200, 204]);
    await acme.manage.apiKey.update({ uniqueId, scopes: ['task:read'] });
    expect(await all()).toEqual([403, 403, 403]);
    await acme.manage.apiKey.revoke({ uniqueId });
    expect(await all()).toEqual([401, 401, 401]);
  });

  test('needs what the procedure itself demands: 403 for a proof after a limit of frameworks', async () => {
    const scopes = ['audit:read', 'task:read', 'vendor:read', 'member:read'] as const;
    const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'Proofs', scopes: [...scopes] });
    const create = () => requestWithKey('proof', { key, path: '/external/proof/new', body: { evidence: false } });
    expect((await create()).status).toBe(202);
    await acme.manage.apiKey.update({ uniqueId, frameworks: [acme.framework] });
    expect((await create()).status).toBe(403);
  });

  test('is not searched if the fields contradict each other', async () => {
    const id = uniqueIdOf(await requestWithKey('contradiction'));
    const body = { active: true, status: 'inactive' };
    const response = await requestWithKey('contradiction', { method: 'PATCH', path: `${VENDORS}/${id}/edit`, body });
    expect(response).toMatchObject({ status: 400, body: { error: 'active: contradicts status inactive' } });
  });

  test('counts towards the rate limit of the API key', async () => {
    const app = await startApp({ rateLimits: await openTestRateLimits(2) });
    const headers = { 'X-API-Key': acme.key, 'Content-Type': 'application/json', 'Idempotency-Key': 'limited' };
    const post = async () =>
      (await app.ask(`${VENDORS}/new`, headers, { method: 'POST', body: '{"name":"x"}' })).status;
    expect([await post(), await post(), await post()]).toEqual([201, 201, 429]);
    await app.stop();
  });
});

describe('an idempotency record', () => {
  test('is visible through entities only to its own company', async ({ globex, rival }) => {
    await requestWithKey('tenancy', { key: globex.key });
    const count = async ({ id }: TestCompany) =>
      (await new Session(database, operatorPrincipal(id), 'tenancy').unitOfWork()).count(IdempotencyRecord);
    expect([await count(globex), await count(rival)]).toEqual([1, 0]);
  });

  test('is deleted after 24 hours, even if several cleanup jobs run concurrently, and younger records are kept', async () => {
    const [old, young] = [await createCompany('Old'), await createCompany('Young')];
    await requestWithKey('a', { key: old.key });
    await requestWithKey('b', { key: young.key });
    await sql(
      `insert into idempotency_record (company_id, api_key_id, key_hash, fingerprint, status, headers)
       select company_id, api_key_id, sha256(n::text::bytea), fingerprint, status, '{}' from idempotency_record, generate_series(1, 2500) n
       where company_id = $1`,
      old.id,
    );
    await ageRecords(old, '24 hours');
    await runJob(deleteExpiredRecords.name, { processes: 3 });
    expect(await storedRecords(old)).toEqual([]);
    expect(await storedRecords(young)).toHaveLength(1);
  });
});

test('a transaction does not block other requests', async () => {
  const session = new Session(database, operatorPrincipal(acme.id), 'transaction');
  const response = await session.transaction(async () => {
    const sent = http('GET', `${VENDORS}/list`, { key: acme.key });
    // The embedded database has one connection, which the request waits for.
    if (databaseUrl !== undefined) await sent;
    return { sent };
  });
  expect((await response.sent).status).toBe(200);
});

test('a unit of work inside a transaction is rejected, because it would not join the transaction', async () => {
  const session = new Session(database, operatorPrincipal(acme.id), 'transaction');
  await expect(session.transaction(async (transactionSession) => transactionSession.unitOfWork())).rejects.toThrow(
    'unit of work: not supported inside a transaction',
  );
});
