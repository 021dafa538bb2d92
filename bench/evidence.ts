import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Pool } from 'pg';
import { z } from 'zod';
import { loadSettings } from '../server/config/settings.ts';
import { startBenchService } from './service.ts';
import { startPlainServer, uploadFiles } from './evidence/uploads.ts';

// Benchmark of uploads: this service and a plain server that only writes to the disk get the same files by turns. Prints MiB per
// second of both, the reads of a task meanwhile, memory during many uploads at once, and connections to PostgreSQL.
// Run [DATABASE_URL=postgresql://…] npm run bench:evidence. It takes about two minutes and 10 GB of disk.

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '12' },
    clients: { type: 'string', default: '4' },
    mebibytes: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
    atOnce: { type: 'string', default: '20' },
  },
});
const [files, clients, mebibytes] = [Number(options.files), Number(options.clients), Number(options.mebibytes)];
const SAMPLE_MS = 50;
const QUIET_MS = 6000;
const print = (figures: object) => void process.stdout.write(`${JSON.stringify(figures)}\n`);
const rounded = (value: number) => Math.round(value * 100) / 100;
const median = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
const quantile = (values: number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.ceil(share * values.length) - 1] ?? 0;

const { databaseUrl } = loadSettings();
const databaseName = `bench_evidence_${randomUUID().slice(0, 8)}`;
const admin = databaseUrl === undefined ? undefined : new Pool({ connectionString: databaseUrl, max: 1 });
await admin?.query(`create database ${databaseName}`);
const url = databaseUrl === undefined ? undefined : new URL(databaseUrl);
if (url !== undefined) url.pathname = `/${databaseName}`;
const service = await startBenchService(url?.href, { EVIDENCE_QUOTA_BYTES: String(100 * 1024 ** 3) });
const plain = await startPlainServer();
const setup = await createTask();
const reader = new Worker(new URL('evidence/reader.ts', import.meta.url), {
  workerData: { url: setup.taskUrl, key: setup.key },
});
try {
  await measure();
} finally {
  await reader.terminate();
  await Promise.all([service.stop(), plain.stop()]);
  await admin?.query(`drop database ${databaseName} with (force)`);
  await admin?.end();
}

async function createTask() {
  const Id = z.object({ id: z.number() });
  const { id: company } = await service.manage('company.create', { name: 'Bench' }, Id);
  const newKey = { name: 'Bench', scopes: ['task:read', 'task:write', 'evidence:read', 'evidence:write'] };
  const { key } = await service.manage('apiKey.create', newKey, z.object({ key: z.string() }), company);
  const framework = await service.manage('framework.create', { name: 'ISO' }, Id, company);
  const created = await fetch(`${service.url}/external/task/framework/${framework.id}/new`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: '{"title":"Review access rights"}',
  });
  const { uniqueId } = z.object({ uniqueId: z.string() }).parse(await created.json());
  return {
    key,
    taskUrl: service.url + String(created.headers.get('location')),
    newEvidence: `${service.url}/external/task/${uniqueId}/evidence/new?name=File`,
  };
}

/** Uploads files to the service. @returns MiB per second */
function toService(amount: { files: number; clients: number; mebibytes: number }): Promise<number> {
  return uploadFiles((index) => `${setup.newEvidence}-${index}`, { 'X-API-Key': setup.key }, amount);
}

async function measure(): Promise<void> {
  await wait(1000);
  await takeReads(); // those before the code is compiled
  await wait(QUIET_MS);
  const quiet = await takeReads();
  const rates: { service: number; plain: number; ratio: number }[] = [];
  const busy: number[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    await takeReads();
    const rate = await toService({ files, clients, mebibytes });
    busy.push(...(await takeReads()));
    const other = await uploadFiles(() => plain.url, {}, { files, clients, mebibytes });
    rates.push({ service: rounded(rate), plain: rounded(other), ratio: rounded(rate / other) });
  }
  print({ database: databaseUrl === undefined ? 'embedded' : 'PostgreSQL', files, clients, mebibytes });
  print({ mibPerSecond: rates, ratio: median(rates.map(({ ratio }) => ratio)) });
  const p99 = { quiet: quantile(quiet, 0.99), uploads: quantile(busy, 0.99) };
  print({
    readsP99Ms: { quiet: rounded(p99.quiet), uploads: rounded(p99.uploads) },
    times: rounded(p99.uploads / p99.quiet),
  });
  await measureResources(() =>
    toService({ files: Number(options.atOnce), clients: Number(options.atOnce), mebibytes }),
  );
}

async function takeReads(): Promise<number[]> {
  const taken = once(reader, 'message');
  reader.postMessage(null, []);
  return z.tuple([z.array(z.number())]).parse(await taken)[0];
}

/** Prints the largest memory and number of connections during uploads at once. */
async function measureResources(work: () => Promise<unknown>): Promise<void> {
  const before = await service.residentMiB();
  let [peak, connections] = [before, 0];
  const state = { ended: false };
  const ended = work().finally(() => (state.ended = true));
  while (!state.ended) {
    peak = Math.max(peak, await service.residentMiB());
    const result = await admin?.query<{ busy: number }>(
      `select count(*)::int as busy from pg_stat_activity where datname = $1 and state <> 'idle'`,
      [databaseName],
    );
    connections = Math.max(connections, result?.rows[0]?.busy ?? 0);
    await wait(SAMPLE_MS);
  }
  await ended;
  const memory = { before: Math.round(before), peak: Math.round(peak), growth: Math.round(peak - before) };
  print({ uploadsAtOnce: Number(options.atOnce), residentMiB: memory, ...(admin && { busyConnections: connections }) });
}
