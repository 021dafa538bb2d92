import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createCaller } from '../procedures/index.ts';
import { Session } from '../database/session.ts';
import { SCOPES } from '../entities/api-key/scope.ts';
import { readStatement } from '../entities/statements/define-statement.ts';
import { operatorPrincipal } from '../entities/principal.ts';
import { openPostgreSql } from '../database/postgresql/open.ts';
import { loadSettings } from '../server/config/settings.ts';
import { startService } from '../server/process/service.ts';
import { createLog } from '../server/telemetry/log.ts';
import { Pool } from 'pg';
import { addMember } from './member.ts';

// Benchmark of the change feed over HTTP: events per second of a reader that catches up, page by page and as NDJSON, and the
// time from the response to a change to the arrival of its event at a waiting reader and at a webhook.
// Run with DATABASE_URL=postgresql://… npm run bench:feed. It takes less than a minute.

const CHANGES_BEFORE_CATCH_UP = 5000;
/** Milliseconds between two changes while the delay is measured. */
const CHANGE_INTERVAL_MS = 50;
/** Milliseconds between two reads of the inbox. */
const INBOX_POLL_MS = 10;

const listItems = readStatement<object, { id: string }>(
  'bench.items',
  'select resource_id as id from inbox_item',
  'all companies',
);

interface Assigned {
  framework: number;
  assigneeId: string;
}

const Page = z.object({
  items: z.array(z.object({ resource: z.object({ uniqueId: z.string() }) })),
  cursor: z.string(),
  more: z.boolean(),
});

const Delivery = z.object({ data: z.object({ resource: z.object({ uniqueId: z.string() }) }) });

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '15' } } });
const { databaseUrl, ...settings } = loadSettings();
if (databaseUrl === undefined) throw new Error('DATABASE_URL: required');
const print = (line: string) => void process.stdout.write(`${line}\n`);

const databaseName = `bench_feed_${Date.now()}`;
const url = new URL(databaseUrl);
url.pathname = `/${databaseName}`;
const admin = new Pool({ connectionString: databaseUrl, max: 1 });
await admin.query(`create database ${databaseName}`);
const dataDir = await mkdtemp(join(tmpdir(), 'bench-feed-'));
const log = createLog('warn');
const service = await startService(
  {
    ...settings,
    databaseUrl: url.href,
    dataDir,
    port: 0,
    rateLimitPerMinute: 0,
    encryptionKey: randomBytes(32).toString('base64'),
    webhookAllowPrivate: true,
  },
  log,
);
const database = await openPostgreSql(url.href);
try {
  const session = (company: number | null) =>
    new Session(database, company === null ? null : operatorPrincipal(company), 'bench');
  const caller = (company: number | null) =>
    createCaller({ requestId: 'bench', caller: 'operator', address: null, session: session(company) }).management;
  const { id } = await caller(null).company.create({ name: 'Bench' });
  const { key } = await caller(id).apiKey.create({ name: 'Bench', scopes: [...SCOPES] });
  await measureThroughput(key);
  const { id: framework } = await caller(id).framework.create({ name: 'ISO 27001' });
  await measureDelays(key, { framework, assigneeId: await addMember(database, id, 'Ann') });
} finally {
  await service.stop();
  await database.close();
  await admin.query(`drop database ${databaseName} with (force)`);
  await admin.end();
  await rm(dataDir, { recursive: true });
}

function request(key: string, path: string, init: RequestInit = {}) {
  return fetch(service.url + path, { ...init, headers: { 'X-API-Key': key, ...Object(init.headers) } });
}

async function listChanges(key: string, query: string) {
  return Page.parse(await (await request(key, `/external/changes?${query}`)).json());
}

async function create(key: string, path: string, body: object): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await request(key, path, { method: 'POST', headers, body: JSON.stringify(body) });
  return z.object({ uniqueId: z.string() }).parse(await response.json()).uniqueId;
}

