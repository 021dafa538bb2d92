import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { beforeAll, describe, expect } from 'vitest';
import { Session } from '../../database/session.ts';
import type { Scope } from '../../entities/api-key/scope.ts';
import { MAX_ID, newUniqueId } from '../../entities/ids.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { serviceRouter } from '../../procedures/index.ts';
import { createMcpServer } from '../../server/mcp/handler.ts';
import { businessProcedures, compileTools, toolName } from '../../server/mcp/tools.ts';
import type { Tool } from '../../server/mcp/tools.ts';
import { test } from '../support/fixtures/test.ts';
import { database } from '../support/database/database.ts';
import { exampleInput, operationOf, targetOf } from '../support/fixtures/objects.ts';
import type { Target } from '../support/fixtures/objects.ts';
import { callTool, listedTools, messageOf, postMcp, valueOf } from '../support/http/mcp.ts';
import type { ToolResult } from '../support/http/mcp.ts';
import { http, url } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { storedRows } from '../support/tenants/samples.ts';

type CallTool = (name: string, input?: object) => Promise<ToolResult>;

/** A client that is connected with a key. */
interface ConnectedClient {
  version: string | undefined;
  listTools: () => Promise<{ name: string }[]>;
  call: CallTool;
  close: () => Promise<void>;
}

const INFO = { name: 'test', version: '1.0.0' };
const endpoint = (query: string) => new URL(`/mcp${query}`, url);
const withKey = (key: string) => ({ requestInit: { headers: { 'X-API-Key': key } } });

async function connectClient(key: string, query: string, mode: 'auto' | 'legacy'): Promise<ConnectedClient> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(endpoint(query), withKey(key)));
  return {
    version: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input = {}) =>
      (await client.callTool({ name, arguments: { ...input } })) as unknown as ToolResult,
    close: () => client.close(),
  };
}

async function connectOlderClient(key: string, query: string): Promise<ConnectedClient> {
  const client = new OlderClient(INFO);
  const transport = new OlderTransport(endpoint(query), withKey(key));
  await client.connect(transport);
  return {
    version: transport.protocolVersion,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => (await client.callTool({ name, arguments: { ...input } })) as ToolResult,
    close: () => client.close(),
  };
}

const CLIENTS = [
  {
    name: 'client 2.4.0',
    version: '2026-07-28',
    connect: (key: string, query: string) => connectClient(key, query, 'auto'),
  },
  {
    name: 'client 2.4.0 for servers of 2025',
    version: '2025-11-25',
    connect: (key: string, query: string) => connectClient(key, query, 'legacy'),
  },
  { name: 'sdk 1.x', version: '2025-11-25', connect: connectOlderClient },
];

/** Values of results by tool. */
type Values = Record<string, unknown>;

const HOOK_URL = 'https://hooks.example.com/compliance';

const uniqueIdOf = (value: unknown) => String(Reflect.get(Object(value), 'uniqueId'));

const tools = compileTools(serviceRouter);
/** Procedures by the names of their tools. */
const procedures = new Map(businessProcedures(serviceRouter).map((name) => [toolName(name), name]));

/** Calls each tool with the example of its operation. The clients validate the results against the output schemas, if any. */
async function callTools(call: CallTool, names: string[], target: Target): Promise<Values> {
  const values: Values = {};
  for (const name of names) {
    const result = await call(name, await exampleInput(procedures.get(name) ?? name, target));
    if (result.isError === true) throw new Error(`${name}: ${result.content[0]?.text}`);
    values[name] = valueOf(result);
  }
  return values;
}

