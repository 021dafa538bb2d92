import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { deleteOldImports } from '../../entities/import/progress.ts';
import { Session } from '../../database/session.ts';
import { ImportRunner } from '../../procedures/import/job.ts';
import { test } from '../support/fixtures/test.ts';
import { database, sql, tamper } from '../support/database/database.ts';
import { http, url } from '../support/http/server.ts';
import { callerForKey } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { VENDORS, importFile, readImport, runImports, tasksOf, upload } from '../support/tenants/imports.ts';
import { readPages } from '../support/tenants/pages.ts';

const PATH = `${VENDORS}/import`;
const FILE = 'name\r\nA\r\n';
const UNKNOWN = '/external/import/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6075';

const storedImports = (acme: TestCompany) =>
  sql<{ state: string; chunks: number }>(
    `select i.state, (select count(*)::int from import_chunk c where c.import_id = i.unique_id) as chunks
     from import i where i.company_id = $1 order by i.queued_at`,
    acme.id,
  );

/** Starts an upload on a connection of its own. The test sends the body. */
const openUpload = ({ key }: TestCompany) =>
  request(`${url}${PATH}`, {
    method: 'POST',
    agent: false,
    headers: { 'X-API-Key': key, 'Content-Type': 'text/csv' },
  }).on('error', () => {});

