import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { OPERATOR } from '../../entities/company/user.ts';
import { RETRY_DELAYS_MS, errorResult, responseResult } from '../../procedures/webhook/sender.ts';
import { MAX_BODY_BYTES } from '../../procedures/webhook/body.ts';
import { endedWebhooks } from '../../procedures/webhook/jobs.ts';
import { startJob } from '../../server/jobs/runner.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { database, databaseUrl, sql, tamper } from '../support/database/database.ts';
import { openApi } from '../support/openapi/conformance.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { readAll } from '../support/tenants/feed.ts';
import { createMember } from '../support/tenants/member.ts';
import { readPages } from '../support/tenants/pages.ts';
import {
  createSender,
  createWebhookKey,
  deliver,
  makeDue,
  sealAll,
  startReceiver,
} from '../support/tenants/webhooks.ts';
import type { ReceivedRequest } from '../support/tenants/webhooks.ts';

const DAY_MS = 86_400_000;

let acme: TestCompany;
let hooks: Awaited<ReturnType<typeof createWebhookKey>>;
beforeEach(async () => {
  acme = await createCompany();
  hooks = await createWebhookKey(acme);
});

/** Creates an endpoint with a receiver. */
async function createHook(events: string[] | null = ['task.*'], { caller } = hooks) {
  const receiver = await startReceiver();
  const { uniqueId, secret } = await caller.webhook.create({ url: receiver.url, events });
  return { ...receiver, webhook: uniqueId, secret };
}

const fail = (status: number, headers: Record<string, string> = {}) => ({
  respond: (response: ServerResponse) => response.writeHead(status, headers).end(),
});

/** Signatures that a secret verifies. Throws for none. */
const verify = (secret: string, { text, headers }: ReceivedRequest) =>
  new Webhook(secret).verify(text, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });
const isSignedBy = (secret: string, request: ReceivedRequest) => {
  try {
    return Boolean(verify(secret, request));
  } catch {
    return false;
  }
};

const deliveriesOf = async (webhook: string) => (await hooks.caller.webhook.deliveries({ webhook })).items;
const isEnabled = async (webhook: string) => (await hooks.caller.webhook.get({ webhook })).enabled;
const disabledReason = async (webhook: string) => (await hooks.caller.webhook.get({ webhook })).disabledReason;

