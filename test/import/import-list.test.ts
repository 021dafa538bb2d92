import { describe, expect } from 'vitest';
import { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { pageImports, startUpload } from '../../entities/import/import.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { test } from '../support/fixtures/test.ts';
import { database, explain, planNodes, tamper, vacuum } from '../support/database/database.ts';
import { callerForKey, callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

const acme = await createCompany();
const editor = await createMember(acme, { role: 'editor', name: 'Bob' });
const other = (await acme.manage.framework.create({ name: 'SOC 2' })).id;
const started = [
  await editor.caller.vendor.import({ content: 'name\nA\n' }),
  await editor.caller.task.import({ framework: acme.framework, content: 'title\nA\n' }),
  await editor.caller.task.import({ framework: other, content: 'title\nA\n' }),
  await acme.vendor.import({ content: 'name\nB\n' }),
];
/** Ids of the imports, newest first. */
const ids = started.map(({ uniqueId }) => uniqueId).toReversed();

const listed = (items: { uniqueId: string }[]) => items.map(({ uniqueId }) => uniqueId);

describe('import.list', () => {
  test('shows the imports of the company, newest first, with who started them', async () => {
    const { items, nextCursor } = await editor.caller.import.list();
    expect(listed(items)).toEqual(ids);
    expect(nextCursor).toBeNull();
    expect(items[2]).toMatchObject({
      kind: 'task',
      framework: acme.framework,
      dryRun: false,
      state: 'queued',
      createdBy: editor.user,
    });
    expect(items[0]?.createdBy).toMatchObject({ kind: 'integration' });
    const { errors: _, ...whole } = await editor.caller.import.get({ importUniqueId: ids[2] ?? '' });
    expect(items[2]).toEqual(whole);
  });

  test('has no checks', async () => {
    const { uniqueId } = await editor.caller.vendor.import({ content: 'name\nA\n', dryRun: true });
    expect(listed((await editor.caller.import.list()).items)).not.toContain(uniqueId);
  });

  test('has pages with a cursor of its own', async () => {
    const first = await editor.caller.import.list({ limit: 3 });
    expect(listed(first.items)).toEqual(ids.slice(0, 3));
    const cursor = first.nextCursor ?? '';
    const second = await editor.caller.import.list({ limit: 3, cursor });
    expect(listed(second.items)).toEqual(ids.slice(3));
    expect(second.nextCursor).toBeNull();
    const rival = await createMember(await createCompany('Rival'));
    for (const call of [rival.caller.import.list({ cursor }), editor.caller.audit.list({ cursor })])
      await expect(call).rejects.toMatchObject({ code: 'BAD_REQUEST', message: /^cursor: / });
  });

  test('shows only what import.get shows: frameworks, kinds and roles of the caller', async () => {
    const limited = await createMember(acme, { role: 'auditor', frameworks: [other] });
    const key = await callerForKey(acme.key);
    const cases: [TestMember['caller'], string[]][] = [
      [limited.caller, ids.filter((_, index) => index !== 2)],
      [(await createMember(acme, { role: 'auditor' })).caller, ids],
      [key, ids],
      [callerWithPermissions(acme, { scopes: ['vendor:write'] }), [ids[0] ?? '', ids[3] ?? '']],
      [callerWithPermissions(acme, { frameworks: [acme.framework] }), ids.filter((_, index) => index !== 1)],
      [(await createMember(await createCompany('Rival'))).caller, []],
    ];
    for (const [caller, expected] of cases) {
      expect(listed((await caller.import.list()).items)).toEqual(expected);
      const readable = await Promise.all(
        ids.map((id) =>
          caller.import.get({ importUniqueId: id }).then(
            () => [id],
            () => [],
          ),
        ),
      );
      expect(readable.flat()).toEqual(expected);
    }
  });

  test('requires the permission for a kind of import', async () => {
    const reader = callerWithPermissions(acme, { scopes: ['vendor:read', 'task:read'] });
    await expect(reader.import.list()).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'scope: the key lacks vendor:write, task:write and requirement:write',
    });
  });

  test('shows no import whose file is not stored yet', async ({ company }) => {
    const session = new Session(database, { ...operatorPrincipal(company.id), key: company.apiKey.uniqueId }, 'upload');
    const target = { kind: 'vendor' as const, framework: null, format: 'csv' as const, address: null };
    await session.one(startUpload, { ...target, uniqueId: newUniqueId() });
    const { caller } = await createMember(company);
    expect((await caller.import.list()).items).toEqual([]);
  });
});

test('a page of 20,000 imports is read in index order', async ({ company }) => {
  const user = company.apiKey.user.uniqueId;
  await tamper(`insert into import (company_id, unique_id, kind, format, state, ended_at, created_by_id, request_id)
    select ${company.id}, uuid_v7(), 'vendor', 'csv', 'done', now(), '${user}', 'seed' from generate_series(1, 20000)`);
  await vacuum('import');
  const session = { company: company.id, keyFrameworks: null };
  const input = { kinds: ['vendor' as const, 'task' as const], before: null, limit: 51 };
  const nodes = planNodes(await explain(pageImports, input, session, 'analyze, format json'));
  const scan = nodes.find((node) => node['Relation Name'] === 'import');
  expect(scan).toMatchObject({ 'Index Name': 'import_pkey', 'Actual Rows': 51 });
});
