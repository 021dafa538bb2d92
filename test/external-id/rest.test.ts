import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';

const VENDOR = '/external/smart-inventory/vendor';

const acme = await createCompany();

const newPath = () => `${VENDOR}/by/servicenow/${randomUUID()}`;
const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  http(method, path, { key: acme.key, body, headers });

describe('PUT by external id', () => {
  test('creates with Location, then changes, then leaves unchanged, each with ETag and X-Upsert', async () => {
    const path = newPath();
    const created = await send('PUT', path, { name: 'Cloud' });
    expect(created).toMatchObject({ status: 201, headers: { 'x-upsert': 'created' }, body: { name: 'Cloud' } });
    const location = String(created.headers.location);
    expect((await send('GET', location)).body).toEqual(created.body);
    const updated = await send('PUT', path, { name: 'Cloud Inc' });
    expect(updated).toMatchObject({ status: 200, headers: { 'x-upsert': 'updated' }, body: { version: 2 } });
    expect(updated.headers.location).toBeUndefined();
    const same = await send('PUT', `${path}/?mode=merge`, {});
    expect(same).toMatchObject({ status: 200, headers: { 'x-upsert': 'unchanged', etag: updated.headers.etag } });
    expect(same.body).toEqual(updated.body);
    const read = await send('GET', path, undefined, { 'If-None-Match': String(same.headers.etag) });
    expect(read.status).toBe(304);
    expect(await send('DELETE', path, undefined, { 'If-Match': '"0-0"' })).toMatchObject({ status: 412 });
    expect(await send('DELETE', path)).toMatchObject({ status: 204, text: '' });
    expect(await send('DELETE', path)).toMatchObject({ status: 404 });
    expect(await send('PUT', path, { name: 'x' })).toMatchObject({
      status: 409,
      headers: { 'x-error-code': 'conflict' },
    });
    expect(await send('PUT', `${path}?create=false`, { name: 'x' })).toMatchObject({ status: 404 });
    expect(await send('PUT', `${path}?recreate=true`, { name: 'x' })).toMatchObject({ status: 201 });
  });

  test('preconditions are 412 and change nothing', async () => {
    const path = newPath();
    const put = (headers: Record<string, string>, query = '') => send('PUT', path + query, { name: 'x' }, headers);
    expect(await put({ 'If-Match': '"1-00000000"' })).toMatchObject({ status: 412 });
    expect(await put({ 'If-Match': '*' })).toMatchObject({ status: 412 });
    expect(await put({ 'If-Match': '*' }, '?create=false')).toMatchObject({ status: 404 });
    const created = await put({ 'If-None-Match': '*' });
    expect(created).toMatchObject({ status: 201 });
    expect(await put({ 'If-None-Match': '*' })).toMatchObject({ status: 412 });
    expect(await put({ 'If-Match': '"0-0"' })).toMatchObject({ status: 412 });
    expect(await put({ 'If-Match': String(created.headers.etag) })).toMatchObject({ status: 200 });
    expect(await put({ 'If-Match': '*' })).toMatchObject({ status: 200, body: created.body });
  });

  test('an unknown framework is 404, whatever the preconditions', async () => {
    const path = `/external/task/framework/2147483647/by/jira/${randomUUID()}`;
    for (const headers of [{}, { 'If-Match': '*' }, { 'If-Match': '"1-00000000"' }])
      expect(await send('PUT', path, { title: 'x' }, headers)).toMatchObject({
        status: 404,
        body: { error: 'framework: not found' },
      });
  });

  test('a dry run has the same response with X-Dry-Run and without Location, and is not remembered', async () => {
    const path = newPath();
    const headers = { 'Idempotency-Key': randomUUID() };
    const tried = await send('PUT', `${path}?dryRun=true`, { name: 'x' }, headers);
    expect(tried).toMatchObject({ status: 201, headers: { 'x-dry-run': 'true', 'x-upsert': 'created' } });
    expect(tried.headers.location).toBeUndefined();
    expect((await send('GET', path)).status).toBe(404);
    const created = await send('PUT', path, { name: 'x' }, headers);
    expect(created.headers['idempotency-replayed']).toBeUndefined();
    const again = await send('PUT', path, { name: 'x' }, headers);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' }, body: created.body });
    expect(await send('PUT', path, { name: 'y' }, headers)).toMatchObject({ status: 422 });
  });

  test('an external id is percent-decoded once', async () => {
    const id = `${randomUUID()}/%2F +é`;
    const path = `${VENDOR}/by/servicenow/${encodeURIComponent(id)}`;
    const created = await send('PUT', path, { name: 'x' });
    expect(created.body).toMatchObject({ externalIds: [{ source: 'servicenow', externalId: id }] });
    expect((await send('GET', path.replaceAll('%20', '+'))).status).toBe(404);
    expect((await send('HEAD', path)).status).toBe(200);
  });

  test.for([
    ['%', 'externalId'],
    ['%zz', 'externalId'],
    ['%C3', 'externalId'],
    ['%00', 'externalId'],
    ['%ED%A0%80', 'externalId'],
    ['a'.repeat(256), 'externalId'],
  ])('the id %s is 400', async ([id, field]) => {
    const response = await send('PUT', `${VENDOR}/by/a/${id}`, { name: 'x' });
    expect(response).toMatchObject({ status: 400, body: { error: expect.stringMatching(`^${field}: `) } });
    expect((await send('GET', `${VENDOR}/by/a/${id}`)).status).toBe(400);
  });

  test('a malformed source and unknown parameters and fields are 400, and a malformed uniqueId stays 404', async () => {
    for (const source of ['A', 'a%20', '%', 'a.b', 'é', 'a'.repeat(51)]) {
      expect(await send('PUT', `${VENDOR}/by/${encodeURI(source)}/x`, { name: 'x' })).toMatchObject({ status: 400 });
    }
    for (const query of ['?mode=x', '?create=1', '?create=', '?recreate=TRUE', '?x=1', '?mode=merge&mode=merge']) {
      expect(await send('PUT', newPath() + query, { name: 'x' })).toMatchObject({ status: 400 });
    }
    for (const field of ['mode', 'dryRun', 'source', 'externalIds', 'uniqueId']) {
      const response = await send('PUT', newPath(), { name: 'x', [field]: 'merge' });
      expect(response).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(`^${field}: unknown field`) },
      });
    }
    expect((await send('GET', `${VENDOR}/%zz/item`)).status).toBe(404);
  });

  test('tasks have the same paths below their framework', async () => {
    const path = `/external/task/framework/${acme.framework}/by/jira/${randomUUID()}`;
    const created = await send('PUT', path, { title: 'x', status: 'done' });
    expect(created).toMatchObject({ status: 201, body: { status: 'done', framework: acme.framework } });
    expect(String(created.headers.location)).toMatch(/^\/external\/task\/[^/]+\/item$/);
    expect((await send('GET', path)).body).toEqual(created.body);
    expect((await send('PUT', path.replace(String(acme.framework), '01'), { title: 'x' })).status).toBe(400);
    expect((await send('PUT', path.replace(/framework\/\d+/, 'framework/0'), { title: 'x' })).status).toBe(404);
    const linkPath = String(created.headers.location).replace('/item', '/link');
    const linked = await send('POST', linkPath, { source: 'b', externalId: 'x' });
    expect(linked).toMatchObject({ status: 200, headers: { etag: expect.any(String) }, body: { version: 2 } });
    expect((await send('DELETE', path)).status).toBe(204);
  });
});

