import { describe, expect } from 'vitest';
import { tamper } from '../support/database/database.ts';
import { test } from '../support/fixtures/test.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, callerWithPermissions } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { VENDORS, importFile, readImport, runImports, tasksOf } from '../support/tenants/imports.ts';
import { createMember } from '../support/tenants/member.ts';

const csv = (...rows: string[]) => [...rows, ''].join('\r\n');

async function undo(company: TestCompany, uniqueId: string, query = '') {
  const accepted = await http('POST', `/external/import/${uniqueId}/undo${query}`, { key: company.key });
  expect(accepted).toMatchObject({ status: 202, body: { state: 'queued', undoOf: uniqueId, errors: [] } });
  await runImports(company);
  return readImport(company.key, accepted);
}

const skippedOf = async ({ key }: TestCompany, importUniqueId: string) => {
  const { items } = await (await callerForKey(key)).import.skipped({ importUniqueId });
  return items.map(({ row, reason }) => [row, reason]);
};

describe('an undo', () => {
  test('deletes what an import created, restores what it changed, and frees its external ids', async ({ company }) => {
    const owner = await createMember(company, { role: 'editor', name: 'Ann' });
    const before = await company.vendor.putByExternalId({
      source: 'erp',
      externalId: 'OLD',
      name: 'Old',
      description: '<b>x</b>',
      labels: ['a'],
      contractEnd: '2026-01-01',
      contacts: [{ name: 'Ada' }],
    });
    const rows = [`OLD,New name,${owner.uniqueId},b,,`, 'NEW,Created,,,,', `OLD,Newer,,,2027-01-01,`];
    const header = 'externalId,name,ownerId,labels,contractEnd,contacts';
    const item = await importFile(company, `${VENDORS}/import?source=erp`, csv(header, ...rows));
    expect(item).toMatchObject({ created: 1, updated: 2, undoneBy: null });
    const dry = await undo(company, item.uniqueId, '?dryRun=true');
    expect(dry).toMatchObject({ state: 'done', rows: 2, deleted: 1, updated: 1, skipped: 0, dryRun: true });
    expect(await company.vendor.list()).toHaveLength(2);
    const undone = await undo(company, item.uniqueId);
    expect(undone).toMatchObject({ state: 'done', rows: 2, created: 0, deleted: 1, updated: 1, skipped: 0 });
    const { uniqueId, name, description, labels, contractEnd, contacts, owner: nobody, version } = before.item;
    const restored = { name, description, labels, contractEnd, contacts, owner: nobody, version: version + 3 };
    expect(await company.vendor.get({ vendor: uniqueId })).toMatchObject(restored);
    expect(await company.vendor.list()).toHaveLength(1);
    expect(
      await importFile(company, `${VENDORS}/import?source=erp`, csv('externalId,name', 'NEW,Again')),
    ).toMatchObject({
      created: 1,
    });
    const read = await http('GET', `/external/import/${item.uniqueId}/item`, { key: company.key });
    expect(read.body).toMatchObject({ undoneBy: undone.uniqueId, undoOf: null, deleted: 0 });
  });

  test('leaves what was changed, commented, linked, named or deleted since, and says why', async ({ company }) => {
    const names = ['Changed', 'Commented', 'Linked', 'Named', 'Gone', 'Plain'];
    const item = await importFile(company, `${VENDORS}/import`, csv('name', ...names));
    const idOf = async (q: string) => (await company.vendor.list({ q }))[0]?.uniqueId ?? '';
    await company.vendor.update({ vendor: await idOf('Changed'), description: 'x' });
    await (await callerForKey(company.key)).comment.create({ vendor: await idOf('Commented'), text: 'x' });
    await company.vendor.link({ vendor: await idOf('Linked'), source: 'erp', externalId: '1' });
    await company.newTask({ vendors: [await idOf('Named')] });
    await company.vendor.delete({ vendor: await idOf('Gone') });
    const undone = await undo(company, item.uniqueId);
    expect(undone).toMatchObject({ deleted: 1, updated: 0, skipped: 5 });
    expect(await skippedOf(company, undone.uniqueId)).toEqual([
      [1, '“Changed” has been changed since.'],
      [2, '“Commented” has been given comments or evidence since.'],
      [3, '“Linked” has been changed since.'],
      [4, 'Tasks are linked to “Named”.'],
      [5, 'The vendor has been deleted since.'],
    ]);
    expect((await company.vendor.list()).map(({ name }) => name)).toEqual(names.slice(0, 4).toSorted());
  });

  test('of tasks restores the status and the recurrence, and keeps one whose closing made the next', async ({
    company,
  }) => {
    const { uniqueId: plain } = await company.newTask({ title: 'Plain', dueDate: '2027-01-31' });
    const recurring = { title: 'Recurring', dueDate: '2027-01-31', recurrence: 'FREQ=MONTHLY' };
    const { uniqueId: closed } = await company.newTask(recurring);
    const file = csv('Id,Status,Recurrence', `${plain},In review,FREQ=DAILY`, `${closed},Done,`);
    const item = await importFile(company, `${tasksOf(company)}/import`, file);
    expect(item).toMatchObject({ updated: 2, errors: [] });
    const undone = await undo(company, item.uniqueId);
    expect(undone).toMatchObject({ updated: 1, skipped: 1 });
    expect(await skippedOf(company, undone.uniqueId)).toEqual([
      [2, '“Recurring” was closed, and the next task was created.'],
    ]);
    expect(await company.task.get({ taskUniqueId: plain })).toMatchObject({
      status: 'todo',
      recurrence: null,
      seriesDate: null,
      dueDate: '2027-01-31',
    });
  });

  test('is 409 for what cannot be undone, and needs the scopes to write and to delete', async ({ company }) => {
    const request = async (uniqueId: string, key = company.key) => {
      const { status, body } = await http('POST', `/external/import/${uniqueId}/undo`, { key });
      return [status, (body as { error?: string }).error];
    };
    const path = `${VENDORS}/import`;
    const dry = await importFile(company, `${path}?dryRun=true`, csv('name', 'A'));
    expect(await request(dry.uniqueId)).toEqual([409, 'import: was a dry run, so there is nothing to undo']);
    const queued = await company.vendor.import({ content: 'name\nA\n' });
    expect(await request(queued.uniqueId)).toEqual([
      409,
      'import: has not ended, so it cannot be undone; it is queued',
    ]);
    await runImports(company);
    const writer = callerWithPermissions(company, { scopes: ['vendor:read', 'vendor:write'] });
    await expect(writer.import.undo({ importUniqueId: queued.uniqueId })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const undone = await undo(company, queued.uniqueId);
    expect(await request(queued.uniqueId)).toEqual([409, 'import: was already undone']);
    expect(await request(undone.uniqueId)).toEqual([409, 'import: is an undo, which cannot be undone']);
    const earlier = await importFile(company, path, csv('name', 'B'));
    await tamper(`delete from import_change where import_id = '${earlier.uniqueId}'`);
    expect(await request(earlier.uniqueId)).toEqual([
      409,
      'import: was made by an earlier version of the service, which did not record its changes',
    ]);
    expect((await request('01234567-89ab-7def-8123-456789abcdef'))[0]).toBe(404);
  });

  test('that was canceled does not count', async ({ company }) => {
    const item = await importFile(company, `${VENDORS}/import`, csv('name', 'A'));
    const caller = await callerForKey(company.key);
    const { uniqueId } = await caller.import.undo({ importUniqueId: item.uniqueId });
    await caller.import.cancel({ importUniqueId: uniqueId });
    expect(await undo(company, item.uniqueId)).toMatchObject({ deleted: 1 });
  });
});
