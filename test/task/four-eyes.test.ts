import { beforeAll, describe, expect, test } from 'vitest';
import { http } from '../support/http/server.ts';
import { callTool } from '../support/http/mcp.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { importFile, readImport, runImports, tasksOf } from '../support/tenants/imports.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

let acme: TestCompany;
let ann: TestMember;
/** An editor, who reviews. */
let ben: TestMember;
/** An editor. */
let cem: TestMember;
beforeAll(async () => {
  acme = await createCompany();
  ann = await createMember(acme, { name: 'Ann' });
  ben = await createMember(acme, { name: 'Ben', role: 'editor' });
  cem = await createMember(acme, { name: 'Cem', role: 'editor' });
});

type NewTask = Parameters<TestCompany['newTask']>[0];
const reviewed = (fields: NewTask = {}) => acme.newTask({ reviewerId: ben.uniqueId, ...fields });
const person = ({ uniqueId }: TestMember, name: string) => ({ uniqueId, name, kind: 'human' });
const NOT_USABLE = 'reviewerId: expected an active member who may see the framework and is not an auditor';
const SAME = 'reviewerId: expected another member than the assignee';
const ONLY_REVIEWER = 'status: only the reviewer may set it to done; an admin can change or clear the reviewer';
const KEPT = 'reviewerId: only the reviewer or an admin may change or clear it';
const LACKS_EVIDENCE = 'status: done needs evidence that is not rejected; attach evidence, or clear needsEvidence';

