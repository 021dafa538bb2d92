import { auditedResources } from '../../entities/index.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import type { Scope } from '../../entities/api-key/scope.ts';
import { definitionOf } from '../../procedures/core/declaration/compile.ts';
import { appRouter } from '../../procedures/index.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { startApp } from '../support/http/app.ts';
import { http } from '../support/http/server.ts';

const acme = await createCompany();

/** Creates an API key with only these permissions. */
const createKeyWith = async (permissions: { scopes?: Scope[]; frameworks?: number[]; cidrs?: string[] }) =>
  (await acme.manage.apiKey.create({ name: 'Narrow', ...permissions })).key;

const procedures = Object.keys(appRouter._def.procedures).filter(
  (path) =>
    !/^(?:management|account|inbox|view|watch)\.|^overview\.apiKeys$|^import\.(?:answers|remember)$|^evidence\.check$/.test(
      path,
    ),
);

/** Scopes that a key needs for a procedure: all of them, and any of others. */
interface Required {
  all: readonly string[];
  anyOf?: readonly string[];
}

/** Types of the resources that each resource may belong to. */
const PARENTS = new Map<string, string[]>(
  auditedResources.flatMap((resource) =>
    'access' in resource && resource.access.parents.length > 0
      ? [[resource.type, resource.access.parents.map((parent) => parent.resource.type)]]
      : [],
  ),
);

/** Requirements are read with tasks. */
const readScopeOf = (type: string) => (type === 'requirement' ? 'task:read' : `${type}:read`);

/** Something that belongs to one of several resources has the scopes of that one. Evidence has its own, and needs the read scope of that one. */
function requiredOf(path: string): Required {
  const [resource = '', name = ''] = path.split('.');
  if (resource === 'webhook') return { all: ['webhook:manage', 'audit:read'] };
  // A proof shows everything.
  if (resource === 'proof') return { all: ['audit:read', 'task:read', 'vendor:read', 'member:read'] };
  if (name === 'history') return { all: ['audit:read'] };
  const verb = definitionOf(appRouter, path).type === 'query' ? 'read' : name.startsWith('delete') ? 'delete' : 'write';
  if (resource === 'requirement' && verb === 'read') return { all: ['task:read'] };
  const parents = PARENTS.get(resource);
  if (parents === undefined) return { all: [`${resource}:${verb}`] };
  if (resource === 'evidence') return { all: [`evidence:${verb}`], anyOf: parents.map(readScopeOf) };
  return { all: [], anyOf: parents.map((parent) => (verb === 'read' ? readScopeOf(parent) : `${parent}:write`)) };
}

/** The scopes that a key needs for each procedure for integrations, stated apart from the code. None for any scope. */
const REQUIRED_SCOPES: Record<string, Required> = {
  ...Object.fromEntries(procedures.map((path) => [path, requiredOf(path)])),
  'apiKey.whoami': { all: [] },
  'apiKey.requests': { all: [] },
  // Reference data is read with tasks.
  'framework.list': { all: ['task:read'] },
  'framework.report': { all: ['task:read'] },
  'gap.list': { all: ['task:read'] },
  'department.list': { all: ['task:read'] },
  'changes.list': { all: ['audit:read'] },
  'audit.count': { all: ['audit:read'] },
  'overview.tasks': { all: ['task:read'] },
  'overview.overdueTasks': { all: ['task:read'] },
  'overview.taskHistory': { all: ['task:read'] },
  'overview.vendors': { all: ['vendor:read'] },
  'overview.vendorReviews': { all: ['vendor:read'] },
  'overview.questions': { all: [], anyOf: ['task:read', 'vendor:read'] },
  'overview.evidence': { all: ['evidence:read'], anyOf: ['task:read', 'vendor:read'] },
  'search.find': { all: [], anyOf: ['task:read', 'vendor:read'] },
  // They check the scope of each item.
  'task.batch': { all: [] },
  'vendor.batch': { all: [] },
  'requirement.batch': { all: [] },
  // They check the permission to write the kind of the import.
  'import.list': { all: [] },
  'import.get': { all: [] },
  'import.errors': { all: [] },
  'import.warnings': { all: [] },
  'import.skipped': { all: [] },
  'import.errorSummary': { all: [] },
  'import.cancel': { all: [] },
  // It checks those to write and to delete the kind.
  'import.undo': { all: [] },
};