describe.each(CLIENTS)('$name', ({ version, connect }) => {
  test.each(['', '?outputSchemas=true'])(`lists and calls every tool with ${version} at /mcp%s`, async (query) => {
    const company = await createCompany();
    const target = await targetOf(company);
    const client = await connect(target.key, query);
    expect(client.version).toBe(version);
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toEqual([...tools.keys()]);
    expect(await callTools(client.call, names, target)).toMatchObject({
      apiKey_whoami: { name: 'All scopes' },
      framework_list: [{ id: company.framework, name: 'ISO 27001', archived: false }],
      gap_list: [{ id: company.gap }],
      department_list: [{ id: company.department }],
      task_update: { status: 'in_progress', dueDate: null, version: 2 },
      task_link: { externalIds: [{ source: 'jira' }] },
      task_putByExternalId: { upsert: 'unchanged' },
      task_batch: { succeeded: 1, failed: 0 },
      task_delete: undefined,
      task_history: { items: [{ action: 'task.create' }] },
      vendor_updateAndGet: { status: 'inactive' },
      import_get: { kind: 'vendor' },
      webhook_create: { secret: expect.stringMatching(/^whsec_/) },
      webhook_list: { items: [{ url: 'https://hooks.example.com/compliance' }] },
      webhook_test: undefined,
    });
    await client.close();
  });

  test('receives an error as a result', async ({ company }) => {
    const client = await connect(company.key, '');
    const result = await client.call('vendor_create', { name: 1 });
    expect(result).toMatchObject({ isError: true });
    expect(valueOf(result)).toEqual({
      error: 'name: expected text of 1 to 255 characters',
      code: 'invalid_request',
      status: 400,
    });
    await client.close();
  });

  test.each(['', '?outputSchemas=true'])(
    'may send more arguments, and null for those that it omits, at /mcp%s',
    async (query) => {
      const company = await createCompany();
      const client = await connect(company.key, query);
      const omitted = { active: null, description: null, labels: null };
      const created = await client.call('vendor_create', { name: 'A', ...omitted, colour: 'red', session_id: 1 });
      expect(created).toMatchObject({
        content: [{ type: 'text' }, { type: 'text', text: 'Ignored, because unknown: colour, session_id' }],
        structuredContent: valueOf(created),
        _meta: { ignoredArguments: ['colour', 'session_id'] },
      });
      expect(created).not.toHaveProperty('isError');
      expect(valueOf(created)).toEqual(await company.vendor.get({ vendor: uniqueIdOf(valueOf(created)) }));
      const listed = await client.call('framework_list', { limit: 10 });
      expect(listed).toMatchObject({ content: [{}, {}], _meta: { ignoredArguments: ['limit'] } });
      const exact = await client.call('vendor_page', { limit: null, cursor: null, q: null });
      expect(exact.content).toHaveLength(1);
      expect(exact).not.toHaveProperty('_meta.ignoredArguments');
      await client.close();
    },
  );
});