describe('an upload', () => {
  test('is queued, and its import is where Location says', async ({ acme }) => {
    const accepted = await upload(acme.key, PATH, FILE);
    expect(accepted).toMatchObject({ status: 202, body: { state: 'queued', rows: 0, errors: [], reason: null } });
    expect(accepted.headers.location).toBe(
      `/external/import/${String(Reflect.get(Object(accepted.body), 'uniqueId'))}/item`,
    );
    expect(await readImport(acme.key, accepted)).toEqual(accepted.body);
    await runImports(acme);
    expect(await readImport(acme.key, accepted)).toMatchObject({ state: 'done', rows: 1, created: 1 });
    expect(await storedImports(acme)).toEqual([{ state: 'done', chunks: 0 }]);
  });

  test.for([
    ['application/json', 415],
    ['text/plain', 415],
    ['text/csv; charset=iso-8859-2', 415],
    ['text/csv; charset=UTF-8', 202],
    ['TEXT/CSV', 202],
  ] as const)('with Content-Type %s is %i', async ([type, status], { acme }) => {
    expect((await upload(acme.key, PATH, FILE, { 'Content-Type': type })).status).toBe(status);
  });

  test.for([
    'dryRun=1',
    'strict=yes',
    'mode=append',
    'source=A',
    'source=',
    'content=x',
    'format=csv',
    'limit=1',
    'mode=merge&mode=merge',
  ])('with ?%s is 400 and stores nothing', async (query, { acme }) => {
    const response = await upload(acme.key, `${PATH}?${query}`, FILE);
    expect(response).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(query.split('=')[0] ?? '') },
    });
    expect(await storedImports(acme)).toEqual([]);
  });

  test('needs the permission to write, the framework and an existing framework', async ({ acme }) => {
    const other = await acme.manage.framework.create({ name: 'Other' });
    const narrow = await acme.manage.apiKey.create({ name: 'Narrow', frameworks: [acme.framework] });
    const reader = await acme.manage.apiKey.create({ name: 'Reader', scopes: ['vendor:read', 'task:write'] });
    expect((await upload(reader.key, PATH, FILE)).status).toBe(403);
    expect((await upload(narrow.key, `/external/task/framework/${other.id}/import`, 'title\r\nA\r\n')).status).toBe(
      403,
    );
    expect((await upload(acme.key, '/external/task/framework/999999/import', 'title\r\nA\r\n')).status).toBe(404);
    expect((await upload('nonsense', PATH, FILE)).status).toBe(401);
    expect(await storedImports(acme)).toEqual([]);
  });

  test('of more than 64 MiB is 413, declared or not, and stores nothing', async ({ acme }) => {
    expect(
      (await upload(acme.key, PATH, '', { 'Content-Length': String(64 * 1024 * 1024 + 1), Connection: 'close' }))
        .status,
    ).toBe(413);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const sent = request(
      `${url}${PATH}`,
      { method: 'POST', agent: false, headers: { 'X-API-Key': acme.key, 'Content-Type': 'text/csv' } },
      (response) => {
        resolve(response.statusCode ?? 0);
        sent.destroy();
      },
    ).on('error', reject);
    const block = Buffer.alloc(1024 * 1024, 'x');
    for (let index = 0; index < 66 && !sent.destroyed; index++)
      if (!sent.write(block)) await Promise.race([promise, new Promise((drained) => void sent.once('drain', drained))]);
    expect(await promise).toBe(413);
    expect(await storedImports(acme)).toEqual([]);
  });

  test('that the client aborts stores nothing', async ({ acme }) => {
    const sent = openUpload(acme);
    sent.write('x'.repeat(600_000));
    await vi.waitFor(
      async () => expect(await storedImports(acme)).toEqual([{ state: 'uploading', chunks: 2 }]),
      60_000,
    );
    sent.destroy();
    await vi.waitFor(async () => expect(await storedImports(acme)).toEqual([]), 60_000);
  });

  test('is invisible until it is complete', async ({ acme }) => {
    const sent = openUpload(acme);
    sent.write('name\r\n');
    await vi.waitFor(async () => expect(await storedImports(acme)).toMatchObject([{ state: 'uploading' }]), 60_000);
    const [row] = await sql<{ unique_id: string }>('select unique_id from import where company_id = $1', acme.id);
    expect((await http('GET', `/external/import/${row?.unique_id}/item`, { key: acme.key })).status).toBe(404);
    expect(await new ImportRunner(database).runSlice(acme.id)).toBe(false);
    sent.destroy();
    await wait(0);
  });

  test('with a used Idempotency-Key returns the same import, also for a dry run', async ({ acme }) => {
    for (const query of ['', '?dryRun=true']) {
      const headers = { 'Idempotency-Key': `one${query}` };
      const first = await upload(acme.key, PATH + query, FILE, headers);
      await runImports(acme);
      const second = await upload(acme.key, PATH + query, FILE, headers);
      expect(second).toMatchObject({
        status: 202,
        text: first.text,
        headers: { location: first.headers.location, 'idempotency-replayed': 'true' },
      });
      expect((await upload(acme.key, PATH + query, `${FILE}B\r\n`, headers)).status).toBe(422);
      expect((await upload(acme.key, `${PATH}?strict=true`, FILE, headers)).status).toBe(422);
      const asNdjson = { ...headers, 'Content-Type': 'application/x-ndjson' };
      expect((await upload(acme.key, PATH + query, FILE, asNdjson)).status).toBe(422);
    }
    expect(await storedImports(acme)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
    expect(await acme.vendor.list()).toHaveLength(1);
  });

  test('over tRPC is text in the input', async ({ acme }) => {
    const caller = await callerForKey(acme.key);
    const { uniqueId } = await caller.vendor.import({ content: FILE });
    const tasks = await caller.task.import({ framework: acme.framework, content: '{"title":"A"}', format: 'ndjson' });
    await runImports(acme);
    expect(await caller.import.get({ importUniqueId: uniqueId })).toMatchObject({
      kind: 'vendor',
      framework: null,
      state: 'done',
      created: 1,
    });
    expect(await caller.import.get({ importUniqueId: tasks.uniqueId })).toMatchObject({
      kind: 'task',
      framework: acme.framework,
      created: 1,
    });
    await expect(caller.vendor.import({})).rejects.toThrow('content: required');
    await expect(caller.vendor.import({ content: '\ud800' })).rejects.toThrow('content: expected well-formed Unicode');
    await expect(caller.task.import({ framework: 999_999, content: 'title' })).rejects.toThrow('framework: not found');
  });

  test('is rejected while the company has 100 imports that have not ended', async ({ acme }) => {
    await tamper(`insert into import (company_id, unique_id, kind, format, api_key_id, created_by_id, request_id)
      select ${acme.id}, uuid_v7(), 'vendor', 'csv', '${acme.apiKey.uniqueId}', '${acme.apiKey.user.uniqueId}', 'x' from generate_series(1, 100)`);
    expect(await upload(acme.key, PATH, FILE)).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('import: ') },
    });
  });
});

