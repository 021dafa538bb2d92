import { expect, test } from 'vitest';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { readAll, seal } from '../support/tenants/feed.ts';
import { createMember } from '../support/tenants/member.ts';
import { createWebhookKey, deliver, startReceiver } from '../support/tenants/webhooks.ts';

const acme = await createCompany();
const caller = await callerForKey(acme.key);
const admin = await createMember(acme, { name: 'Ann' });
const newTask = async () => ({ taskUniqueId: (await acme.newTask()).uniqueId });
const newVendor = async () => ({ vendor: (await acme.vendor.create({ name: 'Cloud Ltd' })).uniqueId });

test('a history has the events of evidence with children=true only', async () => {
  const task = await newTask();
  const vendor = await newVendor();
  const evidence = [await addEvidence(acme, task), await addEvidence(acme, vendor)];
  const histories = [
    [caller.task.history({ ...task }), caller.task.history({ ...task, children: true })],
    [caller.vendor.history({ ...vendor }), caller.vendor.history({ ...vendor, children: true })],
  ] as const;
  for (const [at, [own, all]] of histories.entries()) {
    expect((await own).items.map(({ resource }) => resource.type)).toEqual([at === 0 ? 'task' : 'vendor']);
    const [first] = (await all).items;
    expect(first).toMatchObject({
      action: 'evidence.create',
      resource: { type: 'evidence', uniqueId: evidence[at] },
      parent: { uniqueId: at === 0 ? task.taskUniqueId : vendor.vendor },
      changes: { kind: 'link', name: 'Access review', date: '2026-01-01', validUntil: null, size: null, sha256: null },
    });
    expect(first?.changes).not.toHaveProperty('fileId');
  }
  const path = `/external/task/${task.taskUniqueId}/history?children=true`;
  expect(await http('GET', path, { key: acme.key })).toMatchObject({
    status: 200,
    body: { items: [{ action: 'evidence.create' }, { action: 'task.create' }] },
  });
});

test('the audit log is filtered by parent, action and type of evidence', async () => {
  const { vendor } = await newVendor();
  const uniqueId = await addEvidence(acme, { vendor });
  for (const query of [
    `parent=${vendor}`,
    `resourceId=${uniqueId}`,
    `parent=${vendor}&resourceType=evidence`,
    `parent=${vendor}&action=evidence.create`,
  ])
    expect(await http('GET', `/external/audit/list?${query}`, { key: acme.key })).toMatchObject({
      status: 200,
      body: {
        items: [{ action: 'evidence.create', resource: { uniqueId }, parent: { type: 'vendor', uniqueId: vendor } }],
      },
    });
});

test('the feed has evidence and the deletions with a task, those of evidence first', async () => {
  const task = await newTask();
  await addEvidence(acme, task);
  await addEvidence(acme, task);
  await admin.caller.task.delete(task);
  await seal(acme);
  const { items } = await readAll(caller);
  const ofTask = items.filter(({ resource, parent }) => (parent ?? resource).uniqueId === task.taskUniqueId);
  expect(ofTask.map(({ action, actor }) => [action, actor.name])).toEqual([
    ['task.create', 'Integration of Acme'],
    ['evidence.create', 'Integration of Acme'],
    ['evidence.create', 'Integration of Acme'],
    ['evidence.delete', 'Ann'],
    ['evidence.delete', 'Ann'],
    ['task.delete', 'Ann'],
  ]);
  expect(ofTask[3]).toMatchObject({ deleted: true, changes: { url: 'https://example.com/review', version: 1 } });
});

test('webhooks select evidence, and without event types get it too', async () => {
  const receivers = [await startReceiver(), await startReceiver(), await startReceiver()] as const;
  const hooks = await createWebhookKey(acme);
  await hooks.caller.webhook.create({ url: receivers[0].url });
  await hooks.caller.webhook.create({ url: receivers[1].url, events: ['evidence.*'] });
  await hooks.caller.webhook.create({ url: receivers[2].url, events: ['evidence.delete'] });
  const task = await newTask();
  await addEvidence(acme, task);
  await admin.caller.task.delete(task);
  await deliver(acme);
  expect(receivers[0].types()).toEqual(expect.arrayContaining(['task.create', 'evidence.create', 'evidence.delete']));
  expect(receivers[1].types().toSorted()).toEqual(['evidence.create', 'evidence.delete']);
  expect(receivers[2].types()).toEqual(['evidence.delete']);
});
