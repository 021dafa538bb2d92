import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { startReceiver } from '../support/tenants/webhooks.ts';

// On PostgreSQL two processes share a database, and one of them is killed. The embedded database is opened again.

const OPERATOR_TOKEN = 'x'.repeat(40);
const VENDORS = 120;

let settings: Record<string, string>;
let drop: () => Promise<void>;
let endLeases = async () => {};
const running: ServiceProcess[] = [];
const start = async () => {
  const service = await startServiceProcess(settings);
  running.push(service);
  return service;
};
beforeAll(async () => {
  settings = {
    OPERATOR_TOKEN,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_MINUTE: '0',
  };
  if (ownerUrl === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
    settings['DATA_DIR'] = join(folder, 'data');
    drop = () => rm(folder, { recursive: true });
    return;
  }
  const scratch = await createScratchDatabase(ownerUrl);
  Object.assign(settings, { DATABASE_URL: scratch.serviceUrl, MIGRATION_DATABASE_URL: scratch.url });
  ({ drop } = scratch);
  endLeases = async () => {
    const client = new Client({ connectionString: scratch.url });
    await client.connect();
    await client.query('update webhook_delivery set next_attempt_at = now() where next_attempt_at is not null');
    await client.end();
  };
});
afterAll(async () => {
  for (const service of running) await stopServiceProcess(service, 'SIGKILL');
  await drop();
});

const post = async (url: string, headers: Record<string, string>, body: unknown) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text) as { uniqueId: string; result: { data: { id: number; key: string } } };
};

test('kill -9 during a burst loses no event, and an event that is sent twice has the same webhook-id', async () => {
  const killed = await start();
  const survivor = ownerUrl === undefined ? undefined : await start();
  const operator = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
  const company = await post(`${killed.url}/trpc/management.company.create`, operator, { name: 'Acme' });
  const inCompany = { ...operator, 'X-Company-Id': String(company.result.data.id) };
  const apiKey = await post(`${killed.url}/trpc/management.apiKey.create`, inCompany, {
    name: 'Hooks',
    scopes: [...SCOPES],
  });
  const key = { 'X-API-Key': apiKey.result.data.key };
  const receiver = await startReceiver();
  await post(`${killed.url}/external/webhook/new`, key, { url: receiver.url, events: ['vendor.create'] });

  const created: string[] = [];
  const burst = async (url: string, count: number) => {
    for (let index = 0; index < count; index += 1) {
      const { uniqueId } = await post(`${url}/external/smart-inventory/vendor/new`, key, { name: `Vendor ${index}` });
      created.push(uniqueId);
    }
  };
  await burst(killed.url, VENDORS);
  await expect.poll(() => receiver.requests.length, { timeout: 60_000, interval: 1 }).toBeGreaterThan(0);
  await stopServiceProcess(killed, 'SIGKILL');
  const { url } = survivor ?? (await start());
  await burst(url, 10);
  await endLeases();
  const received = () => new Set(receiver.requests.map(({ body }) => Object(body.data['resource']).uniqueId as string));
  // The embedded database waits for the end of the leases.
  await expect.poll(() => received().size, { timeout: 150_000 }).toBe(created.length);
  expect(received()).toEqual(new Set(created));
  expect(new Set(receiver.ids()).size).toBe(created.length);
  expect(receiver.requests.length).toBeLessThan(2 * created.length);
});