describe('the reviewer of a task', () => {
  test('is shown, exported, recorded, and cleared with null', async () => {
    const task = await reviewed();
    expect(task).toMatchObject({ reviewer: person(ben, 'Ben'), needsEvidence: false, version: 1 });
    const { uniqueId: taskUniqueId } = task;
    const cleared = await ben.caller.task.update({ taskUniqueId, reviewerId: null });
    expect(cleared).toMatchObject({ reviewer: null, version: 2 });
    const { items } = await acme.task.history({ taskUniqueId });
    expect(items).toMatchObject([
      { action: 'task.update', changes: { reviewer: { from: person(ben, 'Ben'), to: null } } },
      { action: 'task.create', changes: { reviewer: person(ben, 'Ben'), needsEvidence: false } },
    ]);
    const asOf = String(items[1]?.occurredAt).replace('Z', '999Z');
    expect(await acme.task.get({ taskUniqueId, asOf })).toMatchObject({ reviewer: person(ben, 'Ben') });
  });

  test('is an active member who may see the framework, no auditor, and not the assignee', async () => {
    const auditor = await createMember(acme, { role: 'auditor' });
    const { id } = await acme.manage.framework.create({ name: 'SOC 2' });
    const limited = await createMember(acme, { role: 'editor', frameworks: [id] });
    const ended = await createMember(acme, { role: 'editor' });
    await ann.caller.management.member.end({ uniqueId: ended.uniqueId });
    const { uniqueId: taskUniqueId } = await acme.newTask({ assigneeId: cem.uniqueId });
    for (const { uniqueId: reviewerId } of [auditor, limited, ended]) {
      await expect(acme.newTask({ reviewerId })).rejects.toThrow(NOT_USABLE);
      await expect(acme.task.update({ taskUniqueId, reviewerId })).rejects.toThrow(NOT_USABLE);
    }
    await expect(acme.newTask({ reviewerId: ben.uniqueId, assigneeId: ben.uniqueId })).rejects.toThrow(SAME);
    await expect(acme.task.update({ taskUniqueId, reviewerId: cem.uniqueId })).rejects.toThrow(SAME);
    const { uniqueId: other } = await reviewed();
    // The reviewer, who could clear it, does not become the assignee beside it.
    await expect(ben.caller.task.update({ taskUniqueId: other, assigneeId: ben.uniqueId })).rejects.toThrow(SAME);
    const swapped = { reviewerId: cem.uniqueId, assigneeId: ben.uniqueId };
    expect(await ben.caller.task.update({ taskUniqueId: other, ...swapped })).toMatchObject({ version: 2 });
    expect(await acme.task.get({ taskUniqueId })).toMatchObject({ reviewer: null, version: 1 });
  });

  test('alone makes it done or not applicable, while everybody cancels and moves it between open statuses', async () => {
    for (const status of ['done', 'not_applicable'] as const) {
      const { uniqueId: taskUniqueId } = await reviewed({ assigneeId: cem.uniqueId });
      expect(await cem.caller.task.update({ taskUniqueId, status: 'in_review' })).toMatchObject({ version: 2 });
      for (const other of [cem.caller, ann.caller, await callerForKey(acme.key)])
        await expect(other.task.update({ taskUniqueId, status, title: 'x' })).rejects.toThrow(
          ONLY_REVIEWER.replace('done', status),
        );
      expect(await ben.caller.task.update({ taskUniqueId, status })).toMatchObject({ status, version: 3 });
      expect(await cem.caller.task.update({ taskUniqueId, status: 'todo' })).toMatchObject({ version: 4 });
      expect(await cem.caller.task.update({ taskUniqueId, status: 'canceled' })).toMatchObject({ version: 5 });
    }
  });

  test('is changed by an admin and by the reviewer only, and the reviewer of before the change decides', async () => {
    const { uniqueId: taskUniqueId } = await reviewed();
    const key = await callerForKey(acme.key);
    for (const reviewerId of [null, cem.uniqueId]) {
      await expect(cem.caller.task.update({ taskUniqueId, reviewerId })).rejects.toThrow(KEPT);
      await expect(key.task.update({ taskUniqueId, reviewerId })).rejects.toThrow(KEPT);
      await expect(cem.caller.task.update({ taskUniqueId, reviewerId, status: 'done' })).rejects.toThrow(ONLY_REVIEWER);
      await expect(ann.caller.task.update({ taskUniqueId, reviewerId, status: 'done' })).rejects.toThrow(ONLY_REVIEWER);
    }
    expect(await cem.caller.task.update({ taskUniqueId, reviewerId: ben.uniqueId, title: 'Same' })).toMatchObject({
      version: 2,
    });
    await ann.caller.task.update({ taskUniqueId, reviewerId: null });
    const { items } = await acme.task.history({ taskUniqueId });
    expect(items[0]).toMatchObject({
      actor: { uniqueId: ann.uniqueId },
      action: 'task.update',
      changes: { reviewer: { from: { uniqueId: ben.uniqueId }, to: null } },
    });
    // The task before this change has no reviewer.
    const done = await cem.caller.task.update({ taskUniqueId, status: 'done', reviewerId: ben.uniqueId });
    expect(done).toMatchObject({ status: 'done', reviewer: { uniqueId: ben.uniqueId } });
  });

  test('who has left stays until an admin clears the reviewer, and the task can be sent back whole', async () => {
    const lee = await createMember(acme, { role: 'editor' });
    const { uniqueId: taskUniqueId } = await reviewed({ reviewerId: lee.uniqueId });
    await ann.caller.management.member.end({ uniqueId: lee.uniqueId });
    const sent = { taskUniqueId, title: 'Renamed', reviewerId: lee.uniqueId };
    expect(await cem.caller.task.update(sent)).toMatchObject({ reviewer: { uniqueId: lee.uniqueId }, version: 2 });
    await expect(cem.caller.task.update({ taskUniqueId, status: 'done' })).rejects.toThrow(ONLY_REVIEWER);
    await expect(cem.caller.task.update({ taskUniqueId, reviewerId: null })).rejects.toThrow(KEPT);
    expect(await ann.caller.task.update({ taskUniqueId, reviewerId: null })).toMatchObject({ reviewer: null });
  });

  test('of two changes at once the later one meets the reviewer that the earlier one gave', async () => {
    const { uniqueId: taskUniqueId } = await acme.newTask();
    const [given, closed] = await Promise.allSettled([
      acme.task.update({ taskUniqueId, reviewerId: ben.uniqueId }),
      cem.caller.task.update({ taskUniqueId, status: 'done' }),
    ]);
    expect(given).toMatchObject({ status: 'fulfilled' });
    const { items } = await acme.task.history({ taskUniqueId });
    if (closed.status === 'rejected') expect(closed.reason).toMatchObject({ message: ONLY_REVIEWER });
    else expect(items[1]).toMatchObject({ changes: { status: { to: 'done' } } });
  });
});

