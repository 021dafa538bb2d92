import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { sending, webhookAttempts } from '../../procedures/webhook/jobs.ts';
import { startJob } from '../../server/jobs/runner.ts';
import { createWebhookClient } from '../../server/outbound/webhook-client.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { database, sql, tamper } from '../support/database/database.ts';
import { startHostilePeer } from '../support/servers/hostile-peer.ts';
import type { Behavior } from '../support/servers/hostile-peer.ts';
import { createCompany } from '../support/tenants/company.ts';
import { insertEvents, insertSeals } from '../support/tenants/feed.ts';
import { services } from '../support/tenants/member.ts';
import { createSender, createWebhookKey, startReceiver } from '../support/tenants/webhooks.ts';

const PLACES = 256;
const QUARTER = PLACES / 4;
const MAX_WEBHOOKS = 20;
/** Behaviors that hold a place until the deadline of the attempt. */
const HANGING: readonly Behavior[] = [
  'never responds',
  'sends headers slowly',
  'sends a body slowly',
  'accepts a tunnel',
];

// The job and the order of companies cover all of them, so each test begins without a delivery that waits.
beforeEach(() => tamper('update webhook set enabled = false, skip_until_id = null where enabled'));

/** Creates a company with endpoints at these URLs, each with deliveries that wait. */
async function createBusyCompany(urls: readonly string[], events: number, types = ['task.*']) {
  const company = await createCompany();
  const { caller } = await createWebhookKey(company);
  for (const url of urls) await caller.webhook.create({ url, events: types });
  await insertEvents(company, events);
  await insertSeals(company);
  return { ...company, webhook: caller.webhook };
}

/** Sends attempts whose deadline leaves a busy machine time, and is shorter than their lease. */
const { send: sendWebhook } = createWebhookClient(true, { timeoutMs: 50_000 });

/** Runs the job of the service. */
function startSending(): () => Promise<void> {
  const { encryption } = services;
  const stop = startJob(sending, { database, log: createLog('silent'), services: { encryption, sendWebhook } });
  onTestFinished(stop);
  return stop;
}

const outcomes = ({ id }: { id: number }) =>
  sql<{ count: number }>(
    `select last_status as status, last_error as error, count(*)::int as count from webhook_delivery
     where company_id = $1 group by 1, 2 order by 1, 2`,
    id,
  );

test('the endpoints of a company that do not respond hold a quarter of the places, and another company is served', async () => {
  const peers = await Promise.all(HANGING.map((behavior) => startHostilePeer(behavior)));
  const open = () => peers.reduce((sum, peer) => sum + peer.openConnections(), 0);
  const started = () => peers.reduce((sum, peer) => sum + peer.connections(), 0);
  const urls = Array.from({ length: MAX_WEBHOOKS }, (_, index) => peers[index % peers.length]?.url ?? '');
  const evil = await createBusyCompany(urls, 40);
  const stop = startSending();
  await expect.poll(open).toBeGreaterThan(QUARTER / 2);
  const receiver = await startReceiver();
  const good = await createBusyCompany([receiver.url], 200);
  const maxOpen = { count: 0 };
  const isDelivered = () => {
    maxOpen.count = Math.max(maxOpen.count, open());
    return receiver.requests.length >= 200;
  };
  await vi.waitUntil(isDelivered, { timeout: 60_000, interval: 10 });
  // No attempt has ended: no place of the first company was needed.
  expect(started()).toBe(open());
  expect(maxOpen.count).toBeLessThanOrEqual(QUARTER);
  expect(open()).toBeGreaterThan(QUARTER / 2);
  await stop();
  await expect.poll(open).toBe(0); // the peers hear of it when they are scheduled
  expect((await outcomes(good)).reduce((sum, { count }) => sum + count, 0)).toBe(200);
  // A body that is slow has a status, which counts.
  const waiting = await sql(
    `select count(*)::int as count from webhook_delivery where company_id = $1 and last_status is null and last_error is null
     and (attempts <> 0 or next_attempt_at > now())`,
    evil.id,
  );
  expect(waiting).toEqual([{ count: 0 }]);
});