describe('an event', () => {
  test('is signed, and its body is that of the audit log with the sequence of the change feed', async () => {
    const hook = await createHook(null);
    const { uniqueId } = await acme.newTask({ title: 'Größe 🌍' });
    await acme.task.update({ taskUniqueId: uniqueId, priority: 1 });
    await acme.task.delete({ taskUniqueId: uniqueId });
    await deliver(acme);
    const logged = (await hooks.caller.audit.list({ resourceId: uniqueId })).items;
    const fed = await readAll(hooks.caller);
    expect(logged).toHaveLength(3);
    for (const event of logged) {
      const received = hook.requests.find(({ headers }) => headers['webhook-id'] === event.uniqueId);
      expect(received?.body).toEqual({
        type: event.action,
        timestamp: event.occurredAt,
        sequence: fed.items.find((item) => item.uniqueId === event.uniqueId)?.sequence,
        data: event,
      });
    }
    expect(hook.types()).toEqual(['webhook.create', 'task.create', 'task.update', 'task.delete']);
    for (const request of hook.requests) {
      expect(verify(hook.secret, request)).toEqual(request.body);
      expect(request.headers).toMatchObject({ 'content-type': 'application/json' });
      expect(Object.keys(request.body)).toEqual(['type', 'timestamp', 'sequence', 'data']);
    }
  });

  test('is sent to the endpoints that select its type, in snake case', async () => {
    const [tasks, created, none, keys] = [
      await createHook(['task.*']),
      await createHook(['task.create', 'vendor.update']),
      await createHook(['vendor.delete']),
      await createHook(['api_key.rotate']),
    ];
    const { uniqueId } = await acme.newTask();
    await acme.task.update({ taskUniqueId: uniqueId, priority: 1 });
    await acme.vendor.create({ name: 'Cloud Inc' });
    await acme.manage.apiKey.rotate({ uniqueId: acme.apiKey.uniqueId });
    await deliver(acme);
    expect([tasks, created, none, keys].map(({ types }) => types())).toEqual([
      ['task.create', 'task.update'],
      ['task.create'],
      [],
      ['api_key.rotate'],
    ]);
  });

  test('from before the creation, or from while the endpoint was disabled, is not sent', async () => {
    await acme.newTask({ title: 'before' });
    const hook = await createHook();
    const enable = (enabled: boolean) => hooks.caller.webhook.update({ webhook: hook.webhook, enabled });
    await acme.newTask({ title: 'first' });
    await deliver(acme);
    await enable(false);
    await acme.newTask({ title: 'meanwhile, sealed' });
    await deliver(acme);
    await acme.newTask({ title: 'meanwhile, not sealed' });
    await enable(true);
    await acme.newTask({ title: 'second' });
    await deliver(acme);
    expect(hook.requests.map(({ body }) => Reflect.get(Object(body.data['changes']), 'title'))).toEqual([
      'first',
      'second',
    ]);
  });

  test('from the second before the endpoint was disabled is sent when it is enabled again', async () => {
    const hook = await createHook();
    const enable = (enabled: boolean) => hooks.caller.webhook.update({ webhook: hook.webhook, enabled });
    const titles = () => hook.requests.map(({ body }) => Object(body.data['changes']).title as unknown);
    await deliver(acme);
    await acme.newTask({ title: 'before' });
    await enable(false);
    await acme.newTask({ title: 'meanwhile' });
    await enable(true);
    await acme.newTask({ title: 'after' });
    await deliver(acme);
    expect(new Set(titles())).toEqual(new Set(['after', 'before']));
    // The second range begins before the first one is passed: the events between them need a replay.
    await enable(false);
    await acme.newTask({ title: 'meanwhile, first' });
    await enable(true);
    await enable(false);
    await acme.newTask({ title: 'meanwhile, second' });
    await enable(true);
    await deliver(acme);
    expect(titles()).toHaveLength(2);
  });

  test('of another company is not sent', async () => {
    const hook = await createHook(null);
    const other = await createCompany();
    await other.newTask();
    await deliver(other);
    await deliver(acme);
    expect(hook.types()).toEqual(['webhook.create']);
  });

  test('that is long has at most 20,000 bytes: its longest values are truncated first', async () => {
    const hook = await createHook(['task.update']);
    const { uniqueId } = await acme.newTask({ description: 'a'.repeat(4_000) });
    const descriptions = ['ü'.repeat(9000), '€'.repeat(9000), 'y'.repeat(19_990)];
    for (const description of descriptions) await acme.task.update({ taskUniqueId: uniqueId, description });
    await deliver(acme);
    const first = (value: unknown) => (typeof value === 'string' ? value.slice(0, 1) : value);
    const truncated = { truncated: true };
    const received = hook.requests.map(
      ({ body }) => Reflect.get(Object(body.data['changes']), 'description') as object,
    );
    expect(received.map((change) => Object.values(change).map(first))).toEqual([
      ['a', truncated],
      ['ü', truncated],
      [truncated, truncated],
    ]);
    for (const request of hook.requests) {
      expect(Buffer.byteLength(request.text)).toBeLessThanOrEqual(MAX_BODY_BYTES);
      expect(verify(hook.secret, request)).toEqual(request.body);
    }
  });
});

