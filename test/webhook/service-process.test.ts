import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createMigratedDatabase } from '../support/database/migrated-database.ts';
import { callManagement } from '../support/http/client.ts';
import { http } from '../support/http/server.ts';
import { startHostilePeer } from '../support/servers/hostile-peer.ts';
import type { Behavior } from '../support/servers/hostile-peer.ts';
import { startService, stopServiceProcess } from '../support/servers/service-process.ts';
import { startReceiver } from '../support/tenants/webhooks.ts';

/** Settings of a service with a database of its own, until the end of the test. */
async function createSettings(): Promise<Record<string, string>> {
  const settings = { WEBHOOK_ALLOW_PRIVATE: 'true', ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  if (ownerUrl === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return { ...settings, DATA_DIR: join(folder, 'data') };
  }
  const scratch = await createMigratedDatabase(ownerUrl);
  onTestFinished(scratch.drop);
  return { ...settings, DATABASE_URL: scratch.serviceUrl, MIGRATION_DATABASE_URL: scratch.url };
}

/** Starts a service, which is killed at the end of the test if it still runs. */
async function start(settings: Record<string, string>) {
  const service = await startService(settings);
  onTestFinished(async () => void (await stopServiceProcess(service, 'SIGKILL')));
  return service;
}

/** Creates a company with a key that has every scope. */
async function createKey(url: string): Promise<string> {
  const { id } = await callManagement<{ id: number }>(url, 'company.create', { name: 'Acme' });
  const input = { name: 'Hooks', scopes: SCOPES };
  return (await callManagement<{ key: string }>(url, 'apiKey.create', input, id)).key;
}

/** Creates an object. @returns its `uniqueId` */
async function create(baseUrl: string, key: string, path: string, body: object): Promise<string> {
  const response = await http('POST', path, { baseUrl, key, body });
  expect(response).toMatchObject({ status: 201 });
  return (response.body as { uniqueId: string }).uniqueId;
}

// On PostgreSQL two processes share a database, and one of them is killed. The embedded database is opened again.
test('kill -9 during a burst loses no event, and an event that is sent twice has the same webhook-id', async () => {
  const settings = await createSettings();
  const killed = await start(settings);
  const survivor = ownerUrl === undefined ? undefined : await start(settings);
  const key = await createKey(killed.url);
  const receiver = await startReceiver();
  await create(killed.url, key, '/external/webhook/new', { url: receiver.url, events: ['vendor.create'] });

  const created: string[] = [];
  const burst = async (url: string, count: number) => {
    for (let index = 0; index < count; index += 1)
      created.push(await create(url, key, '/external/smart-inventory/vendor/new', { name: `Vendor ${index}` }));
  };
  await burst(killed.url, 120);
  await expect.poll(() => receiver.requests.length, { timeout: 60_000, interval: 1 }).toBeGreaterThan(0);
  await stopServiceProcess(killed, 'SIGKILL');
  const { url } = survivor ?? (await start(settings));
  await burst(url, 10);
  // The embedded database waits for the end of the leases.
  if (ownerUrl !== undefined) {
    const client = new Client({ connectionString: settings['MIGRATION_DATABASE_URL'] });
    await client.connect();
    await client.query('update webhook_delivery set next_attempt_at = now() where next_attempt_at is not null');
    await client.end();
  }
  const received = () => new Set(receiver.requests.map(({ body }) => Object(body.data['resource']).uniqueId as string));
  await expect.poll(() => received().size, { timeout: 150_000 }).toBe(created.length);
  expect(received()).toEqual(new Set(created));
  expect(new Set(receiver.ids()).size).toBe(created.length);
  expect(receiver.requests.length).toBeLessThan(2 * created.length);
});

test('SIGTERM ends a process with deliveries in flight to peers that do not respond, and the next one sends them', async () => {
  const settings = await createSettings();
  const first = await start(settings);
  const key = await createKey(first.url);
  const hang = async (behavior: Behavior) => {
    const peer = await startHostilePeer(behavior);
    const uniqueId = await create(first.url, key, '/external/webhook/new', { url: peer.url });
    const sent = await http('POST', `/external/webhook/${uniqueId}/test`, { baseUrl: first.url, key });
    expect(sent).toMatchObject({ status: 202 });
    await expect.poll(peer.connections).toBeGreaterThan(0);
    return peer;
  };
  const switching = await hang('switches protocols');
  const silent = await hang('never responds');
  const slow = await hang('sends headers slowly');
  const areOpen = () => [switching, silent, slow].map((peer) => peer.openConnections() > 0);
  await expect.poll(areOpen).toEqual([false, true, true]);

  // A process that waits for a delivery for too long ends with status 1.
  expect(await stopServiceProcess(first)).toBe(0);

  // The lease of a delivery that was not released would last a minute.
  const connections = silent.connections();
  const second = await start(settings);
  await expect.poll(silent.connections).toBeGreaterThan(connections);
  expect(await stopServiceProcess(second)).toBe(0);
});
