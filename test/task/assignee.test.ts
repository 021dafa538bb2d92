import { beforeAll, expect, test } from 'vitest';
import { sql } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

let acme: TestCompany;
let ann: TestMember;
let ben: TestMember;
beforeAll(async () => {
  acme = await createCompany();
  ann = await createMember(acme, { name: 'Ann' });
  ben = await createMember(acme, { name: 'Ben', role: 'editor' });
});

const person = ({ uniqueId }: TestMember, name: string) => ({ uniqueId, name, kind: 'human' });
const NOT_USABLE = 'assigneeId: expected an active member who may see the framework';

test('a task has nobody until it is given to a member, in a create, a change and a PUT', async () => {
  const task = await acme.newTask();
  expect(task.assignee).toBeNull();
  const given = await acme.newTask({ assigneeId: ann.uniqueId });
  expect(given.assignee).toEqual(person(ann, 'Ann'));
  const { uniqueId: taskUniqueId } = task;
  const changed = await acme.task.update({ taskUniqueId, assigneeId: ben.uniqueId });
  expect(changed).toMatchObject({ assignee: person(ben, 'Ben'), version: 2 });
  expect(await acme.task.get({ taskUniqueId })).toEqual(changed);
  expect(await acme.task.update({ taskUniqueId, assigneeId: ben.uniqueId })).toEqual(changed);
  expect(await acme.task.update({ taskUniqueId, assigneeId: null })).toMatchObject({ assignee: null, version: 3 });
  const key = { framework: acme.framework, source: 'jira', externalId: 'T-1' };
  const put = await acme.task.putByExternalId({ ...key, title: 'Review', assigneeId: ann.uniqueId });
  expect(put.item.assignee).toEqual(person(ann, 'Ann'));
});

test('a PUT that replaces and does not send the assignee keeps it, and null clears it', async () => {
  const key = { framework: acme.framework, source: 'jira', externalId: 'T-2' };
  await acme.task.putByExternalId({ ...key, title: 'Review', assigneeId: ann.uniqueId });
  const kept = await acme.task.putByExternalId({ ...key, mode: 'replace', title: 'Renew', labels: ['a'] });
  expect(kept.item).toMatchObject({ title: 'Renew', assignee: person(ann, 'Ann') });
  const cleared = await acme.task.putByExternalId({ ...key, title: 'Renew', assigneeId: null });
  expect(cleared.item.assignee).toBeNull();
  const upsert = async (body: Record<string, unknown>) => {
    const { results } = await acme.task.batch({ items: [{ op: 'upsert', ...key, body }] });
    return results[0]?.item;
  };
  const bens = { assignee: person(ben, 'Ben') };
  expect(await upsert({ title: 'Again', assigneeId: ben.uniqueId })).toMatchObject(bens);
  expect(await upsert({ title: 'Once more' })).toMatchObject({ title: 'Once more', ...bens });
});

test('only an active member who may see the framework can be given a task', async () => {
  const { id } = await acme.manage.framework.create({ name: 'SOC 2' });
  const limited = await createMember(acme, { role: 'editor', frameworks: [id] });
  const ended = await createMember(acme, { role: 'editor' });
  await ann.caller.management.member.end({ uniqueId: ended.uniqueId });
  const stranger = await createMember(await createCompany());
  const task = await acme.newTask();
  const unusable = [limited, ended, stranger].map(({ uniqueId }) => uniqueId);
  for (const assigneeId of [...unusable, acme.apiKey.user.uniqueId, '019a1f00-7c44-7b2e-9d3a-0b1c2d3e4f51']) {
    await expect(acme.newTask({ assigneeId })).rejects.toThrow(NOT_USABLE);
    await expect(acme.task.update({ taskUniqueId: task.uniqueId, title: 'x', assigneeId })).rejects.toThrow(NOT_USABLE);
  }
  expect(await acme.task.get({ taskUniqueId: task.uniqueId })).toEqual(task);
  await expect(acme.newTask({ assigneeId: 'ann' })).rejects.toThrow('assigneeId: expected the uniqueId of a user');
  expect(await acme.newTask({ framework: id, assigneeId: limited.uniqueId })).toMatchObject({
    assignee: { uniqueId: limited.uniqueId },
  });
});

