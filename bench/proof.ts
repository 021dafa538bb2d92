import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Pool } from 'pg';
import { z } from 'zod';
import { loadSettings } from '../server/config/settings.ts';
import { startBenchService } from './service.ts';

// Benchmark of a proof: time, size, memory of the service, and the reads of a task meanwhile. Run
// [DATABASE_URL=postgresql://…] npm run bench:proof -- --tasks 100000 --events 5 --mebibytes 1024. A tenth of that is the default.

const { values: options } = parseArgs({
  options: {
    tasks: { type: 'string', default: '10000' },
    /** Events of each task. */
    events: { type: 'string', default: '5' },
    mebibytes: { type: 'string', default: '100' },
  },
});
const [tasks, events, mebibytes] = [Number(options.tasks), Number(options.events), Number(options.mebibytes)];
const FILE_MIB = 10;
const SAMPLE_MS = 50;
const QUIET_MS = 10_000;
const print = (figures: object) => void process.stdout.write(`${JSON.stringify(figures)}\n`);
const rounded = (value: number) => Math.round(value * 100) / 100;
const quantile = (values: number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.ceil(share * values.length) - 1] ?? 0;

const Item = z.object({ uniqueId: z.string(), state: z.string(), reason: z.string().nullable() });

const { databaseUrl } = loadSettings();
const databaseName = `bench_proof_${randomUUID().slice(0, 8)}`;
const admin = databaseUrl === undefined ? undefined : new Pool({ connectionString: databaseUrl, max: 1 });
await admin?.query(`create database ${databaseName}`);
const url = databaseUrl === undefined ? undefined : new URL(databaseUrl);
if (url !== undefined) url.pathname = `/${databaseName}`;
const { privateKey } = generateKeyPairSync('ed25519');
const SIGNING_KEY = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
const service = await startBenchService(url?.href, url === undefined ? {} : { SIGNING_KEY });
try {
  await measure();
} finally {
  await service.stop();
  await admin?.query(`drop database ${databaseName} with (force)`);
  await admin?.end();
}

async function measure(): Promise<void> {
  const Id = z.object({ id: z.number() });
  const { id: company } = await service.manage('company.create', { name: 'Bench' }, Id);
  const scopes = [
    'task:read',
    'task:write',
    'vendor:read',
    'audit:read',
    'member:read',
    'evidence:read',
    'evidence:write',
  ];
  const newKey = { name: 'Bench', scopes };
  const { key } = await service.manage('apiKey.create', newKey, z.object({ key: z.string() }), company);
  const { id: framework } = await service.manage('framework.create', { name: 'ISO' }, Id, company);
  const send = async (method: string, path: string, body?: string | Buffer, type = 'application/json') => {
    const headers = { 'X-API-Key': key, ...(body !== undefined && { 'Content-Type': type }) };
    const response = await fetch(service.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const ended = async (path: string) => {
    for (;;) {
      const response = await fetch(service.url + path, { headers: { 'X-API-Key': key } });
      await wait(200);
      if (response.status === 503) continue; // the database is busy
      const item = Item.parse(await response.json());
      if (item.state === 'done') return item;
      if (item.state === 'failed') throw new Error(`${path}: ${item.reason}`);
    }
  };
  for (let version = 1; version <= events; version += 1) {
    const rows = Array.from({ length: tasks }, (_, index) =>
      JSON.stringify({
        externalId: `T-${index}`,
        title: `Review ${index}, version ${version}`,
        priority: 1 + (version % 4),
      }),
    );
    const path = `/external/task/framework/${framework}/import?source=bench&mode=merge`;
    const { headers } = await send('POST', path, rows.join('\n'), 'application/x-ndjson');
    await ended(String(headers.get('location')));
  }
  const found = await (await send('GET', `/external/task/framework/${framework}/by/bench/T-0`)).json();
  const { uniqueId } = z.object({ uniqueId: z.string() }).parse(found);
  for (let file = 0; file * FILE_MIB < mebibytes; file += 1) {
    const path = `/external/task/${uniqueId}/evidence/new?name=File-${file}`;
    await send('POST', path, randomBytes(FILE_MIB * 1024 * 1024), 'application/octet-stream');
  }
  const reader = new Worker(new URL('evidence/reader.ts', import.meta.url), {
    workerData: { url: `${service.url}/external/task/${uniqueId}/item`, key },
  });
  const takeReads = async () => {
    const taken = once(reader, 'message');
    reader.postMessage(null, []);
    return z.tuple([z.array(z.number())]).parse(await taken)[0];
  };
  await wait(QUIET_MS);
  await takeReads();
  await wait(QUIET_MS);
  const quiet = await takeReads();
  const before = await service.residentMiB();
  let peak = before;
  const sample = async () => (peak = Math.max(peak, await service.residentMiB()));
  const sampler = setInterval(() => void sample(), SAMPLE_MS);
  const start = performance.now();
  const { headers } = await send('POST', '/external/proof/new', '{}');
  const { uniqueId: proof } = await ended(String(headers.get('location')));
  const seconds = (performance.now() - start) / 1000;
  clearInterval(sampler);
  const busy = await takeReads();
  await reader.terminate();
  const content = (await send('HEAD', `/external/proof/${proof}/content`)).headers.get('content-length');
  print({ database: databaseUrl === undefined ? 'embedded' : 'PostgreSQL', tasks, events: tasks * events, mebibytes });
  print({ seconds: rounded(seconds), zipMiB: rounded(Number(content) / 1024 / 1024) });
  print({ memoryMiB: { before: rounded(before), peak: rounded(peak), more: rounded(peak - before) } });
  print({
    readsMs: {
      p99: { quiet: rounded(quantile(quiet, 0.99)), proof: rounded(quantile(busy, 0.99)) },
      max: { quiet: rounded(Math.max(...quiet)), proof: rounded(Math.max(...busy)) },
    },
  });
}
