import { describe, expect, test } from 'vitest';
import { serviceRouter } from '../../procedures/index.ts';
import { compileRoutes } from '../../server/rest/routes.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { http, sendRaw } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

const acme = await createCompany();

const VENDORS = '/external/smart-inventory/vendor';
const tasksPath = (framework: number | string) => `/external/task/framework/${framework}`;
const UNKNOWN_ID = '0199aaaa-0000-7000-8000-000000000000';

/** Checks an error response: the message, the code, and the common headers. */
function expectError(response: HttpResponse, status: number, code: string, message: RegExp = /./): void {
  expect({ status: response.status, code: response.headers['x-error-code'] }).toEqual({ status, code });
  expect(response.body).toEqual({ error: expect.stringMatching(message) });
  expectCommonHeaders(response);
}

function expectCommonHeaders({ headers }: HttpResponse): void {
  expect(headers['x-request-id']).toMatch(/^[\w.:-]{1,128}$/);
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-content-type-options']).toBe('nosniff');
}

describe('200, 201 and 204', () => {
  test('creation returns 201 with a readable Location', async () => {
    const { key, framework } = acme;
    for (const [path, body] of [
      [`${VENDORS}/new`, { name: 'Cloud Ltd' }],
      [`${tasksPath(framework)}/new`, { title: 'Review' }],
    ] as const) {
      const created = await http('POST', path, { key, body });
      expect(created.status).toBe(201);
      expectCommonHeaders(created);
      const read = await http('GET', created.headers.location ?? '', { key });
      expect(read.status).toBe(200);
      expect(read.body).toEqual(created.body);
    }
  });

  test('a task update returns 200 with the task, a vendor update 204 without a body', async () => {
    const { uniqueId: task } = await acme.newTask();
    const patched = await http('PATCH', `/external/task/${task}/edit`, { key: acme.key, body: { priority: 1 } });
    expect(patched).toMatchObject({ status: 200, body: { uniqueId: task, priority: 1, version: 2 } });
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
    expectNoContent(await http('PATCH', `${VENDORS}/${vendor}/edit`, { key: acme.key, body: { name: 'Cloud Inc' } }));
    expectNoContent(await http('PATCH', `${VENDORS}/${vendor}/edit`, { key: acme.key, body: {} }));
  });

  test('deletion returns 204 without a body, and 404 the second time', async () => {
    const { uniqueId: task } = await acme.newTask();
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
    for (const path of [`/external/task/${task}/delete`, `${VENDORS}/${vendor}/delete`]) {
      expectNoContent(await http('DELETE', path, { key: acme.key }));
      expectError(await http('DELETE', path, { key: acme.key }), 404, 'not_found');
    }
  });

  test('HEAD returns the content length without a body wherever GET is supported', async () => {
    const get = await http('GET', `${VENDORS}/list`, { key: acme.key });
    const head = await http('HEAD', `${VENDORS}/list`, { key: acme.key });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(await http('HEAD', '/healthz')).toMatchObject({ status: 200, text: '' });
  });

  test('one trailing slash is accepted', async () => {
    expect(await http('GET', `${VENDORS}/list/`, { key: acme.key })).toMatchObject({ status: 200 });
    expectError(await http('GET', `${VENDORS}/list//`, { key: acme.key }), 404, 'not_found');
  });

  function expectNoContent(response: HttpResponse): void {
    expect(response).toMatchObject({ status: 204, text: '' });
    expect(response.headers).not.toHaveProperty('content-type');
    expectCommonHeaders(response);
  }
});

