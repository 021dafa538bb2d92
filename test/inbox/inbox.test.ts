import { beforeEach, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { INBOX_RETENTION_DAYS } from '../../entities/inbox/item.ts';
import { deleteOldItems } from '../../entities/inbox/items.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { database, sql } from '../support/database/database.ts';
import { createCommenters } from '../support/tenants/comments.ts';
import { runImports } from '../support/tenants/imports.ts';
import { fillInboxes, inboxOf } from '../support/tenants/inbox.ts';
import { createMember } from '../support/tenants/member.ts';

type Commenters = Awaited<ReturnType<typeof createCommenters>>;
let { acme, ann, ben }: Commenters = {} as Commenters;
beforeEach(async () => {
  ({ acme, ann, ben } = await createCommenters());
});

/** Creates tasks of Ben and their items. */
async function assignTasks(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 1; index <= count; index += 1)
    ids.push((await acme.newTask({ title: `Task ${index}`, assigneeId: ben.uniqueId })).uniqueId);
  await fillInboxes(acme);
  return ids;
}

describe('the list', () => {
  test('has pages, newest first, and the unread items alone', async () => {
    await assignTasks(5);
    const first = await ben.caller.inbox.list({ limit: 2 });
    expect(first.items.map(({ title }) => title)).toEqual(['Task 5', 'Task 4']);
    const second = await ben.caller.inbox.list({ limit: 3, cursor: first.nextCursor ?? '' });
    expect(second.items.map(({ title }) => title)).toEqual(['Task 3', 'Task 2', 'Task 1']);
    expect(second.nextCursor).toBeNull();
    await ben.caller.inbox.read({ uniqueIds: first.items.map(({ uniqueId }) => uniqueId) });
    expect(await inboxOf(ben, { unread: true })).toHaveLength(3);
    expect((await ben.caller.inbox.list({})).items.map(({ read }) => read)).toEqual([true, true, false, false, false]);
  });

  test('takes no cursor of another list or member', async () => {
    await assignTasks(2);
    const { nextCursor } = await ben.caller.inbox.list({ limit: 1 });
    const cursor = nextCursor ?? '';
    await expect(ben.caller.inbox.list({ cursor, unread: true })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(ann.caller.inbox.list({ cursor })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('has the title of today', async () => {
    const [taskUniqueId = ''] = await assignTasks(1);
    await acme.task.update({ taskUniqueId, title: 'New title' });
    expect(await inboxOf(ben)).toEqual(['assigned: New title']);
  });
});

describe('read marks', () => {
  test('count, are set by id or for all, and ignore ids that are not the member’s', async () => {
    await assignTasks(3);
    expect(await ben.caller.inbox.count()).toEqual({ unread: 3 });
    const { items } = await ben.caller.inbox.list({});
    const uniqueIds = items.slice(0, 1).map(({ uniqueId }) => uniqueId);
    const other = await createCommenters();
    await other.ben.caller.inbox.read({ uniqueIds });
    await ann.caller.inbox.read({ uniqueIds });
    await ann.caller.inbox.read({ all: true });
    expect(await ben.caller.inbox.count()).toEqual({ unread: 3 });
    await ben.caller.inbox.read({ uniqueIds: [...uniqueIds, newUniqueId(), 'unknown'] });
    expect(await ben.caller.inbox.count()).toEqual({ unread: 2 });
    await ben.caller.inbox.read({ all: true });
    expect(await ben.caller.inbox.count()).toEqual({ unread: 0 });
  });

  test('write no audit event', async () => {
    const [taskUniqueId = ''] = await assignTasks(1);
    const before = await acme.events();
    await ben.caller.inbox.read({ all: true });
    await ben.caller.watch.set({ taskUniqueId, watching: false });
    expect(await acme.events()).toEqual(before);
  });

  test.each([
    [{}, 'BAD_REQUEST'],
    [{ all: false }, 'BAD_REQUEST'],
    [{ all: true, uniqueIds: [] }, 'BAD_REQUEST'],
    [{ uniqueIds: Array.from({ length: 101 }, newUniqueId) }, 'BAD_REQUEST'],
    [{ uniqueIds: 'x' }, 'BAD_REQUEST'],
  ])('reject an input that is neither ids nor all: %#', async (input, code) => {
    await expect(ben.caller.inbox.read(input as never)).rejects.toMatchObject({ code });
  });
});

describe('an item is neither listed nor counted', () => {
  const expectHidden = async () => {
    expect(await inboxOf(ben)).toEqual([]);
    expect(await ben.caller.inbox.count()).toEqual({ unread: 0 });
  };

  test('after its task was deleted', async () => {
    const [taskUniqueId = ''] = await assignTasks(1);
    await acme.task.delete({ taskUniqueId });
    await expectHidden();
  });

  test('after the member lost the framework, and is again when it is back', async () => {
    await assignTasks(1);
    const other = await acme.manage.framework.create({ name: 'SOC 2' });
    await ann.caller.management.member.update({ uniqueId: ben.uniqueId, frameworks: [other.id] });
    await expectHidden();
    await ann.caller.management.member.update({ uniqueId: ben.uniqueId, frameworks: null });
    expect(await inboxOf(ben)).toHaveLength(1);
  });

  test('if it is for admins and the member no longer is one', async () => {
    const bea = await createMember(acme, { name: 'Bea', role: 'admin' });
    const { uniqueId: webhook } = await ann.caller.webhook.create({ url: 'http://127.0.0.1/hook' });
    await ann.caller.webhook.update({ webhook, enabled: false });
    await fillInboxes(acme);
    expect(await inboxOf(bea)).toHaveLength(1);
    await ann.caller.management.member.update({ uniqueId: bea.uniqueId, role: 'editor' });
    expect(await inboxOf(bea)).toEqual([]);
  });
});

test('the end of an import is an item of the member who started it', async () => {
  const { uniqueId } = await ben.caller.vendor.import({ content: 'name\nCloud Ltd\n', format: 'csv' });
  await runImports(acme);
  const { items } = await ben.caller.inbox.list({});
  expect(items).toMatchObject([
    { reason: 'import', resource: { type: 'import', uniqueId }, title: 'Import of vendors', actor: null },
  ]);
});

test('items are deleted after 90 days, and not before', async () => {
  await assignTasks(2);
  await sql(
    `update inbox_item set at = at - interval '1 day' where company_id = $1 and id = (select min(id) from inbox_item where company_id = $1)`,
    acme.id,
  );
  const [{ at } = { at: '' }] = (await ben.caller.inbox.list({})).items;
  const days = (count: number) => new Date(Date.parse(at) + count * 86_400_000).toISOString();
  const job = new Session(database, null, 'test');
  await job.one(deleteOldItems, { now: days(INBOX_RETENTION_DAYS - 2) });
  expect(await inboxOf(ben)).toHaveLength(2);
  await job.one(deleteOldItems, { now: days(INBOX_RETENTION_DAYS - 1) });
  expect(await inboxOf(ben)).toEqual(['assigned: Task 2']);
  await job.one(deleteOldItems, { now: days(INBOX_RETENTION_DAYS) });
  expect(await inboxOf(ben)).toEqual([]);
});