test('endpoints that switch protocols fail, are counted and tried again, and another company is served', async () => {
  const peer = await startHostilePeer('switches protocols');
  const evil = await createBusyCompany(
    Array.from({ length: 16 }, () => peer.url),
    16,
  );
  const receiver = await startReceiver();
  const good = await createBusyCompany([receiver.url], 100);
  const failedBefore = webhookAttempts.failed;
  const stop = startSending();
  await expect.poll(() => outcomes(good)).toEqual([{ status: 204, error: null, count: 100 }]);
  const failed = [{ status: null, error: 'no valid HTTP response', count: 256 }];
  await expect.poll(() => outcomes(evil)).toEqual(failed);
  await stop();
  expect(webhookAttempts.failed - failedBefore).toBeGreaterThanOrEqual(256);
  const [endpoint] = (await evil.webhook.list({})).items;
  const { items } = await evil.webhook.deliveries({ webhook: endpoint?.uniqueId ?? '' });
  expect(items[0]).toMatchObject({ lastStatus: null, nextAttemptAt: expect.any(String) });
  await expect.poll(() => peer.openConnections()).toBe(0);
});

test('companies that hold all places give the next free one to the company that waits longest', async () => {
  const sender = createSender(sendWebhook);
  const peers = await Promise.all(Array.from({ length: 12 }, () => startHostilePeer('never responds')));
  const companies: { id: number }[] = [];
  for (const { url } of peers)
    companies.push(
      await createBusyCompany(
        Array.from({ length: MAX_WEBHOOKS }, () => url),
        4,
      ),
    );
  for (const { id } of companies) while (await sender.runSlice(id));
  const held = () => peers.map((peer) => peer.openConnections());
  const total = () => held().reduce((sum, count) => sum + count, 0);
  await expect.poll(total).toBe(PLACES);
  // Each company has a place for each endpoint, until none is left.
  expect(Math.max(...held())).toBeLessThanOrEqual(QUARTER);
  expect(
    held()
      .slice(0, 8)
      .every((count) => count >= MAX_WEBHOOKS),
  ).toBe(true);
  expect(held().at(-1)).toBe(0);

  const started = () => peers.reduce((sum, peer) => sum + peer.connections(), 0);
  const runSlices = async () => {
    for (const id of await sender.companies()) await sender.runSlice(id);
  };
  await runSlices(); // starts none, and lets `next` wait for the end of a delivery alone
  for (let turn = 1; turn <= companies.length; turn += 1) {
    // A place that becomes free between two slices goes to the company whose slice is next, so the slices wait for it.
    const ended = sender.next();
    peers[0]?.closeOne();
    await ended;
    await runSlices();
    await expect.poll(started).toBe(PLACES + turn);
  }
  expect(total()).toBe(PLACES);
  expect(Math.min(...held())).toBeGreaterThan(0);
});

test('a company with many new events does not keep the job from another company', async () => {
  const urls = Array.from({ length: MAX_WEBHOOKS }, (_, index) => `http://127.0.0.1:9/${index}`);
  const events = 20_000;
  // No event has a type that the endpoints select, so the job only reads them.
  const big = await createBusyCompany(urls, events, ['vendor.*']);
  const receiver = await startReceiver();
  const small = await createBusyCompany([receiver.url], 0);
  const position = async () => {
    const [row] = await sql<{ last: number }>(
      'select min(position)::int as last from webhook where company_id = $1',
      big.id,
    );
    return row?.last ?? 0;
  };
  startSending();
  await expect.poll(position, { interval: 10 }).toBeGreaterThan(1000);
  const [endpoint] = (await small.webhook.list({})).items;
  await small.webhook.test({ webhook: endpoint?.uniqueId ?? '' });
  await expect.poll(() => receiver.requests.length, { interval: 10 }).toBe(1);
  expect(await position()).toBeLessThan(events);
});