test('every procedure for integrations requires scopes, by its name', () => {
  const scopesOf = (path: string) => [
    ...(REQUIRED_SCOPES[path]?.all ?? [path]),
    ...(REQUIRED_SCOPES[path]?.anyOf ?? []),
  ];
  for (const path of procedures) expect([...SCOPES]).toEqual(expect.arrayContaining(scopesOf(path)));
  expect(procedures.filter((path) => scopesOf(path).length === 0)).toEqual([
    'task.batch',
    'vendor.batch',
    'requirement.batch',
    'import.list',
    'import.get',
    'import.errors',
    'import.warnings',
    'import.skipped',
    'import.errorSummary',
    'import.undo',
    'import.cancel',
    'apiKey.whoami',
    'apiKey.requests',
  ]);
});

describe('an API key with', () => {
  // Each scope alone, all scopes except one, and all scopes.
  const sets: Scope[][] = [
    ...SCOPES.map((scope) => [scope]),
    ...SCOPES.map((scope) => SCOPES.filter((other) => other !== scope)),
    [...SCOPES],
  ];
  test.for(sets.map((scopes) => ({ scopes })))(
    '$scopes may call exactly the procedures of these scopes',
    async ({ scopes }) => {
      const caller = await callerForKey(await createKeyWith({ scopes }));
      for (const path of procedures) {
        const procedure: unknown = path
          .split('.')
          .reduce<unknown>((parent, name) => Reflect.get(Object(parent), name), caller);
        if (typeof procedure !== 'function') throw new Error(`${path} is not a procedure`);
        // A missing scope is reported before invalid input.
        const callError = await Promise.resolve(procedure({ nonsense: true })).catch((error: unknown) => error);
        const { all = [], anyOf = [] } = REQUIRED_SCOPES[path] ?? {};
        const isMissing = (name: string) => !scopes.some((scope) => scope === name);
        const missing = all.find(isMissing) ?? (anyOf.every(isMissing) ? anyOf[0] : undefined);
        if (missing === undefined) expect(callError).toMatchObject({ code: 'BAD_REQUEST' });
        else expect(callError).toMatchObject({ code: 'FORBIDDEN', message: `scope: the key lacks ${missing}` });
      }
    },
  );
});

