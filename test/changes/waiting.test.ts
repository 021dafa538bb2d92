import { request } from 'node:http';
import { afterEach, describe, expect } from 'vitest';
import { LoadShedder } from '../../server/http/load-shedding.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { startMetrics } from '../../server/telemetry/metrics.ts';
import { test } from '../support/fixtures/test.ts';
import { startApp } from '../support/http/app.ts';
import { http, url } from '../support/http/server.ts';
import { database } from '../support/database/database.ts';
import { callerForKey, callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { seal } from '../support/tenants/feed.ts';

const PATH = '/external/changes';
const POLL_OPTIONS = { timeout: 120_000 };
const waiters = database.sealWaiters;
const waitingCount = async (count: number) => {
  await expect.poll(() => waiters.count, POLL_OPTIONS).toBe(count);
};
afterEach(() => waitingCount(0));

/** A company without unread events, and a cursor at the head. */
async function createFollower() {
  const acme = await createCompany();
  await seal(acme);
  const caller = await callerForKey(acme.key);
  const { cursor } = await caller.changes.list({ from: 'now' });
  return { acme, caller, cursor };
}

async function addVendor(acme: TestCompany, name = 'Cloud Ltd'): Promise<void> {
  await acme.vendor.create({ name });
  await seal(acme);
}

const listChanges = (key: string, query: string, baseUrl?: string) => http('GET', `${PATH}?${query}`, { key, baseUrl });
const NEWS = { items: [{ action: 'vendor.create', changes: { name: 'Cloud Ltd' } }], more: false };

describe('a request with wait', () => {
  test('gets the next event once it is sealed, over REST and tRPC', async () => {
    const { acme, cursor } = await createFollower();
    const input = encodeURIComponent(JSON.stringify({ cursor, wait: 30 }));
    const rest = listChanges(acme.key, `cursor=${cursor}&wait=30`);
    const trpc = http('GET', `/trpc/changes.list?input=${input}`, { key: acme.key });
    await waitingCount(2);
    await addVendor(acme);
    expect(await rest).toMatchObject({ status: 200, body: NEWS });
    expect(await trpc).toMatchObject({ status: 200, body: { result: { data: NEWS } } });
  });

  test('gets the next event as a direct caller too', async () => {
    const { acme, caller, cursor } = await createFollower();
    const waiting = caller.changes.list({ cursor, wait: 30 });
    await waitingCount(1);
    await addVendor(acme);
    expect(await waiting).toMatchObject(NEWS);
  });

  test('responds at once if an event is there, or without wait', async () => {
    const { acme, cursor } = await createFollower();
    expect(await listChanges(acme.key, `cursor=${cursor}`)).toMatchObject({ body: { items: [], cursor, more: false } });
    expect(await listChanges(acme.key, `cursor=${cursor}&wait=0`)).toMatchObject({ body: { items: [] } });
    await addVendor(acme);
    expect(await listChanges(acme.key, `cursor=${cursor}&wait=30`)).toMatchObject({ status: 200, body: NEWS });
    expect(waiters.count).toBe(0);
  });

  test('responds without an event when the time is over', async () => {
    const { acme, cursor } = await createFollower();
    const other = await createFollower();
    const start = performance.now();
    const waiting = listChanges(acme.key, `cursor=${cursor}&wait=1`);
    await addVendor(other.acme); // of another company
    expect(await waiting).toMatchObject({ status: 200, body: { items: [], cursor, more: false } });
    expect(performance.now() - start).toBeGreaterThan(990);
  });

  test('waits for the first event of an empty feed', async ({ acme }) => {
    const waiting = listChanges(acme.key, 'wait=30');
    await waitingCount(1);
    await seal(acme);
    const { body } = await waiting;
    expect(body).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ sequence: 1 })]) });
  });

  test('keeps waiting while only hidden events arrive, and moves its cursor past them', async () => {
    const { acme, cursor } = await createFollower();
    const other = await acme.manage.framework.create({ name: 'SOC 2' });
    const limited = callerWithPermissions(acme, { frameworks: [acme.framework] });
    await seal(acme);
    const { cursor: head } = await limited.changes.list({ from: 'now' });
    const short = limited.changes.list({ cursor: head, wait: 2 });
    const long = limited.changes.list({ cursor: head, wait: 30 });
    await waitingCount(2);
    await acme.newTask({ framework: other.id });
    await seal(acme);
    const hidden = await short;
    expect(hidden).toMatchObject({ items: [], more: false });
    expect(hidden.cursor).not.toBe(head);
    await waitingCount(1);
    await addVendor(acme);
    expect(await long).toMatchObject(NEWS);
    expect(await limited.changes.list({ cursor: hidden.cursor })).toEqual(await long);
    expect((await limited.changes.list({ cursor })).items).toHaveLength(2);
  });

  test('ends when its client disconnects', async () => {
    const { acme, cursor } = await createFollower();
    const sent = request(`${url}${PATH}?cursor=${cursor}&wait=30`, { headers: { 'X-API-Key': acme.key } });
    sent.on('error', () => {}).end();
    await waitingCount(1);
    sent.destroy();
    await expect.poll(() => waiters.count, POLL_OPTIONS).toBe(0);
  });
});

