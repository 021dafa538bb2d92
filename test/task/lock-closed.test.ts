import { beforeAll, describe, expect, test } from 'vitest';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import type { Placeholders } from '../../entities/statements/define-statement.ts';
import { http } from '../support/http/server.ts';
import { callTool } from '../support/http/mcp.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { importFile, readImport, runImports, tasksOf } from '../support/tenants/imports.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

const LOCKED = 'task: is closed and locked; an admin can reopen it by changing only its status';
const conflict = { status: 409, body: { error: LOCKED } };

let acme: TestCompany;
let key: Awaited<ReturnType<typeof callerForKey>>;
let ann: TestMember;
/** An editor. */
let ben: TestMember;
beforeAll(async () => {
  acme = await createCompany();
  ann = await createMember(acme, { name: 'Ann' });
  ben = await createMember(acme, { name: 'Ben', role: 'editor' });
  await acme.manage.apiKey.update({
    uniqueId: acme.apiKey.uniqueId,
    scopes: [...acme.apiKey.scopes, 'evidence:read', 'evidence:write', 'evidence:delete', 'requirement:delete'],
  });
  key = await callerForKey(acme.key);
  await ann.caller.management.settings.update({ lockClosed: true });
});

/** A task that was closed while nothing was locked, with what belongs to it. */
async function closedTask(fields: Parameters<TestCompany['newTask']>[0] = {}) {
  const { uniqueId: taskUniqueId } = await acme.newTask(fields);
  const { uniqueId: comment } = await ben.caller.comment.create({ taskUniqueId, text: 'Ready' });
  const evidence = await addEvidence(acme, { taskUniqueId });
  const task = await acme.task.update({ taskUniqueId, status: 'done' });
  return { taskUniqueId, comment, evidence, task };
}

