import { beforeAll, describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import type { Scope } from '../../entities/api-key/scope.ts';
import { appRouter } from '../../procedures/index.ts';
import { createApp } from '../../server/app.ts';
import { HttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { OPERATOR_TOKEN, callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';

let acme: TestCompany;
beforeAll(async () => {
  acme = await createCompany();
});

/** A new key of the company with these rights and nothing else. */
const createKeyWith = async (permissions: { scopes?: Scope[]; frameworks?: number[]; cidrs?: string[] }) =>
  (await acme.manage.apiKey.create({ name: 'Narrow', ...permissions })).key;

const procedures = Object.keys(appRouter._def.procedures).filter((path) => !path.startsWith('management.'));

/** Permission by the name of a procedure: `vendor.get` requires `vendor:read`. */
const VERBS: Record<string, string> = {
  list: 'read',
  page: 'read',
  get: 'read',
  create: 'write',
  update: 'write',
  updateAndGet: 'write',
  delete: 'delete',
};

/** The permission that each procedure for integrations requires, stated apart from the code. */
const PERMISSIONS: Record<string, string> = {
  ...Object.fromEntries(
    procedures.map((path) => {
      const [resource, name = ''] = path.split('.');
      return [path, name === 'history' ? 'audit:read' : `${resource}:${VERBS[name]}`];
    }),
  ),
  'apiKey.whoami': 'any key',
};

test('every procedure for integrations requires a scope, by its name', () => {
  for (const path of procedures) {
    expect([path, ...(PERMISSIONS[path] === 'any key' ? ['any key'] : SCOPES)]).toContain(PERMISSIONS[path]);
  }
  expect(procedures.filter((path) => PERMISSIONS[path] === 'any key')).toEqual(['apiKey.whoami']);
});

describe('a key with', () => {
  // Every set of scopes: each alone, all but each, and all.
  const sets: Scope[][] = [
    ...SCOPES.map((scope) => [scope]),
    ...SCOPES.map((scope) => SCOPES.filter((other) => other !== scope)),
    [...SCOPES],
  ];
  test.for(sets.map((scopes) => ({ scopes })))('$scopes may do what these say and nothing else', async ({ scopes }) => {
    const caller = await callerForKey(await createKeyWith({ scopes }));
    for (const path of procedures) {
      const called: unknown = path.split('.').reduce<unknown>((at, name) => Reflect.get(Object(at), name), caller);
      if (typeof called !== 'function') throw new Error(`${path} is no procedure`);
      // Input that nobody has a right to is refused for its right, before it is looked at.
      const refusal = await Promise.resolve(called({ nonsense: true })).catch((error: unknown) => error);
      const right = PERMISSIONS[path];
      if (right === 'any key' || scopes.some((scope) => scope === right))
        expect(refusal).toMatchObject({ code: 'BAD_REQUEST' });
      else expect(refusal).toMatchObject({ code: 'FORBIDDEN', message: `scope: the key lacks ${right}` });
    }
  });
});

describe('over REST, 403', () => {
  test('comes after 404 and 405, and before the content type, the body and its fields', async () => {
    const key = await createKeyWith({ scopes: ['task:read'] });
    const path = '/external/smart-inventory/vendor/new';
    expect(await http('POST', '/external/nothing', { key })).toMatchObject({ status: 404 });
    expect(await http('PUT', path, { key })).toMatchObject({ status: 405 });
    for (const body of [undefined, '{', { name: 5 }, 'x'.repeat(300_000)]) {
      expect(await http('POST', path, { key, body })).toMatchObject({
        status: 403,
        headers: { 'x-error-code': 'forbidden' },
        body: { error: 'scope: the key lacks vendor:write' },
      });
    }
  });

  test('is the same for what is there and what is not', async () => {
    const key = await createKeyWith({ scopes: ['vendor:read'] });
    const { uniqueId } = await acme.newTask();
    const answers = [uniqueId, newUniqueId(), 'abc'].map(
      async (id) => (await http('GET', `/external/task/${id}/item`, { key })).text,
    );
    expect(new Set(await Promise.all(answers)).size).toBe(1);
  });
});

describe('a key limited to a framework', () => {
  let other: number;
  let key: string;
  let own: string;
  let foreign: string;
  beforeAll(async () => {
    other = (await acme.manage.framework.create({ name: 'SOC 2' })).id;
    key = await createKeyWith({ frameworks: [acme.framework] });
    own = (await acme.newTask()).uniqueId;
    foreign = (await acme.newTask({ framework: other })).uniqueId;
  });
  const forbidden = () => ({ status: 403, body: { error: `framework: the key may not touch framework ${other}` } });

  test('touches its tasks', async () => {
    const { task } = await callerForKey(key);
    expect(await task.get({ taskUniqueId: own })).toMatchObject({ uniqueId: own });
    expect(await task.update({ taskUniqueId: own, priority: 1 })).toMatchObject({ priority: 1 });
    const made = await task.create({ framework: acme.framework, title: 'Mine' });
    await task.delete({ taskUniqueId: made.uniqueId });
    expect((await task.list({ framework: acme.framework })).total).toBeGreaterThan(0);
  });

  test('is refused another where the path tells, before anything is looked at', async () => {
    const path = `/external/task/framework/${other}`;
    expect(await http('GET', `${path}/list`, { key })).toMatchObject(forbidden());
    expect(await http('POST', `${path}/new`, { key, body: '{' })).toMatchObject(forbidden());
    expect(await http('GET', '/external/task/framework/2147483647/list', { key })).toMatchObject({ status: 403 });
    expect(await http('GET', '/external/task/framework/abc/list', { key })).toMatchObject({ status: 400 });
    const { task } = await callerForKey(key);
    await expect(task.list({ framework: other })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(task.create({ framework: other, title: '' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('is refused a task of another once it is found, which stays as it is', async () => {
    const before = await acme.task.get({ taskUniqueId: foreign });
    const path = `/external/task/${foreign}`;
    expect(await http('GET', `${path}/item`, { key })).toMatchObject(forbidden());
    expect(await http('PATCH', `${path}/edit`, { key, body: { priority: 1 } })).toMatchObject(forbidden());
    expect(await http('PATCH', `${path}/edit`, { key, body: { priority: 9 } })).toMatchObject({ status: 400 });
    expect(await http('DELETE', `${path}/delete`, { key })).toMatchObject(forbidden());
    expect(await http('GET', `/external/task/${newUniqueId()}/item`, { key })).toMatchObject({ status: 404 });
    expect(await acme.task.get({ taskUniqueId: foreign })).toEqual(before);
  });

  test('has the company’s vendors all the same', async () => {
    expect(await http('GET', '/external/smart-inventory/vendor/list', { key })).toMatchObject({ status: 200 });
  });
});

describe('a key limited to addresses', () => {
  test.for([
    [['127.0.0.1/32'], 200],
    [['127.0.0.0/8'], 200],
    [['10.0.0.0/8', '127.0.0.1/32'], 200],
    [['0.0.0.0/0'], 200],
    [['10.0.0.0/8'], 403],
    [['::1/128'], 403],
    [['127.0.0.2/32'], 403],
  ] as const)('%o, asked from 127.0.0.1: %d', async ([cidrs, status]) => {
    const key = await createKeyWith({ cidrs: [...cidrs] });
    for (const path of ['/external/smart-inventory/vendor/list', '/external/api-key/whoami', '/trpc/vendor.list']) {
      expect(await http('GET', path, { key })).toMatchObject({ status });
    }
    const headers = { 'X-Forwarded-For': '10.1.2.3' };
    expect(await http('GET', '/external/smart-inventory/vendor/list', { key, headers })).toMatchObject({ status });
  });
});

describe('rights that are none are refused, and nothing changes:', () => {
  test.for([
    [{ scopes: [] }, /^scopes: expected at least one scope/],
    [{ scopes: ['task:own'] }, /^scopes\.0: expected one of task:read/],
    [{ scopes: null }, /^scopes: expected an array/],
    [{ frameworks: [] }, /^frameworks: expected at least one framework/],
    [{ frameworks: [0] }, /^frameworks\.0: expected an integer/],
    [{ frameworks: [2_147_483_647] }, /^frameworks: not all are frameworks of this company/],
    [{ cidrs: [] }, /^cidrs: expected at least one range/],
    [{ cidrs: ['10.0.0.0/33'] }, /^cidrs\.0: expected a range/],
    [{ cidrs: ['10.0.0.0'] }, /^cidrs\.0: expected a range/],
    [{ cidrs: ['nonsense'] }, /^cidrs\.0: expected a range/],
    [{ cidrs: ['::/129'] }, /^cidrs\.0: expected a range/],
    [{ rights: [] }, /^rights: unknown field/],
  ] as const)('%o', async ([rights, message]) => {
    const { manage, apiKey } = await createCompany();
    const given = rights as never;
    await expect(manage.apiKey.create({ name: 'x', ...(given as object) })).rejects.toThrow(message);
    await expect(manage.apiKey.update({ uniqueId: apiKey.uniqueId, ...(given as object) })).rejects.toThrow(message);
    expect(await manage.apiKey.list()).toEqual([apiKey]);
  });

  test('the frameworks of another company', async () => {
    const { manage, apiKey } = await createCompany();
    const refusal = { code: 'UNPROCESSABLE_CONTENT', message: 'frameworks: not all are frameworks of this company' };
    const frameworks = [acme.framework];
    await expect(manage.apiKey.create({ name: 'x', frameworks })).rejects.toMatchObject(refusal);
    await expect(manage.apiKey.update({ uniqueId: apiKey.uniqueId, frameworks })).rejects.toMatchObject(refusal);
    expect(await manage.apiKey.list()).toEqual([apiKey]);
  });
});

test('behind proxies of ours the address is the one the outermost of them saw, whatever the caller says', async () => {
  const key = await createKeyWith({ cidrs: ['10.1.0.0/16'] });
  const app = createApp(database, OPERATOR_TOKEN, createLog('silent'), { trustProxy: 2 });
  const server = new HttpServer(app.callback());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const from = async (forwarded: string) =>
    (await fetch(`${url}/external/api-key/whoami`, { headers: { 'X-API-Key': key, 'X-Forwarded-For': forwarded } }))
      .status;
  expect(await from('10.1.2.3, 192.0.2.1')).toBe(200);
  expect(await from('192.0.2.9, 10.1.2.3, 192.0.2.1')).toBe(200);
  expect(await from('10.1.2.3, 192.0.2.9, 192.0.2.1')).toBe(403);
  expect(await from('nonsense, 192.0.2.1')).toBe(403);
  await server.stop();
});
