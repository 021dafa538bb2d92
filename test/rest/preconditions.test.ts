import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';
import { createCompany } from '../support/tenants/company.ts';
import { untagged } from '../support/tenants/samples.ts';
import { database } from '../support/database/database.ts';
import { http, sendRaw } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

const acme = await createCompany();

const MALFORMED_ENTITY_TAGS = ['1-abc', '"1', '"a" "b"', 'W/1', '*, "a"', '"a",,x', ' ', 'w/"a"'];

/** Tasks and vendors, with their paths and changes. */
const resourceKinds = [
  {
    kind: 'a task',
    pathOf: (id: string) => `/external/task/${id}`,
    create: () =>
      http('POST', `/external/task/framework/${acme.framework}/new`, { key: acme.key, body: { title: 'x' } }),
    changes: (text: string) => ({ title: text }),
  },
  {
    kind: 'a vendor',
    pathOf: (id: string) => `/external/smart-inventory/vendor/${id}`,
    create: () => http('POST', '/external/smart-inventory/vendor/new', { key: acme.key, body: { name: 'x' } }),
    changes: (text: string) => ({ name: text }),
  },
];
const uniqueIdOf = ({ body }: HttpResponse) => String(Reflect.get(Object(body), 'uniqueId'));

describe.for(resourceKinds)('the entity tag of $kind', ({ pathOf, create, changes }) => {
  const read = (id: string, headers: Record<string, string> = {}, query = '', method = 'GET') =>
    http(method, `${pathOf(id)}/item${query}`, { key: acme.key, headers });
  const edit = (id: string, headers: Record<string, string> = {}, text = 'changed') =>
    http('PATCH', `${pathOf(id)}/edit`, { key: acme.key, headers, body: changes(text) });
  const remove = (id: string, headers: Record<string, string> = {}) =>
    http('DELETE', `${pathOf(id)}/delete`, { key: acme.key, headers });
  const createTagged = async () => {
    const response = await create();
    return { id: uniqueIdOf(response), tag: String(response.headers.etag) };
  };

  test('is strong, identical for each request of one state, and different after a change', async () => {
    const { id, tag } = await createTagged();
    expect(tag).toMatch(/^"1-[0-9a-f]{8}"$/);
    expect((await read(id)).headers.etag).toBe(tag);
    expect((await read(id, {}, '', 'HEAD')).headers.etag).toBe(tag);
    const changed = (await edit(id)).headers.etag;
    expect(changed).toMatch(/^"2-/);
    expect((await read(id)).headers.etag).toBe(changed);
    expect((await edit(id)).headers.etag).toBe(changed); // changes nothing
  });

  test('changes when a user in the response is renamed', async () => {
    const { id, tag } = await createTagged();
    await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, name: `Renamed ${tag}` });
    const renamed = await read(id, { 'If-None-Match': tag });
    expect(renamed.status).toBe(200);
    expect(renamed.headers.etag).not.toBe(tag);
    expect(await edit(id, { 'If-Match': tag })).toMatchObject({ status: 412 });
    expect((await edit(id, { 'If-Match': String(renamed.headers.etag) })).status).toBeLessThan(300);
  });

  test('is absent from past states, for which If-None-Match is ignored', async () => {
    const { id } = await createTagged();
    for (const tags of ['*', 'malformed']) {
      const response = await read(id, { 'If-None-Match': tags }, `?asOf=${new Date(Date.now() + 5000).toISOString()}`);
      expect(response.status).toBe(200);
      expect(response.headers.etag).toBeUndefined();
    }
  });

  test('is present for the current state, even if the query has empty parts', async () => {
    const { id, tag } = await createTagged();
    for (const query of ['?', '?&', '?&&']) {
      expect((await read(id, {}, query)).headers.etag).toBe(tag);
      expect((await read(id, { 'If-None-Match': tag }, query)).status).toBe(304);
    }
  });

  test.for([
    ['the same', (tag: string) => tag, 304],
    ['the same as a weak tag', (tag: string) => `W/${tag}`, 304],
    ['one of a list', (tag: string) => `"other", ,W/"x" ,${tag}`, 304],
    ['any', () => '*', 304],
    ['a different tag', (tag: string) => `"${tag.slice(1, -2)}"`, 200],
    ['a different tag that contains it', (tag: string) => `"a,${tag.slice(1)}`, 200],
  ] as const)('matches If-None-Match: %s', async ([, header, status]) => {
    const { id, tag } = await createTagged();
    for (const method of ['GET', 'HEAD']) {
      const response = await read(id, { 'If-None-Match': header(tag) }, '', method);
      expect(response).toMatchObject({ status, headers: { etag: tag } });
      if (status === 304) expect(response).toMatchObject({ text: '', body: undefined });
      if (status === 304) expect(response.headers['content-type']).toBeUndefined();
    }
  });

  test.for([
    ['the same', (tag: string) => tag, true],
    ['one of a list', (tag: string) => `"other",\t${tag} ,`, true],
    ['any', () => '*', true],
    ['the same as a weak tag', (tag: string) => `W/${tag}`, true],
    ['another weak tag', () => 'W/"9-00000000"', false],
    ['a different tag', () => '"9-00000000"', false],
    ['a bare version', () => '"1"', false],
    ['the empty tag', () => '""', false],
  ] as const)('matches If-Match: %s', async ([, header, matches]) => {
    const { id, tag } = await createTagged();
    const rejected = { status: 412, headers: { 'x-error-code': 'precondition_failed' } };
    const edited = await edit(id, { 'If-Match': header(tag) });
    if (matches) expect(edited.status).toBeLessThan(300);
    else expect(edited).toMatchObject(rejected);
    expect((await read(id)).headers.etag).toMatch(matches ? /^"2-/ : /^"1-/);
    const second = await createTagged();
    const removed = await remove(second.id, { 'If-Match': header(second.tag) });
    if (matches) expect(removed.status).toBe(204);
    else expect(removed).toMatchObject(rejected);
    expect((await read(second.id)).status).toBe(matches ? 404 : 200);
  });

  test('matches a list of several If-Match headers', async () => {
    const { id, tag } = await createTagged();
    const body = JSON.stringify(changes('twice'));
    const lines = [
      `PATCH ${pathOf(id)}/edit HTTP/1.1`,
      'Host: x',
      `X-API-Key: ${acme.key}`,
      'Content-Type: application/json',
    ];
    const bytes = [
      ...lines,
      'If-Match: "a"',
      `If-Match: ${tag}`,
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    expect(await sendRaw(`${bytes.join('\r\n')}\r\n\r\n${body}`)).toMatch(/^HTTP\/1\.1 20/);
  });

  test.for(MALFORMED_ENTITY_TAGS)(
    'is rejected with 400 that names the header, if it is malformed: %j',
    async (text) => {
      const { id } = await createTagged();
      const rejected = (header: string) => ({
        status: 400,
        body: { error: `${header}: expected * or a list of entity tags in double quotes` },
      });
      expect(await read(id, { 'If-None-Match': text })).toMatchObject(rejected('If-None-Match'));
      expect(await edit(id, { 'If-Match': text })).toMatchObject(rejected('If-Match'));
      expect(await remove(id, { 'If-Match': text })).toMatchObject(rejected('If-Match'));
    },
  );

  test('rejects a change with equal values if it is stale', async () => {
    const { id, tag } = await createTagged();
    await edit(id);
    expect((await edit(id, { 'If-Match': tag })).status).toBe(412);
    expect((await edit(id)).status).toBeLessThan(300);
  });

  test('is checked last, after permissions, fields and existence', async () => {
    const { id } = await createTagged();
    const stale = { 'If-Match': '"0-0"' };
    expect(
      (await http('PATCH', `${pathOf(id)}/edit`, { key: acme.key, headers: stale, body: { nonsense: 1 } })).status,
    ).toBe(400);
    const missing = pathOf('0199aaaa-0000-7000-8000-000000000000');
    expect((await http('PATCH', `${missing}/edit`, { key: acme.key, headers: stale, body: changes('x') })).status).toBe(
      404,
    );
    expect((await http('DELETE', `${missing}/delete`, { key: acme.key, headers: { 'If-Match': '*' } })).status).toBe(
      404,
    );
    const { key } = await acme.manage.apiKey.create({ name: 'Reader', scopes: ['task:read', 'vendor:read'] });
    expect(
      (await http('PATCH', `${pathOf(id)}/edit`, { key, headers: { 'If-Match': 'x' }, body: changes('x') })).status,
    ).toBe(403);
  });

  test('allows exactly one of twenty concurrent changes of one version', async () => {
    const { id, tag } = await createTagged();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, number) => edit(id, { 'If-Match': tag }, `changed ${number}`)),
    );
    expect(responses.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 412)).toHaveLength(19);
    expect(await acme.events(id)).toHaveLength(2);
  });

  test('loses no update of ten clients that read, change and retry concurrently', async () => {
    const { id } = await createTagged();
    const append = async (mark: string): Promise<void> => {
      const { body, headers } = await read(id);
      const { title, name } = body as { title?: string; name?: string };
      const response = await edit(id, { 'If-Match': String(headers.etag) }, `${title ?? name}${mark}`);
      if (response.status === 412) await append(mark);
      else expect(response.status).toBeLessThan(300);
    };
    const marks = Array.from('abcdefghij');
    await Promise.all(marks.map(append));
    const { body } = await read(id);
    const { title, name } = body as { title?: string; name?: string };
    expect(Array.from(title ?? name ?? '').toSorted()).toEqual([...marks, 'x']);
  });
});