describe('a call', () => {
  let acme: TestCompany;
  let rival: TestCompany;
  beforeAll(async () => {
    acme = await createCompany('Acme');
    rival = await createCompany('Rival');
  });

  const errorOf = async (key: string, name: string, input: object) => {
    const result = await callTool(key, name, input);
    expect({ name, ...result }).toMatchObject({ name, isError: true });
    expect(result).not.toHaveProperty('structuredContent');
    return valueOf(result);
  };

  test('has the error, the code and the status of REST', async () => {
    const { key, framework } = acme;
    const { uniqueId } = await acme.newTask({ title: 'Closed' });
    await acme.task.update({ taskUniqueId: uniqueId, status: 'done' });
    const unknown = newUniqueId();
    const update = (taskUniqueId: string) =>
      ['PATCH', `/external/task/${taskUniqueId}/edit`, 'task_update', { taskUniqueId }] as const;
    const create = ['POST', `/external/task/framework/${framework}/new`, 'task_create', { framework }] as const;
    for (const [[method, target, tool, id], body, status] of [
      [update(uniqueId), { priority: '1' }, 400],
      [update(uniqueId), { status: 'canceled' }, 409],
      [create, { title: 'A', departmentId: MAX_ID }, 422],
      [create, {}, 400],
      [update(unknown), {}, 404],
    ] as const) {
      const response = await http(method, target, { key, body });
      expect(response.status).toBe(status);
      expect(await errorOf(key, tool, { ...id, ...body })).toEqual({
        error: Reflect.get(Object(response.body), 'error'),
        code: response.headers['x-error-code'],
        status,
      });
    }
    expect(await errorOf(key, 'task_delete', { taskUniqueId: uniqueId, ifMatch: '9-00000000' })).toMatchObject({
      code: 'precondition_failed',
      status: 412,
    });
  });

  test('is strict below the top level, and about null for what is required', async () => {
    const { key } = acme;
    const { uniqueId } = await acme.newTask({ title: 'Due', dueDate: '2026-06-30' });
    for (const [tool, input, error] of [
      ['vendor_create', { name: null }, 'name: expected text'],
      ['task_create', { framework: null, title: 'A' }, 'framework: expected an integer'],
      [
        'vendor_batch',
        { items: [{ op: 'create', body: { name: 'A' }, colour: 'red' }] },
        'items.0.colour: unknown field',
      ],
    ] as const)
      expect(await errorOf(key, tool, input)).toMatchObject({ error: expect.stringContaining(error), status: 400 });
    // Null is a value of its own where a field can be null.
    expect(
      valueOf(await callTool(key, 'task_update', { taskUniqueId: uniqueId, title: null, dueDate: null })),
    ).toMatchObject({ title: 'Due', dueDate: null });
  });

  test('that fails also names what it ignored, on one line and without secrets', async () => {
    const result = await callTool(acme.key, 'vendor_create', { ['a\nb']: 1, [acme.key]: 1, ['x'.repeat(5000)]: 1 });
    expect(valueOf(result)).toMatchObject({ error: 'name: required', status: 400 });
    const names = ['a b', 'svc_sk_live_[redacted]', 'x'.repeat(100)];
    expect(result.content[1]?.text).toBe(`Ignored, because unknown: ${names.join(', ')}`);
    expect(result).toMatchObject({ _meta: { ignoredArguments: names } });
  });

  test('of a tool that the key does not see is 403 and changes nothing', async () => {
    const { uniqueId } = await acme.vendor.create({ name: 'Kept' });
    const { key } = await acme.manage.apiKey.create({ name: 'Reader', scopes: ['vendor:read'] });
    const ofVendors = ['vendor_page', 'vendor_get', 'vendor_getByExternalId'];
    const listed = await listedTools(key);
    expect(listed).toEqual(
      expect.arrayContaining([...ofVendors, 'comment_list', 'comment_get', 'apiKey_whoami', 'apiKey_requests']),
    );
    expect(
      listed.filter(
        (name) => name.startsWith('task') || tools.get(name)?.description.annotations.readOnlyHint !== true,
      ),
    ).toEqual([]);
    const before = await acme.events();
    expect(await errorOf(key, 'vendor_delete', { vendor: uniqueId })).toEqual({
      error: 'scope: the key lacks vendor:delete',
      code: 'forbidden',
      status: 403,
    });
    expect(await errorOf(key, 'task_create', {})).toMatchObject({ status: 403 });
    const batch = await callTool(key, 'vendor_batch', { items: [{ op: 'create', body: { name: 'A' } }] });
    expect(valueOf(batch)).toMatchObject({ succeeded: 0, results: [{ status: 403 }] });
    expect(await acme.events()).toEqual(before);
  });

  test('of a webhook tool needs webhook:manage and audit:read', async () => {
    const keyWith = async (company: TestCompany, ...scopes: Scope[]) =>
      (await company.manage.apiKey.create({ name: 'Webhooks', scopes })).key;
    const isForWebhooks = (name: string) => name.startsWith('webhook_');
    const key = await keyWith(acme, 'webhook:manage', 'audit:read');
    expect((await listedTools(key)).filter(isForWebhooks)).toHaveLength(9);
    for (const narrow of [acme.key, await keyWith(acme, 'webhook:manage')]) {
      expect((await listedTools(narrow)).filter(isForWebhooks)).toEqual([]);
      expect(await errorOf(narrow, 'webhook_create', { url: HOOK_URL })).toMatchObject({ status: 403 });
    }
    expect(await callTool(key, 'webhook_create', { url: HOOK_URL })).not.toHaveProperty('isError');
  });

  test('reaches nothing of another company', async () => {
    const target = await targetOf(acme);
    const { key: rivalKey } = await targetOf(rival);
    const inputs = new Map<string, Record<string, unknown>>();
    for (const [tool, procedure] of procedures)
      if (tools.has(tool)) inputs.set(tool, await exampleInput(procedure, target));
    const before = await storedRows(acme);
    const ids = JSON.stringify([...inputs.values()]).match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g) ?? [];
    expect(ids.length).toBeGreaterThan(20);
    for (const [tool, input] of inputs) {
      const isForObject = operationOf(procedures.get(tool) ?? '').template.includes('{');
      // An id of another system belongs to the company, which creates its own object.
      if (isForObject && tool !== 'vendor_putByExternalId')
        expect([tool, await errorOf(rivalKey, tool, input)]).toMatchObject([tool, { code: 'not_found', status: 404 }]);
      else if (tools.get(tool)?.description.annotations.readOnlyHint === true) {
        const shown = JSON.stringify(await callTool(rivalKey, tool, input));
        expect(ids.filter((id) => shown.includes(id))).toEqual([]);
      }
    }
    expect(await storedRows(acme)).toEqual(before);
  });

  test('is attributed to the integration user of the key, with the id of the request', async () => {
    const headers = { 'X-Request-Id': 'mcp-request-1' };
    const created = valueOf(await callTool(acme.key, 'vendor_create', { name: 'Audited' }, { headers }));
    expect(await acme.events(uniqueIdOf(created))).toMatchObject([
      {
        action: 'vendor.create',
        user_id: acme.apiKey.user.uniqueId,
        api_key_id: acme.apiKey.uniqueId,
        request_id: 'mcp-request-1',
      },
    ]);
  });

  test('has the same result as over REST', async () => {
    const { uniqueId } = await acme.newTask({ title: 'Same', labels: ['a'] });
    const { body, headers } = await http('GET', `/external/task/${uniqueId}/item`, { key: acme.key });
    const result = await callTool(acme.key, 'task_get', { taskUniqueId: uniqueId });
    expect(valueOf(result)).toEqual({ ...Object(body), etag: JSON.parse(String(headers['etag'])) });
    expect(result.structuredContent).toEqual(valueOf(result));
  });

  test('may have no arguments, and only an object as arguments', async () => {
    const { key } = acme;
    const body = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(messageOf(await postMcp({ key, body: body({ name: 'vendor_page' }) }))).not.toHaveProperty('result.isError');
    for (const input of [[], 'text', 1])
      expect(messageOf(await postMcp({ key, body: body({ name: 'vendor_page', arguments: input }) }))).toMatchObject({
        error: { code: -32_602 },
      });
  });

  test.each(['__proto__', 'constructor'])('takes the name %s for an unknown one, in every place', async (name) => {
    const headers = { 'Content-Type': 'application/json' };
    const { key } = acme;
    /** Expects 400 over REST and tRPC. @returns the result over MCP */
    const send = async (tool: string, path: string, input: string, error: string): Promise<ToolResult> => {
      const rest = await http('POST', path, { key, headers, body: input });
      const trpc = await http('POST', `/trpc/${tool.replace('_', '.')}`, { key, headers, body: input });
      expect([rest.status, rest.headers['x-error-code'], rest.body]).toEqual([400, 'invalid_request', { error }]);
      expect(trpc).toMatchObject({ status: 400, body: { error: { message: error } } });
      const params = `{"name":"${tool}","arguments":${input}}`;
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
      return messageOf(await postMcp({ key, headers, body }))['result'] as ToolResult;
    };
    const vendors = '/external/smart-inventory/vendor';
    const field = `"${name}":{"polluted":true}`;
    const top = await send('vendor_create', `${vendors}/new`, `{"name":"Clean",${field}}`, `${name}: unknown field`);
    expect(top).toMatchObject({ _meta: { ignoredArguments: [name] } });
    expect(valueOf(top)).toMatchObject({ name: 'Clean' });
    expect(valueOf(top)).not.toHaveProperty('polluted');
    const items = `{"items":[{"op":"create","body":{"name":"Polluted",${field}}}]}`;
    const error = `items.0.${name}: unknown field`;
    const inside = await send('vendor_batch', `${vendors}/batch`, `{"items":[{"op":"create",${field}}]}`, error);
    expect(inside).toMatchObject({ isError: true });
    expect(valueOf(inside)).toEqual({ error, code: 'invalid_request', status: 400 });
    const batch = await http('POST', `${vendors}/batch`, { key, headers, body: items });
    const trpcBatch = await http('POST', '/trpc/vendor.batch', { key, headers, body: items });
    const result = await callTool(key, 'vendor_batch', JSON.parse(items) as object);
    const outcome = { failed: 1, results: [{ status: 400, error: `${name}: unknown field` }] };
    for (const value of [batch.body, valueOf(result)]) expect(value).toMatchObject(outcome);
    expect(trpcBatch.body).toMatchObject({ result: { data: outcome } });
    expect(await acme.vendor.list({ q: 'Polluted' })).toEqual([]);
    expect({}).not.toHaveProperty('polluted');
  });

  test('that fails for another reason shows nothing internal', async () => {
    const failing: Tool = {
      description: {
        name: 'failing',
        title: 'Failing',
        description: 'Fails.',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      },
      outputSchema: () => undefined,
      isListed: () => true,
      call: () => Promise.reject(new Error('select secret from internal_table')),
      readArguments: () => ({ input: {}, ignored: [] }),
    };
    const principal = operatorPrincipal(acme.id);
    const session = new Session(database, principal, 'failing');
    const errors: unknown[] = [];
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'failing' } };
    const handler = createMcpHandler(() =>
      createMcpServer({
        message,
        selection: { tools: new Map([['failing', failing]]), listed: [], hasOutputSchemas: false },
        context: { requestId: 'failing', caller: 'apiKey', address: null, session },
        onCallError: ({ cause }) => errors.push(cause),
      }),
    );
    const response = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify(message),
      }),
    );
    const { result } = messageOf({ text: await response.text() });
    expect(valueOf(result as ToolResult)).toEqual({
      error: 'Something went wrong on our side.',
      code: 'internal',
      status: 500,
    });
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('internal_table') })]);
  });
});
