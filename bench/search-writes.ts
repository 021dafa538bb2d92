import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { loadSettings } from '../server/config/settings.ts';
import { cpuMs, startBenchService } from './service.ts';

// What the search costs each write: CPU of the service and PostgreSQL for tasks that are created and changed while nothing indexes them,
// and then for their documents alone. Run DATABASE_URL=postgresql://… npm run bench:search-writes.

const { values: options } = parseArgs({
  options: { writes: { type: 'string', default: '4000' }, rounds: { type: 'string', default: '5' } },
});
const CONCURRENT = 16;
const { databaseUrl } = loadSettings();
if (databaseUrl === undefined) throw new Error('DATABASE_URL: required');
const databaseName = `bench_search_${randomUUID().slice(0, 8)}`;
const admin = new Client({ connectionString: databaseUrl });
await admin.connect();
await admin.query(`create database ${databaseName}`);
const url = new URL(databaseUrl);
url.pathname = `/${databaseName}`;
const owner = new Client({ connectionString: url.href });
const Id = z.object({ id: z.number() });

const service = await startBenchService(url.href);
try {
  await owner.connect();
  const { id: company } = await service.manage('company.create', { name: 'Bench' }, Id);
  const { key } = await service.manage('apiKey.create', { name: 'Bench' }, z.object({ key: z.string() }), company);
  const { id: framework } = await service.manage('framework.create', { name: 'ISO' }, Id, company);
  await owner.query(`select set_config('app.company', $1, false)`, [String(company)]);
  const send = async (method: string, path: string, body: object) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const response = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return z.object({ uniqueId: z.string() }).parse(JSON.parse(text)).uniqueId;
  };
  const words =
    'access review of the policy for backups systems owners rights incident supplier risk asset key log'.split(' ');
  const sentence = (count: number) =>
    Array.from({ length: count }, () => words[Math.floor(Math.random() * words.length)]).join(' ');
  const write = async () => {
    const text = { title: `${sentence(5)} ${randomUUID().slice(0, 4)}`, description: `<p>${sentence(30)}</p>` };
    const task = await send('POST', `/external/task/framework/${framework}/new`, text);
    await send('PATCH', `/external/task/${task}/edit`, { status: 'in_progress' });
  };
  const writeAll = async () => {
    let left = Number(options.writes) / 2;
    const worker = async () => {
      while (left-- > 0) await write();
    };
    await Promise.all(Array.from({ length: CONCURRENT }, worker));
  };
  const postgresMs = async () => {
    const { rows } = await admin.query<{ pid: number }>('select pid from pg_stat_activity where datname = $1', [
      databaseName,
    ]);
    const times = await Promise.all(rows.map(({ pid }) => cpuMs(pid)));
    return times.reduce((sum, ms) => sum + ms, 0);
  };
  const behind = async () => {
    const { rows } = await owner.query<{ seals: string }>(
      `select (select count(*) from audit_event where company_id = $1) - (select position from search_reader where company_id = $1) as seals`,
      [company],
    );
    return Number(rows[0]?.seals);
  };
  const times = async () => [await service.cpuMs(), await postgresMs()];
  /** Microseconds of CPU for a write, of the service and of PostgreSQL. */
  const cpuOf = async (work: () => Promise<unknown>) => {
    const before = await times();
    await work();
    return (await times()).map((ms, index) =>
      Math.round((1000 * (ms - (before[index] ?? 0))) / Number(options.writes)),
    );
  };
  const lease = (until: string | null) =>
    owner.query('update search_reader set lease_until = $2 where company_id = $1', [company, until]);
  for (let round = 0; round < Number(options.rounds); round += 1) {
    await lease('infinity');
    const writes = await cpuOf(writeAll);
    const indexing = await cpuOf(async () => {
      await lease(null);
      while ((await behind()) > 0) await wait(250);
    });
    process.stdout.write(`${JSON.stringify({ writes, indexing })}\n`);
  }
} finally {
  await service.stop();
  await owner.end();
  await admin.query(`drop database ${databaseName} with (force)`);
  await admin.end();
}
