import { beforeEach, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { fanOutItems } from '../../entities/inbox/fan-out.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { createCommenters } from '../support/tenants/comments.ts';
import { fillInboxes, inboxOf } from '../support/tenants/inbox.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { sealAll } from '../support/tenants/webhooks.ts';

type Commenters = Awaited<ReturnType<typeof createCommenters>>;
let { acme, ann, ben, newTask, newVendor }: Commenters = {} as Commenters;
beforeEach(async () => {
  ({ acme, ann, ben, newTask, newVendor } = await createCommenters());
});

const TITLE = 'Review access rights';
const assign = ({ taskUniqueId }: { taskUniqueId: string }, to: TestMember | null, by: TestMember = ann) =>
  by.caller.task.update({ taskUniqueId, assigneeId: to?.uniqueId ?? null });
const comment = (
  on: { taskUniqueId: string } | { vendor: string },
  by: TestMember,
  text = 'Done?',
  ...mentions: TestMember[]
) => by.caller.comment.create({ ...on, text, mentions: mentions.map(({ uniqueId }) => uniqueId) });

describe('an item', () => {
  test('of an assignment names the task, the reason and who assigned it', async () => {
    const { taskUniqueId } = await newTask();
    await assign({ taskUniqueId }, ben);
    await fillInboxes(acme);
    const { items } = await ben.caller.inbox.list({});
    expect(items).toEqual([
      {
        uniqueId: expect.any(String) as string,
        at: expect.any(String) as string,
        reason: 'assigned',
        resource: { type: 'task', uniqueId: taskUniqueId },
        title: TITLE,
        actor: ann.user,
        read: false,
      },
    ]);
    const [event] = (await acme.audit.list({ resourceType: 'task', resourceId: taskUniqueId, limit: 1 })).items;
    expect(items[0]?.at).toBe(event?.occurredAt);
  });

  test('is added for a task that is created with an assignee, also by an API key', async () => {
    await acme.newTask({ assigneeId: ben.uniqueId });
    await fillInboxes(acme);
    expect(await inboxOf(ben)).toEqual([`assigned: ${TITLE}`]);
  });

  test('has the first of several reasons for one event', async () => {
    const task = await newTask();
    await comment(task, ben);
    await assign(task, ben);
    await fillInboxes(acme);
    await ann.caller.task.update({ ...task, status: 'in_progress', assigneeId: null });
    await ann.caller.task.update({ ...task, status: 'in_review', assigneeId: ben.uniqueId });
    await comment(task, ann, 'Look', ben);
    await fillInboxes(acme);
    const reasons = (await inboxOf(ben)).map((line) => line.split(':', 1)[0]);
    expect(reasons).toEqual(['mentioned', 'assigned', 'status', 'assigned']);
  });

  test('asks the reviewer to approve a task that is in review, or that gets the reviewer while it is', async () => {
    const task = await newTask();
    const change = (fields: object, by = ann) => by.caller.task.update({ ...task, ...fields });
    await change({ status: 'in_review' });
    await fillInboxes(acme);
    await change({ reviewerId: ben.uniqueId });
    await change({ title: 'Renamed' });
    await change({ status: 'todo' });
    await change({ reviewerId: null });
    await change({ reviewerId: ben.uniqueId });
    await change({ status: 'in_review' });
    await change({ status: 'in_progress' });
    await change({ status: 'in_review' }, ben);
    await ann.caller.task.putByExternalId({
      framework: acme.framework,
      source: 'jira',
      externalId: 'R-1',
      title: 'From elsewhere',
      status: 'in_review',
      reviewerId: ben.uniqueId,
    });
    await fillInboxes(acme, true);
    expect(await inboxOf(ben, { unread: true })).toEqual([
      'approve: From elsewhere',
      'approve: Renamed',
      'approve: Renamed',
    ]);
    const mailed = await sql('select distinct reason from inbox_item where company_id = $1 and to_mail', acme.id);
    expect(mailed).toEqual([{ reason: 'approve' }]);
  });

  test('is not added for own actions, nor for a second run over the same events', async () => {
    const task = await newTask();
    await assign(task, ann);
    await comment(task, ann, 'To myself and Ben', ben);
    await fillInboxes(acme);
    await sql('update inbox_reader set position = 0 where company_id = $1', acme.id);
    await fillInboxes(acme);
    expect(await inboxOf(ann)).toEqual([]);
    expect(await inboxOf(ben)).toEqual([`mentioned: ${TITLE}`]);
  });

  test('is added only for the mentions that a change adds', async () => {
    const task = await newTask();
    const { uniqueId } = await comment(task, ann, 'First', ben);
    const cem = await createMember(acme, { name: 'Cem', role: 'auditor' });
    await ann.caller.comment.update({ comment: uniqueId, mentions: [ben.uniqueId, cem.uniqueId] });
    await ann.caller.comment.update({ comment: uniqueId, text: 'Second' });
    await fillInboxes(acme);
    expect(await inboxOf(ben)).toEqual([`mentioned: ${TITLE}`]);
    expect(await inboxOf(cem)).toEqual([`mentioned: ${TITLE}`]);
  });

  test('is not added for events from before the member joined, or joined again', async () => {
    const { caller } = ann;
    const task = await newTask();
    await assign(task, ben);
    await caller.management.member.end({ uniqueId: ben.uniqueId });
    await comment(task, ann);
    await createMember(acme, { email: ben.email, name: 'Ben', role: 'editor' });
    await comment(task, ann);
    await fillInboxes(acme);
    expect(await inboxOf(ben)).toEqual([`commented: ${TITLE}`]);
  });

  test('is not added for events from before the inbox existed', async () => {
    const task = await newTask();
    await assign(task, ben);
    await sealAll(acme);
    await sql(
      `update inbox_reader set skip_until_id = (select max(id) from audit_event where company_id = $1), position = 0 where company_id = $1`,
      acme.id,
    );
    await sql(
      `insert into inbox_reader (company_id, skip_until_id) select $1, max(id) from audit_event where company_id = $1 on conflict do nothing`,
      acme.id,
    );
    await comment(task, ann);
    await fillInboxes(acme);
    expect(await inboxOf(ben)).toEqual([`commented: ${TITLE}`]);
  });

  test('of a leaked key or a disabled endpoint is for admins only', async () => {
    const { uniqueId: webhook } = await ann.caller.webhook.create({ url: 'http://127.0.0.1/hook' });
    const bea = await createMember(acme, { name: 'Bea', role: 'admin' });
    await ann.caller.webhook.update({ webhook, enabled: false });
    const settings = { company: acme.id, user: ann.uniqueId };
    await asOwner(async (run) => {
      await run('update api_key set leaked_at = now() where unique_id = $1::uuid', acme.apiKey.uniqueId);
    }, settings);
    await fillInboxes(acme);
    expect(await inboxOf(bea)).toEqual(['key: Integration of Acme', 'webhook: http://127.0.0.1/hook']);
    expect(await inboxOf(ben)).toEqual([]);
  });
});

describe('who watches', () => {
  test('a task is who created it, is assigned to it, commented on it or was mentioned in it', async () => {
    const bea = await createMember(acme, { name: 'Bea' });
    const cem = await createMember(acme, { name: 'Cem' });
    const eve = await createMember(acme, { name: 'Eve' });
    const { uniqueId: taskUniqueId } = await ann.caller.task.create({ framework: acme.framework, title: TITLE });
    await assign({ taskUniqueId }, ben);
    const { uniqueId } = await comment({ taskUniqueId }, bea, 'Hello', cem);
    await bea.caller.comment.delete({ comment: uniqueId });
    await fillInboxes(acme);
    for (const member of [ann, ben, bea, cem, eve]) await member.caller.inbox.read({ all: true });
    await acme.task.update({ taskUniqueId, status: 'in_progress' });
    await fillInboxes(acme);
    const unread = async (member: TestMember) => inboxOf(member, { unread: true });
    for (const member of [ann, ben, bea, cem]) expect(await unread(member)).toEqual([`status: ${TITLE}`]);
    expect(await unread(eve)).toEqual([]);
  });

  test('a vendor hears of its status and its comments', async () => {
    const { vendor } = await newVendor();
    await comment({ vendor }, ben);
    await acme.vendor.update({ vendor, status: 'inactive' });
    await comment({ vendor }, ann);
    await fillInboxes(acme);
    expect(await inboxOf(ben)).toEqual(['commented: Cloud Ltd', 'status: Cloud Ltd']);
  });

  test('is what the member set last, whatever happens later', async () => {
    const task = await newTask();
    expect(await ben.caller.watch.get(task)).toEqual({ watching: false });
    expect(await ben.caller.watch.set({ ...task, watching: true })).toEqual({ watching: true });
    expect(await ben.caller.watch.get(task)).toEqual({ watching: true });
    await comment(task, ann, 'Heard');
    await fillInboxes(acme);
    expect(await ben.caller.watch.set({ ...task, watching: false })).toEqual({ watching: false });
    await comment(task, ben);
    await assign(task, ben);
    expect(await ben.caller.watch.get(task)).toEqual({ watching: false });
    await comment(task, ann, 'Not heard');
    await fillInboxes(acme);
    expect(await inboxOf(ben)).toEqual([`assigned: ${TITLE}`, `commented: ${TITLE}`]);
  });

  test('is not known of a task that the member may not see, or that does not exist', async () => {
    const task = await newTask();
    const other = await acme.manage.framework.create({ name: 'SOC 2' });
    const eve = await createMember(acme, { name: 'Eve', role: 'editor', frameworks: [other.id] });
    await expect(eve.caller.watch.get(task)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(eve.caller.watch.set({ ...task, watching: true })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await acme.task.delete(task);
    await expect(ben.caller.watch.set({ ...task, watching: true })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(ben.caller.watch.get({})).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

test('an event that this version does not know is left to a newer process, with the events after it', async () => {
  const task = await newTask();
  await assign(task, ben);
  await sql(
    `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, changes, request_id)
     values ($1, uuid_v7(), now(), $2, 'audit.create', 'audit', 'x', '{}', 'test')`,
    acme.id,
    acme.apiKey.user.uniqueId,
  );
  await assign(task, null);
  await assign(task, ben);
  await fillInboxes(acme);
  expect(await inboxOf(ben)).toEqual([`assigned: ${TITLE}`]);
  const [reader] = await sql(
    `select s.event_id = e.id as "isBefore" from inbox_reader r join audit_seal s on s.company_id = r.company_id and s.seq = r.position + 1
     join audit_event e on e.company_id = r.company_id and e.action = 'audit.create' where r.company_id = $1`,
    acme.id,
  );
  expect(reader).toEqual({ isBefore: true });
});

test('several processes add each item exactly once', async () => {
  const count = 450; // more than two statements read
  const task = await newTask();
  await ben.caller.watch.set({ ...task, watching: true });
  await sql(
    `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, framework_id, changes, request_id)
     select $1, uuid_v7(), now(), $2, 'task.update', 'task', $3, $4, '{"status": {"from": "todo", "to": "done"}}', 'test'
     from generate_series(1, $5::int)`,
    acme.id,
    acme.apiKey.user.uniqueId,
    task.taskUniqueId,
    acme.framework,
    count,
  );
  await sealAll(acme);
  const session = new Session(database, operatorPrincipal(acme.id), 'inbox');
  const processes = Array.from({ length: 4 }, async () => {
    while ((await session.one(fanOutItems, { hasMail: false })).moved);
  });
  await Promise.all(processes);
  await fillInboxes(acme);
  const [row] = await sql(
    'select count(*)::int as items, count(distinct event_id)::int as events from inbox_item where company_id = $1',
    acme.id,
  );
  expect(row).toEqual({ items: count, events: count });
});