describe('batches over REST', () => {
  const create = (name: string) => ({ op: 'create', body: { name } });

  test('a batch may have 2 MiB, and a larger one is 413', async () => {
    const description = 'x'.repeat(20_000);
    const items = Array.from({ length: 100 }, () => ({ op: 'create', body: { name: 'x', description } }));
    const response = await send('POST', `${VENDOR}/batch?dryRun=true`, { items });
    expect(response).toMatchObject({ status: 200, headers: { 'x-dry-run': 'true' }, body: { succeeded: 100 } });
    const tooLarge = await send('POST', `${VENDOR}/batch`, { items, padding: 'x'.repeat(200_000) });
    expect(tooLarge).toMatchObject({ status: 413 });
  });

  test('an Idempotency-Key covers the batch', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await send('POST', `${VENDOR}/batch`, { items: [create('a'), create('')] }, headers);
    expect(first).toMatchObject({ status: 200, body: { succeeded: 1, failed: 1 } });
    const again = await send('POST', `${VENDOR}/batch`, { items: [create('a'), create('')] }, headers);
    expect(again).toMatchObject({ status: 200, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    expect(await send('POST', `${VENDOR}/batch`, { items: [create('b')] }, headers)).toMatchObject({ status: 422 });
  });

  test('a key that lost rights does not get the recorded results', async () => {
    const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'Sync' });
    const request = { key, body: { items: [create('a')] }, headers: { 'Idempotency-Key': randomUUID() } };
    expect(await http('POST', `${VENDOR}/batch`, request)).toMatchObject({ status: 200 });
    await acme.manage.apiKey.update({ uniqueId, scopes: ['task:read'] });
    expect(await http('POST', `${VENDOR}/batch`, request)).toMatchObject({ status: 422 });
  });

  test('an atomic batch that fails has the status and the error of its item', async () => {
    const items = [create('a'), { op: 'update', uniqueId: 'x', body: {} }];
    expect(await send('POST', `${VENDOR}/batch`, { atomic: true, items })).toMatchObject({
      status: 404,
      headers: { 'x-error-code': 'not_found' },
      body: { error: 'items.1: not found' },
    });
  });

  test('results equal those of the single requests', async () => {
    const { uniqueId } = await acme.newTask({ title: 'x' });
    const etag = String((await send('GET', `/external/task/${uniqueId}/item`)).headers.etag);
    const patch = (body: object, ifMatch?: string) => ({ op: 'update', uniqueId, body, ...(ifMatch && { ifMatch }) });
    const batchOf = async (item: object) => {
      const { body } = await send('POST', '/external/task/batch', { items: [item] });
      return Object(body).results[0];
    };
    const singleOf = (body: object, headers?: Record<string, string>) =>
      send('PATCH', `/external/task/${uniqueId}/edit`, body, headers);
    for (const body of [{ title: '' }, { extra: 1 }, { dueDate: '2026-02-30' }, { departmentId: 2147483647 }]) {
      const single = await singleOf(body);
      const { status, error, code } = await batchOf(patch(body));
      expect({ status, error, code }).toEqual({
        status: single.status,
        error: Object(single.body).error,
        code: single.headers['x-error-code'],
      });
    }
    const changed = await batchOf(patch({ title: 'y' }, etag.slice(1, -1)));
    expect(await singleOf({ title: 'y' })).toMatchObject({
      status: changed.status,
      body: changed.item,
      headers: { etag: `"${changed.etag}"` },
    });
  });
});