describe('an import', () => {
  test('of another company, unknown or malformed is 404', async ({ acme, other }) => {
    const accepted = await upload(acme.key, PATH, FILE);
    const path = String(accepted.headers.location).replace('/item', '');
    for (const [key, base] of [
      [other.key, path],
      [acme.key, UNKNOWN],
      [acme.key, '/external/import/x'],
    ] as const) {
      for (const [method, end] of [
        ['GET', 'item'],
        ['GET', 'error/list'],
        ['DELETE', 'delete'],
      ] as const)
        expect(await http(method, `${base}/${end}`, { key })).toMatchObject({
          status: 404,
          body: { error: 'import: not found' },
        });
    }
  });

  test('needs the permission to write its kind in its framework', async ({ acme }) => {
    const other = await acme.manage.framework.create({ name: 'Other' });
    const key = async (settings: object) => (await acme.manage.apiKey.create({ name: 'Narrow', ...settings })).key;
    const vendors = await upload(acme.key, PATH, FILE);
    const tasks = await upload(acme.key, `${tasksOf(acme)}/import`, 'title\r\nA\r\n');
    const statusesOf = async (narrow: string, { headers: { location } }: typeof vendors) => [
      (await http('GET', String(location), { key: narrow })).status,
      (await http('GET', String(location).replace('item', 'error/list'), { key: narrow })).status,
      (await http('DELETE', String(location).replace('item', 'delete'), { key: narrow })).status,
    ];
    expect(await statusesOf(await key({ scopes: ['task:write'] }), vendors)).toEqual([403, 403, 403]);
    expect(await statusesOf(await key({ scopes: ['vendor:write'] }), tasks)).toEqual([403, 403, 403]);
    expect(await statusesOf(await key({ scopes: ['vendor:read', 'audit:read'] }), vendors)).toEqual([403, 403, 403]);
    expect(await statusesOf(await key({ frameworks: [other.id] }), tasks)).toEqual([403, 403, 403]);
    expect(await statusesOf(await key({ scopes: ['vendor:write'], frameworks: [other.id] }), vendors)).toEqual([
      200, 200, 204,
    ]);
  });

  test('shows 1,000 errors, and all of them in pages', async ({ acme }) => {
    const item = await importFile(acme, PATH, `name\n${'a,\n'.repeat(1005)}`);
    expect(item).toMatchObject({ rows: 1005, failed: 1005, created: 0 });
    expect(item.errors).toHaveLength(1000);
    const caller = await callerForKey(acme.key);
    const input = { importUniqueId: item.uniqueId, limit: 300 };
    const pages = await Array.fromAsync(readPages((from) => caller.import.errors({ ...input, ...from })));
    const rows = pages.flatMap(({ items }) => items.map(({ row }) => row));
    expect(rows).toEqual(Array.from({ length: 1005 }, (_, index) => index + 1));
    const response = await http('GET', `/external/import/${item.uniqueId}/error/list?limit=1`, { key: acme.key });
    expect(response.body).toMatchObject({ items: [{ row: 1, line: 2, field: null }], nextCursor: expect.any(String) });
    const elsewhere = await http(
      'GET',
      `${UNKNOWN}/error/list?cursor=${encodeURIComponent(String(Reflect.get(Object(response.body), 'nextCursor')))}`,
      { key: acme.key },
    );
    expect(elsewhere.status).toBe(404);
    expect((await http('GET', `/external/import/${item.uniqueId}/error/list?cursor=x`, { key: acme.key })).status).toBe(
      400,
    );
  });

  test('that ended long ago is deleted, with its errors, and so is an upload that did not end', async ({ acme }) => {
    await importFile(acme, PATH, 'name\na,\n');
    await importFile(acme, PATH, FILE);
    await upload(acme.key, PATH, FILE);
    await upload(acme.key, PATH, FILE);
    await tamper(
      `update import set ended_at = now() - interval '31 days' where company_id = ${acme.id} and failed > 0`,
      `update import set state = 'uploading', created_at = now() - interval '31 minutes' where unique_id in (
         select unique_id from import where company_id = ${acme.id} and state = 'queued' limit 1)`,
    );
    await new Session(database, null, 'test').run(deleteOldImports, { now: new Date().toISOString() });
    expect((await storedImports(acme)).map(({ state }) => state).toSorted()).toEqual(['done', 'queued']);
    expect(await sql('select from import_error where company_id = $1', acme.id)).toEqual([]);
  });
});
