import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { z } from 'zod';
import { databaseDir } from '../server/config/data-dir.ts';
import { loadSettings } from '../server/config/settings.ts';
import { HISTORY_DAYS, seed } from './report/seed.ts';
import { startBenchService } from './service.ts';
import type { BenchService } from './service.ts';

// The report of a framework: its duration, and the longest wait of another request meanwhile. Run
// [DATABASE_URL=postgresql://…] npm run bench:report -- --tasks 20000 --events 10. Without a URL it uses the embedded database.

const { values: options } = parseArgs({
  options: {
    tasks: { type: 'string', default: '20000' },
    /** Events of each task, at least 10. */
    events: { type: 'string', default: '10' },
  },
});
const [tasks, events] = [Number(options.tasks), Number(options.events)];
/** Reports whose median is taken, after one that is not measured. */
const REPORTS = 9;
const READ_INTERVAL_MS = 10;
const QUIET_MS = 10_000;
const DAY_MS = 86_400_000;
/** Days ago of the day with which the reports compare: most events are before it, or after it. */
const SINCE = [1, 30, 90, HISTORY_DAYS - 20];

const { databaseUrl } = loadSettings();
const databaseName = `bench_report_${randomUUID().slice(0, 8)}`;
const admin = databaseUrl === undefined ? undefined : new Pool({ connectionString: databaseUrl, max: 1 });
await admin?.query(`create database ${databaseName}`);
const url = databaseUrl === undefined ? undefined : new URL(databaseUrl);
if (url !== undefined) url.pathname = `/${databaseName}`;
const folder = await mkdtemp(join(tmpdir(), 'bench-report-'));
const start = () => startBenchService(url?.href, { DATA_DIR: folder });
const Id = z.object({ id: z.number() });

try {
  const first = await start();
  const { id: company } = await first.manage('company.create', { name: 'Bench' }, Id);
  const { key } = await first.manage('apiKey.create', { name: 'Bench' }, z.object({ key: z.string() }), company);
  const { id: framework } = await first.manage('framework.create', { name: 'ISO' }, Id, company);
  await first.stop();
  const target = url === undefined ? { folder: databaseDir(folder) } : { url: url.href };
  await seed(target, { company, framework, tasks, events });
  const service = await start();
  try {
    await wait(QUIET_MS);
    for (const days of SINCE) await measure(service, { key, framework, days });
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
  await admin?.query(`drop database ${databaseName} with (force)`);
  await admin?.end();
}

async function measure(
  service: BenchService,
  { key, framework, days }: { key: string; framework: number; days: number },
) {
  const since = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  const get = async (path: string): Promise<number> => {
    const sentAt = performance.now();
    const response = await fetch(service.url + path, { headers: { 'X-API-Key': key } });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return performance.now() - sentAt;
  };
  const report = () => get(`/external/framework/${framework}/report?since=${since}`);
  const first = await report();
  const cpuBefore = await service.cpuMs();
  for (let count = 0; count < REPORTS; count += 1) await report();
  const cpuMs = Math.round(((await service.cpuMs()) - cpuBefore) / REPORTS);
  const durations: number[] = [];
  const waits: number[] = [];
  for (let count = 0; count < REPORTS; count += 1) {
    const state = { ended: false };
    const reads = async () => {
      while (!state.ended) {
        waits.push(await get('/external/smart-inventory/vendor/list?limit=1'));
        await wait(READ_INTERVAL_MS);
      }
    };
    const measured = report().finally(() => (state.ended = true));
    const [ms] = await Promise.all([measured, reads()]);
    durations.push(ms);
  }
  const sorted = durations.toSorted((one, other) => one - other).map(Math.round);
  const figures = { first: Math.round(first), median: sorted[(REPORTS - 1) / 2], worst: sorted.at(-1) };
  const read = { count: waits.length, worst: Math.round(Math.max(...waits)) };
  process.stdout.write(`${JSON.stringify({ daysAgo: days, reportMs: figures, cpuMs, readMs: read })}\n`);
}