describe('a closed task of a company that locks them', () => {
  test('is changed by nobody, over PATCH, PUT, a batch, a tool, an import and a link, nor deleted', async () => {
    const id = { framework: acme.framework, source: 'jira', externalId: 'L-1' };
    await acme.task.putByExternalId({ ...id, title: 'Review' });
    const { item } = await acme.task.putByExternalId({ ...id, status: 'done' });
    const { uniqueId, uniqueId: taskUniqueId } = item;
    const byExternalId = `${tasksOf(acme)}/by/jira/L-1`;
    for (const body of [{ title: 'x' }, { status: 'todo' }, { status: 'todo', title: 'x' }]) {
      for (const caller of [key, ben.caller])
        await expect(caller.task.update({ taskUniqueId, ...body } as { taskUniqueId: string })).rejects.toThrow(LOCKED);
      expect(await http('PATCH', `/external/task/${uniqueId}/edit`, { key: acme.key, body })).toMatchObject(conflict);
      for (const query of ['', '?mode=replace', '?dryRun=true'])
        expect(await http('PUT', byExternalId + query, { key: acme.key, body: { title: 'y', ...body } })).toMatchObject(
          conflict,
        );
      for (const target of [
        { op: 'update' as const, uniqueId },
        { op: 'upsert' as const, ...id },
      ])
        expect((await acme.task.batch({ items: [{ ...target, body }] })).results).toMatchObject([
          { status: 409, error: LOCKED },
        ]);
      expect(await callTool(acme.key, 'task_update', { taskUniqueId, ...body })).toMatchObject({ isError: true });
    }
    await expect(ann.caller.task.update({ taskUniqueId, title: 'x' })).rejects.toThrow(LOCKED);
    await expect(ann.caller.task.update({ taskUniqueId, title: 'x', status: 'todo' })).rejects.toThrow(LOCKED);
    const csv = 'externalId,title,status\r\nL-1,New,todo\r\nL-2,Other,\r\n';
    const imported = await importFile(acme, `${tasksOf(acme)}/import?source=jira`, csv);
    expect(imported).toMatchObject({ created: 1, failed: 1, errors: [{ error: LOCKED }] });
    await expect(key.task.link({ taskUniqueId, source: 'crm', externalId: '1' })).rejects.toThrow(LOCKED);
    expect(await http('DELETE', `/external/task/${uniqueId}/delete`, { key: acme.key })).toMatchObject(conflict);
    expect(await http('DELETE', byExternalId, { key: acme.key })).toMatchObject(conflict);
    const { results } = await ann.caller.task.batch({
      items: [
        { op: 'delete', uniqueId },
        { op: 'create', framework: acme.framework, body: { title: 'Beside it' } },
      ],
    });
    expect(results).toMatchObject([{ status: 409, error: LOCKED }, { status: 201 }]);
    expect(await acme.task.get({ taskUniqueId })).toEqual(item);
  });

  test('takes what changes nothing', async () => {
    const { taskUniqueId, comment, evidence, task } = await closedTask();
    expect(await ben.caller.task.update({ taskUniqueId, status: 'done', title: task.title })).toEqual(
      await ben.caller.task.get({ taskUniqueId }),
    );
    expect(await ben.caller.comment.update({ comment, text: 'Ready' })).toMatchObject({ version: 1 });
    expect(await key.evidence.update({ evidence, note: '' })).toMatchObject({ version: 1 });
  });

  test('is reopened by an admin with a change of the status alone, and then changes again', async () => {
    const { taskUniqueId, comment } = await closedTask();
    await expect(ben.caller.task.update({ taskUniqueId, status: 'in_progress' })).rejects.toThrow(LOCKED);
    const { title } = await acme.task.get({ taskUniqueId });
    const reopened = await ann.caller.task.update({ taskUniqueId, status: 'in_progress', title });
    expect(reopened).toMatchObject({ status: 'in_progress', version: 3 });
    expect(await ben.caller.task.update({ taskUniqueId, title: 'x' })).toMatchObject({ version: 4 });
    expect(await ben.caller.comment.update({ comment, text: 'Not yet' })).toMatchObject({ version: 2 });
    expect(await ben.caller.task.update({ taskUniqueId, status: 'canceled' })).toMatchObject({ version: 5 });
    await key.task.delete({ taskUniqueId: (await acme.newTask()).uniqueId });
  });

  test('keeps its comments and evidence, and takes new ones', async () => {
    const { taskUniqueId, comment, evidence } = await closedTask();
    await expect(ben.caller.comment.update({ comment, text: 'Changed' })).rejects.toThrow(LOCKED);
    await expect(ben.caller.comment.delete({ comment })).rejects.toThrow(LOCKED);
    await expect(ann.caller.comment.delete({ comment })).rejects.toThrow(LOCKED);
    // Who may not change it at all hears that first.
    await expect(ann.caller.comment.update({ comment, text: 'x' })).rejects.toThrow('only its author');
    for (const change of [{ name: 'x' }, { note: 'x' }, { date: '2025-01-01' }, { validUntil: '2029-01-01' }])
      await expect(ann.caller.evidence.update({ evidence, ...change })).rejects.toThrow(LOCKED);
    const path = `/external/evidence/${evidence}`;
    expect(await http('DELETE', `${path}/delete`, { key: acme.key })).toMatchObject(conflict);
    await ben.caller.comment.create({ taskUniqueId, text: 'Later' });
    await addEvidence(acme, { taskUniqueId });
    expect((await key.comment.list({ taskUniqueId })).items).toHaveLength(2);
    expect((await key.evidence.list({ taskUniqueId })).items).toHaveLength(2);
  });

  test('keeps its vendors and requirements, which cannot be deleted, in a batch neither', async () => {
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud' });
    const requirement = await ann.caller.requirement.create({ framework: acme.framework, ref: 'A.1', title: 'Access' });
    const { taskUniqueId } = await closedTask({ vendors: [vendor], requirements: [requirement.uniqueId] });
    const message = (type: string) =>
      `${type}: 1 closed and locked tasks are linked to it; an admin can reopen them by changing only their status`;
    await expect(key.vendor.delete({ vendor })).rejects.toThrow(message('vendor'));
    const named = { requirement: requirement.uniqueId };
    await expect(ann.caller.requirement.delete(named)).rejects.toThrow(message('requirement'));
    const batch = { op: 'delete' as const, uniqueId: vendor };
    expect((await key.vendor.batch({ items: [batch] })).results).toMatchObject([
      { status: 409, error: message('vendor') },
    ]);
    await ann.caller.task.update({ taskUniqueId, status: 'todo' });
    await key.vendor.delete({ vendor });
    await ann.caller.requirement.delete(named);
    expect(await acme.task.get({ taskUniqueId })).toMatchObject({ vendors: [], requirements: [] });
  });

  test('that an import made or changed stays as it is in an undo', async () => {
    const csv = 'externalId,title,status\r\nU-1,Made,done\r\nU-2,Open,\r\n';
    const made = await importFile(acme, `${tasksOf(acme)}/import?source=crm`, csv);
    expect(made).toMatchObject({ created: 2 });
    const undo = await http('POST', `/external/import/${made.uniqueId}/undo`, { key: acme.key });
    await runImports(acme);
    expect(await readImport(acme.key, undo)).toMatchObject({ state: 'done', deleted: 1, skipped: 1 });
    const { items } = await key.import.skipped({ importUniqueId: String(Reflect.get(Object(undo.body), 'uniqueId')) });
    expect(items).toMatchObject([{ row: 1, reason: `“Made” is kept: ${LOCKED}` }]);
  });

  test('makes the next one of its series', async () => {
    const { task } = await closedTask({ recurrence: 'FREQ=YEARLY', dueDate: '2027-03-01' });
    expect(await acme.task.get({ taskUniqueId: task.next ?? '' })).toMatchObject({ status: 'todo' });
  });

  test('is kept by the database from every statement that goes around the conditions', async () => {
    const { taskUniqueId, comment, evidence } = await closedTask();
    const metadata = 'version = version + 1, updated_by_id = ';
    const statements = [
      ({ user }) => `update task set title = 'x', ${metadata}${user}::uuid where unique_id = '${taskUniqueId}'`,
      ({ user }) => `update task set status = 'todo', ${metadata}${user}::uuid where unique_id = '${taskUniqueId}'`,
      () => `delete from task where unique_id = '${taskUniqueId}'`,
      ({ user }) => `update comment set text = 'x', ${metadata}${user}::uuid where unique_id = '${comment}'`,
      () => `delete from evidence where unique_id = '${evidence}'`,
    ] satisfies ((placeholders: Placeholders<object>) => string)[];
    for (const [index, statement] of statements.entries())
      await expect(ben.context.session?.run(defineStatement(`test.locked-${index}`, statement), {})).rejects.toThrow(
        LOCKED,
      );
    expect(await acme.task.get({ taskUniqueId })).toMatchObject({ status: 'done', version: 2, evidenceCount: 1 });
  });

  test('and its comments change as before once the company locks nothing', async () => {
    const globex = await createCompany('Globex');
    const admin = await createMember(globex);
    const { settings } = admin.caller.management;
    const { uniqueId: taskUniqueId } = await globex.newTask();
    await globex.task.update({ taskUniqueId, status: 'done' });
    expect(await globex.task.update({ taskUniqueId, title: 'x' })).toMatchObject({ version: 3 });
    expect(await settings.update({ lockClosed: true })).toMatchObject({ lockClosed: true });
    await expect(globex.task.update({ taskUniqueId, title: 'y' })).rejects.toThrow(LOCKED);
    await settings.update({ lockClosed: false });
    expect(await globex.task.update({ taskUniqueId, title: 'y' })).toMatchObject({ version: 4 });
    const { items } = await globex.audit.list({ resourceType: 'company' });
    expect(items).toMatchObject([
      { action: 'company.update', changes: { lockClosed: { from: true, to: false } } },
      { action: 'company.update', changes: { lockClosed: { from: false, to: true } } },
      { action: 'company.create', changes: { lockClosed: false } },
    ]);
    const editor = await createMember(globex, { role: 'editor' });
    await expect(editor.caller.management.settings.update({ lockClosed: true })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  test('keeps a comment that somebody changes while it is closed, or changes it before', async () => {
    const tasks = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { uniqueId: taskUniqueId } = await acme.newTask();
        const { uniqueId: comment } = await ben.caller.comment.create({ taskUniqueId, text: 'Ready' });
        return { taskUniqueId, comment };
      }),
    );
    await Promise.allSettled(
      tasks.flatMap(({ taskUniqueId, comment }) => [
        acme.task.update({ taskUniqueId, status: 'done' }),
        ben.caller.comment.update({ comment, text: 'Changed' }),
      ]),
    );
    const orders = await Promise.all(
      tasks.map(async ({ taskUniqueId }) => {
        const { items } = await acme.task.history({ taskUniqueId, children: true });
        return items.map(({ action }) => action).filter((action) => action.endsWith('.update'));
      }),
    );
    // The newest first.
    expect([['task.update', 'comment.update'], ['task.update']]).toEqual(expect.arrayContaining(orders));
  });
});
