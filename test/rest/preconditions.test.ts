import { beforeAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database } from '../support/database/database.ts';
import { http, sendRaw } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

let acme: TestCompany;
beforeAll(async () => {
  acme = await createCompany();
});

const MALFORMED_ENTITY_TAGS = ['1-abc', '"1', '"a" "b"', 'W/1', '*, "a"', '"a",,x', ' ', 'w/"a"'];

/** The same for tasks and vendors: where they are, and what changes them. */
const resourceKinds = [
  {
    kind: 'a task',
    at: (id: string) => `/external/task/${id}`,
    create: () =>
      http('POST', `/external/task/framework/${acme.framework}/new`, { key: acme.key, body: { title: 'x' } }),
    changes: (text: string) => ({ title: text }),
  },
  {
    kind: 'a vendor',
    at: (id: string) => `/external/smart-inventory/vendor/${id}`,
    create: () => http('POST', '/external/smart-inventory/vendor/new', { key: acme.key, body: { name: 'x' } }),
    changes: (text: string) => ({ name: text }),
  },
];
const uniqueIdOf = ({ body }: HttpResponse) => String(Reflect.get(Object(body), 'uniqueId'));

describe.for(resourceKinds)('the tag of $kind', ({ at, create, changes }) => {
  const read = (id: string, headers: Record<string, string> = {}, query = '', method = 'GET') =>
    http(method, `${at(id)}/item${query}`, { key: acme.key, headers });
  const edit = (id: string, headers: Record<string, string> = {}, text = 'changed') =>
    http('PATCH', `${at(id)}/edit`, { key: acme.key, headers, body: changes(text) });
  const remove = (id: string, headers: Record<string, string> = {}) =>
    http('DELETE', `${at(id)}/delete`, { key: acme.key, headers });
  const made = async () => {
    const answer = await create();
    return { id: uniqueIdOf(answer), tag: String(answer.headers.etag) };
  };

  test('is strong, the same on every road to the same state, and another after a change', async () => {
    const { id, tag } = await made();
    expect(tag).toMatch(/^"1-[0-9a-f]{8}"$/);
    expect((await read(id)).headers.etag).toBe(tag);
    expect((await read(id, {}, '', 'HEAD')).headers.etag).toBe(tag);
    const changed = (await edit(id)).headers.etag;
    expect(changed).toMatch(/^"2-/);
    expect((await read(id)).headers.etag).toBe(changed);
    expect((await edit(id)).headers.etag).toBe(changed); // changes nothing
  });

  test('is another when a user is renamed, whose name the answer shows', async () => {
    const { id, tag } = await made();
    await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, name: `Renamed ${tag}` });
    const renamed = await read(id, { 'If-None-Match': tag });
    expect(renamed.status).toBe(200);
    expect(renamed.headers.etag).not.toBe(tag);
    expect(await edit(id, { 'If-Match': tag })).toMatchObject({ status: 412 });
    expect((await edit(id, { 'If-Match': String(renamed.headers.etag) })).status).toBeLessThan(300);
  });

  test('is not on what it was in the past, where If-None-Match is not heeded', async () => {
    const { id } = await made();
    for (const tags of ['*', 'malformed']) {
      const answer = await read(id, { 'If-None-Match': tags }, `?asOf=${new Date(Date.now() + 5000).toISOString()}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.etag).toBeUndefined();
    }
  });

  test('is on what it is now, however empty the query', async () => {
    const { id, tag } = await made();
    for (const query of ['?', '?&', '?&&']) {
      expect((await read(id, {}, query)).headers.etag).toBe(tag);
      expect((await read(id, { 'If-None-Match': tag }, query)).status).toBe(304);
    }
  });

  test.for([
    ['itself', (tag: string) => tag, 304],
    ['itself, weak', (tag: string) => `W/${tag}`, 304],
    ['one of a list', (tag: string) => `"other", ,W/"x" ,${tag}`, 304],
    ['any', () => '*', 304],
    ['another', (tag: string) => `"${tag.slice(1, -2)}"`, 200],
    ['another that holds it', (tag: string) => `"a,${tag.slice(1)}`, 200],
  ] as const)('in If-None-Match: %s', async ([, header, status]) => {
    const { id, tag } = await made();
    for (const method of ['GET', 'HEAD']) {
      const answer = await read(id, { 'If-None-Match': header(tag) }, '', method);
      expect(answer).toMatchObject({ status, headers: { etag: tag } });
      if (status === 304) expect(answer).toMatchObject({ text: '', body: undefined });
      if (status === 304) expect(answer.headers['content-type']).toBeUndefined();
    }
  });

  test.for([
    ['itself', (tag: string) => tag, true],
    ['one of a list', (tag: string) => `"other",\t${tag} ,`, true],
    ['any', () => '*', true],
    ['itself, weak', (tag: string) => `W/${tag}`, false],
    ['another', () => '"9-00000000"', false],
    ['a bare version', () => '"1"', false],
    ['the empty tag', () => '""', false],
  ] as const)('in If-Match: %s', async ([, header, holds]) => {
    const { id, tag } = await made();
    const refused = { status: 412, headers: { 'x-error-code': 'precondition_failed' } };
    const edited = await edit(id, { 'If-Match': header(tag) });
    if (holds) expect(edited.status).toBeLessThan(300);
    else expect(edited).toMatchObject(refused);
    expect((await read(id)).headers.etag).toMatch(holds ? /^"2-/ : /^"1-/);
    const second = await made();
    const removed = await remove(second.id, { 'If-Match': header(second.tag) });
    if (holds) expect(removed.status).toBe(204);
    else expect(removed).toMatchObject(refused);
    expect((await read(second.id)).status).toBe(holds ? 404 : 200);
  });

  test('holds where several If-Match headers are one list', async () => {
    const { id, tag } = await made();
    const body = JSON.stringify(changes('twice'));
    const lines = [
      `PATCH ${at(id)}/edit HTTP/1.1`,
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

  test.for(MALFORMED_ENTITY_TAGS)('is not to be read in %j: 400 that names the header', async (text) => {
    const { id } = await made();
    const refused = (header: string) => ({
      status: 400,
      body: { error: `${header}: expected * or a list of entity tags in double quotes` },
    });
    expect(await read(id, { 'If-None-Match': text })).toMatchObject(refused('If-None-Match'));
    expect(await edit(id, { 'If-Match': text })).toMatchObject(refused('If-Match'));
    expect(await remove(id, { 'If-Match': text })).toMatchObject(refused('If-Match'));
  });

  test('that is stale refuses a change that would change nothing, too', async () => {
    const { id, tag } = await made();
    await edit(id);
    expect((await edit(id, { 'If-Match': tag })).status).toBe(412);
    expect((await edit(id)).status).toBeLessThan(300);
  });

  test('comes last: what is missing, malformed or forbidden is told first', async () => {
    const { id } = await made();
    const stale = { 'If-Match': '"0-0"' };
    expect(
      (await http('PATCH', `${at(id)}/edit`, { key: acme.key, headers: stale, body: { nonsense: 1 } })).status,
    ).toBe(400);
    const gone = at('0199aaaa-0000-7000-8000-000000000000');
    expect((await http('PATCH', `${gone}/edit`, { key: acme.key, headers: stale, body: changes('x') })).status).toBe(
      404,
    );
    expect((await http('DELETE', `${gone}/delete`, { key: acme.key, headers: { 'If-Match': '*' } })).status).toBe(404);
    const { key } = await acme.manage.apiKey.create({ name: 'Reader', scopes: ['task:read', 'vendor:read'] });
    expect(
      (await http('PATCH', `${at(id)}/edit`, { key, headers: { 'If-Match': 'x' }, body: changes('x') })).status,
    ).toBe(403);
  });

  test('lets exactly one of twenty changes of one version through', async () => {
    const { id, tag } = await made();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, number) => edit(id, { 'If-Match': tag }, `changed ${number}`)),
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
    expect(await acme.events(id)).toHaveLength(2);
  });

  test('loses no update of twenty that read, change and try again', async () => {
    const { id } = await made();
    const append = async (mark: string): Promise<void> => {
      const { body, headers } = await read(id);
      const { title, name } = body as { title?: string; name?: string };
      const answer = await edit(id, { 'If-Match': String(headers.etag) }, `${title ?? name}${mark}`);
      if (answer.status === 412) await append(mark);
      else expect(answer.status).toBeLessThan(300);
    };
    const marks = Array.from('abcdefghij');
    await Promise.all(marks.map(append));
    const { body } = await read(id);
    const { title, name } = body as { title?: string; name?: string };
    expect(Array.from(title ?? name ?? '').toSorted()).toEqual([...marks, 'x']);
  });
});

test('a stale tag of a task is told after its framework, its transitions and its references', async () => {
  const other = await acme.manage.framework.create({ name: 'SOC 2' });
  const { key } = await acme.manage.apiKey.create({ name: 'Narrow', frameworks: [other.id] });
  const { uniqueId } = await acme.newTask({ startDate: '2026-01-10' });
  await acme.task.update({ taskUniqueId: uniqueId, status: 'done' });
  const edit = (body: object, by = acme.key) =>
    http('PATCH', `/external/task/${uniqueId}/edit`, { key: by, headers: { 'If-Match': '"0-0"' }, body });
  expect((await edit({ title: 'x' }, key)).status).toBe(403);
  expect((await edit({ status: 'in_review' })).status).toBe(409);
  expect((await edit({ dueDate: '2026-01-01' })).status).toBe(422);
  expect((await edit({ departmentId: 2_147_483_647 })).status).toBe(422);
  expect((await edit({ title: 'x' })).status).toBe(412);
});

test('a caller is held to the tag of its context', async () => {
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
  const principal = { ...operatorPrincipal(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId };
  const session = new Session(database, principal, 'caller');
  const caller = createCaller({ requestId: 'caller', caller: 'apiKey', address: null, session, ifMatch: ['0-0'] });
  await expect(caller.vendor.update({ vendor: uniqueId, name: 'x' })).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
  });
});

test.for(['If-Match', 'Idempotency-Key'])('%s over tRPC is refused, as nobody heeds it there', async (name) => {
  const answer = await http('POST', '/trpc/vendor.create', {
    key: acme.key,
    body: { name: 'x' },
    headers: { [name]: '"a"' },
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: { message: `${name}: supported only below /external` } },
  });
});

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
    const answer = await http('PATCH', `/external/smart-inventory/vendor/${uniqueId}/edit`, {
      key: acme.key,
      headers: prefer === undefined ? {} : { Prefer: prefer },
      body: { active: false },
    });
    expect(answer.status).toBe(status);
    expect(answer.headers['preference-applied']).toBe(applied);
    if (status === 204) expect(answer.text).toBe('');
    else expect(answer.body).toEqual(await acme.vendor.get({ vendor: uniqueId }));
    expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject({ status: 'inactive', version: 2 });
  });

  test('is not heeded elsewhere', async () => {
    const { uniqueId } = await acme.newTask();
    const headers = { Prefer: 'return=minimal' };
    const answer = await http('PATCH', `/external/task/${uniqueId}/edit`, {
      key: acme.key,
      headers,
      body: { priority: 1 },
    });
    expect(answer).toMatchObject({ status: 200, body: { priority: 1 } });
    expect(answer.headers['preference-applied']).toBeUndefined();
  });
});