describe('the schedule of retries', () => {
  test('has ten attempts, with the delays of the contract and 10 % of variation', () => {
    const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440];
    expect(RETRY_DELAYS_MS).toEqual(minutes.map((minute) => minute * 60_000));
    for (const [index, delayMs] of RETRY_DELAYS_MS.entries()) {
      const sampled = Array.from({ length: 300 }, () => errorResult(index + 1, 'x').delayMs ?? NaN);
      expect(Math.min(...sampled)).toBeGreaterThanOrEqual(delayMs * 0.9);
      expect(Math.max(...sampled)).toBeLessThanOrEqual(delayMs * 1.1);
      expect(Math.max(...sampled) - Math.min(...sampled)).toBeGreaterThan(delayMs * 0.1);
    }
    expect(errorResult(10, 'x').delayMs).toBeNull();
    expect(responseResult(10, { status: 500, retryAfterMs: 1000 }).delayMs).toBeNull();
  });

  test('respects Retry-After as a lower bound of at most 24 hours', () => {
    const delayMs = (attempts: number, retryAfterMs: number) =>
      responseResult(attempts, { status: 503, retryAfterMs }).delayMs;
    expect(delayMs(1, 60_000)).toBe(60_000);
    expect(delayMs(1, 1000)).toBeGreaterThanOrEqual(4500);
    expect(delayMs(1, 30 * DAY_MS)).toBe(DAY_MS);
    expect(delayMs(9, 1)).toBeGreaterThanOrEqual(0.9 * DAY_MS);
  });

  test.each([200, 204, 299])('ends with status %i', (status) => {
    expect(responseResult(1, { status, retryAfterMs: 1000 })).toEqual({
      status,
      error: null,
      delayMs: null,
      succeeded: true,
    });
  });

  test.each([100, 199, 300, 301, 400, 404, 429, 500, 599])('continues after status %i', (status) => {
    expect(responseResult(1, { status, retryAfterMs: undefined })).toMatchObject({
      status,
      delayMs: expect.any(Number),
      succeeded: false,
    });
  });
});

