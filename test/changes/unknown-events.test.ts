import { beforeAll, describe, expect } from 'vitest';
import { isKnownEvent } from '../../entities/audit/fields.ts';
import { test } from '../support/fixtures/test.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { sql, tamper } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import {
  createWebhookKey,
  createSender,
  deliver,
  makeDue,
  sealAll,
  startReceiver,
} from '../support/tenants/webhooks.ts';

/** Inserts an event as a newer version would write it. */
const insertEvent = (
  { id, apiKey }: TestCompany,
  {
    action,
    type,
    resource = 'later',
    changes = {},
  }: { action: string; type: string; resource?: string; changes?: object },
) =>
  sql(
    `insert into audit_event
       (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, framework_id, changes, request_id)
     values ($1, uuid_v7(), now(), $2, $3, $4, $5, 0, $6, 'later')`,
    id,
    apiKey.user.uniqueId,
    action,
    type,
    resource,
    JSON.stringify(changes),
  );

/** Events that only a newer version knows, by the part that is new. */
const LATER_EVENTS = [
  ['type', { action: 'later.create', type: 'later', changes: { text: 'Done' } }],
  ['verb', { action: 'vendor.freeze', type: 'vendor', changes: { status: { from: 'active', to: 'frozen' } } }],
  ['column', { action: 'vendor.update', type: 'vendor', changes: { color: { from: null, to: 'x' } } }],
] as const;

interface Feed {
  items: { action: string }[];
  cursor: string;
  more: boolean;
}

const read = async ({ key }: TestCompany, query: string) =>
  (await http('GET', `/external/changes?${query}`, { key })).body as Feed;

test('every event of this version is known', async ({ acme }) => {
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
  await acme.vendor.update({ vendor: uniqueId, name: 'Cloud Inc' });
  await acme.vendor.delete({ vendor: uniqueId });
  const events = await sql<{ resource_type: string; action: string; changes: object }>(
    'select resource_type, action, changes from audit_event where company_id = $1',
    acme.id,
  );
  expect(events.length).toBeGreaterThan(3);
  expect(events.filter((event) => !isKnownEvent(event))).toEqual([]);
});

describe.each(LATER_EVENTS)('an event with an unknown %s', (_, later) => {
  let acme: TestCompany;
  let vendor: string;
  beforeAll(async () => {
    acme = await createCompany();
    ({ uniqueId: vendor } = await acme.vendor.create({ name: 'Before' }));
    await insertEvent(acme, { ...later, resource: vendor });
    await acme.vendor.create({ name: 'After' });
    await sealAll(acme);
  });

  test('ends the page of the feed before it, and the cursor stays there', async () => {
    const first = await read(acme, '');
    expect(first.items.at(-1)).toMatchObject({ action: 'vendor.create', changes: { name: 'Before' } });
    expect(first.more).toBe(false);
    const next = await read(acme, `cursor=${first.cursor}`);
    expect(next).toMatchObject({ items: [], more: false });
    expect(await read(acme, `cursor=${next.cursor}`)).toEqual(next);
    const caller = await callerForKey(acme.key);
    expect(await caller.changes.list({ cursor: next.cursor })).toEqual(next);
    const stream = await http('GET', '/external/changes', {
      key: acme.key,
      headers: { Accept: 'application/x-ndjson' },
    });
    const lines = stream.text.trim().split('\n');
    expect(lines).toHaveLength(first.items.length + 1);
    expect(lines.at(-1)).toContain(first.cursor);
  });

  test('lets a request wait for its whole time', async () => {
    const { cursor } = await read(acme, '');
    const startedAt = performance.now();
    expect(await read(acme, `cursor=${cursor}&wait=1`)).toMatchObject({ items: [], more: false });
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  test('is listed without changes, and the chain is intact', async () => {
    const { items } = await acme.audit.list({ limit: 3 });
    const [after, listed, before] = items;
    expect(after).toMatchObject({ action: 'vendor.create', changes: { name: 'After' } });
    expect(listed).toMatchObject({ action: later.action, resource: { type: later.type, uniqueId: vendor } });
    expect(listed).not.toHaveProperty('changes');
    expect(before).toMatchObject({ action: 'vendor.create', changes: { name: 'Before' } });
    const { body } = await http('GET', '/external/audit/list?limit=3', { key: acme.key });
    expect(body).toMatchObject({ items });
    expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true });
  });
});

test('an unknown column is ignored in the history and by asOf', async ({ acme }) => {
  const { uniqueId } = await acme.vendor.create({ name: 'Before' });
  await acme.vendor.update({ vendor: uniqueId, name: 'After' });
  await insertEvent(acme, {
    action: 'vendor.update',
    type: 'vendor',
    resource: uniqueId,
    changes: { color: { from: null, to: 'x' } },
  });
  const { items } = await acme.vendor.history({ vendor: uniqueId });
  expect(items.map(({ changes }) => changes)).toEqual([
    undefined,
    { name: { from: 'Before', to: 'After' } },
    expect.any(Object),
  ]);
  const asOf = new Date().toISOString();
  expect(await acme.vendor.get({ vendor: uniqueId, asOf })).toMatchObject({ name: 'After' });
});

test('deliveries of unknown events are left to other processes, which send them', async ({ acme }) => {
  const receiver = await startReceiver();
  const { caller, key } = await createWebhookKey(acme);
  const { uniqueId } = await caller.webhook.create({ url: receiver.url, events: ['vendor.*'] });
  const sender = createSender();
  await insertEvent(acme, { action: 'vendor.freeze', type: 'vendor' });
  await acme.vendor.create({ name: 'After' });
  await deliver(acme, sender);
  expect(receiver.types()).toEqual(['vendor.create']);
  const list = async () =>
    (await http('GET', `/external/webhook/${uniqueId}/delivery/list`, { key })).body as {
      items: { type: string; attempts: number; lastStatus: number | null; nextAttemptAt: string | null }[];
    };
  const left = (await list()).items.find(({ type }) => type === 'vendor.freeze');
  expect(left).toMatchObject({ attempts: 0, lastStatus: null, nextAttemptAt: expect.any(String) });
  expect(Date.parse(left?.nextAttemptAt ?? '')).toBeGreaterThan(Date.now() + 2000);

  // A newer version knows the event: it is the same as one that this version knows.
  await tamper(
    `update audit_event set action = 'vendor.update' where company_id = ${acme.id} and action = 'vendor.freeze'`,
  );
  await makeDue(acme);
  await deliver(acme, sender);
  expect(receiver.types()).toEqual(['vendor.create', 'vendor.freeze']);
});