describe('no way leads around the reviewer', () => {
  test('over PATCH, PUT, a batch and a tool, also with the reviewer cleared or in a dry run', async () => {
    const { key } = acme;
    const id = { framework: acme.framework, source: 'jira', externalId: 'R-1' };
    const { item } = await acme.task.putByExternalId({ ...id, title: 'Review', reviewerId: ben.uniqueId });
    const { uniqueId, etag } = item;
    const byExternalId = `${tasksOf(acme)}/by/jira/R-1`;
    const conflict = { status: 409, body: { error: ONLY_REVIEWER } };
    for (const body of [{ status: 'done' }, { status: 'done', reviewerId: null }]) {
      expect(await http('PATCH', `/external/task/${uniqueId}/edit`, { key, body })).toMatchObject(conflict);
      for (const query of ['', '?mode=replace', '?dryRun=true'])
        expect(await http('PUT', byExternalId + query, { key, body: { title: 'x', ...body } })).toMatchObject(conflict);
      for (const target of [
        { op: 'update' as const, uniqueId },
        { op: 'upsert' as const, ...id },
      ]) {
        const { results } = await acme.task.batch({ items: [{ ...target, body: { title: 'x', ...body } }] });
        expect(results).toMatchObject([{ status: 409, error: ONLY_REVIEWER }]);
      }
      const tool = await callTool(key, 'task_update', { taskUniqueId: uniqueId, ...body });
      expect(tool).toMatchObject({ isError: true });
      expect(JSON.stringify(tool)).toContain(ONLY_REVIEWER);
    }
    const unchanged = await acme.task.get({ taskUniqueId: uniqueId });
    expect(unchanged).toMatchObject({ etag, reviewer: { uniqueId: ben.uniqueId } });
    const replaced = await acme.task.putByExternalId({ ...id, mode: 'replace', title: 'Review', needsEvidence: true });
    expect(replaced.item).toMatchObject({ reviewer: { uniqueId: ben.uniqueId }, needsEvidence: true });
    const again = await acme.task.putByExternalId({ ...id, mode: 'replace', title: 'Review', priority: 1 });
    expect(again.item).toMatchObject({ reviewer: { uniqueId: ben.uniqueId }, needsEvidence: true, priority: 1 });
  });

  test('in a creation, after 422 for what is wrong with its fields', async () => {
    const put = (externalId: string, fields: object, caller = acme.task) =>
      caller.putByExternalId({ framework: acme.framework, source: 'jira', externalId, title: 'Done', ...fields });
    const done = { status: 'done', reviewerId: ben.uniqueId };
    await expect(put('N-1', done)).rejects.toThrow(ONLY_REVIEWER);
    await expect(put('N-1', { ...done, dryRun: true })).rejects.toThrow(ONLY_REVIEWER);
    await expect(put('N-1', { ...done, departmentId: 999_999 })).rejects.toThrow('departmentId: no such department');
    await expect(put('N-1', { ...done, assigneeId: ben.uniqueId })).rejects.toThrow(SAME);
    await expect(put('N-1', { status: 'done', needsEvidence: true })).rejects.toThrow(LACKS_EVIDENCE);
    expect(await put('N-1', done, ben.caller.task)).toMatchObject({ upsert: 'created', item: { status: 'done' } });
    expect(await put('N-2', { ...done, status: 'canceled' })).toMatchObject({ item: { status: 'canceled' } });
  });

  test('in an import, which takes the email of the reviewer, and in its undo', async () => {
    const { id, key } = acme;
    const path = `${tasksOf(acme)}/import?source=crm`;
    const file = (status: string, reviewer: string) =>
      `externalId,title,status,reviewerId,needsEvidence\r\nI-1,Imported,${status},${reviewer},\r\n`;
    const made = await importFile(acme, path, file('In progress', ben.email.toUpperCase()));
    expect(made).toMatchObject({ created: 1, failed: 0 });
    const [task] = (await acme.task.list({ framework: acme.framework, limit: 1 })).items ?? [];
    expect(task).toMatchObject({ title: 'Imported', reviewer: person(ben, 'Ben') });
    const taskUniqueId = task?.uniqueId ?? '';
    for (const mode of ['merge', 'replace']) {
      const closed = await importFile(acme, `${path}&mode=${mode}`, file('done', ben.email));
      expect(closed.errors).toMatchObject([{ field: 'status', error: expect.stringContaining(ONLY_REVIEWER) }]);
    }
    const cleared = await importFile(acme, `${path}&mode=replace`, file('in_progress', ''));
    expect(cleared.errors).toMatchObject([{ field: 'reviewerId', error: expect.stringContaining(KEPT) }]);
    const strict = await importFile(acme, `${path}&strict=true`, file('done', ben.email));
    expect(strict).toMatchObject({ state: 'failed', updated: 0 });
    // A key reopens what the reviewer has closed, and its undo would close it again.
    await ben.caller.task.update({ taskUniqueId, status: 'done' });
    const reopened = await importFile(acme, path, file('todo', ben.email));
    expect(reopened).toMatchObject({ updated: 1 });
    const undo = await http('POST', `/external/import/${reopened.uniqueId}/undo`, { key, body: {} });
    await runImports({ id });
    expect(await readImport(key, undo)).toMatchObject({ state: 'done', updated: 0, skipped: 1 });
    expect(await acme.task.get({ taskUniqueId })).toMatchObject({ status: 'todo' });
  });

  test('by recurrence, whose next task has the same reviewer and needs evidence too', async () => {
    const recurring = { recurrence: 'FREQ=YEARLY', dueDate: '2027-03-01', needsEvidence: true };
    const { uniqueId: taskUniqueId } = await reviewed({ ...recurring, assigneeId: cem.uniqueId });
    const close = ({ caller }: TestMember) => caller.task.update({ taskUniqueId, status: 'done' });
    await expect(close(cem)).rejects.toThrow(ONLY_REVIEWER);
    await expect(close(ben)).rejects.toThrow(LACKS_EVIDENCE);
    await addEvidence(acme, { taskUniqueId });
    await expect(close(cem)).rejects.toThrow(ONLY_REVIEWER);
    const { next } = await close(ben);
    expect(await acme.task.get({ taskUniqueId: next ?? '' })).toMatchObject({
      reviewer: person(ben, 'Ben'),
      assignee: person(cem, 'Cem'),
      needsEvidence: true,
      status: 'todo',
    });
  });
});