async function measureThroughput(key: string): Promise<void> {
  const writers = Array.from({ length: 16 }, async () => {
    for (let count = 0; count < CHANGES_BEFORE_CATCH_UP / 16; count++)
      await create(key, '/external/smart-inventory/vendor/new', { name: 'Cloud Ltd' });
  });
  await Promise.all(writers);
  await wait(3000); // the jobs seal the rest
  for (const limit of [100, 500]) {
    const start = performance.now();
    let count = 0;
    for (let query = `limit=${limit}`, more = true; more;) {
      const page = await listChanges(key, query);
      count += page.items.length;
      query = `limit=${limit}&cursor=${page.cursor}`;
      ({ more } = page);
    }
    report(`pages of ${limit}`, count, start);
  }
  const start = performance.now();
  const lines = await (await request(key, '/external/changes', { headers: { Accept: 'application/x-ndjson' } })).text();
  report('NDJSON', lines.split('\n').length - 2, start);
}

function report(name: string, count: number, start: number): void {
  print(`${name}: ${count} events, ${Math.round((count / (performance.now() - start)) * 1000)} per second`);
}

/** Times by the id of a resource. */
const newTimes = () => new Map<string, number>();

/** Records the arrival of items of tasks in the only inbox, until the signal. */
async function watchInbox(arrivedAt: Map<string, number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const rows = await new Session(database, null, 'bench').run(listItems, {});
    for (const { id } of rows) if (!arrivedAt.has(id)) arrivedAt.set(id, performance.now());
    await wait(INBOX_POLL_MS);
  }
}

/** Creates tasks that are assigned to a member, and measures the time until each reaches the feed, a webhook and the inbox. */
async function measureDelays(key: string, { framework, assigneeId }: Assigned): Promise<void> {
  const changedAt = new Map<string, number>();
  const arrivedAt = { feed: newTimes(), webhook: newTimes(), inbox: newTimes() };
  const receive = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { data } = Delivery.parse(JSON.parse(await text(incoming)));
    arrivedAt.webhook.set(data.resource.uniqueId, performance.now());
    response.writeHead(204).end();
  };
  const receiver = createServer((incoming, response) => void receive(incoming, response));
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  await createWebhook(key, receiver);
  const end = performance.now() + Number(options.seconds) * 1000;
  let { cursor } = await listChanges(key, 'from=now');
  const inbox = new AbortController();
  const watching = watchInbox(arrivedAt.inbox, inbox.signal);
  const writer = (async () => {
    while (performance.now() < end) {
      const task = { title: 'Review', assigneeId };
      changedAt.set(await create(key, `/external/task/framework/${framework}/new`, task), performance.now());
      await wait(CHANGE_INTERVAL_MS);
    }
  })();
  const hasAll = () => Object.values(arrivedAt).every(({ size }) => size >= changedAt.size);
  while (performance.now() < end || !hasAll()) {
    const page = await listChanges(key, `wait=2&limit=500&cursor=${cursor}`);
    ({ cursor } = page);
    for (const { resource } of page.items) arrivedAt.feed.set(resource.uniqueId, performance.now());
  }
  await writer;
  inbox.abort();
  await watching;
  receiver.close();
  for (const [name, times] of Object.entries(arrivedAt)) {
    const delays = [...changedAt].map(([uniqueId, start]) => (times.get(uniqueId) ?? NaN) - start);
    const sorted = delays.toSorted((one, other) => one - other);
    const quantile = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? NaN);
    const [median, p99, maximum] = [0.5, 0.99, 1].map(quantile);
    print(`${name}, delay of ${sorted.length} events: median ${median} ms, p99 ${p99} ms, maximum ${maximum} ms`);
  }
}

async function createWebhook(key: string, receiver: Server): Promise<void> {
  const { port } = z.object({ port: z.number() }).parse(receiver.address());
  const response = await request(key, '/external/webhook/new', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `http://127.0.0.1:${port}`, events: ['task.create'] }),
  });
  if (!response.ok) throw new Error(`webhook: ${await response.text()}`);
}