describe('401 precedes all other errors', () => {
  const requests = [
    ['GET', `${VENDORS}/list`],
    ['GET', '/external'],
    ['GET', '/external/'],
    ['GET', '/external/no/such/path'],
    ['PUT', `${VENDORS}/list`],
    ['POST', `${VENDORS}/new`],
    ['OPTIONS', `${VENDORS}/new`],
    ['HEAD', `${VENDORS}/list`],
    ['GET', '/external/?__proto__=1'],
    ['GET', '/external/%zz'],
  ] as const;
  test.for(requests)('of %s %s', async ([method, path]) => {
    const response = await http(method, path);
    expect(response).toMatchObject({ status: 401, headers: { 'x-error-code': 'unauthorized' } });
    expect(response.headers['www-authenticate']).toBe(
      'ApiKey realm="external", header="X-API-Key", Bearer realm="external"',
    );
    if (method !== 'HEAD') expectError(response, 401, 'unauthorized', /^X-API-Key: /);
  });

  test('and is returned before the body is read', async () => {
    const huge = 'x'.repeat(300_000);
    for (const [body, type] of [
      ['{', 'application/json'],
      [huge, 'application/json'],
      ['a', 'text/plain'],
    ] as const) {
      const response = await http('POST', `${VENDORS}/new`, { body, headers: { 'Content-Type': type } });
      expectError(response, 401, 'unauthorized');
    }
    const unsent = await sendRaw(
      `POST ${VENDORS}/new HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n`,
    );
    expect(unsent).toMatch(/^HTTP\/1.1 401 /);
  });

  test.for(['', 'x', 'svc_sk_live_nothing', `svc_sk_live_${'0'.repeat(46)}`])('for the API key "%s"', async (key) => {
    expectError(await http('GET', `${VENDORS}/list`, { key }), 401, 'unauthorized');
  });

  test('for an unknown API key with a valid checksum, and for two API keys', async () => {
    const { generateRawKey } = await import('../../entities/api-key/raw-key.ts');
    expectError(await http('GET', `${VENDORS}/list`, { key: generateRawKey() }), 401, 'unauthorized');
    expectError(await http('GET', `${VENDORS}/list`, { key: `${acme.key}, ${acme.key}` }), 401, 'unauthorized');
  });

  test('for an API key that was disabled, expired or revoked before the request', async () => {
    const { key, ...record } = await acme.manage.apiKey.create({ name: 'Short-lived' });
    const get = () => http('GET', `${VENDORS}/list`, { key });
    expect((await get()).status).toBe(200);
    await acme.manage.apiKey.update({ uniqueId: record.uniqueId, enabled: false });
    expectError(await get(), 401, 'key_disabled');
    await acme.manage.apiKey.update({ uniqueId: record.uniqueId, enabled: true });
    expect((await get()).status).toBe(200);
    const soon = new Date(Date.now() + 300);
    await acme.manage.apiKey.update({ uniqueId: record.uniqueId, expiresAt: soon.toISOString() });
    await expect.poll(async () => (await get()).headers['x-error-code'], { timeout: 120_000 }).toBe('key_expired');
    await acme.manage.apiKey.update({ uniqueId: record.uniqueId, expiresAt: null });
    expect((await get()).status).toBe(200);
    await acme.manage.apiKey.revoke({ uniqueId: record.uniqueId });
    expectError(await get(), 401, 'unauthorized');
  });

  test('for the operator token, which is not an API key', async () => {
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(acme.id) };
    expectError(await http('GET', `${VENDORS}/list`, { headers }), 401, 'unauthorized');
  });
});

describe('404', () => {
  test.for([
    '/external',
    '/external/',
    '/external/task',
    '/external/management/company/list',
    `${VENDORS}/LIST`,
    '/external/smart-inventory/Vendor/list',
    `/external//smart-inventory/vendor/list`,
    `${VENDORS}/list/extra`,
    '/external/trpc/vendor.list',
  ])('for the unknown path %s, with every method', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
      expectError(await http(method, path, { key: acme.key }), 404, 'not_found');
    }
  });

  test.for([
    UNKNOWN_ID,
    'abc',
    '1',
    '%00',
    '%zz',
    'a%2Fb',
    "'",
    'x'.repeat(2000),
    '0199AAAA-0000-7000-8000-000000000000',
  ])('for the id %s, with every method', async (id) => {
    for (const [method, path, body] of [
      ['GET', `${VENDORS}/${id}/item`, undefined],
      ['PATCH', `${VENDORS}/${id}/edit`, { name: 'x' }],
      ['DELETE', `${VENDORS}/${id}/delete`, undefined],
      ['GET', `/external/task/${id}/item`, undefined],
      ['PATCH', `/external/task/${id}/edit`, { title: 'x' }],
      ['DELETE', `/external/task/${id}/delete`, undefined],
    ] as const) {
      expectError(await http(method, path, { key: acme.key, body }), 404, 'not_found', /^(vendor|task): not found$/);
    }
  });

  test.for(['0', '2147483647', '2147483648', '99999999999999999999'])('for the unknown framework %s', async (id) => {
    expectError(await http('GET', `${tasksPath(id)}/list`, { key: acme.key }), 404, 'not_found', /^framework: /);
    const body = { title: 'x' };
    expectError(await http('POST', `${tasksPath(id)}/new`, { key: acme.key, body }), 404, 'not_found', /^framework: /);
  });

  test('has the same body outside /external', async () => {
    for (const path of ['/nothing', '/EXTERNAL/smart-inventory/vendor/list', '/externalx', '*']) {
      expectError(await http(path === '*' ? 'OPTIONS' : 'GET', path), 404, 'not_found');
    }
  });
});

describe('405', () => {
  test('names the supported methods in Allow', async () => {
    const methodsByPath = Map.groupBy(compileRoutes(serviceRouter), ({ template }) => template);
    for (const [template, routes] of methodsByPath) {
      const path = template.replaceAll(/\{\w+\}/g, '1');
      const methods = routes.map(({ method }) => method);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (methods.includes(method)) continue;
        const response = await http(method, path, { key: acme.key });
        expectError(response, 405, 'method_not_allowed');
        const allowed = methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
        expect(response.headers.allow).toBe(allowed.join(', '));
      }
    }
    expectError(await http('POST', '/healthz'), 405, 'method_not_allowed');
  });
});

