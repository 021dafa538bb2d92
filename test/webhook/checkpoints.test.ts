import { beforeAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { recordCurrentKey } from '../../procedures/audit/signing-key.ts';
import type { CompaniesHandler } from '../../procedures/jobs/job.ts';
import { sendingCheckpoints } from '../../procedures/webhook/jobs.ts';
import { schemaError, openApi } from '../support/openapi/conformance.ts';
import { database, sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { services } from '../support/tenants/member.ts';
import { createWebhookKey, deliver, sealAll, startReceiver } from '../support/tenants/webhooks.ts';

const HOUR_MS = 60 * 60_000;
const TYPE = 'audit.checkpoint';

beforeAll(() => recordCurrentKey(new Session(database, null, 'test'), services.signing));

/** The job of a process, whose clock stands at a number of hours after now. */
function openJob(hours: { now: number }, signing = services.signing): CompaniesHandler {
  const session = new Session(database, null, sendingCheckpoints.name);
  const now = () => new Date(Date.now() + hours.now * HOUR_MS);
  const warn = (error: unknown) => {
    throw error;
  };
  const handler = sendingCheckpoints.open({ database, session, signing, now, warn });
  if (handler === undefined) throw new Error('job: expected a handler');
  return handler;
}

/** A company with an endpoint of these events. `tick` runs the job for it at a number of hours after now, and delivers. */
async function createReceivingCompany(events: string[] | null = [TYPE]) {
  const acme = await createCompany();
  const { caller, apiKey, key } = await createWebhookKey(acme);
  const receiver = await startReceiver();
  const { uniqueId: webhook } = await caller.webhook.create({ url: receiver.url, events });
  const hours = { now: 0 };
  const job = openJob(hours);
  const tick = async (now: number) => {
    await sealAll(acme);
    hours.now = now;
    if ((await job.companies()).includes(acme.id)) await job.runSlice(acme.id);
    await deliver(acme);
  };
  return { acme, caller, apiKey, key, receiver, webhook, tick };
}

const change = ({ vendor }: TestCompany) => vendor.create({ name: 'Cloud' });

describe('an endpoint that names audit.checkpoint', () => {
  test('gets one after each hour in which something happened, and none after another', async () => {
    const { acme, caller, receiver, tick } = await createReceivingCompany();
    await tick(0);
    expect(receiver.requests).toEqual([]);
    await tick(1);
    await tick(1);
    expect(receiver.types()).toEqual([TYPE]);
    const [first] = receiver.requests;
    expect(first?.body).toEqual({
      type: TYPE,
      timestamp: first?.body.data['at'],
      sequence: null,
      data: await caller.audit.checkpoint(),
    });
    const schema = openApi.webhooks[TYPE]?.['post']?.requestBody?.content['application/json']?.schema ?? {};
    expect(schemaError(schema, first?.body)).toBeUndefined();
    await tick(2);
    await tick(3);
    expect(receiver.requests).toHaveLength(1);
    await change(acme);
    await tick(3);
    expect(receiver.requests).toHaveLength(2);
    await change(acme);
    await tick(3);
    expect(receiver.requests).toHaveLength(2);
    await tick(4);
    expect(receiver.types()).toEqual([TYPE, TYPE, TYPE]);
    const sequences = receiver.requests.map(({ body }) => Number(body.data['sequence']));
    expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
    expect(new Set(receiver.ids()).size).toBe(3);
    expect((await acme.manage.audit.list({ resourceType: 'webhook' })).items.map(({ action }) => action)).toEqual([
      'webhook.create',
    ]);
  });

  test('has it among its deliveries, and neither in the feed nor in a replay', async () => {
    const { caller, receiver, webhook, tick, acme } = await createReceivingCompany();
    await tick(1);
    const { items } = await caller.webhook.deliveries({ webhook });
    expect(items).toEqual([expect.objectContaining({ type: TYPE, sequence: null, attempts: 1, lastStatus: 204 })]);
    await caller.webhook.replay({ webhook, since: '2026-01-01T00:00:00Z' });
    await deliver(acme);
    expect(receiver.requests).toHaveLength(1);
    const feed = await caller.changes.list({ limit: 500 });
    expect(feed.items.filter(({ action }) => action === TYPE)).toEqual([]);
    const head = Number(receiver.requests[0]?.body.data['sequence']);
    await expect(caller.webhook.replay({ webhook, sequence: head + 1 })).rejects.toThrow('sequence');
  });

  test('gets one from two processes that run at the same moment', async () => {
    const { acme, receiver } = await createReceivingCompany();
    await sealAll(acme);
    const jobs = Array.from({ length: 8 }, () => openJob({ now: 1 }));
    await Promise.all(jobs.map((job) => job.runSlice(acme.id)));
    await deliver(acme);
    expect(receiver.types()).toEqual([TYPE]);
  });

  test('gets none while it, its key or its company is inactive, and one afterwards', async () => {
    const { acme, apiKey, caller, receiver, webhook, tick } = await createReceivingCompany();
    await caller.webhook.update({ webhook, enabled: false });
    await tick(1);
    await caller.webhook.update({ webhook, enabled: true });
    await acme.manage.apiKey.update({ uniqueId: apiKey.uniqueId, enabled: false });
    await tick(2);
    await acme.manage.apiKey.update({ uniqueId: apiKey.uniqueId, enabled: true });
    await acme.manage.company.close({ name: 'Acme' });
    await tick(3);
    expect(await sql('select 1 from webhook_delivery where company_id = $1', acme.id)).toEqual([]);
    await acme.manage.company.reopen();
    await tick(4);
    expect(receiver.types()).toEqual([TYPE]);
  });
});

test('no selector includes audit.checkpoint, and audit.* is none', async () => {
  const { caller, receiver, webhook, tick } = await createReceivingCompany(null);
  await tick(1);
  expect(receiver.types()).not.toContain(TYPE);
  const everything = ['task.*', 'webhook.*', 'vendor.*'];
  await caller.webhook.update({ webhook, events: everything });
  await tick(2);
  expect(receiver.types()).not.toContain(TYPE);
  await expect(caller.webhook.update({ webhook, events: ['audit.*'] })).rejects.toThrow(
    'events.0: expected an event type such as task.create, or task.*; "audit.*" is unknown',
  );
  const { events } = await caller.webhook.update({ webhook, events: [TYPE, 'task.create'] });
  expect(events).toEqual(['task.create', TYPE]);
  await tick(3);
  expect(receiver.types().filter((type) => type === TYPE)).toHaveLength(1);
});

test('a process without a signing key does not run the job', () => {
  const session = new Session(database, null, 'test');
  expect(sendingCheckpoints.open({ database, session, signing: undefined, warn: () => {} })).toBeUndefined();
});
