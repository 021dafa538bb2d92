import { createTRPCClient, createTRPCUntypedClient, httpBatchLink, httpLink } from '@trpc/client';
import { beforeAll, describe, expect } from 'vitest';
import { z } from 'zod';
import { isVersionedSchema } from '../../procedures/schemas/entity-tag.ts';
import { definitionOf } from '../../procedures/core/declaration/compile.ts';
import { appRouter } from '../../procedures/index.ts';
import type { AppRouter } from '../../procedures/index.ts';
import { test } from '../support/fixtures/test.ts';
import { exampleInput, headersOf, pathOf, routes, targetOf } from '../support/fixtures/objects.ts';
import type { Target } from '../support/fixtures/objects.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { http, url } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';
import { webhookCaller } from '../support/tenants/webhooks.ts';

const trpcClient = (key: string) =>
  createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}/trpc`, headers: { 'X-API-Key': key } })] });

/** Calls a procedure, or its REST operation. Resolves to its result, or to its error as REST shows it. */
type Call = (procedure: string, input?: object) => Promise<unknown>;
type Transport = (key: string) => Promise<Call>;

type AnyInput = never;

const errorMessage = (error: unknown) => {
  if (!(error instanceof Error)) throw error;
  return { error: error.message };
};

const callerTransport: Transport = async (key) => {
  const caller = await webhookCaller(key);
  return async (procedure, input) => {
    const called: unknown = procedure.split('.').reduce<unknown>((at, name) => Reflect.get(Object(at), name), caller);
    if (typeof called !== 'function') throw new Error(`${procedure}: expected a procedure`);
    return Promise.resolve(called(input)).catch(errorMessage);
  };
};

const trpcTransport: Transport = async (key) => {
  const client = createTRPCUntypedClient<AppRouter>({
    links: [httpLink({ url: `${url}/trpc`, headers: { 'X-API-Key': key } })],
  });
  return (procedure, input) => client[definitionOf(appRouter, procedure).type](procedure, input).catch(errorMessage);
};

const restTransport: Transport = async (key) => async (procedure, input) => {
  const route = routes.find((one) => one.procedure === procedure);
  if (route === undefined) throw new Error(`${procedure}: expected a REST operation`);
  const { method, template, pathParameters } = route;
  const hasBody = route.body !== undefined;
  const rest = Object.entries(input ?? {}).filter(([name]) => !pathParameters.includes(name));
  const query = hasBody ? '' : `?${new URLSearchParams(rest.map(([name, value]) => [name, String(value)])).toString()}`;
  const fields: Record<string, unknown> = Object.fromEntries(rest);
  const body = hasBody ? (fields['content'] ?? fields) : undefined;
  const path = pathOf(template, { ...input }) + query;
  const response = await http(method, path, { key, body, headers: headersOf(route) });
  expect(Object(response.body)).not.toHaveProperty('etag');
  const { output } = definitionOf(appRouter, procedure);
  if (route.response.kind !== 'upsert') return withEntityTag(output, response);
  const item: unknown = output instanceof z.ZodObject ? output.shape['item'] : undefined;
  return { upsert: response.headers['x-upsert'], item: withEntityTag(item, response) };
};

/** REST sends an entity tag as `ETag`. tRPC returns it as `etag` of objects that have no such field over REST. */
const withEntityTag = (output: unknown, { body, headers: { etag } }: HttpResponse) =>
  etag !== undefined && typeof body === 'object' && output instanceof z.ZodType && isVersionedSchema(output)
    ? { ...body, etag: JSON.parse(etag) as unknown }
    : body;

/** Runs the same scenario on a transport, and normalizes ids, timestamps and cursors. */
async function runScenario(acme: TestCompany, transport: Transport) {
  const call = await transport(acme.key);
  const { framework } = acme;
  const idOf = (response: unknown) => String(Reflect.get(Object(response), 'uniqueId'));
  const responses: unknown[] = [];
  const record = async (response: Promise<unknown>) => {
    responses.push(await response);
    return responses.at(-1);
  };
  const vendor = idOf(
    await record(call('vendor.create', { name: ' Cloud Ltd ', description: '<p onclick="x()">Hosting</p>' })),
  );
  await record(call('vendor.update', { vendor, active: false }));
  await record(call('vendor.update', { vendor, name: 'Cloud Ltd' }));
  await record(call('vendor.update', { vendor, active: true, status: 'archived' }));
  await record(call('vendor.get', { vendor }));
  await record(call('vendor.get', { vendor: 'nothing' }));
  for (const input of [{}, { name: 5 }, { name: 'x', active: 'false' }, { name: 'x', colour: 1 }, { name: 'a\0b' }]) {
    await record(call('vendor.create', input));
  }
  const newTask = {
    title: 'Review',
    labels: ['a', 'A'],
    departmentId: acme.department,
    gaps: [acme.gap],
    dueDate: '2026-02-27',
  };
  const taskUniqueId = idOf(await record(call('task.create', { framework, ...newTask })));
  await record(call('task.update', { taskUniqueId, priority: 1, dueDate: null }));
  for (const changes of [
    { priority: '1' },
    { priority: null },
    { startDate: '2026-02-30' },
    { gaps: [2_147_483_647] },
    { departmentId: 0 },
  ]) {
    await record(call('task.update', { taskUniqueId, ...changes }));
  }
  await record(call('task.update', { taskUniqueId, status: 'done' }));
  await record(call('task.update', { taskUniqueId, status: 'in_review' }));
  await record(call('task.list', { framework }));
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
    await record(call('task.list', { framework, ...query }));
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
    await record(call('vendor.list', query));
  }
  for (const id of [framework, 0, 2_147_483_647]) await record(call('gap.list', { framework: id }));
  await record(call('framework.list'));
  await record(call('department.list'));
  await record(call('task.list', { framework: 0 }));
  await record(call('task.create', { framework: 2_147_483_648, title: 'x' }));
  await record(call('task.delete', { taskUniqueId }));
  await record(call('task.delete', { taskUniqueId }));
  await record(call('task.history', { taskUniqueId, limit: 100 }));
  await record(call('task.history', { taskUniqueId: 'nothing' }));
  await record(call('task.history', { taskUniqueId, limit: 101 }));
  await record(call('audit.list', { resourceType: 'vendor', limit: 1 }));
  for (const query of [{ colour: 'red' }, { since: 'now' }, { cursor: 'mine' }, { action: 'task.eat' }, { limit: 0 }]) {
    await record(call('audit.list', query));
  }
  await record(call('task.get', { taskUniqueId, asOf: '2999-01-01T00:00:00Z' }));
  await record(call('task.get', { taskUniqueId, asOf: '2026-02-30T00:00:00Z' }));
  const events = await acme.events();
  const ids = [vendor, taskUniqueId, acme.apiKey.uniqueId, acme.apiKey.user.uniqueId];
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
  for (const transport of [callerTransport, trpcTransport, restTransport])
    results.push(await runScenario(await createCompany(), transport));
  const [callerResult, trpcResult, restResult] = results;
  expect(trpcResult).toEqual(callerResult);
  expect(restResult).toEqual(callerResult);
  expect(JSON.stringify(callerResult)).toContain('"etag":"2-a digest"');
  expect(JSON.stringify(callerResult)).toContain('priority: expected an integer from 1 to 4');
});

describe('over REST, over tRPC and for a caller', () => {
  let target: Target;
  let calls: Call[];
  beforeAll(async () => {
    target = await targetOf(await createCompany());
    calls = await Promise.all([callerTransport, trpcTransport, restTransport].map((start) => start(target.key)));
  });

  /** Replaces what differs between objects: ids, times, secrets and the digests of entity tags. */
  const withoutIds = (result: unknown) =>
    JSON.stringify(result)?.replaceAll(
      /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|whsec_[\w+/=]+|(?<=\d-)[\da-f]{8}/g,
      '',
    );

  /** A report says when it was made. */
  const withoutTime = (result: unknown) =>
    typeof result === 'object' && result !== null && 'at' in result ? { ...result, at: 'now' } : result;

  /** Files are bodies, which only REST has. */
  const ofAllTransports = routes.filter(({ procedure }) => Object.hasOwn(appRouter._def.procedures, procedure));
  test.for(ofAllTransports)('$procedure has the same result', async ({ procedure, type }) => {
    const shared = await exampleInput(procedure, target);
    const results: unknown[] = [];
    for (const call of calls)
      results.push(await call(procedure, type === 'query' ? shared : await exampleInput(procedure, target)));
    for (const result of results) expect(Object(result)).not.toHaveProperty('error');
    const [first, ...others] = results.map(type === 'query' ? withoutTime : withoutIds);
    expect(others).toEqual([first, first]);
  });
});

describe('JSON is strict', () => {
  test('over REST and tRPC, before and after other requests', async ({ acme }) => {
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

  test('returns no stack trace for any error', async ({ acme }) => {
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

  test('limits the size of a batch and of a body', async ({ acme }) => {
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

  test('serves a batching client with one principal', async ({ acme }) => {
    const client = createTRPCClient<AppRouter>({
      links: [httpBatchLink({ url: `${url}/trpc`, headers: { 'X-API-Key': acme.key } })],
    });
    const created = await Promise.all(['a', 'b', 'c'].map((name) => client.vendor.create.mutate({ name })));
    expect(created.map(({ createdBy }) => createdBy)).toEqual(Array.from({ length: 3 }, () => acme.apiKey.user));
    expect(await client.vendor.list.query()).toHaveLength(3);
  });

  test('serves more concurrent calls than the batch limit if the client sets maxItems', async ({ acme }) => {
    const links = [httpBatchLink({ url: `${url}/trpc`, maxItems: 20, headers: { 'X-API-Key': acme.key } })];
    const client = createTRPCClient<AppRouter>({ links });
    const lists = await Promise.all(Array.from({ length: 50 }, () => client.vendor.list.query()));
    expect(lists).toEqual(Array.from({ length: 50 }, () => []));
  });

  test('rejects management with an API key, and vendor procedures with the operator token', async ({ acme }) => {
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
