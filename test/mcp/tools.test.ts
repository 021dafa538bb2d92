import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { scopeOfKeys } from '../../entities/member/role.ts';
import { definitionOf } from '../../procedures/core/declaration/compile.ts';
import { appRouter, serviceRouter } from '../../procedures/index.ts';
import { withToolTables } from '../../server/docs/tool-tables.ts';
import { businessProcedures, compileTools, toolName } from '../../server/mcp/tools.ts';
import { listTools, listedTools } from '../support/http/mcp.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

const tools = compileTools(serviceRouter);
const procedures = businessProcedures(serviceRouter);
const metaOf = (name: string) => definitionOf(serviceRouter, name).meta;
const docs = withToolTables(await readFile(new URL('../../docs/mcp.md', import.meta.url), 'utf8'));

describe('business procedures', () => {
  test('alone have metadata of tools, and are tools unless it excludes them', () => {
    const described = Object.keys(serviceRouter._def.procedures).filter((name) => metaOf(name).mcp !== undefined);
    expect(procedures).toEqual(expect.arrayContaining(described));
    expect([...tools.keys()]).toEqual(expect.arrayContaining(['task_list', 'vendor_page', 'vendor_updateAndGet']));
    expect([...tools.keys()]).not.toContain('vendor_list');
  });

  test('are in docs/mcp.md, tools and exceptions alike', () => {
    const named = [...docs.matchAll(/^\| `([\w.]+)` +\|/gm)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining([...tools.keys()]));
    const excluded = procedures.filter((name) => metaOf(name).mcp?.exclude !== undefined);
    expect(excluded.length).toBeGreaterThan(0);
    expect(named).toEqual(expect.arrayContaining(excluded.filter((name) => name in appRouter._def.procedures)));
  });
});

describe('each tool', () => {
  test.each([...tools])('%s has a title, a description and schemas without references', (name, { description }) => {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(description.title.length).toBeGreaterThan(0);
    expect(description.description).not.toMatch(/`Accept|`Link`|\bPUT\b|undefined|Needs the scope|\s$/);
    expect(JSON.stringify(description)).not.toMatch(/"\$(ref|defs)"|REST|Percent-encode|"examples"/);
    expect(description.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  });

  test('has the hints of its procedure', () => {
    const annotations = [...tools.values()].map(({ description }) => description.annotations);
    const withHint = (hint: keyof (typeof annotations)[number], value: boolean) =>
      [...tools].filter(([, { description }]) => description.annotations[hint] === value).map(([name]) => name);
    const queries = procedures.filter((name) => definitionOf(serviceRouter, name).type === 'query').map(toolName);
    expect(withHint('readOnlyHint', true)).toEqual(queries.filter((name) => tools.has(name)));
    const mutations = procedures.filter((name) => definitionOf(serviceRouter, name).type === 'mutation');
    const additive = new Set(['create', 'link', 'test', 'replay']);
    const destructive = mutations.filter((name) => !additive.has(name.split('.')[1] ?? '')).map(toolName);
    expect(withHint('destructiveHint', true)).toEqual(destructive.filter((name) => tools.has(name)));
    expect(withHint('destructiveHint', true)).toEqual(
      expect.arrayContaining([
        'task_update',
        'vendor_putByExternalId',
        'task_import',
        'webhook_update',
        'webhook_rotate',
      ]),
    );
    expect(withHint('openWorldHint', true)).toEqual([...tools.keys()].filter((name) => name.startsWith('webhook_')));
    const repeats = /_(?:create|import|batch|rotate|test|replay)$|^evidence_link$|^import_undo$/;
    expect(withHint('idempotentHint', false)).toEqual([...tools.keys()].filter((name) => repeats.test(name)));
  });

  test('has an output schema if it returns something', () => {
    const without = [...tools].filter(([, { outputSchema }]) => outputSchema() === undefined);
    const returnsNothing = /_(?:delete|deleteByExternalId|cancel|test|replay)$/;
    expect(without.map(([name]) => name)).toEqual([...tools.keys()].filter((name) => returnsNothing.test(name)));
    for (const [, { outputSchema }] of tools)
      expect(JSON.stringify(outputSchema() ?? {})).not.toMatch(/"\$(ref|defs)"/);
  });
});

describe('tools/list', () => {
  let acme: TestCompany;
  beforeAll(async () => {
    acme = await createCompany();
  });

  test('shows all tools to a key with all scopes, with their hints', async () => {
    const { key } = await acme.manage.apiKey.create({ name: 'All', scopes: [...SCOPES] });
    expect(await listedTools(key)).toEqual([...tools.keys()]);
    const hints = [...tools].map(([name, { description }]) => ({ name, annotations: description.annotations }));
    expect(await listTools(key)).toMatchObject(hints);
  });

  test.each(SCOPES)('shows a key with only %s the tools of this scope', async (scope) => {
    const { key } = await acme.manage.apiKey.create({ name: scope, scopes: [scope] });
    const expected = procedures.filter((name) => {
      const { scopes = [], mcp } = metaOf(name);
      // Evidence needs a scope of its own, and that of a task or vendor too.
      return mcp?.listedScopes === undefined
        ? (scopes.length === 1 && scopes[0] === scope) || name.startsWith('apiKey.')
        : scopes.length === 0 && mcp.listedScopes.map(scopeOfKeys).includes(scope);
    });
    expect(await listedTools(key)).toEqual(expected.map(toolName).filter((name) => tools.has(name)));
  });

  test('shows a key that only reads no tool that writes', async () => {
    const { key } = await acme.manage.apiKey.create({ name: 'Reader', scopes: ['task:read', 'vendor:read'] });
    const names = await listedTools(key);
    expect(names).toContain('task_list');
    expect(names.filter((name) => tools.get(name)?.description.annotations.readOnlyHint !== true)).toEqual([]);
  });
});
