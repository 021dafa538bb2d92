import { beforeEach, describe, expect, test } from 'vitest';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { runImports } from '../support/tenants/imports.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

let acme: TestCompany;
let editor: TestMember;
let management: TestMember['caller']['management'];
beforeEach(async () => {
  acme = await createCompany();
  editor = await createMember(acme, { role: 'editor', name: 'Bob' });
  ({ management } = (await createMember(acme, { role: 'admin' })).caller);
});

const titled = (...titles: string[]) => ['title', ...titles, ''].join('\n');
const resultOf = (uniqueId: string) => editor.caller.import.get({ importUniqueId: uniqueId });

test('an import of a member changes the company as this member', async () => {
  const started = await editor.caller.vendor.import({ content: 'name\nCloud\n' });
  expect(started.createdBy).toEqual(editor.user);
  await runImports(acme);
  expect(await resultOf(started.uniqueId)).toMatchObject({ state: 'done', created: 1 });
  expect((await acme.events()).at(-1)).toMatchObject({
    action: 'vendor.create',
    user_id: editor.uniqueId,
    api_key_id: null,
    request_id: 'member-request',
  });
});

describe('an import fails if its member', () => {
  test.for<[string, (uniqueId: string) => Promise<unknown>, string]>([
    [
      'has ended',
      (uniqueId) => management.member.end({ uniqueId }),
      'member: the member who started the import has ended',
    ],
    [
      'lost the permission',
      (uniqueId) => management.member.update({ uniqueId, role: 'auditor' }),
      'member: the member who started the import may no longer create or change tasks',
    ],
  ])('%s', async ([, change, reason]) => {
    const { framework } = acme;
    const { uniqueId } = await editor.caller.task.import({ framework, content: titled('A', 'B') });
    await change(editor.uniqueId);
    await runImports(acme);
    const auditor = await createMember(acme, { role: 'auditor' });
    expect(await auditor.caller.import.get({ importUniqueId: uniqueId })).toMatchObject({
      state: 'failed',
      created: 0,
      reason,
    });
    expect((await acme.task.list({ framework })).total).toBe(0);
  });

  test('lost the framework', async () => {
    const { framework } = acme;
    const other = await management.framework.create({ name: 'SOC 2' });
    const { uniqueId } = await editor.caller.task.import({ framework, content: titled('A') });
    await management.member.update({ uniqueId: editor.uniqueId, frameworks: [other.id] });
    await runImports(acme);
    expect(await resultOf(uniqueId)).toMatchObject({
      state: 'failed',
      reason: `member: the member who started the import may no longer access framework ${framework}`,
    });
  });
});

describe('an import', () => {
  test('of an API key is read by every role, and canceled by an editor', async () => {
    const { uniqueId } = await acme.vendor.import({ content: 'name\nCloud\n' });
    for (const role of ['admin', 'editor', 'auditor'] as const) {
      const { caller } = await createMember(acme, { role });
      expect(await caller.import.get({ importUniqueId: uniqueId })).toMatchObject({ uniqueId, state: 'queued' });
    }
    await editor.caller.import.cancel({ importUniqueId: uniqueId });
    expect(await resultOf(uniqueId)).toMatchObject({ state: 'canceled' });
  });

  test('of tasks is forbidden to a member of other frameworks', async () => {
    const { framework } = acme;
    const other = await management.framework.create({ name: 'SOC 2' });
    const { uniqueId } = await editor.caller.task.import({ framework, content: titled('A') });
    const limited = await createMember(acme, { role: 'editor', frameworks: [other.id] });
    const message = `framework: you may not access framework ${framework}`;
    for (const call of [limited.caller.import.get, limited.caller.import.cancel])
      await expect(call({ importUniqueId: uniqueId })).rejects.toMatchObject({ code: 'FORBIDDEN', message });
  });
});
