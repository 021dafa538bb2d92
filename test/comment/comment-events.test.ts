import { expect, test } from 'vitest';
import { tamper } from '../support/database/database.ts';
import { callTool, valueOf } from '../support/http/mcp.ts';
import { http } from '../support/http/server.ts';
import { createCommenters, person } from '../support/tenants/comments.ts';
import { callerForKey } from '../support/tenants/company.ts';
import { readAll, seal } from '../support/tenants/feed.ts';
import { createWebhookKey, deliver, startReceiver } from '../support/tenants/webhooks.ts';

const { acme, caller, ann, ben, newTask, newVendor } = await createCommenters();
const { id: otherFramework } = await acme.manage.framework.create({ name: 'SOC 2' });
const auditList = (query: string, headers = {}) =>
  http('GET', `/external/audit/list?${query}`, { key: acme.key, headers });

test('the feed has the events of comments with their parent; those of all others have none', async () => {
  const parent = await newTask();
  const { uniqueId: comment } = await caller.comment.create({ ...parent, text: 'One', mentions: [ann.uniqueId] });
  await caller.comment.update({ comment, mentions: [ben.uniqueId, ann.uniqueId] });
  await caller.comment.delete({ comment });
  await seal(acme);
  const { items } = await readAll(caller);
  const [created, updated, deleted, ...others] = items.filter(({ resource }) => resource.type === 'comment');
  expect(others).toEqual([]);
  const event = {
    resource: { type: 'comment', uniqueId: comment },
    parent: { type: 'task', uniqueId: parent.taskUniqueId },
  };
  expect(created).toMatchObject({ ...event, action: 'comment.create', deleted: false });
  expect(updated).toMatchObject({
    ...event,
    changes: { mentions: { from: [person(ann, 'Ann')], to: [person(ben, 'Ben'), person(ann, 'Ann')] } },
  });
  expect(deleted).toMatchObject({ ...event, deleted: true, changes: { text: 'One', version: 2 } });
  const own = items.filter(({ resource }) => resource.type !== 'comment');
  expect(new Set(own.map(({ parent: none }) => none))).toEqual(new Set([null]));
});

test('webhooks without event types get comments, and a key of another framework gets only those on vendors', async () => {
  const receivers = [await startReceiver(), await startReceiver()] as const;
  const all = await createWebhookKey(acme);
  const limited = await createWebhookKey(acme, { frameworks: [otherFramework] });
  await all.caller.webhook.create({ url: receivers[0].url });
  await limited.caller.webhook.create({ url: receivers[1].url, events: ['comment.*'] });
  const onTask = await newTask();
  const { uniqueId: first } = await caller.comment.create({ ...onTask, text: 'On a task' });
  const { uniqueId: second } = await caller.comment.create({ ...(await newVendor()), text: 'On a vendor' });
  await deliver(acme);
  expect(receivers[0].types()).toEqual(expect.arrayContaining(['comment.create', 'comment.create', 'task.create']));
  expect(receivers[1].types()).toEqual(['comment.create']);
  const bodies = receivers[1].requests.map(({ body }) => body);
  expect(bodies).toMatchObject([{ data: { resource: { uniqueId: second }, parent: { type: 'vendor' } } }]);
  const seen = async (query: object) =>
    (await limited.caller.audit.list(query)).items.map(({ resource }) => resource.uniqueId);
  expect(await seen({ resourceType: 'comment', limit: 1 })).toEqual([second]);
  expect(await seen({ parent: onTask.taskUniqueId })).toEqual([]);
  expect((await readAll(limited.caller)).items.map(({ resource }) => resource.uniqueId)).not.toContain(first);
  const history = limited.caller.task.history({ ...onTask, children: true });
  await expect(history).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('the audit log is filtered by the parent, with other filters, in pages and as a stream', async () => {
  const { vendor } = await newVendor();
  const texts = ['One', 'Two', 'Three'];
  for (const text of texts) await caller.comment.create({ vendor, text });
  const filter = `parent=${vendor}`;
  const first = await auditList(`${filter}&limit=2`);
  const { nextCursor } = first.body as { nextCursor: string };
  const second = await auditList(`${filter}&limit=2&cursor=${nextCursor}`);
  const items = [first, second].flatMap(({ body }) => (body as { items: { changes: { text: string } }[] }).items);
  expect(items.map(({ changes }) => changes.text)).toEqual(texts.toReversed());
  const stream = await auditList(filter, { Accept: 'application/x-ndjson' });
  expect(
    stream.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([...items, { cursor: null }]);
  expect(valueOf(await callTool(acme.key, 'audit_list', { parent: vendor }))).toMatchObject({ items });
  expect(await ann.caller.management.audit.list({ parent: vendor, action: 'comment.create' })).toMatchObject({ items });
  expect(await caller.audit.page({ parent: vendor, actor: acme.apiKey.user.uniqueId })).toMatchObject({
    items: [{ parent: { type: 'vendor', uniqueId: vendor } }, {}, {}],
  });
  for (const none of [
    `${filter}&action=comment.delete`,
    `${filter}&resourceType=task`,
    `parent=${acme.apiKey.uniqueId}`,
  ])
    expect(await auditList(none)).toMatchObject({ status: 200, body: { items: [], nextCursor: null } });
  expect(await auditList('parent=x')).toMatchObject({
    status: 400,
    body: { error: 'parent: expected the uniqueId of a task or vendor' },
  });
});

test('the chain covers the parent of an event', async () => {
  const company = (await createCommenters()).acme;
  const commenter = await callerForKey(company.key);
  const { uniqueId: vendor } = await company.vendor.create({ name: 'Cloud Ltd' });
  await commenter.comment.create({ vendor, text: 'x' });
  expect(await company.manage.audit.verify({})).toMatchObject({ intact: true });
  const { uniqueId: other } = await company.vendor.create({ name: 'Other' });
  await tamper(
    `update audit_event set parent_id = '${other}' where company_id = ${company.id} and parent_id is not null`,
  );
  expect(await company.manage.audit.verify({})).toMatchObject({
    intact: false,
    firstBad: { action: 'comment.create' },
  });
});

test('an atomic batch that fails deletes no comment', async () => {
  const parent = await newTask();
  const { uniqueId: comment } = await caller.comment.create({ ...parent, text: 'Kept' });
  const items = [
    { op: 'delete' as const, uniqueId: parent.taskUniqueId },
    { op: 'delete' as const, uniqueId: acme.apiKey.uniqueId },
  ];
  await expect(acme.task.batch({ atomic: true, items })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await caller.comment.get({ comment })).toMatchObject({ text: 'Kept' });
  expect(await acme.task.batch({ items })).toMatchObject({ succeeded: 1, failed: 1 });
  await expect(caller.comment.get({ comment })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