describe('an attempt that fails', () => {
  test('is repeated with the same webhook-id, and a new timestamp and signature, until it succeeds', async () => {
    const hook = await createHook();
    hook.respondWith(fail(500).respond);
    const { uniqueId } = await acme.newTask();
    await deliver(acme);
    const [failed] = await deliveriesOf(hook.webhook);
    expect(failed).toMatchObject({ type: 'task.create', attempts: 1, lastStatus: 500, lastError: /received 500/ });
    const delayMs = Date.parse(failed?.nextAttemptAt ?? '') - Date.now();
    expect(delayMs).toSatisfy((ms: number) => ms > -60_000 && ms <= 5500);

    await makeDue(acme);
    hook.respondWith((response) => response.writeHead(302, { location: '/elsewhere' }).end());
    await deliver(acme);
    await makeDue(acme);
    hook.respondWith(fail(200).respond);
    await deliver(acme);
    const [{ uniqueId: eventId } = { uniqueId: '' }] = (await hooks.caller.audit.list({ resourceId: uniqueId })).items;
    expect(hook.ids()).toEqual([eventId, eventId, eventId]);
    expect(hook.requests.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook']); // the redirect is not followed
    for (const request of hook.requests) verify(hook.secret, request);
    expect(await deliveriesOf(hook.webhook)).toEqual([
      {
        uniqueId: expect.any(String),
        sequence: expect.any(Number),
        type: 'task.create',
        attempts: 3,
        lastStatus: 200,
        lastError: null,
        nextAttemptAt: null,
      },
    ]);
    await makeDue(acme);
    await deliver(acme);
    expect(hook.requests).toHaveLength(3);
  });

  test('for the tenth time ends the delivery', async () => {
    const hook = await createHook();
    hook.respondWith(fail(503, { 'Retry-After': '7200' }).respond);
    await acme.newTask();
    await deliver(acme);
    const [first] = await deliveriesOf(hook.webhook);
    expect(Date.parse(first?.nextAttemptAt ?? '') - Date.now()).toSatisfy((ms: number) => ms > 6_900_000);
    for (let attempt = 2; attempt <= 12; attempt += 1) {
      await makeDue(acme);
      await deliver(acme);
    }
    expect(hook.requests).toHaveLength(10);
    expect(await deliveriesOf(hook.webhook)).toMatchObject([{ attempts: 10, lastStatus: 503, nextAttemptAt: null }]);
    expect(await isEnabled(hook.webhook)).toBe(true);
  });

  test('with 410 disables the endpoint at once, which is audited', async () => {
    const hook = await createHook();
    hook.respondWith(fail(410).respond);
    await acme.newTask();
    await deliver(acme);
    expect([await isEnabled(hook.webhook), await disabledReason(hook.webhook)]).toEqual([false, 'gone']);
    await acme.newTask();
    await deliver(acme);
    expect(hook.requests).toHaveLength(1);
    const [event] = (await hooks.caller.audit.list({ resourceId: hook.webhook })).items;
    expect([event?.action, event?.changes, event?.apiKey]).toEqual([
      'webhook.update',
      { enabled: { from: true, to: false }, disabledReason: { from: null, to: 'gone' } },
      null,
    ]);
  });

  test('with 410 of a URL that was changed in the meantime leaves the endpoint enabled', async () => {
    const hook = await createHook();
    const other = await startReceiver();
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    const { promise: changed, resolve: respond } = Promise.withResolvers<void>();
    hook.respondWith((response) => {
      resolve();
      void changed.then(() => response.writeHead(410).end());
    });
    await acme.newTask();
    const delivered = deliver(acme);
    await sent;
    await hooks.caller.webhook.update({ webhook: hook.webhook, url: other.url });
    respond();
    await delivered;
    expect(await isEnabled(hook.webhook)).toBe(true);
  });

  test('after 5 days without a success disables the endpoint; a success starts the time again', async () => {
    const hook = await createHook();
    const failingSince = async () =>
      (
        await sql<{ failing: boolean }>(
          'select failing_since is not null as failing from webhook where unique_id = $1',
          hook.webhook,
        )
      )[0]?.failing;
    const age = (days: number) =>
      sql(
        `update webhook set failing_since = now() - $2::float8 * interval '1 day' where unique_id = $1`,
        hook.webhook,
        days,
      );
    hook.respondWith(fail(500).respond);
    await acme.newTask();
    await deliver(acme);
    expect(await failingSince()).toBe(true);
    await age(4.99);
    await makeDue(acme);
    await deliver(acme);
    expect(await isEnabled(hook.webhook)).toBe(true);

    await age(5.01);
    await makeDue(acme);
    hook.respondWith(fail(204).respond);
    await deliver(acme);
    expect([await isEnabled(hook.webhook), await failingSince()]).toEqual([true, false]);

    hook.respondWith(fail(500).respond);
    await acme.newTask();
    await deliver(acme);
    await age(5.01);
    await makeDue(acme);
    await deliver(acme);
    expect([await isEnabled(hook.webhook), await disabledReason(hook.webhook)]).toEqual([false, 'failing']);
    const [event] = (await hooks.caller.audit.list({ resourceId: hook.webhook })).items;
    expect(event?.action).toBe('webhook.update');

    // Enabled again, it has another 5 days.
    await hooks.caller.webhook.update({ webhook: hook.webhook, enabled: true });
    await makeDue(acme);
    await deliver(acme);
    expect(await isEnabled(hook.webhook)).toBe(true);
  });
});

test('both secrets sign during the overlap, never more than two', async () => {
  const hook = await createHook();
  const rotate = async (overlapSeconds?: number) =>
    (
      await hooks.caller.webhook.rotate({
        webhook: hook.webhook,
        ...(overlapSeconds !== undefined && { overlapSeconds }),
      })
    ).secret;
  const secrets = [hook.secret];
  /** Indexes of the secrets that sign the next event, oldest first. */
  const signing = async () => {
    await acme.newTask();
    await deliver(acme);
    const request = hook.requests.at(-1);
    if (request === undefined) throw new Error('expected a request');
    const signatures = String(request.headers['webhook-signature']).split(' ');
    const signed = secrets.filter((secret) => isSignedBy(secret, request));
    expect(signatures).toHaveLength(signed.length);
    return signed.map((secret) => secrets.indexOf(secret));
  };
  expect(await signing()).toEqual([0]);
  secrets.push(await rotate(3600));
  expect(await signing()).toEqual([0, 1]);
  secrets.push(await rotate(3600));
  expect(await signing()).toEqual([1, 2]);
  await tamper(`update webhook set previous_secret_expires_at = now() where unique_id = '${hook.webhook}'`);
  expect(await signing()).toEqual([2]);
  secrets.push(await rotate());
  expect(await signing()).toEqual([3]);
});

describe('a test event', () => {
  test('is signed and sent in the form of other events, whatever types are selected', async () => {
    const hook = await createHook(['vendor.delete']);
    await hooks.caller.webhook.test({ webhook: hook.webhook });
    await deliver(acme);
    const [request] = hook.requests;
    expect(request?.body).toEqual({
      type: 'webhook.test',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      sequence: null,
      data: {
        uniqueId: request?.headers['webhook-id'],
        occurredAt: request?.body.timestamp,
        actor: hooks.apiKey.user,
        apiKey: hooks.apiKey.uniqueId,
        action: 'webhook.test',
        resource: { type: 'webhook', uniqueId: hook.webhook },
        parent: null,
        changes: {},
        requestId: 'webhook-test',
      },
    });
    expect(request && isSignedBy(hook.secret, request)).toBe(true);
    expect(await deliveriesOf(hook.webhook)).toMatchObject([{ sequence: null, type: 'webhook.test', attempts: 1 }]);
    expect((await hooks.caller.audit.list({ resourceId: hook.webhook })).items).toHaveLength(1);
  });
});

describe('a test event of a type', () => {
  test.for(['task.update', 'comment.create', 'api_key.rotate', 'audit.checkpoint'])(
    'is the example of %s in the document, signed, without a sequence',
    async (type) => {
      const hook = await createHook(['vendor.delete']);
      await hooks.caller.webhook.test({ webhook: hook.webhook, type });
      await deliver(acme);
      const { example } = openApi.webhooks[type]?.['post']?.requestBody?.content['application/json'] ?? {};
      const [request] = hook.requests;
      expect(request?.body).toEqual({ ...Object(example), sequence: null });
      expect(request && isSignedBy(hook.secret, request)).toBe(true);
      expect(await deliveriesOf(hook.webhook)).toMatchObject([{ sequence: null, type, nextAttemptAt: null }]);
    },
  );

  test('that is unknown is an error that names the one that was probably meant', async () => {
    const { webhook } = await createHook();
    await expect(hooks.caller.webhook.test({ webhook, type: 'apiKey.rotate' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message:
        'type: expected an event type such as task.create; "apiKey.rotate" is unknown; did you mean api_key.rotate?',
    });
    await expect(hooks.caller.webhook.test({ webhook, type: 'task.*' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(await deliveriesOf(webhook)).toEqual([]);
  });
});

describe('a replay', () => {
  test('by sequence or since sends events again, with the same webhook-id', async () => {
    const before = (await acme.newTask({ title: 'before' })).uniqueId;
    await sealAll(acme);
    const hook = await createHook();
    for (let index = 0; index < 3; index += 1) await acme.newTask();
    await deliver(acme);
    const [ids, sequences] = [hook.ids(), hook.sequences()];
    const replayed = async (input: { sequence?: number; since?: string }) => {
      hook.requests.length = 0;
      await hooks.caller.webhook.replay({ webhook: hook.webhook, ...input });
      await deliver(acme);
      return hook.ids().toSorted();
    };
    expect(await replayed({ sequence: Number(sequences[1]) })).toEqual([ids[1]]);
    const events = (await hooks.caller.audit.list({ action: 'task.create' })).items.toReversed();
    const [oldest, first] = events;
    expect(await replayed({ since: first?.occurredAt ?? '' })).toEqual(ids.toSorted());
    expect(await replayed({ since: oldest?.occurredAt ?? '' })).toEqual([oldest?.uniqueId ?? '', ...ids].toSorted());
    expect(oldest?.resource.uniqueId).toBe(before);
    expect(await replayed({ since: new Date(Date.now() + DAY_MS).toISOString() })).toEqual([]);
    expect(await deliveriesOf(hook.webhook)).toHaveLength(4);
  });

  test('since a time after the creation sends nothing from before it, also if that is sealed later', async () => {
    await acme.newTask({ title: 'before, not sealed' });
    const hook = await createHook();
    await hooks.caller.webhook.replay({
      webhook: hook.webhook,
      since: new Date(Date.now() + DAY_MS).toISOString(),
    });
    await deliver(acme);
    expect(hook.requests).toEqual([]);
  });

  test('restarts a delivery, its attempts and its retention', async () => {
    const hook = await createHook();
    hook.respondWith(fail(500).respond);
    await acme.newTask();
    await deliver(acme);
    await sql(`update webhook_delivery set created_at = now() - interval '40 days' where company_id = $1`, acme.id);
    expect(await deliveriesOf(hook.webhook)).toEqual([]);
    await hooks.caller.webhook.replay({ webhook: hook.webhook, sequence: Number(hook.sequences()[0]) });
    await deliver(acme);
    expect(await deliveriesOf(hook.webhook)).toMatchObject([{ attempts: 1, lastStatus: 500 }]);
  });

  test('keeps the uniqueId of the delivery, which no other delivery has', async () => {
    const hooksOfOneEvent = [await createHook(), await createHook()];
    const [hook] = hooksOfOneEvent;
    await acme.newTask();
    await hooks.caller.webhook.test({ webhook: hook?.webhook ?? '' });
    await deliver(acme);
    const idsOf = async () =>
      (await Promise.all(hooksOfOneEvent.map(({ webhook }) => deliveriesOf(webhook))))
        .flat()
        .map(({ uniqueId }) => uniqueId);
    const before = await idsOf();
    expect(before).toHaveLength(3);
    expect(new Set(before).size).toBe(3);
    for (const id of before)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    await hooks.caller.webhook.replay({ webhook: hook?.webhook ?? '', sequence: Number(hook?.sequences()[1]) });
    await deliver(acme);
    expect(await idsOf()).toEqual(before);
  });

  test('names an unknown sequence, a disabled endpoint, and wrong fields', async () => {
    const hook = await createHook();
    const replay = (input: object) => hooks.caller.webhook.replay({ webhook: hook.webhook, ...input });
    await acme.newTask();
    await deliver(acme);
    await expect(replay({ sequence: 9_999_999 })).rejects.toMatchObject({ code: 'NOT_FOUND', message: /^sequence/ });
    await expect(replay({})).rejects.toMatchObject({ code: 'BAD_REQUEST', message: /^sequence/ });
    await expect(replay({ sequence: 1, since: new Date().toISOString() })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await expect(replay({ sequence: 0 })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(replay({ since: 'yesterday' })).rejects.toMatchObject({ code: 'BAD_REQUEST', message: /since/ });
    await hooks.caller.webhook.update({ webhook: hook.webhook, enabled: false });
    for (const input of [{ sequence: Number(hook.sequences()[0]) }, { since: new Date().toISOString() }])
      await expect(replay(input)).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('the delivery log', () => {
  test('lists the deliveries of 30 days in pages, newest first, with the error of the last attempt', async () => {
    const hook = await createHook();
    for (let index = 0; index < 5; index += 1) await acme.newTask();
    await deliver(
      acme,
      createSender(async () => Promise.reject(new Error('connection refused'))),
    );
    const input = { webhook: hook.webhook, limit: 2 };
    const pages = await Array.fromAsync(readPages((from) => hooks.caller.webhook.deliveries({ ...input, ...from })));
    const items = pages.flatMap((page) => page.items);
    for (const item of items)
      expect(item).toMatchObject({ attempts: 1, lastStatus: null, lastError: 'connection refused' });
    const listed = items.map(({ sequence }) => sequence ?? 0);
    expect(listed).toHaveLength(5);
    expect(listed).toEqual(listed.toSorted((one, two) => two - one));
    const old = "update webhook_delivery set created_at = now() - $2::int * interval '1 day' where company_id = $1";
    await sql(`${old} and sequence < $3`, acme.id, 31, listed[1]);
    expect((await deliveriesOf(hook.webhook)).map(({ sequence }) => sequence)).toEqual(listed.slice(0, 2));
  });
});

describe('the next attempt of a delivery', () => {
  const MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  const nextAttempt = async (caller: typeof hooks.caller, webhook: string) =>
    (await caller.webhook.deliveries({ webhook })).items[0]?.nextAttemptAt;

  test('has milliseconds, and is null while the endpoint or its key is disabled, or the key may not see the event', async () => {
    const { caller: admin } = await createMember(acme);
    const limited = await createWebhookKey(acme, { frameworks: [acme.framework] });
    const { uniqueId } = limited.apiKey;
    const hook = await createHook(['task.create'], limited);
    hook.respondWith(fail(500).respond);
    await acme.newTask();
    await deliver(acme);
    const next = () => nextAttempt(admin, hook.webhook);
    const soc2 = (await acme.manage.framework.create({ name: 'SOC 2' })).id;
    const pauses = [
      (active: boolean) => admin.webhook.update({ webhook: hook.webhook, enabled: active }),
      (active: boolean) => acme.manage.apiKey.update({ uniqueId, enabled: active }),
      (active: boolean) => acme.manage.apiKey.update({ uniqueId, frameworks: active ? [acme.framework] : [soc2] }),
    ];
    for (const setActive of pauses) {
      expect(await next()).toMatch(MILLISECONDS);
      await setActive(false);
      expect(await next()).toBeNull();
      await setActive(true);
    }
    expect(await next()).toMatch(MILLISECONDS);
    await acme.manage.apiKey.revoke({ uniqueId });
    expect(await next()).toBeNull();
  });
});

describe('the key of an endpoint', () => {
  test('limits it to the frameworks of the key at the time of sending', async () => {
    const soc2 = (await acme.manage.framework.create({ name: 'SOC 2' })).id;
    const limited = await createWebhookKey(acme, { frameworks: [acme.framework] });
    const hook = await createHook(['task.create', 'vendor.create'], limited);
    const all = await createHook(['task.create', 'vendor.create']);
    await acme.newTask({ title: 'visible' });
    await acme.newTask({ title: 'hidden', framework: soc2 });
    await acme.vendor.create({ name: 'without a framework' });
    await deliver(acme);
    const titles = ({ requests }: typeof hook) =>
      requests.map(({ body: { data } }) => Object(data['changes']).title ?? data['action']);
    expect(titles(hook)).toEqual(['visible', 'vendor.create']);
    expect(titles(all)).toEqual(['visible', 'hidden', 'vendor.create']);

    // A pending retry of an event that the key may no longer see.
    hook.respondWith(fail(500).respond);
    await acme.newTask({ title: 'visible at first' });
    await deliver(acme);
    await acme.manage.apiKey.update({ uniqueId: limited.apiKey.uniqueId, frameworks: [soc2] });
    hook.requests.length = 0;
    await makeDue(acme);
    await deliver(acme);
    expect(hook.requests).toEqual([]);
    expect((await limited.caller.webhook.deliveries({ webhook: hook.webhook })).items[0]).toMatchObject({
      lastError: /^not sent/,
      nextAttemptAt: null,
    });
    const hidden = all.requests.find(({ body }) => Object(body.data['changes']).title === 'visible');
    await expect(
      limited.caller.webhook.replay({ webhook: hook.webhook, sequence: Number(hidden?.body.sequence) }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('pauses it while the key is disabled, expired or lacks audit:read; it continues afterwards', async () => {
    const hook = await createHook();
    const { uniqueId, scopes } = hooks.apiKey;
    const expire = (at: string) => tamper(`update api_key set expires_at = ${at} where unique_id = '${uniqueId}'`);
    const pauses: [() => Promise<unknown>, () => Promise<unknown>][] = [
      [
        () => acme.manage.apiKey.update({ uniqueId, enabled: false }),
        () => acme.manage.apiKey.update({ uniqueId, enabled: true }),
      ],
      [() => expire('now()'), () => expire('null')],
      [
        () => acme.manage.apiKey.update({ uniqueId, scopes: ['webhook:manage'] }),
        () => acme.manage.apiKey.update({ uniqueId, scopes }),
      ],
    ];
    let sent = 0;
    for (const [pause, resume] of pauses) {
      hook.respondWith(fail(500).respond);
      await acme.newTask();
      await deliver(acme);
      expect(hook.requests).toHaveLength((sent += 1));
      await pause();
      hook.respondWith(fail(204).respond);
      await acme.newTask();
      await makeDue(acme);
      await deliver(acme);
      expect(hook.requests).toHaveLength(sent);
      await resume();
      await deliver(acme);
      expect(hook.requests).toHaveLength((sent += 2)); // the retry, and the event of the pause
    }
  });

  test('ends it when the key is revoked, pending retries included', async () => {
    const { caller: admin } = await createMember(acme);
    const hook = await createHook();
    hook.respondWith(fail(500).respond);
    await acme.newTask();
    await deliver(acme);
    await acme.manage.apiKey.revoke({ uniqueId: hooks.apiKey.uniqueId });
    await acme.newTask();
    await makeDue(acme);
    await deliver(acme);
    expect(hook.requests).toHaveLength(1);
    const { items } = await admin.webhook.deliveries({ webhook: hook.webhook });
    expect(items).toMatchObject([{ attempts: 1, nextAttemptAt: null }]);
    await expect(admin.webhook.update({ webhook: hook.webhook, enabled: true })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: /^enabled: .*revoked/,
    });
  });

  // The job sends for all companies. On PostgreSQL other tests use the same database meanwhile.
  test.runIf(databaseUrl === undefined)(
    'disables it in the background when the key is revoked, as the operator',
    async () => {
      const { caller: admin } = await createMember(acme);
      const { webhook } = await createHook();
      await acme.manage.apiKey.revoke({ uniqueId: hooks.apiKey.uniqueId });
      onTestFinished(startJob(endedWebhooks, { database, log: createLog('silent') }));
      await expect
        .poll(() => admin.webhook.get({ webhook }), { timeout: 120_000 })
        .toMatchObject({ enabled: false, disabledReason: 'key' });
      const { items } = await acme.manage.audit.list({ resourceId: webhook, action: 'webhook.update' });
      const changes = { enabled: { from: true, to: false }, disabledReason: { from: null, to: 'key' } };
      expect(items).toMatchObject([{ actor: OPERATOR, changes }]);
    },
  );

  test('is none for the endpoint of an admin, which sends everything, also after the admin has left', async () => {
    const soc2 = (await acme.manage.framework.create({ name: 'SOC 2' })).id;
    await createMember(acme);
    const { caller: admin, uniqueId } = await createMember(acme);
    const receiver = await startReceiver();
    await admin.webhook.create({ url: receiver.url, events: ['task.create'] });
    await acme.newTask();
    await acme.newTask({ framework: soc2 });
    await deliver(acme);
    expect(receiver.requests).toHaveLength(2);
    await acme.manage.member.end({ uniqueId });
    await acme.newTask();
    await deliver(acme);
    expect(receiver.requests).toHaveLength(3);
  });
});
