import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';
import { startHostilePeer } from '../support/servers/hostile-peer.ts';
import type { Behavior } from '../support/servers/hostile-peer.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';

const OPERATOR_TOKEN = 'x'.repeat(40);

/** Settings of a service with a database of its own, until the end of the test. */
async function createSettings(): Promise<Record<string, string>> {
  const settings = {
    OPERATOR_TOKEN,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  if (ownerUrl === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return { ...settings, DATA_DIR: join(folder, 'data') };
  }
  const scratch = await createScratchDatabase(ownerUrl);
  onTestFinished(scratch.drop);
  return { ...settings, DATABASE_URL: scratch.serviceUrl, MIGRATION_DATABASE_URL: scratch.url };
}

async function post<Body>(url: string, headers: Record<string, string>, body?: unknown): Promise<Body> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return JSON.parse((await response.text()) || 'null') as Body;
}

test('SIGTERM ends a process with deliveries in flight to peers that do not respond, and the next one sends them', async () => {
  const settings = await createSettings();
  const first = await startServiceProcess(settings);
  onTestFinished(async () => void (await stopServiceProcess(first, 'SIGKILL')));
  const operator = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
  const company = await post<{ result: { data: { id: number } } }>(
    `${first.url}/trpc/management.company.create`,
    operator,
    { name: 'Acme' },
  );
  const apiKey = await post<{ result: { data: { key: string } } }>(
    `${first.url}/trpc/management.apiKey.create`,
    { ...operator, 'X-Company-Id': String(company.result.data.id) },
    { name: 'Hooks', scopes: [...SCOPES] },
  );
  const key = { 'X-API-Key': apiKey.result.data.key };
  const hang = async (behavior: Behavior) => {
    const peer = await startHostilePeer(behavior);
    const { uniqueId } = await post<{ uniqueId: string }>(`${first.url}/external/webhook/new`, key, { url: peer.url });
    await post(`${first.url}/external/webhook/${uniqueId}/test`, key);
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
  const second = await startServiceProcess(settings);
  onTestFinished(async () => void (await stopServiceProcess(second, 'SIGKILL')));
  await expect.poll(silent.connections).toBeGreaterThan(connections);
  expect(await stopServiceProcess(second)).toBe(0);
});