describe('a task that needs evidence', () => {
  test('becomes done with evidence only, by the value after the change', async () => {
    const { uniqueId: taskUniqueId } = await acme.newTask({ needsEvidence: true });
    await expect(acme.task.update({ taskUniqueId, status: 'done' })).rejects.toThrow(LACKS_EVIDENCE);
    expect(await acme.task.update({ taskUniqueId, status: 'not_applicable' })).toMatchObject({ version: 2 });
    await acme.task.update({ taskUniqueId, status: 'todo' });
    expect(await acme.task.update({ taskUniqueId, status: 'done', needsEvidence: false })).toMatchObject({
      version: 4,
    });
    expect(await acme.task.update({ taskUniqueId, needsEvidence: true })).toMatchObject({ status: 'done', version: 5 });
    await acme.task.update({ taskUniqueId, status: 'todo' });
    const both = { taskUniqueId, status: 'done', needsEvidence: true } as const;
    await expect(acme.task.update(both)).rejects.toThrow(LACKS_EVIDENCE);
    const evidence = await addEvidence(acme, { taskUniqueId });
    await ann.caller.evidence.check({ evidence, result: 'rejected' });
    await expect(acme.task.update(both)).rejects.toThrow(LACKS_EVIDENCE);
    await ann.caller.evidence.check({ evidence, result: null });
    expect(await acme.task.update(both)).toMatchObject({ status: 'done', version: 7 });
  });

  test('is never done without it when its last evidence is deleted at the same moment', async () => {
    const { evidence } = ann.caller;
    const tasks = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { uniqueId: taskUniqueId } = await acme.newTask({ needsEvidence: true });
        return { taskUniqueId, evidence: await addEvidence(acme, { taskUniqueId }) };
      }),
    );
    await Promise.allSettled(
      tasks.flatMap((task) => [
        evidence.delete({ evidence: task.evidence }),
        acme.task.update({ taskUniqueId: task.taskUniqueId, status: 'done' }),
      ]),
    );
    const orders = await Promise.all(
      tasks.map(async ({ taskUniqueId }) => {
        const { items } = await acme.task.history({ taskUniqueId, children: true });
        return items.map(({ action }) => action).filter((action) => !action.endsWith('.create'));
      }),
    );
    // The newest first.
    const possible = [['evidence.delete', 'task.update'], ['evidence.delete']];
    expect(possible).toEqual(expect.arrayContaining(orders));
  });
});