describe('415 and 413', () => {
  test('a body may have 256 KiB and no more, with or without Content-Length', async () => {
    const bodyOf = (bytes: number) => `{"name":"x","description":"${'d'.repeat(bytes - 32)}"} `.padEnd(bytes);
    const post = (body: string, headers: Record<string, string> = {}) =>
      http('POST', `${VENDORS}/new`, { key: acme.key, body, headers });
    expectError(await post(bodyOf(256 * 1024)), 400, 'invalid_request', /^description: /);
    expectError(await post(bodyOf(256 * 1024 + 1)), 413, 'payload_too_large');
    expectError(await post(bodyOf(256 * 1024 + 1), { 'Transfer-Encoding': 'chunked' }), 413, 'payload_too_large');
    expectError(await http('POST', '/external/nothing', { key: acme.key, body: bodyOf(300_000) }), 404, 'not_found');
  });
});

describe('400', () => {
  test.for([
    '',
    '{',
    '{"name":}',
    "{'name':'x'}",
    '{"name":"x"}}',
    'undefined',
    '\uFEFF\uFEFF{}',
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  ])('for malformed JSON %o', async (body) => {
    expectError(await http('POST', `${VENDORS}/new`, { key: acme.key, body }), 400, 'malformed_json');
  });

  test('for JSON with more than 32 levels', async () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const post = (body: string) => http('POST', `${VENDORS}/new`, { key: acme.key, body });
    expectError(await post(nested(32)), 400, 'invalid_request', /unknown field/);
    expectError(await post(nested(33)), 400, 'invalid_request', /nested deeper than 32/);
    expectError(await post(nested(40_000)), 400, 'invalid_request', /nested deeper than 32/);
    expectError(await post(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 400, 'invalid_request');
  });

  test.for([
    [{}, /^name: required$/],
    [{ name: null }, /^name: expected text/],
    [{ name: 5 }, /^name: expected text/],
    [{ name: 'x', active: 'false' }, /^active: expected true or false$/],
    [{ name: 'x', active: null }, /^active: /],
    [{ name: 'x', colour: 'red' }, /^colour: unknown field$/],
    [{ name: 'x', status: 'active' }, /^status: unknown field; a new vendor is active/],
    [{ name: 'x', uniqueId: UNKNOWN_ID }, /^uniqueId: unknown field; it is read-only$/],
    [{ name: 'x', vendor: UNKNOWN_ID }, /^vendor: unknown field$/],
  ] as const)('for the vendor %o', async ([body, message]) => {
    expectError(await http('POST', `${VENDORS}/new`, { key: acme.key, body }), 400, 'invalid_request', message);
  });

  test.for([
    [{ title: 'x', priority: '3' }, /^priority: expected an integer from 1 to 4$/],
    [{ title: 'x', priority: null }, /^priority: expected an integer from 1 to 4$/],
    [{ title: 'x', labels: 'a' }, /^labels: expected an array of text$/],
    [{ title: 'x', gaps: ['1'] }, /^gaps\.0: expected an integer/],
    [{ title: 'x', departmentId: '1' }, /^departmentId: expected an integer/],
    [{ title: 'x', departmentId: 2_147_483_648 }, /^departmentId: expected an integer/],
    [{ title: 'x', status: 'done' }, /^status: unknown field; a new task is todo; PUT /],
    [{ title: 'x', framework: 1 }, /^framework: unknown field; it is in the path$/],
    [{ priority: 0, title: 1 }, /^title: .*; priority: /],
  ] as const)('for the task %o', async ([body, message]) => {
    const response = await http('POST', `${tasksPath(acme.framework)}/new`, { key: acme.key, body });
    expectError(response, 400, 'invalid_request', message);
  });

  test.for(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'for the name %s in a body or a query',
    async (name) => {
      const unknown = new RegExp(`^${name}: unknown (field$|parameter; known: )`);
      const body = `{"name":"x","${name}":{"polluted":true}}`;
      expectError(await http('POST', `${VENDORS}/new`, { key: acme.key, body }), 400, 'invalid_request', unknown);
      expectError(await http('GET', `${VENDORS}/list?${name}=1`, { key: acme.key }), 400, 'invalid_request', unknown);
      expect({}).not.toHaveProperty('polluted');
    },
  );

  test.for(['abc', '01', '+1', '-1', '1.0', '1e2', '0x10', '%31%20', 'null'])(
    'for framework %s, which is not plain decimal digits',
    async (id) => {
      const message = /^framework: expected an integer$/;
      expectError(await http('GET', `${tasksPath(id)}/list`, { key: acme.key }), 400, 'invalid_request', message);
    },
  );

  test('for an unknown or repeated query parameter', async () => {
    const get = (path: string) => http('GET', path, { key: acme.key });
    expectError(
      await get(`${VENDORS}/list?colour=red`),
      400,
      'invalid_request',
      /^colour: unknown parameter; known: status, q, criticality, owner, label, review, nextReviewAfter, nextReviewBefore, contract, contractEndAfter, contractEndBefore, outcome, risk, updatedSince, evidence, sort, seed, view, limit, cursor$/,
    );
    expectError(await get(`${VENDORS}/list?a=1&a=2`), 400, 'invalid_request', /^a: expected only once$/);
    expectError(await get(`${VENDORS}/${UNKNOWN_ID}/item?vendor=${UNKNOWN_ID}`), 400, 'invalid_request', /^vendor: /);
    const post = await http('POST', `${VENDORS}/new?name=x`, { key: acme.key, body: { name: 'x' } });
    expectError(post, 400, 'invalid_request', /^name: unknown parameter; known: none$/);
  });

  test('precedes 404, and 404 precedes 422 and 409', async () => {
    const patch = (id: string, body: object) => http('PATCH', `/external/task/${id}/edit`, { key: acme.key, body });
    expectError(await patch(UNKNOWN_ID, { priority: 9 }), 400, 'invalid_request');
    expectError(await patch(UNKNOWN_ID, { departmentId: 2_147_483_647 }), 404, 'not_found');
    const { uniqueId } = await acme.newTask();
    expectError(await patch(uniqueId, { departmentId: 2_147_483_647 }), 422, 'unprocessable', /^departmentId: /);
    await acme.task.update({ taskUniqueId: uniqueId, status: 'done' });
    expectError(await patch(uniqueId, { status: 'canceled' }), 409, 'conflict', /^status: /);
  });

  test('for invalid input, which changes nothing', async () => {
    const fresh = await createCompany();
    const before = await fresh.events();
    for (const body of [{}, { name: 5 }, { name: 'x', colour: 1 }, '{', '[]']) {
      expect((await http('POST', `${VENDORS}/new`, { key: fresh.key, body })).status).toBe(400);
    }
    expect(await fresh.vendor.list()).toEqual([]);
    expect(await fresh.events()).toEqual(before);
  });
});

