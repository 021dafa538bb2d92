import { beforeEach, expect, test } from 'vitest';
import { createCommenters } from '../support/tenants/comments.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { dateIn, inboxOf, morning, newItems, readAll, remind } from '../support/tenants/inbox.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

type Commenters = Awaited<ReturnType<typeof createCommenters>>;
let { acme, ann, ben }: Commenters = {} as Commenters;

const newTask = async (title: string, fields: object = {}) => ({
  taskUniqueId: (await acme.newTask({ title, assigneeId: ben.uniqueId, ...fields })).uniqueId,
});
const newVendor = async (name: string) => ({ vendor: (await acme.vendor.create({ name })).uniqueId });
const by = (member: TestMember, name: string) => ({ by: { uniqueId: member.uniqueId, name, kind: 'human' as const } });
const valid = (days: number) => ({ validUntil: dateIn(days) });

beforeEach(async () => {
  ({ acme, ann, ben } = await createCommenters());
  await readAll(acme, ann, ben);
  await remind(acme, morning(-1));
});

test('evidence that is expiring comes at the first 07:00 within 30 days, once for each date', async () => {
  const task = await newTask('Review');
  await addEvidence(acme, task, valid(35));
  await readAll(acme, ann, ben);
  for (const [day, expected] of [
    [1, []],
    [5, []],
    [6, ['evidence: Review']],
    [6, []],
    [7, []],
    [36, []],
  ] as const) {
    await remind(acme, morning(day));
    expect({ day, items: await newItems(ben) }).toEqual({ day, items: [...expected] });
  }
  await addEvidence(acme, task, valid(50));
  await remind(acme, morning(37));
  expect(await newItems(ben)).toEqual(['evidence: Review']);
});

test('evidence whose date is set within its days comes at the next 07:00, and none whose end is past', async () => {
  await remind(acme, morning(0));
  await addEvidence(acme, await newTask('Soon'), valid(10));
  await addEvidence(acme, await newTask('Today'), valid(1));
  await addEvidence(acme, await newTask('Past'), valid(-10));
  await readAll(acme, ann, ben);
  await remind(acme, new Date(morning(1).getTime() - 1000));
  expect(await newItems(ben)).toEqual([]);
  await remind(acme, morning(1));
  expect(await newItems(ben)).toEqual(['evidence: Soon', 'evidence: Today']);
});

test('evidence comes late after a downtime, once, also if it has ended meanwhile', async () => {
  await remind(acme, morning(0));
  await addEvidence(acme, await newTask('Ended'), valid(32));
  await addEvidence(acme, await newTask('Ends'), valid(60));
  await readAll(acme, ann, ben);
  await remind(acme, morning(50));
  expect(await newItems(ben)).toEqual(['evidence: Ended', 'evidence: Ends']);
  await remind(acme, morning(51));
  expect(await newItems(ben)).toEqual([]);
});

test('evidence with other evidence of the object that is valid longer does not come', async () => {
  const renewed = await newTask('Renewed');
  await addEvidence(acme, renewed, valid(10));
  await addEvidence(acme, renewed, valid(90));
  const endless = await newTask('Endless');
  await addEvidence(acme, endless, valid(10));
  await addEvidence(acme, endless);
  const both = await newTask('Both');
  await addEvidence(acme, both, valid(5));
  await addEvidence(acme, both, valid(10));
  await addEvidence(acme, both, valid(10));
  await readAll(acme, ann, ben);
  await remind(acme, morning(1));
  expect(await newItems(ben)).toEqual(['evidence: Both']);
});

test('evidence comes to the assignee of its task, and without one to the member who added it', async () => {
  await addEvidence(acme, await newTask('Of Ben'), { ...valid(10), ...by(ann, 'Ann') });
  await addEvidence(acme, await newTask('Of nobody', { assigneeId: null }), { ...valid(10), ...by(ann, 'Ann') });
  await addEvidence(acme, await newTask('Of a key', { assigneeId: null }), valid(10));
  await addEvidence(acme, await newVendor('Cloud Ltd'), { ...valid(10), ...by(ann, 'Ann') });
  await addEvidence(acme, await newVendor('Of a key'), valid(10));
  const cid = await createMember(acme, { name: 'Cid', role: 'editor' });
  await addEvidence(acme, await newVendor('Of Cid'), { ...valid(10), ...by(cid, 'Cid') });
  await ann.caller.management.member.end({ uniqueId: cid.uniqueId });
  await readAll(acme, ann, ben);
  await remind(acme, morning(1));
  expect(await newItems(ben)).toEqual(['evidence: Of Ben']);
  expect(await newItems(ann)).toEqual(['evidence: Cloud Ltd', 'evidence: Of nobody']);
  const { items } = await ann.caller.inbox.list({ limit: 2 });
  expect(items.map(({ resource, actor }) => [resource.type, actor])).toEqual(
    expect.arrayContaining([
      ['task', null],
      ['vendor', null],
    ]),
  );
});

test('evidence of closed tasks, archived frameworks, archived vendors and deleted objects does not come', async () => {
  const done = await newTask('Done');
  const { id: framework } = await acme.manage.framework.create({ name: 'SOC 2' });
  const archived = await newTask('Archived', { framework });
  const vendor = await newVendor('Archived Ltd');
  for (const parent of [done, archived, vendor]) await addEvidence(acme, parent, { ...valid(10), ...by(ben, 'Ben') });
  await acme.task.update({ ...done, status: 'done' });
  await acme.manage.framework.archive({ id: framework });
  await acme.vendor.update({ ...vendor, status: 'archived' });
  const deleted = await newTask('Deleted');
  await addEvidence(acme, deleted, valid(10));
  await readAll(acme, ann, ben);
  await remind(acme, morning(1));
  expect(await newItems(ben)).toEqual(['evidence: Deleted']);
  await ann.caller.task.delete(deleted);
  expect(await inboxOf(ben)).not.toContain('evidence: Deleted');
  await acme.task.update({ ...done, status: 'todo' });
  await remind(acme, morning(2));
  expect(await newItems(ben)).toEqual(['evidence: Done']);
});

test('an item is hidden from a member who may no longer see the framework', async () => {
  const task = await newTask('Of nobody', { assigneeId: null });
  await addEvidence(acme, task, { ...valid(10), ...by(ben, 'Ben') });
  await readAll(acme, ann, ben);
  await remind(acme, morning(1));
  expect(await inboxOf(ben, { unread: true })).toEqual(['evidence: Of nobody']);
  const { id } = await acme.manage.framework.create({ name: 'SOC 2' });
  await ann.caller.management.member.update({ uniqueId: ben.uniqueId, role: 'editor', frameworks: [id] });
  expect(await inboxOf(ben, { unread: true })).toEqual([]);
});
