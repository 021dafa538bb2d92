import { beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../support/database/database.ts';
import { createCommenters } from '../support/tenants/comments.ts';
import { callerForKey } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { fillInboxes, inboxOf, newItems, readAll } from '../support/tenants/inbox.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

type Commenters = Awaited<ReturnType<typeof createCommenters>>;
let { acme, ann, ben }: Commenters = {} as Commenters;
let ada: TestMember;
beforeEach(async () => {
  ({ acme, ann, ben } = await createCommenters());
  ada = await createMember(acme, { name: 'Ada', role: 'auditor' });
});

const TITLE = 'Review access rights';
const newTask = async (owner?: TestMember) => ({
  taskUniqueId: (await acme.newTask({ assigneeId: owner?.uniqueId ?? null })).uniqueId,
});
const ask = async (on: Parameters<typeof ada.caller.comment.create>[0] | object, by = ada, replyTo?: string) =>
  (await by.caller.comment.create({ ...on, text: 'Who?', kind: 'question', ...(replyTo !== undefined && { replyTo }) }))
    .uniqueId;
const reasonsOf = async (member: TestMember) => {
  await fillInboxes(acme);
  return (await newItems(member)).map((line) => line.split(':', 1)[0]);
};

describe('a question', () => {
  test('is for the assignee or owner of what it is on, with the task, vendor or requirement as its resource', async () => {
    const task = await newTask(ben);
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd', ownerId: ben.uniqueId });
    const { uniqueId: requirement } = await ann.caller.requirement.create({
      framework: acme.framework,
      ref: 'A.5.1',
      title: 'Policies',
      ownerId: ben.uniqueId,
    });
    await readAll(acme, ann, ben);
    for (const on of [task, { vendor }, { requirement }]) await ask(on);
    await fillInboxes(acme);
    const { items } = await ben.caller.inbox.list({ unread: true });
    expect(items.map(({ reason, resource, title, actor }) => [reason, resource, title, actor?.name])).toEqual([
      ['question', { type: 'requirement', uniqueId: requirement }, 'A.5.1 Policies', 'Ada'],
      ['question', { type: 'vendor', uniqueId: vendor }, 'Cloud Ltd', 'Ada'],
      ['question', { type: 'task', uniqueId: task.taskUniqueId }, TITLE, 'Ada'],
    ]);
    expect(await reasonsOf(ann)).toEqual(['commented']); // of the requirement, which Ann created
    expect(await newItems(ada)).toEqual([]);
  });

  test('is for the admins where nobody is responsible, and where that member has ended', async () => {
    const amy = await createMember(acme, { name: 'Amy' });
    await ask(await newTask());
    expect([await reasonsOf(ann), await newItems(amy), await newItems(ben)]).toEqual([
      ['question'],
      [`question: ${TITLE}`],
      [],
    ]);
    const task = await newTask(ben);
    await ann.caller.management.member.end({ uniqueId: ben.uniqueId });
    await ann.caller.management.member.end({ uniqueId: amy.uniqueId });
    await ask(task);
    expect(await reasonsOf(ann)).toEqual(['question']);
    const items = 'select from inbox_item where company_id = $1 and member_id = any($2::uuid[]) and reason = $3';
    expect(await sql(items, acme.id, [ben.uniqueId, amy.uniqueId], 'question')).toHaveLength(1);
  });

  test('of their own is nothing that the assignee or an admin hears of, nor is a comment one', async () => {
    const task = await newTask(ben);
    await readAll(acme, ann, ben);
    await ask(task, ben);
    await ask(await newTask(), ann);
    await ada.caller.comment.create({ ...task, text: 'Fine' });
    expect([await reasonsOf(ben), await newItems(ann)]).toEqual([['commented'], []]);
  });
});

describe('an answer', () => {
  test('is for the author of the question, a key excepted, and not for their own', async () => {
    const task = await newTask(ben);
    const question = await ask(task);
    await readAll(acme, ada, ben);
    await ben.caller.comment.create({ ...task, text: 'Me', replyTo: question });
    await ada.caller.comment.create({ ...task, text: 'Thanks', replyTo: question });
    expect([await reasonsOf(ada), await newItems(ben)]).toEqual([['answer'], [`commented: ${TITLE}`]]);
    const key = await callerForKey(acme.key);
    const { uniqueId: ofKey } = await key.comment.create({ ...task, text: 'When?', kind: 'question' });
    await ann.caller.comment.create({ ...task, text: 'Now', replyTo: ofKey });
    expect(await reasonsOf(ben)).toEqual(['commented', 'question']);
  });

  test('comes after a mention and a question, and before a comment, of one event', async () => {
    const task = await newTask(ben);
    const question = await ask(task, ben);
    await readAll(acme, ada, ann, ben);
    await ask(task, ada, question); // a question for Ben, who is the assignee, and an answer to Ben
    expect(await reasonsOf(ben)).toEqual(['question']);
    await ada.caller.comment.create({ ...task, text: 'x', replyTo: question, mentions: [ben.uniqueId] });
    expect(await reasonsOf(ben)).toEqual(['mentioned']);
    await ada.caller.comment.create({ ...task, text: 'x', replyTo: question });
    expect(await reasonsOf(ben)).toEqual(['answer']);
  });
});

describe('rejected evidence', () => {
  test('is for who added it and for the assignee or owner, once for each check, and only if it is rejected', async () => {
    const amy = await createMember(acme, { name: 'Amy', role: 'editor' });
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd', ownerId: amy.uniqueId });
    const link = { url: 'https://wiki.example.com/x', name: 'SOC 2' };
    const { uniqueId: evidence } = await ben.caller.evidence.link({ vendor, ...link });
    await readAll(acme, ann, ben, amy);
    const check = (result: 'accepted' | 'rejected' | null, of = evidence) =>
      ada.caller.evidence.check({ evidence: of, result });
    await check('accepted');
    await check('rejected');
    await check(null);
    expect([await reasonsOf(ben), await newItems(amy), await newItems(ann), await newItems(ada)]).toEqual([
      ['rejected'],
      ['rejected: Cloud Ltd'],
      [],
      [],
    ]);
    await check('rejected');
    await check('rejected');
    expect(await reasonsOf(amy)).toEqual(['rejected', 'rejected']);
    const task = await newTask(ben);
    const ofKey = await addEvidence(acme, task);
    await readAll(acme, ben);
    await ann.caller.evidence.check({ evidence: ofKey, result: 'rejected' });
    expect(await reasonsOf(ben)).toEqual(['rejected']);
  });
});

describe('a vendor', () => {
  test('is assigned to its owner when it is created or given, but not by the owner', async () => {
    const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd', ownerId: ben.uniqueId });
    await ann.caller.vendor.update({ vendor, name: 'Cloud Inc' });
    expect(await reasonsOf(ben)).toEqual(['assigned']);
    await ann.caller.vendor.update({ vendor, ownerId: ada.uniqueId });
    await ann.caller.vendor.update({ vendor, ownerId: null });
    await ben.caller.vendor.update({ vendor, ownerId: ben.uniqueId });
    await fillInboxes(acme);
    expect([await inboxOf(ada), await newItems(ben)]).toEqual([['assigned: Cloud Inc'], []]);
  });
});
