import { createTRPCClient, httpBatchLink, httpLink } from '@trpc/client';
import { describe, expect, test } from 'vitest';
import type { AppRouter } from '../../procedures/index.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { http, url } from '../support/http/server.ts';

const trpcClient = (key: string) =>
  createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}/trpc`, headers: { 'X-API-Key': key } })] });

/** The same operations through a caller, tRPC over HTTP, and REST. */
interface Transport {
  name: string;
  createVendor(input: object): Promise<unknown>;
  updateVendor(id: string, changes: object): Promise<unknown>;
  getVendor(id: string): Promise<unknown>;
  createTask(framework: number, input: object): Promise<unknown>;
  updateTask(id: string, changes: object): Promise<unknown>;
  deleteTask(id: string): Promise<unknown>;
  listTasks(framework: number, query?: Record<string, string | number>): Promise<unknown>;
  listVendors(query: Record<string, string | number>): Promise<unknown>;
  listFrameworks(): Promise<unknown>;
  listGaps(framework: number): Promise<unknown>;
  listDepartments(): Promise<unknown>;
  getTask(id: string, query: Record<string, string>): Promise<unknown>;
  history(id: string, query: Record<string, number>): Promise<unknown>;
  listEvents(query: Record<string, string | number>): Promise<unknown>;
}

type AnyInput = never;

const callerTransport = async ({ key }: TestCompany): Promise<Transport> => {
  const { vendor, task, audit, framework, gap, department } = await callerForKey(key);
  return procedureTransport('a caller', {
    audit: { list: audit.list },
    references: { listFrameworks: framework.list, listGaps: gap.list, listDepartments: department.list },
    vendor: { create: vendor.create, update: vendor.update, get: vendor.get, list: vendor.list },
    task: {
      create: task.create,
      update: task.update,
      delete: task.delete,
      list: task.list,
      get: task.get,
      history: task.history,
    },
  });
};

const trpcTransport = async ({ key }: TestCompany): Promise<Transport> => {
  const { vendor, task, audit, framework, gap, department } = trpcClient(key);
  return procedureTransport('tRPC', {
    audit: { list: audit.list.query },
    references: {
      listFrameworks: framework.list.query,
      listGaps: gap.list.query,
      listDepartments: department.list.query,
    },
    vendor: {
      create: vendor.create.mutate,
      update: vendor.update.mutate,
      get: vendor.get.query,
      list: vendor.list.query,
    },
    task: {
      create: task.create.mutate,
      update: task.update.mutate,
      delete: task.delete.mutate,
      list: task.list.query,
      get: task.get.query,
      history: task.history.query,
    },
  });
};

type Procedures<Names extends string> = Record<Names, (input: AnyInput) => Promise<unknown>>;

function procedureTransport(
  name: string,
  {
    vendor,
    task,
    audit,
    references,
  }: {
    vendor: Procedures<'create' | 'update' | 'get' | 'list'>;
    task: Procedures<'create' | 'update' | 'delete' | 'list' | 'get' | 'history'>;
    audit: Procedures<'list'>;
    references: Procedures<'listFrameworks' | 'listGaps' | 'listDepartments'>;
  },
): Transport {
  const errorMessage = (error: unknown) => {
    if (!(error instanceof Error)) throw error;
    return { error: error.message };
  };
  return {
    name,
    createVendor: (input) => vendor.create(input as AnyInput).catch(errorMessage),
    updateVendor: (id, changes) => vendor.update({ vendor: id, ...changes } as AnyInput).catch(errorMessage),
    getVendor: (id) => vendor.get({ vendor: id } as AnyInput).catch(errorMessage),
    createTask: (framework, input) => task.create({ framework, ...input } as AnyInput).catch(errorMessage),
    updateTask: (id, changes) => task.update({ taskUniqueId: id, ...changes } as AnyInput).catch(errorMessage),
    deleteTask: (id) => task.delete({ taskUniqueId: id } as AnyInput).catch(errorMessage),
    listTasks: (framework, query) => task.list({ framework, ...query } as AnyInput).catch(errorMessage),
    listVendors: (query) => vendor.list(query as AnyInput).catch(errorMessage),
    listFrameworks: () => references.listFrameworks(undefined as AnyInput).catch(errorMessage),
    listGaps: (id) => references.listGaps({ framework: id } as AnyInput).catch(errorMessage),
    listDepartments: () => references.listDepartments(undefined as AnyInput).catch(errorMessage),
    getTask: (id, query) => task.get({ taskUniqueId: id, ...query } as AnyInput).catch(errorMessage),
    history: (id, query) => task.history({ taskUniqueId: id, ...query } as AnyInput).catch(errorMessage),
    listEvents: (query) => audit.list(query as AnyInput).catch(errorMessage),
  };
}

/** REST sends the entity tag of a task or a vendor as `ETag`; tRPC returns it as `etag`. */
const withEntityTag = (body: unknown, etag: string | undefined) =>
  etag === undefined || typeof body !== 'object' ? body : { ...body, etag: JSON.parse(etag) as unknown };

const restTransport = async ({ key }: TestCompany): Promise<Transport> => {
  const queryString = (query: Record<string, string | number>) =>
    new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  const send = async (method: string, path: string, body?: object) => {
    const response = await http(method, `/external/${path}`, { key, body });
    expect(Object(response.body)).not.toHaveProperty('etag');
    return withEntityTag(response.body, response.headers.etag);
  };
  return {
    name: 'REST',
    createVendor: (input) => send('POST', 'smart-inventory/vendor/new', input),
    updateVendor: (id, changes) => send('PATCH', `smart-inventory/vendor/${id}/edit`, changes),
    getVendor: (id) => send('GET', `smart-inventory/vendor/${id}/item`),
    createTask: (framework, input) => send('POST', `task/framework/${framework}/new`, input),
    updateTask: (id, changes) => send('PATCH', `task/${id}/edit`, changes),
    deleteTask: (id) => send('DELETE', `task/${id}/delete`),
    listTasks: (framework, query = {}) => send('GET', `task/framework/${framework}/list?${queryString(query)}`),
    listVendors: (query) => send('GET', `smart-inventory/vendor/list?${queryString(query)}`),
    listFrameworks: () => send('GET', 'framework/list'),
    listGaps: (framework) => send('GET', `framework/${framework}/gap/list`),
    listDepartments: () => send('GET', 'department/list'),
    getTask: (id, query) => send('GET', `task/${id}/item?${queryString(query)}`),
    history: (id, query) => send('GET', `task/${id}/history?${queryString(query)}`),
    listEvents: (query) => send('GET', `audit/list?${queryString(query)}`),
  };
};

/** Runs the same scenario on a transport, and normalizes ids, timestamps and cursors. */
async function runScenario(acme: TestCompany, transport: Transport) {
  const idOf = (response: unknown) => String(Reflect.get(Object(response), 'uniqueId'));
  const responses: unknown[] = [];
  const record = async (response: Promise<unknown>) => {
    responses.push(await response);
    return responses.at(-1);
  };
  const vendor = idOf(
    await record(transport.createVendor({ name: ' Cloud Ltd ', description: '<p onclick="x()">Hosting</p>' })),
  );
  await record(transport.updateVendor(vendor, { active: false }));
  await record(transport.updateVendor(vendor, { name: 'Cloud Ltd' }));
  await record(transport.updateVendor(vendor, { active: true, status: 'archived' }));
  await record(transport.getVendor(vendor));
  await record(transport.getVendor('nothing'));
  for (const input of [{}, { name: 5 }, { name: 'x', active: 'false' }, { name: 'x', colour: 1 }, { name: 'a\0b' }]) {
    await record(transport.createVendor(input));
  }
  const newTask = {
    title: 'Review',
    labels: ['a', 'A'],
    departmentId: acme.department,
    gaps: [acme.gap],
    dueDate: '2026-02-27',
  };
  const task = idOf(await record(transport.createTask(acme.framework, newTask)));
  await record(transport.updateTask(task, { priority: 1, dueDate: null }));
  for (const changes of [
    { priority: '1' },
    { priority: null },
    { startDate: '2026-02-30' },
    { gaps: [2_147_483_647] },
    { departmentId: 0 },
  ]) {
    await record(transport.updateTask(task, changes));
  }
  await record(transport.updateTask(task, { status: 'done' }));
  await record(transport.updateTask(task, { status: 'in_review' }));
  await record(transport.listTasks(acme.framework));
  for (const query of [
    { limit: 1 },
    { limit: 2, status: 'done', priority: 1, label: 'A', departmentId: acme.department, q: 'REV' },
    { updatedSince: '2020-01-01T00:00:00Z', dueAfter: '2026-01-01' },
    { limit: 0 },
    { limit: 101 },
    { limit: '1e1' },
    { limit: 1, cursor: 'mine' },
    { cursor: 'mine' },
    { priority: 5 },
    { departmentId: 0 },
    { label: ' ' },
    { q: '' },
    { q: 'a\0b' },
    { dueBefore: '2026-02-30' },
    { updatedSince: 'now' },
    { limit: 5, status: 'open,done', priority: 1, sort: 'dueDate' },
    { limit: 5, priority: '1,2', sort: '-updatedAt' },
    { status: '' },
    { status: 'todo,' },
    { status: 'nothing' },
    { priority: '' },
    { priority: '1,x' },
    { priority: 0 },
    { sort: 'title' },
    { sort: '' },
    { colour: 'red' },
  ]) {
    await record(transport.listTasks(acme.framework, query));
  }
  for (const query of [
    {},
    { limit: 1, q: 'CLOUD', status: 'archived' },
    { limit: 501 },
    { limit: 100, view: 'full', updatedSince: '2020-01-01T00:00:00Z' },
    { limit: 101, view: 'full' },
    { view: 'full' },
    { view: 'full', cursor: 'x' },
    { view: 'list', limit: 1 },
    { updatedSince: 'now' },
    { updatedSince: '2999-01-01T00:00:00Z' },
    { cursor: 'x' },
    { status: 1 },
  ]) {
    await record(transport.listVendors(query));
  }
  for (const framework of [acme.framework, 0, 2_147_483_647]) await record(transport.listGaps(framework));
  await record(transport.listFrameworks());
  await record(transport.listDepartments());
  await record(transport.listTasks(0));
  await record(transport.createTask(2_147_483_648, { title: 'x' }));
  await record(transport.deleteTask(task));
  await record(transport.deleteTask(task));
  await record(transport.history(task, { limit: 100 }));
  await record(transport.history('nothing', {}));
  await record(transport.history(task, { limit: 101 }));
  await record(transport.listEvents({ resourceType: 'vendor', limit: 1 }));
  for (const query of [{ colour: 'red' }, { since: 'now' }, { cursor: 'mine' }, { action: 'task.eat' }, { limit: 0 }]) {
    await record(transport.listEvents(query));
  }
  await record(transport.getTask(task, { asOf: '2999-01-01T00:00:00Z' }));
  await record(transport.getTask(task, { asOf: '2026-02-30T00:00:00Z' }));
  const events = await acme.events();
  const ids = [vendor, task, acme.apiKey.uniqueId, acme.apiKey.user.uniqueId];
  return normalize({ responses, events: events.slice(5) }, ids, {
    framework: acme.framework,
    department: acme.department,
    gap: acme.gap,
  });
}

/** Replaces ids by their position, and timestamps, request ids and cursors by placeholders. */
function normalize(value: unknown, ids: string[], numbers: Record<string, number>): unknown {
  const replaced = JSON.stringify(value, (key, field: unknown) => {
    if (/(At|_at)$/.test(key)) return 'a timestamp';
    if (key === 'etag') return String(field).replace(/-[0-9a-f]{8}$/, '-a digest');
    if (key === 'request_id' || key === 'requestId') return 'a request';
    if (key === 'nextCursor' && field !== null) return 'a cursor';
    // Only REST has query parameters, and its error lists the known ones.
    if (key === 'error') return String(field).replace(/: unknown parameter; known: [\w, ]+$/, ': unknown field');
    if (key === 'items' && Array.isArray(field))
      return field.map((event: object) => ({ ...event, uniqueId: 'an event' }));
    if (key === 'framework' || key === 'framework_id') return 'the framework';
    if (key === 'id' && typeof field === 'number') return 'an id';
    if (key === 'departmentId' || key === 'department_id')
      return field === numbers['department'] ? 'the department' : field;
    if (key === 'gaps') return Array.isArray(field) && field[0] === numbers['gap'] ? 'the gap' : field;
    return field;
  });
  return JSON.parse(ids.reduce((text, id, index) => text.replaceAll(id, `id ${index}`), replaced));
}

test('REST, tRPC and a caller return the same results and record the same audit events', async () => {
  const results = [];
  for (const createTransport of [callerTransport, trpcTransport, restTransport]) {
    const acme = await createCompany();
    results.push(await runScenario(acme, await createTransport(acme)));
  }
  const [callerResult, trpcResult, restResult] = results;
  expect(trpcResult).toEqual(callerResult);
  expect(restResult).toEqual(callerResult);
  expect(JSON.stringify(callerResult)).toContain('"etag":"2-a digest"');
  expect(JSON.stringify(callerResult)).toContain('priority: expected an integer from 1 to 4');
});

describe('JSON is strict', () => {
  test('over REST and tRPC, before and after other requests', async () => {
    const acme = await createCompany();
    const { vendor, task } = await callerForKey(acme.key);
    const expectStrictErrors = async () => {
      await expect(vendor.create({ name: 'x', active: 'false' as AnyInput })).rejects.toThrow(
        'active: expected true or false',
      );
      await expect(task.create({ framework: acme.framework, title: 'x', priority: '3' as AnyInput })).rejects.toThrow(
        'priority: ',
      );
      await expect(task.list({ framework: String(acme.framework) as AnyInput })).rejects.toThrow(
        'framework: expected an integer',
      );
      const rpc = trpcClient(acme.key);
      await expect(rpc.vendor.create.mutate({ name: 'x', active: 'false' as AnyInput })).rejects.toThrow(
        'active: expected true or false',
      );
      await expect(rpc.task.list.query({ framework: String(acme.framework) as AnyInput })).rejects.toThrow(
        'framework: ',
      );
      const body = { name: 'x', active: 'false' };
      expect((await http('POST', '/external/smart-inventory/vendor/new', { key: acme.key, body })).status).toBe(400);
    };
    await expectStrictErrors();
    await http('GET', `/external/task/framework/${acme.framework}/list`, { key: acme.key });
    await http('POST', `/external/task/framework/${acme.framework}/new`, {
      key: acme.key,
      body: { title: 'x', priority: 3 },
    });
    await http('POST', '/external/smart-inventory/vendor/new', { key: acme.key, body: { name: 'x', active: false } });
    await expectStrictErrors();
    expect(await acme.vendor.list()).toMatchObject([{ status: 'inactive' }]);
  });
});

describe('tRPC over HTTP', () => {
  const post = (path: string, key: string | undefined, body: unknown) =>
    http('POST', `/trpc/${path}`, { ...(key && { key }), body });

  test('needs a credential before it reads a body, and reveals only the error of the contract', async () => {
    for (const path of ['vendor.list', 'management.company.list']) {
      const response = await http('GET', `/trpc/${path}`);
      expect(response).toMatchObject({ status: 401, headers: { 'www-authenticate': expect.any(String) } });
      expect(response.body).toEqual({
        error: {
          message: 'X-API-Key or Authorization: required',
          code: -32_001,
          data: expect.objectContaining({ errorCode: 'unauthorized' }),
        },
      });
    }
    expect(
      await http('GET', '/trpc/management.company.list', { headers: { Authorization: 'Bearer wrong' } }),
    ).toMatchObject({ status: 401 });
  });

  test('returns no stack trace for any error', async () => {
    const acme = await createCompany();
    for (const response of [
      await post('vendor.create', acme.key, { name: 5 }),
      await post('vendor.create', acme.key, '{'),
      await post('no.such', acme.key, {}),
      await http('GET', '/trpc/vendor.create', { key: acme.key }),
      await http('GET', '/trpc/vendor.get?input=%7B', { key: acme.key }),
      await http('GET', '/trpc/%zz', { key: acme.key }),
      await http('GET', '/trpc/', { key: acme.key }),
      await http('GET', '/trpc', { key: acme.key }),
      await http('PUT', '/trpc/vendor.list', { key: acme.key }),
      await post('vendor.create?batch=1', acme.key, '[]'),
      await post('__proto__', acme.key, {}),
    ]) {
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
      expect(response.text).not.toMatch(/stack|\.ts|node_modules|select /);
    }
  });

  test('limits the size of a batch and of a body', async () => {
    const acme = await createCompany();
    const batch = (calls: number) => {
      const input = encodeURIComponent(
        JSON.stringify(Object.fromEntries(Array.from({ length: calls }, (_, index) => [index, {}]))),
      );
      return http(
        'GET',
        `/trpc/${Array.from({ length: calls }, () => 'vendor.list').join(',')}?batch=1&input=${input}`,
        { key: acme.key },
      );
    };
    expect((await batch(20)).status).toBe(200);
    expect(await batch(21)).toMatchObject({
      status: 400,
      body: {
        error: {
          message: 'batch: expected at most 20 calls; set maxItems in httpBatchLink',
          data: { errorCode: 'invalid_request' },
        },
      },
    });
    expect((await post('vendor.create', acme.key, { name: 'x', description: 'x'.repeat(300_000) })).status).toBe(413);
    expect(await acme.vendor.list()).toEqual([]);
  });

  test('serves a batching client with one principal', async () => {
    const acme = await createCompany();
    const client = createTRPCClient<AppRouter>({
      links: [httpBatchLink({ url: `${url}/trpc`, headers: { 'X-API-Key': acme.key } })],
    });
    const created = await Promise.all(['a', 'b', 'c'].map((name) => client.vendor.create.mutate({ name })));
    expect(created.map(({ createdBy }) => createdBy)).toEqual(Array.from({ length: 3 }, () => acme.apiKey.user));
    expect(await client.vendor.list.query()).toHaveLength(3);
  });

  test('serves more concurrent calls than the batch limit if the client sets maxItems', async () => {
    const acme = await createCompany();
    const links = [httpBatchLink({ url: `${url}/trpc`, maxItems: 20, headers: { 'X-API-Key': acme.key } })];
    const client = createTRPCClient<AppRouter>({ links });
    const lists = await Promise.all(Array.from({ length: 50 }, () => client.vendor.list.query()));
    expect(lists).toEqual(Array.from({ length: 50 }, () => []));
  });

  test('rejects management with an API key, and vendor procedures with the operator token', async () => {
    const acme = await createCompany();
    const { OPERATOR_TOKEN } = await import('../support/tenants/company.ts');
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
    expect(await http('GET', '/trpc/management.company.list', { key: acme.key })).toMatchObject({ status: 403 });
    expect(await http('GET', '/trpc/management.apiKey.list', { key: acme.key, headers })).toMatchObject({
      status: 403,
    });
    const withCompany = { ...headers, 'X-Company-Id': String(acme.id) };
    expect(await http('GET', '/trpc/vendor.list', { headers: withCompany })).toMatchObject({ status: 403 });
    expect(await http('GET', '/trpc/management.framework.list', { headers: withCompany })).toMatchObject({
      status: 200,
    });
    expect(await http('GET', '/trpc/management.framework.list', { headers })).toMatchObject({ status: 400 });
    for (const id of ['0', '2147483647', '99999999999', 'abc', `${acme.id} `.repeat(2)]) {
      const response = await http('GET', '/trpc/management.framework.list', {
        headers: { ...headers, 'X-Company-Id': id },
      });
      expect(response).toMatchObject({ status: 404 });
    }
  });
});