describe('X-Request-Id', () => {
  test('is kept if it is valid, and replaced otherwise', async () => {
    const requestIdFor = async (id: string) =>
      (await http('GET', '/healthz', { headers: { 'X-Request-Id': id } })).headers['x-request-id'];
    expect(await requestIdFor('abc-123:x.y_z')).toBe('abc-123:x.y_z');
    for (const id of ['', 'a b', 'x'.repeat(129), '<script>'])
      expect(await requestIdFor(id)).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a malformed HTTP request', () => {
  test('gets an error body', async () => {
    const response = await sendRaw('NONSENSE\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(response).toMatch(/^X-Request-Id: [\da-f-]{36}\r$/m);
    expect(response).toMatch(/\{"error":"[^"]+"\}$/);
    const big = await sendRaw(`GET ${VENDORS}/list HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(9000)}\r\n\r\n`);
    expect(big).toMatch(/^HTTP\/1.1 431 /);
    expect(big).toMatch(/\{"error":"[^"]+"\}$/);
  });

  test('does not include an unknown Expect header, which is ignored', async () => {
    const response = await http('GET', '/healthz', { headers: { Expect: 'something-else' } });
    expect(response.status).toBe(200);
  });
});

test('a key as a bearer token does what it does as X-API-Key, and two different keys are 401', async () => {
  const { id, key, manage } = await createCompany();
  const bearer = { Authorization: `Bearer ${key}` };
  const created = await http('POST', `${VENDORS}/new`, { headers: bearer, body: { name: 'Cloud Ltd' } });
  expect(created).toMatchObject({ status: 201 });
  const [event] = (await manage.audit.list({ limit: 1 })).items;
  expect(event).toMatchObject({ action: 'vendor.create', actor: { kind: 'integration' }, apiKey: expect.any(String) });
  expect(await http('GET', `${VENDORS}/list`, { key, headers: bearer })).toMatchObject({ status: 200 });
  const { key: other } = await manage.apiKey.create({ name: 'Other' });
  const both = await http('GET', `${VENDORS}/list`, { key: other, headers: bearer });
  expectError(both, 401, 'unauthorized', /^Authorization: expected the key of X-API-Key/);
  const operator = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(id) };
  expectError(await http('GET', `${VENDORS}/list`, { headers: operator }), 401, 'unauthorized', /^Authorization: /);
});
