import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SendRequest } from '../../procedures/webhook/sender.ts';
import { asOwner, database, ownerUrl, sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { insertEvents, seal } from '../support/tenants/feed.ts';
import {
  createSender,
  createWebhookKey,
  deliver,
  makeDue,
  sealAll,
  startReceiver,
} from '../support/tenants/webhooks.ts';

let acme: TestCompany;
let hooks: Awaited<ReturnType<typeof createWebhookKey>>;
beforeEach(async () => {
  acme = await createCompany();
  hooks = await createWebhookKey(acme);
});

async function createHook(respond?: Parameters<typeof startReceiver>[0]) {
  const receiver = await startReceiver(respond);
  const { uniqueId } = await hooks.caller.webhook.create({ url: receiver.url, events: ['task.*'] });
  return { ...receiver, webhook: uniqueId };
}

const silent = () => {};

test('a sender searches again when events were sealed after its last search, without an interval', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] }); // no interval ends
  onTestFinished(() => void vi.useRealTimers());
  const sender = createSender();
  await sender.companies();
  database.seals.announce();
  const first = sender.next();
  expect(await first).toBeUndefined();
  await sender.companies();
  const second = sender.next();
  database.seals.announce();
  expect(await second).toBeUndefined();
});

test('several processes deliver each event exactly once to each endpoint if nothing fails', async () => {
  const urls = ['a', 'b', 'c', 'd'].map((name) => `http://127.0.0.1/${name}`);
  for (const url of urls) await hooks.caller.webhook.create({ url, events: ['task.*'] });
  const sent: string[] = [];
  // Without HTTP, so that no attempt of a busy machine times out.
  const send: SendRequest = async ({ url, headers }) => {
    await setImmediate();
    sent.push(`${url} ${headers['webhook-id']}`);
    return { status: 204, retryAfterMs: undefined };
  };
  const senders = [createSender(send), createSender(send), createSender(send), createSender(send)];
  await insertEvents(acme, 230); // more than one fan-out adds
  await sealAll(acme);
  await Promise.all(
    senders.map(async (sender) => {
      while (await sender.runSlice(acme.id)) await sender.next();
      await sender.idle();
    }),
  );
  await deliver(acme, senders[0]); // a sender skips what others hold, so the last ones may be left
  const events = await sql<{ unique_id: string }>(
    `select unique_id from audit_event where company_id = $1 and action = 'task.update'`,
    acme.id,
  );
  const expected = urls.flatMap((url) => events.map(({ unique_id: id }) => `${url} ${id}`));
  expect(expected).toHaveLength(4 * 230);
  expect(sent.toSorted()).toEqual(expected.toSorted());
});

test('endpoints that never respond do not delay the others, and their deliveries are released by a stop', async () => {
  for (let index = 0; index < 19; index += 1) await createHook(silent);
  const healthy = await createHook();
  await insertEvents(acme, 40);
  await sealAll(acme);
  const sender = createSender();
  // A stop also releases a delivery that has arrived and is not recorded yet.
  const recorded = async () => {
    await sender.runSlice(acme.id);
    return sql(
      'select count(*)::int as count from webhook_delivery where webhook_id = $1 and last_status = 204',
      healthy.webhook,
    );
  };
  await expect.poll(recorded, { timeout: 60_000 }).toEqual([{ count: 40 }]);
  expect(healthy.requests).toHaveLength(40);
  await sender.stop();
  const [row] = await sql(
    `select count(*)::int as waiting, max(attempts) as attempts, bool_and(next_attempt_at <= now()) as due
     from webhook_delivery where company_id = $1 and next_attempt_at is not null`,
    acme.id,
  );
  expect(row).toEqual({ waiting: 19 * 40, attempts: 0, due: true });
});

test('a delivery of a process that was killed is sent again, and its late outcome does not count', async () => {
  const hook = await createHook();
  await acme.newTask();
  const outcome = Promise.withResolvers<{ status: number; retryAfterMs: undefined }>();
  const ids: unknown[] = [];
  const killed = createSender(({ headers }) => {
    ids.push(headers['webhook-id']);
    return outcome.promise;
  });
  await sealAll(acme);
  await killed.runSlice(acme.id);
  await deliver(acme);
  expect(hook.requests).toEqual([]); // leased
  await makeDue(acme); // as the lease ends
  await deliver(acme);
  expect(hook.ids()).toEqual(ids);
  outcome.resolve({ status: 500, retryAfterMs: undefined });
  await killed.idle();
  const { items } = await hooks.caller.webhook.deliveries({ webhook: hook.webhook });
  expect(items).toMatchObject([{ attempts: 2, lastStatus: 204, nextAttemptAt: null }]);
});

test('a write runs no statement of webhooks: the deliveries are added after the seal', async () => {
  const hook = await createHook();
  const statements: string[] = [];
  database.observe((name) => {
    statements.push(name);
    return () => {};
  });
  try {
    const { uniqueId: taskUniqueId } = await acme.newTask();
    await acme.task.update({ taskUniqueId, priority: 1 });
  } finally {
    database.observe(() => () => {});
  }
  expect(statements).not.toEqual([]);
  expect(statements.filter((name) => name.includes('webhook'))).toEqual([]);
  const pending = () =>
    sql<{ count: number }>('select count(*)::int as count from webhook_delivery where webhook_id = $1', hook.webhook);
  expect(await pending()).toEqual([{ count: 0 }]);
  await deliver(acme);
  expect(hook.types()).toEqual(['task.create', 'task.update']);
});

// In the embedded database no other query runs during a transaction.
describe.runIf(ownerUrl !== undefined)('a long transaction', () => {
  test('whose event precedes delivered ones loses nothing', async () => {
    const hook = await createHook();
    const inserted = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const transaction = asOwner(async (run) => {
      await run(
        `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, framework_id, changes, request_id)
         values ($1, uuid_v7(), now(), $2, 'task.delete', 'task', 'slow', 0, '{}', 'test')`,
        acme.id,
        acme.apiKey.user.uniqueId,
      );
      inserted.resolve();
      await commit.promise;
    });
    await inserted.promise;
    await acme.newTask();
    const sender = createSender();
    for (let round = 0; round < 3; round += 1) {
      await seal(acme);
      while (await sender.runSlice(acme.id)) await sender.idle();
    }
    commit.resolve();
    await transaction;
    await deliver(acme);
    expect(hook.types().toSorted()).toEqual(['task.create', 'task.delete']);
  });
});
