import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';
import { isRunning, startService, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { sha256Of } from '../support/storage/evidence-files.ts';
import { manage, verify } from '../support/storage/verify.ts';

// On PostgreSQL a process is killed beside another one, and both get requests. The embedded database is opened again after each kill.
const KILLS = Number(process.env['KILLS'] ?? (ownerUrl === undefined ? 6 : 12));
const CLIENTS = 3;
/** Enough of them for what is left when a response is lost: each takes 200 pieces of evidence. */
const VENDORS = 10;
const MAX_PRESENT = 20;
/** Sizes of the files in bytes. The second and the third have several chunks in the database. */
const SIZES = [20_000, 1_200_000, 3_000_000];
/** Contents that several files have, which are also deleted and sent again. */
const SHARED = SIZES.map((size) => randomBytes(size));
const POLL = { timeout: 180_000, interval: 200 };

interface Evidence {
  uniqueId: string;
  sha256: string;
}
async function createSettings() {
  const folder = await mkdtemp(join(tmpdir(), 'files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const settings = { LOG_LEVEL: 'fatal', TMPDIR: folder };
  if (ownerUrl === undefined) return { ...settings, DATA_DIR: join(folder, 'data') };
  const scratch = await createScratchDatabase(ownerUrl);
  onTestFinished(scratch.drop);
  return { ...settings, DATABASE_URL: scratch.serviceUrl, MIGRATION_DATABASE_URL: scratch.url };
}

/** Starts a process. On a busy machine the first attempts may not reach the database in time. */
async function start(settings: Record<string, string>, attempts = 3): Promise<ServiceProcess> {
  const service = await startService(settings).catch((error: unknown) => {
    if (attempts === 1) throw error;
    return start(settings, attempts - 1);
  });
  onTestFinished(async () => void (await stopServiceProcess(service, 'SIGKILL')));
  return service;
}

/** States of files that are not stored. The rows of the embedded database are behind its process. */
async function unfinished({ MIGRATION_DATABASE_URL: connectionString }: Record<string, string>): Promise<string[]> {
  if (connectionString === undefined) return [];
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ state: string }>(`select state from file where state <> 'stored' or uses = 0`);
  await client.end();
  return rows.map(({ state }) => state);
}

test(`kill -9, ${KILLS} times during uploads and deletions: every piece of evidence has its content, and no bytes are left`, async () => {
  const settings = await createSettings();
  let killed = await start(settings);
  const survivor = ownerUrl === undefined ? undefined : await start(settings);
  const urls = () => (survivor === undefined ? [killed.url] : [killed.url, survivor.url]);
  const anyUrl = () => (survivor ?? killed).url;
  const { id: company } = await manage<{ id: number }>(anyUrl(), 'company.create', { name: 'Acme' });
  const newKey = { name: 'Load', scopes: SCOPES };
  const { key } = await manage<{ key: string }>(anyUrl(), 'apiKey.create', newKey, company);
  const request = (url: string, method: string, path: string, body?: Uint8Array<ArrayBuffer> | string) =>
    fetch(url + path, {
      method,
      headers: { 'X-API-Key': key, 'Content-Type': typeof body === 'string' ? 'application/json' : 'text/plain' },
      ...(body !== undefined && { body }),
    });

  /** Sends a request without load, again while the database is busy. */
  const read = (method: string, path: string, body?: string) =>
    vi.waitFor(
      async () => {
        const response = await request(anyUrl(), method, path, body);
        if (!response.ok) throw new Error(`${path}: ${response.status}`);
        return response;
      },
      { timeout: 60_000, interval: 500 },
    );

  const vendors: string[] = [];
  for (let index = 0; index < VENDORS; index += 1) {
    const path = '/external/smart-inventory/vendor/new';
    const response = await read('POST', path, `{"name":"Vendor ${index}"}`);
    vendors.push(((await response.json()) as Evidence).uniqueId);
  }
  const sent = new Set<string>();
  /** SHA-256 of the evidence that must be there. */
  const acknowledged = new Map<string, string>();
  /** Evidence whose deletion has no response yet. */
  const deleting = new Set<string>();
  const deleted: string[] = [];
  let writes = 0;
  let count = 0;

  const upload = async (url: string) => {
    count += 1;
    const size = count % SIZES.length;
    const content = count % 2 === 0 ? SHARED[size] : randomBytes(SIZES[size] ?? 1);
    if (content === undefined) throw new Error('expected a content');
    sent.add(sha256Of(content));
    const path = `/external/smart-inventory/vendor/${vendors[count % VENDORS]}/evidence/new?name=File-${count}`;
    const response = await request(url, 'POST', path, content);
    const body = (await response.json()) as Evidence;
    if (response.status === 503) return;
    if (response.status !== 201) throw new Error(`upload: ${response.status} ${JSON.stringify(body)}`);
    acknowledged.set(body.uniqueId, body.sha256);
    writes += 1;
  };
  const remove = async (url: string, uniqueId: string) => {
    acknowledged.delete(uniqueId);
    deleting.add(uniqueId);
    const { status } = await request(url, 'DELETE', `/external/evidence/${uniqueId}/delete`);
    if (status === 503) return;
    if (status !== 204 && status !== 404) throw new Error(`delete: ${status}`);
    deleting.delete(uniqueId);
    deleted.push(uniqueId);
    writes += 1;
  };

  const ended = new AbortController();
  const errors: unknown[] = [];
  const load = async (client: number) => {
    for (let turn = client; !ended.signal.aborted; turn += 1) {
      const url = urls()[turn % urls().length] ?? '';
      const [old] = [...deleting, ...acknowledged.keys()];
      try {
        if (acknowledged.size + deleting.size > MAX_PRESENT && old !== undefined) await remove(url, old);
        else await upload(url);
      } catch (error) {
        // A killed process sends no response, and the next one is not there yet.
        if (!(error instanceof TypeError)) errors.push(error);
        await wait(20);
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, client) => load(client));
  /** Waits for acknowledged writes after a start, which takes seconds on a busy machine. */
  const expectWrites = async () => {
    const before = writes;
    await expect.poll(() => [writes > before + CLIENTS, errors], POLL).toEqual([true, []]);
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    await expectWrites();
    await wait(Math.random() * 400);
    await stopServiceProcess(killed, 'SIGKILL');
    expect(isRunning(killed)).toBe(false);
    killed = await start(settings);
  }
  await expectWrites();
  ended.abort();
  await Promise.all(clients);
  expect(errors).toEqual([]);

  // Uploads that a killed process left are removed after half a minute without a sign of life.
  await expect.poll(() => verify(anyUrl()), POLL).toMatchObject({ problems: [] });
  await expect.poll(() => unfinished(settings), POLL).toEqual([]);
  const present = new Map<string, string>();
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await read('GET', `/external/evidence/list?limit=100${query}`);
    const page = (await response.json()) as { items: Evidence[]; nextCursor: string | null };
    for (const { uniqueId, sha256 } of page.items) present.set(uniqueId, sha256);
    cursor = page.nextCursor;
  }
  for (const [uniqueId, sha256] of acknowledged) expect(present.get(uniqueId)).toBe(sha256);
  expect(deleted.filter((uniqueId) => present.has(uniqueId))).toEqual([]);
  for (const [uniqueId, sha256] of present) {
    expect(sent).toContain(sha256);
    const response = await read('GET', `/external/evidence/${uniqueId}/content`);
    expect(sha256Of(new Uint8Array(await response.arrayBuffer()))).toBe(sha256);
  }
  // Files that nothing uses are gone too, and equal bytes are there once.
  const files = new Set(present.values()).size;
  await expect.poll(() => verify(anyUrl()), POLL).toEqual({ files, problems: [] });
}, 3_600_000);
