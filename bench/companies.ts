import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { LoadData, Request } from './load.ts';
import type { BenchService } from './service.ts';

// One company sends expensive requests, eight at a time, while another one reads a list of ten tasks. Prints how long the reads take.

const TASKS = 50_000;
const CONCURRENT = 8;
const DURATION_MS = 5000;
/** Time for the load to begin, before the first read. */
const WARM_UP_MS = 500;
const INTERVAL_MS = 20;
const CALLS_OF_A_BATCH = 20;
const ITEMS_OF_A_BATCH = 100;

/** A company with a framework of `tasks` tasks, and a key. */
interface Company {
  id: number;
  framework: number;
  headers: Record<string, string>;
}

/** Measures each kind of expensive requests, beginning with none. */
export async function measureCompanies(service: BenchService): Promise<void> {
  const busy = await createCompany(service, 'Busy', TASKS);
  const other = await createCompany(service, 'Other', 10);
  const url = `${service.url}/external/task/framework/${other.framework}/list?limit=10`;
  const read: Request = { url, headers: other.headers };
  for (const [name, request] of [['nothing', undefined], ...Object.entries(expensiveRequests(service, busy))] as const)
    await measure(name, request, read);
}

const encode = (input: object) => encodeURIComponent(JSON.stringify(input));

function expensiveRequests({ url, managementHeaders }: BenchService, { id, framework, headers }: Company) {
  const search = { q: 'appears in no task', limit: 10 };
  const calls = Array.from({ length: CALLS_OF_A_BATCH }, () => 'task.listAll').join(',');
  const searches = Object.fromEntries(Array.from({ length: CALLS_OF_A_BATCH }, (_, index) => [index, search]));
  const json = { 'Content-Type': 'application/json' };
  const batchOf = (description: string) => ({
    url: `${url}/external/task/batch`,
    headers: { ...headers, ...json },
    body: JSON.stringify({
      items: Array.from({ length: ITEMS_OF_A_BATCH }, (_, index) => ({
        op: 'create',
        framework,
        body: { title: `Task ${index}`, description },
      })),
    }),
  });
  return {
    'searches {q}': { url: `${url}/trpc/task.listAll?input=${encode(search)}`, headers },
    'searches {label}': {
      url: `${url}/trpc/task.listAll?input=${encode({ label: 'review', limit: 10 })}`,
      headers,
    },
    [`tRPC batches of ${CALLS_OF_A_BATCH} searches`]: {
      url: `${url}/trpc/${calls}?batch=1&input=${encode(searches)}`,
      headers,
    },
    'batches of 100 tasks with 2,000 tags each': batchOf('<a href="/a">a</a>'.repeat(1000)),
    'batches of 100 tasks with 6,600 tags each': batchOf('<b>'.repeat(6600)),
    'audit.verify': {
      url: `${url}/trpc/management.audit.verify`,
      headers: { ...managementHeaders, ...json, 'X-Company-Id': String(id) },
      body: '{}',
    },
  } satisfies Record<string, Request>;
}

/** Reads at an interval while a thread sends `request` eight at a time, and prints the waits in milliseconds. */
async function measure(load: string, request: Request | undefined, read: Request): Promise<void> {
  const loading = request === undefined ? undefined : sendInThread(request);
  await wait(WARM_UP_MS);
  const endsAt = performance.now() + DURATION_MS;
  const statuses: Record<number, number> = {};
  const waits: number[] = [];
  while (performance.now() < endsAt) {
    const sentAt = performance.now();
    const response = await fetch(read.url, { headers: read.headers });
    await response.arrayBuffer();
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    waits.push(performance.now() - sentAt);
    await wait(INTERVAL_MS);
  }
  const sent = await loading;
  const sorted = waits.toSorted((one, other) => one - other);
  const quantile = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10;
  const figures = { reads: waits.length, median: quantile(0.5), p99: quantile(0.99), unavailable: statuses[503] ?? 0 };
  process.stdout.write(`${JSON.stringify({ load, ...figures, sent })}\n`);
}

/** Sends a request from another thread, so that large bodies do not delay the reads of this one. Returns the counts by status. */
function sendInThread(request: Request): Promise<unknown> {
  const workerData: LoadData = { request, concurrent: CONCURRENT, durationMs: WARM_UP_MS + DURATION_MS };
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  new Worker(new URL('load.ts', import.meta.url), { workerData }).once('message', resolve).once('error', reject);
  return promise;
}

async function createCompany({ url, manage }: BenchService, name: string, tasks: number): Promise<Company> {
  const { id } = await manage('company.create', { name }, z.object({ id: z.number() }));
  const { key } = await manage('apiKey.create', { name: 'Bench' }, z.object({ key: z.string() }), id);
  const framework = await manage('framework.create', { name: 'ISO' }, z.object({ id: z.number() }), id);
  const headers = { 'X-API-Key': key };
  const rows = Array.from(
    { length: tasks },
    (_, index) => `Task ${index},Check who has access ${'x'.repeat(100)},"[""review""]"\r\n`,
  );
  const accepted = await fetch(`${url}/external/task/framework/${framework.id}/import`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'text/csv' },
    body: `title,description,labels\r\n${rows.join('')}`,
  });
  const location = url + String(accepted.headers.get('location'));
  const Import = z.object({ state: z.string(), created: z.number() });
  for (;;) {
    await wait(500);
    const { state, created } = Import.parse(await (await fetch(location, { headers })).json());
    if (state === 'failed' || (state === 'done' && created < tasks)) throw new Error(`import: ${state}`);
    if (state === 'done') return { id, framework: framework.id, headers };
  }
}
