import { describe, expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { serviceRouter } from '../../procedures/index.ts';
import { MAX_CACHED_SELECTIONS, ToolSelector } from '../../server/mcp/selection.ts';
import { compileTools } from '../../server/mcp/tools.ts';
import { callTool, listTools, listedTools, messageOf, postMcp, valueOf } from '../support/http/mcp.ts';
import { createCompany } from '../support/tenants/company.ts';

const tools = compileTools(serviceRouter);
const names = [...tools.keys()];
const readsOnly = (name: string) => tools.get(name)?.description.annotations.readOnlyHint === true;

const acme = await createCompany();
/** Key with all scopes. */
const { key } = await acme.manage.apiKey.create({ name: 'All', scopes: [...SCOPES] });

describe('tools/list', () => {
  // A model reads all of it before each task. Shorten a field with `forModels`, and a description in `meta.mcp`.
  test('takes at most 2,500 bytes for a tool, 900 on average, and has no output schemas', async () => {
    const listed = await listTools(key);
    const bytes = listed.map((tool) => ({ name: tool.name, bytes: Buffer.byteLength(JSON.stringify(tool)) }));
    expect(bytes.filter((tool) => tool.bytes > 2500)).toEqual([]);
    expect(bytes.reduce((sum, tool) => sum + tool.bytes, 0) / bytes.length).toBeLessThanOrEqual(900);
    expect(listed.filter((tool) => 'outputSchema' in tool)).toEqual([]);
  });

  test('has the output schema of every tool that responds with a body if outputSchemas=true', async () => {
    const listed = await listTools(key, '?outputSchemas=true');
    expect(listed.map(({ name }) => name)).toEqual(names);
    const withSchema = listed.flatMap(({ name, outputSchema }) => (outputSchema === undefined ? [] : [name]));
    expect(withSchema).toEqual(names.filter((name) => tools.get(name)?.outputSchema() !== undefined));
    expect(withSchema).toEqual(expect.arrayContaining(['task_history', 'vendor_history', 'audit_list', 'task_list']));
    expect(await listTools(key, '?outputSchemas=false')).toEqual(await listTools(key));
  });

  test('has only tools that read if readOnly=true', async () => {
    expect(await listedTools(key, '?readOnly=true')).toEqual(names.filter(readsOnly));
    expect(await listedTools(key, '?readOnly=false')).toEqual(names);
  });

  test.each([
    ['vendor', names.filter((name) => name.startsWith('vendor_'))],
    ['task,vendor', names.filter((name) => /^(?:task|vendor)_/.test(name))],
    ['task_list', ['task_list']],
    ['vendor_get,task_list', ['task_list', 'vendor_get']],
    ['apiKey,apiKey_whoami,apiKey', ['apiKey_whoami', 'apiKey_requests']],
  ])('has the tools that tools=%s names', async (value, expected) => {
    expect(await listedTools(key, `?tools=${value}`)).toEqual(expected);
  });

  test('has the tools that all parameters and the scopes of the key allow', async () => {
    const { key: reader } = await acme.manage.apiKey.create({ name: 'Reader', scopes: ['task:read'] });
    const query = '?tools=task,vendor,department&readOnly=true&outputSchemas=true';
    const listed = await listTools(reader, query);
    expect(listed.map(({ name }) => name)).toEqual(await listedTools(reader, '?tools=task,department'));
    expect(listed.filter(({ outputSchema }) => outputSchema === undefined)).toEqual([]);
    expect(await listedTools(key, '?tools=task_create&readOnly=true')).toEqual([]);
    expect(await listedTools(reader, '?tools=vendor_create')).toEqual([]);
  });
});

test.each([
  ['tools=tasks', 'tools: unknown name "tasks"; see tools/list'],
  ['tools=task,vendor_', 'tools: unknown name "vendor_"; see tools/list'],
  ['tools=task_li', 'tools: unknown name "task_li"; see tools/list'],
  ['tools=', 'tools: unknown name ""; see tools/list'],
  ['tools=task,', 'tools: unknown name ""; see tools/list'],
  ['tools=Task', 'tools: unknown name "Task"; see tools/list'],
  ['tools=vendor.get', 'tools: unknown name "vendor.get"; see tools/list'],
  ['tools=task&tools=vendor', 'tools: expected names of tools, separated by commas'],
  ['readOnly=1', 'readOnly: expected true or false'],
  ['outputSchemas=', 'outputSchemas: expected true or false'],
  ['readonly=true', 'readonly: unknown field; did you mean readOnly?'],
])('the query %s is 400', async (query, error) => {
  for (const body of [
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { jsonrpc: '2.0', id: 1, method: 'ping' },
  ])
    expect(await postMcp({ key, query: `?${query}`, body })).toMatchObject({
      status: 400,
      headers: { 'x-error-code': 'invalid_request' },
      body: { error },
    });
});

test('a tool that the URL does not offer is unknown, and changes nothing', async () => {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'vendor_create', arguments: { name: 'Hidden' } },
  };
  for (const query of ['?readOnly=true', '?tools=task', '?tools=vendor_get', '?readOnly=true&tools=vendor'])
    expect(messageOf(await postMcp({ key, query, body }))).toMatchObject({ error: { code: -32_602 } });
  expect(await acme.vendor.list({ q: 'Hidden' })).toEqual([]);
  const { uniqueId } = await acme.vendor.create({ name: 'Shown' });
  const input = { vendor: uniqueId };
  const result = await callTool(key, 'vendor_get', input, { query: '?readOnly=true&tools=vendor' });
  expect(valueOf(result)).toMatchObject({ name: 'Shown' });
});

test('the same selection is made once, and the number of kept selections is bounded', () => {
  const selector = new ToolSelector(tools);
  const principal = { scopes: ['task:read', 'vendor:read'] as const };
  const reordered = { scopes: ['vendor:read', 'task:read'] as const };
  const first = selector.select({ tools: 'task,vendor' }, principal);
  expect(selector.select({ tools: 'vendor,task' }, reordered)).toBe(first);
  expect(selector.select({ tools: 'vendor,task' }, { scopes: ['task:read'] })).not.toBe(first);
  for (let count = 0; count < 3; count++)
    for (const one of names)
      for (const other of names.slice(0, 20)) selector.select({ tools: `${one},${other}` }, principal);
  expect(selector.cachedCount).toBeLessThanOrEqual(MAX_CACHED_SELECTIONS);
});
