import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_SCANNED_SEALS } from '../../procedures/changes/router.ts';
import { database } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { insertEvents, insertSeals, readAll, seal } from '../support/tenants/feed.ts';
import { createMember } from '../support/tenants/member.ts';

let acme: TestCompany;
let caller: Awaited<ReturnType<typeof callerForKey>>;
beforeEach(async () => {
  acme = await createCompany();
  caller = await callerForKey(acme.key);
  await seal(acme);
});

/** A caller of another key of the company. */
const otherKey = async (company = acme) => callerForKey((await company.manage.apiKey.create({ name: 'Other' })).key);

const actionsOf = (items: readonly { action: string }[]) => items.map(({ action }) => action);

describe('type', () => {
  test('returns the events of these types, and the cursor moves past the others', async () => {
    await caller.vendor.create({ name: 'Cloud Ltd' });
    const { uniqueId: taskUniqueId } = await acme.newTask();
    await caller.comment.create({ taskUniqueId, text: 'Done' });
    await seal(acme);
    const { items, cursor, more } = await caller.changes.list({ type: 'task,vendor' });
    expect(actionsOf(items)).toEqual(['vendor.create', 'task.create']);
    expect(more).toBe(false);
    await caller.vendor.create({ name: 'Paper Ltd' });
    await seal(acme);
    expect(await caller.changes.list({ cursor })).toMatchObject({ items: [{ changes: { name: 'Paper Ltd' } }] });
  });

  test('that is unknown or empty is 400 and names the known ones', async () => {
    for (const type of ['task,nonsense', '', 'task,', 'Task']) {
      const response = await http('GET', `/external/changes?type=${type}`, { key: acme.key });
      expect(response).toMatchObject({ status: 400 });
      expect(response.body).toEqual({
        error: expect.stringMatching(/^type: expected one or more of company, .*task, vendor/),
      });
    }
  });

  test('takes a cursor of other filters, and its own cursor goes with others', async () => {
    await caller.vendor.create({ name: 'Cloud Ltd' });
    await acme.newTask();
    await seal(acme);
    const tasks = await caller.changes.list({ type: 'task' });
    const first = await caller.changes.list({ limit: 1 });
    expect(actionsOf((await caller.changes.list({ type: 'vendor', cursor: first.cursor })).items)).toEqual([
      'vendor.create',
    ]);
    expect(await caller.changes.list({ actor: 'others', cursor: tasks.cursor })).toMatchObject({
      items: [],
      more: false,
    });
  });
});

describe('actor=others', () => {
  test('leaves out what the key of the request did, but not what other keys and people did', async () => {
    const other = await otherKey();
    const { caller: ann } = await createMember(acme);
    const { cursor } = await caller.changes.list({ from: 'now', actor: 'others' });
    for (const [name, client] of Object.entries({ own: caller, other, ann })) await client.vendor.create({ name });
    await seal(acme);
    const names = async (client: Pick<typeof caller, 'changes'>, actor?: 'others') =>
      (await client.changes.list({ cursor, type: 'vendor', ...(actor && { actor }) })).items.map(
        ({ changes }) => changes['name'],
      );
    expect(await names(caller, 'others')).toEqual(['other', 'ann']);
    expect(await names(other, 'others')).toEqual(['own', 'ann']);
    expect(await names(ann, 'others')).toEqual(['own', 'other']);
    expect(await names(caller)).toEqual(['own', 'other', 'ann']);
    expect(await http('GET', '/external/changes?actor=me', { key: acme.key })).toMatchObject({
      status: 400,
      body: { error: 'actor: expected others' },
    });
  });

  test('waits past own events, and returns with the first one of another', async () => {
    const other = await otherKey();
    await seal(acme);
    const { cursor } = await caller.changes.list({ from: 'now' });
    const waiting = caller.changes.list({ cursor, actor: 'others', wait: 30 });
    await expect.poll(() => database.sealWaiters.count).toBeGreaterThan(0);
    await caller.vendor.create({ name: 'Own' });
    await seal(acme);
    await other.vendor.create({ name: 'Foreign' });
    await seal(acme);
    expect(await waiting).toMatchObject({ items: [{ changes: { name: 'Foreign' } }], more: false });
  });

  test('returns an empty page with a cursor at the end of a wait that saw only own events', async () => {
    const { cursor } = await caller.changes.list({ from: 'now' });
    await caller.vendor.create({ name: 'Own' });
    await seal(acme);
    const page = await caller.changes.list({ cursor, actor: 'others', wait: 1 });
    expect(page).toEqual({ items: [], cursor: expect.any(String), more: false });
    expect(page.cursor).not.toBe(cursor);
    expect(await caller.changes.list({ cursor: page.cursor })).toMatchObject({ items: [] });
  });
});

