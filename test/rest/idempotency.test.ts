import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { IdempotencyRecord } from '../../entities/idempotency-record.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { startIdempotencyCleanup } from '../../server/jobs/delete-expired-idempotency-records.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database, sql } from '../support/database/database.ts';
import { http, sendRaw } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

let acme: TestCompany;
beforeAll(async () => {
  acme = await createCompany();
});

const VENDORS = '/external/smart-inventory/vendor';

interface RequestOptions {
  method?: string;
  path?: string;
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
}

/** By default, a vendor is created. */
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
/** What a replay must have of the answer that was given first. */
const replayedParts = ({ status, text, headers }: HttpResponse) => ({
  status,
  text,
  headers: ['location', 'etag', 'content-type', 'preference-applied'].map((name) => headers[name]),
});
const storedRecords = (of: TestCompany) => sql('select status from idempotency_record where company_id = $1', of.id);
/** Makes everything that is remembered of a company so much older. */
const ageRecords = (of: TestCompany, by: string) =>
  sql('update idempotency_record set created_at = created_at - $2::interval where company_id = $1', of.id, by);

describe('the same request again', () => {
  const cases: [string, () => Promise<RequestOptions>][] = [
    ['creates a vendor', async () => ({})],
    ['creates a task', async () => ({ path: `/external/task/framework/${acme.framework}/new`, body: { title: 'x' } })],
    ['changes a vendor', async () => vendorEdit({})],
    ['changes a vendor and shows it', async () => vendorEdit({ Prefer: 'return=representation' })],
    ['changes a vendor in one state', async () => vendorEdit({ 'If-Match': '*' })],
    [
      'changes a task',
      async () => {
        const { uniqueId } = await acme.newTask();
        return { method: 'PATCH', path: `/external/task/${uniqueId}/edit`, body: { priority: 1 } };
      },
    ],
    ['deletes a vendor', async () => ({ method: 'DELETE', path: `${VENDORS}/${await newVendor()}/delete` })],
    [
      'deletes a task',
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

  test.for(cases)('%s once, and is answered the same', async ([, make]) => {
    const asked = await make();
    const name = randomUUID();
    const first = await requestWithKey(name, asked);
    expect(first.status).toBeLessThan(300);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const events = await acme.events();
    const again = await requestWithKey(name, asked);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(replayedParts(again)).toEqual(replayedParts(first));
    expect(await acme.events()).toEqual(events);
  });

  test('may have its fields in another order, and a slash at the end of its path', async () => {
    const first = await requestWithKey('order', { body: { name: 'x', description: 'y' } });
    const again = await requestWithKey('order', {
      body: '{ "description": "y",\n"name": "\\u0078" }',
      path: `${VENDORS}/new/`,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(replayedParts(again)).toEqual(replayedParts(first));
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  test('is answered the same though the resource has changed or gone since', async () => {
    const first = await requestWithKey('gone');
    await acme.vendor.delete({ vendor: uniqueIdOf(first) });
    expect(replayedParts(await requestWithKey('gone'))).toEqual(replayedParts(first));
  });

  test('twenty times at once gives one vendor and one event', async () => {
    const globex = await createCompany('Globex');
    const answers = await Promise.all(Array.from({ length: 20 }, () => requestWithKey('burst', { key: globex.key })));
    for (const { status, headers } of answers) {
      expect([201, 409]).toContain(status);
      if (status === 409) expect(headers).toMatchObject({ 'retry-after': '1', 'x-error-code': 'idempotency_conflict' });
    }
    const done = answers.filter(({ status }) => status === 201);
    expect(done.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    expect(new Set(done.map(uniqueIdOf)).size).toBe(1);
    expect(await globex.vendor.list()).toHaveLength(1);
    expect((await globex.events()).filter(({ action }) => action === 'vendor.create')).toHaveLength(1);
  });
});

describe('another request with the same key is 422 and changes nothing:', () => {
  test.for<[string, (vendor: string) => RequestOptions]>([
    ['another body', () => ({ body: { name: 'Other Ltd' } })],
    ['a field more', () => ({ body: { name: 'Cloud Ltd', active: true } })],
    ['another path', () => ({ path: `/external/task/framework/${acme.framework}/new`, body: { title: 'x' } })],
    ['another method', (vendor) => ({ method: 'DELETE', path: `${VENDORS}/${vendor}/delete` })],
  ])('%s', async ([, make]) => {
    const name = randomUUID();
    const vendor = uniqueIdOf(await requestWithKey(name));
    const events = await acme.events();
    const answer = await requestWithKey(name, make(vendor));
    expect(answer).toMatchObject({ status: 422, headers: { 'x-error-code': 'idempotency_conflict' } });
    expect(answer.body).toEqual({ error: 'Idempotency-Key: was used for another request' });
    expect(await acme.events()).toEqual(events);
  });

  test('another tag, another preference', async () => {
    const { uniqueId } = await acme.vendor.create({ name: 'x' });
    const edit = (headers: Record<string, string>) =>
      requestWithKey('tags', { method: 'PATCH', path: `${VENDORS}/${uniqueId}/edit`, body: { name: 'y' }, headers });
    expect((await edit({ 'If-Match': '*' })).status).toBe(204);
    expect((await edit({ 'If-Match': '"2-00000000"' })).status).toBe(422);
    expect((await edit({ 'If-Match': '*', Prefer: 'return=representation' })).status).toBe(422);
  });
});

describe('the header', () => {
  test.for(['', ' ', 'x'.repeat(256), 'schlüssel', 'a\tb'])('%j is 400', async (name) => {
    expect(await requestWithKey(name)).toMatchObject({
      status: 400,
      body: { error: 'Idempotency-Key: expected 1 to 255 printable ASCII characters, once' },
    });
  });

  test('twice is 400', async () => {
    const body = '{"name":"x"}';
    const lines = [
      `POST ${VENDORS}/new HTTP/1.1`,
      'Host: x',
      `X-API-Key: ${acme.key}`,
      'Content-Type: application/json',
    ];
    const bytes = [
      ...lines,
      'Idempotency-Key: a',
      'Idempotency-Key: b',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    expect(await sendRaw(`${bytes.join('\r\n')}\r\n\r\n${body}`)).toMatch(/^HTTP\/1\.1 400/);
  });

  test.for(['x', 'x'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'a b, c', '~!@#$%^&*()'])(
    '%s is taken as it is',
    async (name) => {
      expect((await requestWithKey(name)).status).toBe(201);
      expect((await requestWithKey(name)).headers['idempotency-replayed']).toBe('true');
    },
  );

  test('is not heeded by what only reads', async () => {
    const answers = [];
    for (let time = 0; time < 2; time++)
      answers.push(await http('GET', `${VENDORS}/list`, { key: acme.key, headers: { 'Idempotency-Key': 'ü' } }));
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers['idempotency-replayed']).toBeUndefined();
    }
  });

  test('may be a secret: it is not stored', async () => {
    await requestWithKey(acme.key);
    expect((await requestWithKey(acme.key)).headers['idempotency-replayed']).toBe('true'); // support/secrecy.ts looks for it everywhere
  });
});

describe('nothing is remembered of a request', () => {
  test.for<[number, RequestOptions]>([
    [400, { body: { nonsense: 1 } }],
    [400, { body: '{', headers: { 'Content-Type': 'application/json' } }],
    [404, { method: 'DELETE', path: `${VENDORS}/0199aaaa-0000-7000-8000-000000000000/delete` }],
    [404, { path: '/external/task/framework/2147483647/new', body: { title: 'x' } }],
  ])('that is %i', async ([status, asked]) => {
    const globex = await createCompany('Globex');
    expect((await requestWithKey('refused', { ...asked, key: globex.key })).status).toBe(status);
    expect(await storedRecords(globex)).toEqual([]);
    expect((await requestWithKey('refused', { key: globex.key })).status).toBe(201);
  });

  test('that is refused inside the transaction: 409, 412, 422; it succeeds once the reason is gone', async () => {
    const globex = await createCompany('Globex');
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
    expect((await edit({ status: 'in_review' })).headers['x-error-code']).toBe('conflict');
    expect((await edit({ title: 'x' }, { 'If-Match': '"1-00000000"' })).status).toBe(412);
    expect((await edit({ dueDate: '2026-01-01' })).status).toBe(422);
    expect(await storedRecords(globex)).toEqual([]);
    await globex.task.update({ taskUniqueId: uniqueId, startDate: null });
    expect((await edit({ dueDate: '2026-01-01' })).status).toBe(200);
  });

  test('whose answer cannot be stored: the change is undone with it', async () => {
    const globex = await createCompany('Globex');
    await sql(`alter table idempotency_record add constraint refused check (company_id <> ${globex.id})`);
    try {
      expect((await requestWithKey('broken', { key: globex.key })).status).toBe(500);
    } finally {
      await sql('alter table idempotency_record drop constraint refused');
    }
    expect(await globex.vendor.list()).toEqual([]);
    expect((await globex.events()).filter(({ action }) => action === 'vendor.create')).toEqual([]);
    expect((await requestWithKey('broken', { key: globex.key })).headers['idempotency-replayed']).toBeUndefined();
  });
});

describe('an answer is given again', () => {
  test('for 24 hours, and then the request is a new one', async () => {
    const globex = await createCompany('Globex');
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

  test('to both secrets of a key, and to no other key', async () => {
    const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'Rotated' });
    const first = await requestWithKey('mine', { key });
    const rotated = await acme.manage.apiKey.rotate({ uniqueId, overlapSeconds: 60 });
    for (const secret of [key, rotated.key])
      expect(uniqueIdOf(await requestWithKey('mine', { key: secret }))).toBe(uniqueIdOf(first));
    const others = [(await acme.manage.apiKey.create({ name: 'Other' })).key, (await createCompany('Globex')).key];
    for (const other of others) {
      const answer = await requestWithKey('mine', { key: other });
      expect(answer.headers['idempotency-replayed']).toBeUndefined();
      expect(uniqueIdOf(answer)).not.toBe(uniqueIdOf(first));
    }
  });

  test('to a key that still may: after it is narrowed it is 403, revoked 401', async () => {
    const other = await acme.manage.framework.create({ name: 'SOC 2' });
    const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'Narrowed' });
    const edited = (await acme.newTask()).uniqueId;
    const deleted = (await acme.newTask()).uniqueId;
    const asked: [string, RequestOptions][] = [
      ['create', { key, path: `/external/task/framework/${acme.framework}/new`, body: { title: 'x' } }],
      ['edit', { key, method: 'PATCH', path: `/external/task/${edited}/edit`, body: { priority: 1 } }],
      ['delete', { key, method: 'DELETE', path: `/external/task/${deleted}/delete` }],
    ];
    const all = async () => Promise.all(asked.map(async ([name, given]) => (await requestWithKey(name, given)).status));
    expect(await all()).toEqual([201, 200, 204]);
    await acme.manage.apiKey.update({ uniqueId, frameworks: [other.id] });
    expect(await all()).toEqual([403, 403, 403]);
    // The same framework, its digits escaped: neither the answer nor that there is one is told.
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

  test('is not looked for where the fields contradict each other', async () => {
    const id = uniqueIdOf(await requestWithKey('contradiction'));
    const body = { active: true, status: 'inactive' };
    const answer = await requestWithKey('contradiction', { method: 'PATCH', path: `${VENDORS}/${id}/edit`, body });
    expect(answer).toMatchObject({ status: 400, body: { error: 'active: contradicts status inactive' } });
  });

  test('within the limit of the key: replays count', async () => {
    const app = await startApp({ rateLimits: await openTestRateLimits(2) });
    const headers = { 'X-API-Key': acme.key, 'Content-Type': 'application/json', 'Idempotency-Key': 'limited' };
    const post = async () =>
      (await app.ask(`${VENDORS}/new`, headers, { method: 'POST', body: '{"name":"x"}' })).status;
    expect([await post(), await post(), await post()]).toEqual([201, 201, 429]);
    await app.stop();
  });
});

describe('what is remembered', () => {
  test('is seen through entities by its own company alone', async () => {
    const [globex, rival] = [await createCompany('Globex'), await createCompany('Rival')];
    await requestWithKey('tenancy', { key: globex.key });
    const count = async ({ id }: TestCompany) =>
      (await new Session(database, operatorPrincipal(id), 'tenancy').unitOfWork()).count(IdempotencyRecord);
    expect([await count(globex), await count(rival)]).toEqual([1, 0]);
  });

  test('is removed after 24 hours by itself, by however many do so, and what is younger stays', async () => {
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
    const stops = [1, 2, 3].map(() => startIdempotencyCleanup(database, createLog('silent'), 50));
    await vi.waitUntil(async () => (await storedRecords(old)).length === 0, { timeout: 15_000 });
    await Promise.all(stops.map((stop) => stop()));
    expect(await storedRecords(young)).toHaveLength(1);
  });
});

test('a transaction holds up nobody who asks something else meanwhile', async () => {
  const session = new Session(database, operatorPrincipal(acme.id), 'transaction');
  const inside = session.transaction(async () => wait(200));
  expect((await http('GET', `${VENDORS}/list`, { key: acme.key })).status).toBe(200);
  await inside;
});

test('a unit of work inside a transaction is refused, as it would be no part of it', async () => {
  const session = new Session(database, operatorPrincipal(acme.id), 'transaction');
  await expect(session.transaction(async (inside) => inside.unitOfWork())).rejects.toThrow(
    'not supported inside a transaction',
  );
});