describe('a key that changes while its request waits', () => {
  test.for([
    ['is revoked', 401, ({ manage, apiKey }: TestCompany) => manage.apiKey.revoke({ uniqueId: apiKey.uniqueId })],
    [
      'is disabled',
      401,
      ({ manage, apiKey }: TestCompany) => manage.apiKey.update({ uniqueId: apiKey.uniqueId, enabled: false }),
    ],
    [
      'loses audit:read',
      403,
      ({ manage, apiKey }: TestCompany) => manage.apiKey.update({ uniqueId: apiKey.uniqueId, scopes: ['vendor:read'] }),
    ],
    [
      'loses the address',
      403,
      ({ manage, apiKey }: TestCompany) => manage.apiKey.update({ uniqueId: apiKey.uniqueId, cidrs: ['10.0.0.0/8'] }),
    ],
  ] as const)('gets an error if it %s', async ([, status, change]) => {
    const { acme, cursor } = await createFollower();
    const waiting = listChanges(acme.key, `cursor=${cursor}&wait=30`);
    await waitingCount(1);
    await change(acme);
    await seal(acme);
    expect((await waiting).status).toBe(status);
  });

  test('sees only the events of its new frameworks', async () => {
    const { acme, cursor } = await createFollower();
    const other = await acme.manage.framework.create({ name: 'SOC 2' });
    await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, frameworks: [other.id] });
    const waiting = listChanges(acme.key, `cursor=${cursor}&wait=30`);
    await waitingCount(1);
    const manager = await acme.manage.apiKey.create({ name: 'Writer' });
    await (await callerForKey(manager.key)).task.create({ framework: acme.framework, title: 'Hidden' });
    await seal(acme);
    const { body } = await waiting;
    expect(JSON.stringify(body)).not.toContain('Hidden');
    expect(body).toMatchObject({ items: [{ action: 'framework.create' }, {}, { action: 'apiKey.create' }] });
  });
});

describe('many waiting requests', () => {
  test('of one key: the third responds at once', async () => {
    const { acme, cursor } = await createFollower();
    const waiting = [1, 2].map(() => listChanges(acme.key, `cursor=${cursor}&wait=30`));
    await waitingCount(2);
    expect(await listChanges(acme.key, `cursor=${cursor}&wait=30`)).toMatchObject({
      status: 200,
      body: { items: [], cursor, more: false },
    });
    expect(waiters.count).toBe(2);
    await addVendor(acme);
    for (const response of await Promise.all(waiting)) expect(response).toMatchObject({ status: 200, body: NEWS });
  });

  test('of a thousand clients: 200 wait, the others respond at once, and no other request is rejected', async ({
    acme,
  }) => {
    const keys = [acme.key];
    for (let count = 1; count < 110; count++)
      keys.push((await acme.manage.apiKey.create({ name: `Client ${count}` })).key);
    await seal(acme);
    const { cursor } = await (await callerForKey(acme.key)).changes.list({ from: 'now' });
    const metrics = startMetrics(database);
    const metric = async (name: string) => (await metrics.collect()).find((one) => one.name === name)?.values[0]?.value;
    const rejected = Number(await metric('change_feed_rejected_waits_total'));
    // Overload lowers the limit of concurrent requests to those that occupy a slot, so a waiting one must occupy none.
    const loadShedder = new LoadShedder(createLog('silent'), [{ oldestWait: () => 10_000 }]);
    const app = await startApp({ loadShedder });
    let responded = 0;
    const send = async (index: number) => {
      const response = await listChanges(keys[index % keys.length] ?? '', `cursor=${cursor}&wait=30`, app.url);
      responded += 1;
      return response;
    };
    const waiting: ReturnType<typeof send>[] = [];
    // In steps: a thousand connections at once are overload themselves.
    for (let sent = 0; sent < 1000; sent += 50) {
      for (let index = sent; index < sent + 50; index++) waiting.push(send(index));
      await expect.poll(() => responded + waiters.count, POLL_OPTIONS).toBe(waiting.length);
    }
    // On a slow machine the first ones may have waited their time already.
    expect(waiters.count).toBeGreaterThan(50);
    expect(waiters.count).toBeLessThanOrEqual(200);
    expect(responded).toBeGreaterThanOrEqual(800);
    expect(await metric('change_feed_waiting_requests')).toBeGreaterThan(50);
    expect(Number(await metric('change_feed_rejected_waits_total')) - rejected).toBeGreaterThan(500);
    const listVendors = () => http('GET', '/external/smart-inventory/vendor/list', { key: acme.key, baseUrl: app.url });
    for (let round = 0; round < 20; round++) {
      const others = await Promise.all(Array.from({ length: 10 }, listVendors));
      expect(new Set(others.map(({ status: code }) => code))).toEqual(new Set([200]));
    }
    // On a slow machine all have waited their time by now.
    for (let index = 0; index < 50; index++) waiting.push(send(index));
    await expect.poll(() => responded + waiters.count, POLL_OPTIONS).toBe(waiting.length);
    await addVendor(acme);
    const responses = await Promise.all(waiting);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const bodies = responses.map(({ body }) => JSON.stringify(body));
    const withNews = bodies.filter((body) => body.includes('"Cloud Ltd"'));
    expect(withNews.length).toBeGreaterThan(0);
    expect(withNews.length + bodies.filter((body) => body.includes('"items":[]')).length).toBe(waiting.length);
    loadShedder.stop();
    await app.stop();
  });
});