test('a stale entity tag of a task is reported after its framework, its transitions and its references', async () => {
  const other = await acme.manage.framework.create({ name: 'SOC 2' });
  const { key } = await acme.manage.apiKey.create({ name: 'Narrow', frameworks: [other.id] });
  const { uniqueId } = await acme.newTask({ startDate: '2026-01-10' });
  await acme.task.update({ taskUniqueId: uniqueId, status: 'done' });
  const edit = (body: object, apiKey = acme.key) =>
    http('PATCH', `/external/task/${uniqueId}/edit`, { key: apiKey, headers: { 'If-Match': '"0-0"' }, body });
  expect((await edit({ title: 'x' }, key)).status).toBe(403);
  expect((await edit({ status: 'canceled' })).status).toBe(409);
  expect((await edit({ dueDate: '2026-01-01' })).status).toBe(422);
  expect((await edit({ departmentId: 2_147_483_647 })).status).toBe(422);
  expect((await edit({ title: 'x' })).status).toBe(412);
});

test('a caller must match the entity tag in its context', async () => {
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
  const principal = { ...operatorPrincipal(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId };
  const session = new Session(database, principal, 'caller');
  const caller = createCaller({ requestId: 'caller', caller: 'apiKey', address: null, session, ifMatch: ['0-0'] });
  await expect(caller.vendor.update({ vendor: uniqueId, name: 'x' })).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
  });
});