test('a member who ends keeps the tasks, and such a task can be sent back whole', async () => {
  const leaver = await createMember(acme, { name: 'Lee', role: 'editor' });
  const { uniqueId: taskUniqueId } = await acme.newTask({ assigneeId: leaver.uniqueId });
  await ann.caller.management.member.end({ uniqueId: leaver.uniqueId });
  expect(await acme.task.get({ taskUniqueId })).toMatchObject({ assignee: person(leaver, 'Lee') });
  const back = await acme.task.update({ taskUniqueId, title: 'Renamed', assigneeId: leaver.uniqueId });
  expect(back).toMatchObject({ title: 'Renamed', assignee: person(leaver, 'Lee') });
});

test('the history, the feed and a past state show the assignee', async () => {
  const { uniqueId: taskUniqueId } = await acme.newTask({ assigneeId: ann.uniqueId });
  await acme.task.update({ taskUniqueId, assigneeId: ben.uniqueId });
  const { items: history } = await acme.task.history({ taskUniqueId });
  expect(history).toMatchObject([
    { action: 'task.update', changes: { assignee: { from: person(ann, 'Ann'), to: person(ben, 'Ben') } } },
    { action: 'task.create', changes: { assignee: person(ann, 'Ann') } },
  ]);
  const asOf = String(history[1]?.occurredAt).replace('Z', '999Z');
  expect(await acme.task.get({ taskUniqueId, asOf })).toMatchObject({ assignee: person(ann, 'Ann'), version: 1 });
});

test('the entity tag covers the name of the assignee, and is unchanged without one', async () => {
  const { key } = acme;
  const { uniqueId, etag } = await acme.newTask({ assigneeId: ann.uniqueId });
  const rename = (name: string) => ben.caller.account.update({ name });
  const { etag: bens } = await acme.task.update({ taskUniqueId: uniqueId, ifMatch: etag, assigneeId: ben.uniqueId });
  expect(bens).not.toBe(etag);
  await rename('Benjamin');
  const path = `/external/task/${uniqueId}/edit`;
  const stale = await http('PATCH', path, { key, headers: { 'if-match': `"${bens}"` }, body: { title: 'x' } });
  expect(stale).toMatchObject({ status: 412 });
  const current = await acme.task.get({ taskUniqueId: uniqueId });
  expect(current).toMatchObject({ version: 2, assignee: { name: 'Benjamin' } });
  expect(current.etag).not.toBe(bens);
  const fresh = await http('PATCH', path, { key, headers: { 'if-match': `"${current.etag}"` }, body: { title: 'x' } });
  expect(fresh).toMatchObject({ status: 200 });
  await rename('Ben');
});

test('a task is given once when two members give it at once, and each change has its event', async () => {
  const { uniqueId: taskUniqueId, etag } = await acme.newTask();
  const give = ({ uniqueId }: TestMember) => acme.task.update({ taskUniqueId, ifMatch: etag, assigneeId: uniqueId });
  const results = await Promise.allSettled([give(ann), give(ben)]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const { items } = await acme.task.history({ taskUniqueId });
  expect(items.map(({ action }) => action)).toEqual(['task.update', 'task.create']);
});

test('no task is given to a member after the member has ended', async () => {
  const leaver = await createMember(acme, { role: 'editor' });
  const tasks = await Promise.all(Array.from({ length: 10 }, () => acme.newTask()));
  const caller = await callerForKey(acme.key);
  const [end, ...given] = await Promise.allSettled([
    ann.caller.management.member.end({ uniqueId: leaver.uniqueId }),
    ...tasks.map(({ uniqueId }) => caller.task.update({ taskUniqueId: uniqueId, assigneeId: leaver.uniqueId })),
  ]);
  expect(end).toMatchObject({ status: 'fulfilled' });
  for (const result of given)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ message: NOT_USABLE });
  const ids = [leaver.uniqueId, ...tasks.map(({ uniqueId }) => uniqueId)];
  const events = await sql<{ action: string; gives: boolean }>(
    `select action, changes ? 'assignee_id' and action = 'task.update' as gives from audit_event
     where company_id = $1 and resource_id = any($2::text[]) order by id`,
    acme.id,
    ids,
  );
  const endedAt = events.findIndex(({ action }) => action === 'member.delete');
  expect(endedAt).toBeGreaterThan(0);
  expect(events.filter(({ gives }, index) => gives && index > endedAt)).toEqual([]);
  const fulfilled = given.filter(({ status }) => status === 'fulfilled');
  expect(events.filter(({ gives }) => gives)).toHaveLength(fulfilled.length);
});
