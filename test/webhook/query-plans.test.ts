import { expect } from 'vitest';
import { claimDeliveries, fanOut, findSendingCompanies } from '../../entities/webhook/sending.ts';
import { test } from '../support/fixtures/test.ts';
import { explain, planNodes, sql, tamper } from '../support/database/database.ts';
import { insertEvents, insertSeals } from '../support/tenants/feed.ts';
import { createWebhookKey } from '../support/tenants/webhooks.ts';

// The fan-out joins 200 events of each endpoint: on a table as small as here, PostgreSQL rightly scans the events.
const BIG_TABLES = ['webhook_delivery', 'audit_seal'];

test('100,000 deliveries of a dead endpoint: each step of the sender reads them with an index', async ({ acme }) => {
  const { caller } = await createWebhookKey(acme);
  const { uniqueId } = await caller.webhook.create({ url: 'http://127.0.0.1:9/' });
  await insertEvents(acme, 20_000);
  await insertSeals(acme);
  await tamper(
    `insert into webhook_delivery (company_id, webhook_id, message_id, sequence, type, event_id, attempts, next_attempt_at)
     select ${acme.id}, '${uniqueId}', uuid_v7(), i, 'task.update', i, 3, now() - i * interval '1 ms' from generate_series(1, 100000) i`,
  );
  for (const table of ['webhook', 'audit_event', ...BIG_TABLES]) await sql(`analyze ${table}`);
  const session = { company: acme.id, user: acme.apiKey.user.uniqueId, key: null, request: 'explain' };
  const plans = {
    companies: await explain(findSendingCompanies, {}, session),
    fanOut: await explain(fanOut, {}, session),
    claim: await explain(claimDeliveries, { busy: [uniqueId], counts: [3], perWebhook: 16, room: 44 }, session),
  };
  for (const [step, plan] of Object.entries(plans)) {
    const scans = planNodes(plan).filter((node) => BIG_TABLES.includes(node['Relation Name'] ?? ''));
    const sequential = scans.filter((node) => node['Node Type'] === 'Seq Scan');
    expect({ step, hasScans: scans.length > 0, sequential }).toEqual({ step, hasScans: true, sequential: [] });
  }
  const claims = planNodes(plans.claim).map((node) => node['Index Name']);
  expect(claims).toContain('webhook_delivery_due');
});