test.for(['If-Match', 'Idempotency-Key'])(
  '%s over tRPC is rejected, because tRPC does not support it',
  async (name) => {
    const response = await http('POST', '/trpc/vendor.create', {
      key: acme.key,
      body: { name: 'x' },
      headers: { [name]: '"a"' },
    });
    expect(response).toMatchObject({
      status: 400,
      body: { error: { message: `${name}: supported only below /external` } },
    });
  },
);

describe('Prefer on the update of a vendor', () => {
  test.for([
    [undefined, 204, undefined],
    ['return=representation', 200, 'return=representation'],
    ['RETURN="Representation"; foo=bar', 200, 'return=representation'],
    ['respond-async, wait=10 ,return = representation', 200, 'return=representation'],
    ['a="return=minimal, b", return=representation', 200, 'return=representation'],
    ['return=minimal', 204, 'return=minimal'],
    ['return=minimal, return=representation', 204, 'return=minimal'],
    ['return=everything', 204, undefined],
    ['returns=representation', 204, undefined],
    ['"', 204, undefined],
    [',;=', 204, undefined],
  ] as const)('%s', async ([prefer, status, applied]) => {
    const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
    const response = await http('PATCH', `/external/smart-inventory/vendor/${uniqueId}/edit`, {
      key: acme.key,
      headers: prefer === undefined ? {} : { Prefer: prefer },
      body: { active: false },
    });
    expect(response.status).toBe(status);
    expect(response.headers['preference-applied']).toBe(applied);
    if (status === 204) expect(response.text).toBe('');
    else expect(response.body).toEqual(untagged(await acme.vendor.get({ vendor: uniqueId })));
    expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject({ status: 'inactive', version: 2 });
  });

  test('is ignored by other operations', async () => {
    const { uniqueId } = await acme.newTask();
    const headers = { Prefer: 'return=minimal' };
    const response = await http('PATCH', `/external/task/${uniqueId}/edit`, {
      key: acme.key,
      headers,
      body: { priority: 1 },
    });
    expect(response).toMatchObject({ status: 200, body: { priority: 1 } });
    expect(response.headers['preference-applied']).toBeUndefined();
  });
});