describe('over REST, 403', () => {
  test('follows 404 and 405, and precedes errors of the content type, the body and its fields', async () => {
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

  test('is identical for existing and unknown ids', async () => {
    const key = await createKeyWith({ scopes: ['vendor:read'] });
    const { uniqueId } = await acme.newTask();
    const responses = [uniqueId, newUniqueId(), 'abc'].map(
      async (id) => (await http('GET', `/external/task/${id}/item`, { key })).text,
    );
    expect(new Set(await Promise.all(responses)).size).toBe(1);
  });
});

describe('an API key limited to a framework', () => {
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
  const forbidden = () => ({ status: 403, body: { error: `framework: the key may not access framework ${other}` } });

  test('may use tasks of this framework', async () => {
    const { task } = await callerForKey(key);
    expect(await task.get({ taskUniqueId: own })).toMatchObject({ uniqueId: own });
    expect(await task.update({ taskUniqueId: own, priority: 1 })).toMatchObject({ priority: 1 });
    const created = await task.create({ framework: acme.framework, title: 'Mine' });
    await task.delete({ taskUniqueId: created.uniqueId });
    expect((await task.list({ framework: acme.framework })).total).toBeGreaterThan(0);
  });

  test('gets 403 for another framework in the path, before the body is read', async () => {
    const path = `/external/task/framework/${other}`;
    expect(await http('GET', `${path}/list`, { key })).toMatchObject(forbidden());
    expect(await http('POST', `${path}/new`, { key, body: '{' })).toMatchObject(forbidden());
    expect(await http('GET', '/external/task/framework/2147483647/list', { key })).toMatchObject({ status: 403 });
    expect(await http('GET', '/external/task/framework/abc/list', { key })).toMatchObject({ status: 400 });
    const { task } = await callerForKey(key);
    await expect(task.list({ framework: other })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(task.create({ framework: other, title: '' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('gets 403 for a task of another framework, which stays unchanged', async () => {
    const before = await acme.task.get({ taskUniqueId: foreign });
    const path = `/external/task/${foreign}`;
    expect(await http('GET', `${path}/item`, { key })).toMatchObject(forbidden());
    expect(await http('PATCH', `${path}/edit`, { key, body: { priority: 1 } })).toMatchObject(forbidden());
    expect(await http('PATCH', `${path}/edit`, { key, body: { priority: 9 } })).toMatchObject({ status: 400 });
    expect(await http('DELETE', `${path}/delete`, { key })).toMatchObject(forbidden());
    expect(await http('GET', `/external/task/${newUniqueId()}/item`, { key })).toMatchObject({ status: 404 });
    expect(await acme.task.get({ taskUniqueId: foreign })).toEqual(before);
  });

  test('may use all vendors of the company', async () => {
    expect(await http('GET', '/external/smart-inventory/vendor/list', { key })).toMatchObject({ status: 200 });
  });
});

describe('an API key limited to address ranges', () => {
  test.for([
    [['127.0.0.1/32'], 200],
    [['127.0.0.0/8'], 200],
    [['10.0.0.0/8', '127.0.0.1/32'], 200],
    [['0.0.0.0/0'], 200],
    [['10.0.0.0/8'], 403],
    [['::1/128'], 403],
    [['127.0.0.2/32'], 403],
  ] as const)('%o gets %d for a request from 127.0.0.1', async ([cidrs, status]) => {
    const key = await createKeyWith({ cidrs: [...cidrs] });
    for (const path of ['/external/smart-inventory/vendor/list', '/external/api-key/whoami', '/trpc/vendor.list']) {
      expect(await http('GET', path, { key })).toMatchObject({ status });
    }
    const headers = { 'X-Forwarded-For': '10.1.2.3' };
    expect(await http('GET', '/external/smart-inventory/vendor/list', { key, headers })).toMatchObject({ status });
  });
});

describe('behind two trusted proxies', async () => {
  const cidrs = ['10.1.0.0/16', '2001:db8::/32', '198.51.100.7/32'];
  const app = await startApp({ trustProxy: 2 });
  afterAll(() => app.stop());

  test.for([
    // The client address is the one that the outermost trusted proxy saw.
    ['10.1.2.3, 192.0.2.1', 200],
    ['192.0.2.9, 10.1.2.3, 192.0.2.1', 200],
    ['10.1.2.3, 192.0.2.9, 192.0.2.1', 403],
    // An address may have brackets and a port.
    ['10.1.2.3:4711, 192.0.2.1', 200],
    ['10.2.2.3:4711, 192.0.2.1', 403],
    ['2001:db8::7, 192.0.2.1', 200],
    ['[2001:db8::7], 192.0.2.1', 200],
    ['[2001:db8::7]:4711,192.0.2.1:80', 200],
    ['[2001:db9::7]:4711, 192.0.2.1', 403],
    ['[::ffff:10.1.2.3]:4711, 192.0.2.1', 200],
    // What is no address counts as that of the proxy.
    ['unknown, 192.0.2.1', 403],
    ['unknown, 198.51.100.7:80', 200],
    ['nonsense, 198.51.100.7', 200],
    [', 198.51.100.7', 200],
    ['10.1.2.3.4:80, 198.51.100.7', 200],
    ['10.1.2.3, unknown', 200],
    ['unknown, unknown', 403], // 127.0.0.1
  ] as const)('X-Forwarded-For: %s is %d for a key with ranges', async ([forwarded, status]) => {
    const key = await createKeyWith({ cidrs });
    const response = await app.ask('/external/api-key/whoami', { 'X-API-Key': key, 'X-Forwarded-For': forwarded });
    expect(response.status).toBe(status);
  });
});