test('a page scans a bounded part of the log, and a stream goes through all of it', async () => {
  const large = await createCompany('Large');
  await insertEvents(large, MAX_SCANNED_SEALS + 500);
  await large.manage.department.create({ name: 'Last' });
  await insertSeals(large);
  const reader = await callerForKey(large.key);
  const first = await reader.changes.list({ type: 'vendor' });
  expect(first).toMatchObject({ items: [], more: true });
  const { items } = await readAll(reader, { cursor: first.cursor });
  expect(items.length).toBeLessThan(600);
  const response = await http('GET', '/external/changes?type=department&actor=others', {
    key: large.key,
    headers: { Accept: 'application/x-ndjson' },
  });
  const lines = response.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { changes?: { name: string } });
  expect(lines.map(({ changes }) => changes?.name)).toEqual(['Security', 'Last', undefined]);
});

describe('externalIds', () => {
  const last = async (company = caller) => (await company.changes.list({ limit: 500 })).items.at(-1);

  test('of tasks and vendors are those of the object now, whatever the event', async () => {
    const { item: vendor } = await caller.vendor.putByExternalId({
      source: 'erp',
      externalId: '4711',
      name: 'Cloud Ltd',
    });
    const { item: task } = await caller.task.putByExternalId({
      framework: acme.framework,
      source: 'erp',
      externalId: 'T 1/2',
      title: 'Review',
    });
    await acme.vendor.create({ name: 'Unlinked' });
    await caller.vendor.link({ vendor: vendor.uniqueId, source: 'crm', externalId: 'ü' });
    await caller.comment.create({ taskUniqueId: task.uniqueId, text: 'Done' });
    await seal(acme);
    const { items } = await caller.changes.list({ type: 'vendor,task,comment' });
    const ofVendor = [
      { source: 'erp', externalId: '4711' },
      { source: 'crm', externalId: 'ü' },
    ];
    expect(items.map(({ action, externalIds }) => [action, externalIds])).toEqual([
      ['vendor.create', ofVendor],
      ['task.create', [{ source: 'erp', externalId: 'T 1/2' }]],
      ['vendor.create', []],
      ['vendor.update', ofVendor],
      ['comment.create', undefined],
    ]);
  });

  test('of a deleted object are those that are still reserved for it', async () => {
    const target = { framework: acme.framework, source: 'erp', externalId: '1' };
    const { item } = await caller.task.putByExternalId({ ...target, title: 'Review' });
    await caller.task.link({ taskUniqueId: item.uniqueId, source: 'crm', externalId: '2' });
    await caller.task.delete({ taskUniqueId: item.uniqueId });
    await seal(acme);
    const both = [
      { source: 'erp', externalId: '1' },
      { source: 'crm', externalId: '2' },
    ];
    const ofTask = async () =>
      (await caller.changes.list({ type: 'task' })).items.map(({ action, externalIds }) => [action, externalIds]);
    expect(await ofTask()).toEqual([
      ['task.create', both],
      ['task.update', both],
      ['task.delete', both],
    ]);
    await caller.task.putByExternalId({ ...target, title: 'Again', recreate: true });
    await seal(acme);
    expect(await ofTask()).toEqual([
      ['task.create', both.slice(1)],
      ['task.update', both.slice(1)],
      ['task.delete', both.slice(1)],
      ['task.create', both.slice(0, 1)],
    ]);
  });

  test('stand in the feed only, not in the audit log', async () => {
    await caller.vendor.putByExternalId({ source: 'erp', externalId: '4711', name: 'Cloud Ltd' });
    await seal(acme);
    expect(await last()).toHaveProperty('externalIds');
    const { items } = await caller.audit.list({ limit: 1 });
    expect(items[0]).not.toHaveProperty('externalIds');
  });
});
