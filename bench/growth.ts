import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { z } from 'zod';
import { endpointsOf } from './growth/endpoints.ts';
import { idleCpu, keyLookUp, measure, sealingLag, verifyLog } from './growth/measure.ts';
import type { Target } from './growth/measure.ts';
import { seed } from './growth/seed.ts';
import type { Size } from './growth/rows.ts';
import { loadSettings } from '../server/config/settings.ts';
import { startBenchService } from './service.ts';

// Measures what the number of rows costs: seeds a small and a large installation in databases of their own, starts a service on
// each, and sends each kind of request to a company of the small one, to one of the same size in the large one, and to the largest.
// Run with DATABASE_URL=postgresql://… npm run bench:growth. The role must be a superuser. The default takes about 30 GB and an hour.

const { values: options } = parseArgs({
  options: {
    companies: { type: 'string', default: '10000' },
    tasks: { type: 'string', default: '10000000' },
    events: { type: 'string', default: '20000000' },
  },
});
const SMALL_COMPANIES = 10;
/** Share of the rows of the large installation that its largest company has. */
const LARGEST = 0.05;

const { databaseUrl } = loadSettings();
if (databaseUrl === undefined) throw new Error('DATABASE_URL: required');
const print = (line: string) => void process.stdout.write(`${line}\n`);
const admin = new Pool({ connectionString: databaseUrl, max: 1 });
const large: Size = {
  companies: Number(options.companies),
  tasks: Number(options.tasks),
  events: Number(options.events),
  largest: LARGEST,
};
/** Companies of the size of the others in the large installation. */
const share = (SMALL_COMPANIES / (large.companies - 1)) * (1 - LARGEST);
const small: Size = {
  companies: SMALL_COMPANIES,
  tasks: Math.round(large.tasks * share),
  events: Math.round(large.events * share),
  largest: 1 / SMALL_COMPANIES,
};

const SETTINGS = { SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) };
/** Starts before the measured one. */
const WARM_STARTS = 2;

const closing: (() => Promise<unknown>)[] = [];
try {
  const one = await install('small', small);
  const many = await install('large', large);
  const targets = [
    { name: 'small installation', ...one, company: one.seeded.other },
    { name: 'large installation', ...many, company: many.seeded.other },
    { name: 'its largest company', ...many, company: many.seeded.largest },
  ] satisfies Target[];
  printRow(['', ...targets.map(({ name, company }) => `${name}: ${company.tasks} tasks, ${company.events} events`)]);
  printRow(['---', ...targets.map(() => '---:')]);
  printRow(['size of the database, GB', ...targets.map(({ gigabytes }) => gigabytes.toFixed(1))]);
  printRow(['start, ms', ...targets.map(({ startMs }) => startMs.toFixed(0))]);
  printRow([
    'key look-up, ms',
    ...(await each(targets, async (target) => (await keyLookUp(target, target.seeded.keys)).toFixed(1))),
  ]);
  printRow([
    'from a change to its seal, ms',
    ...(await each(targets, async (target) => (await sealingLag(target)).toFixed(0))),
  ]);
  printRow([
    'CPU without requests, ms a second',
    ...(await each(targets, async (target) => (await idleCpu(target)).toFixed(0))),
  ]);
  printRow([
    'directory, changes, ms',
    ...(await each(targets, async (target) => (await directoryChanges(target)).toFixed(1))),
  ]);
  const { endpoints, left } = await endpointsOf(one.service.url);
  for (const endpoint of endpoints) {
    const cells = await each(targets, async (target) => {
      try {
        const { p50, cpu } = await measure(target, endpoint);
        return `${p50.toFixed(1)}, ${cpu.toFixed(1)}`;
      } catch (error) {
        return error instanceof Error ? error.message : 'failed';
      }
    });
    printRow([`${endpoint.name}: p50, CPU, ms`, ...cells]);
  }
  printRow([
    'from a change to its seal, ms',
    ...(await each(targets, async (target) => (await sealingLag(target)).toFixed(0))),
  ]);
  const verified = await each(targets, async (target) => {
    const { ms, sealed } = await verifyLog(target);
    return `${(ms / 1000).toFixed(2)} s, ${Math.round(sealed / (ms / 1000))} a second`;
  });
  printRow(['`audit verify`', ...verified]);
  printRow(['memory, MiB', ...(await each(targets, async ({ service }) => (await service.residentMiB()).toFixed(0)))]);
  print(`not measured: ${left.join(', ')}`);
} finally {
  for (const close of closing.toReversed()) await close();
  await admin.end();
}

/** Seeds a database, and starts a service on it. */
async function install(name: string, size: Size) {
  print(`${name}: ${size.companies} companies, ${size.tasks} tasks, ${size.events} events`);
  const database = `bench_growth_${randomUUID().slice(0, 8)}`;
  await admin.query(`create database ${database}`);
  closing.push(() => admin.query(`drop database ${database} with (force)`));
  const url = new URL(String(databaseUrl));
  url.pathname = `/${database}`;
  const seeded = await seed(url.href, size, print);
  const { rows } = await admin.query<{ size: number }>(`select pg_database_size($1)::float8 as size`, [database]);
  const start = async () => {
    const startedAt = performance.now();
    const service = await startBenchService(url.href, SETTINGS);
    return { service, startMs: performance.now() - startedAt };
  };
  for (let count = 0; count < WARM_STARTS; count++) await (await start()).service.stop();
  const { service, startMs } = await start();
  closing.push(() => service.stop());
  return { seeded, service, startMs, databaseUrl: url.href, gigabytes: (rows[0]?.size ?? 0) / 1e9 };
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<string>): Promise<string[]> {
  const results: string[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** Milliseconds of the request that `directory export --follow` sends twice a second; the median of some. */
async function directoryChanges({ service }: Target): Promise<number> {
  const Moment = z.object({ moment: z.unknown() });
  let { moment } = await service.manage('directory.changes', { since: null, after: null }, Moment);
  const times: number[] = [];
  for (let count = 0; count < 11; count++) {
    const startedAt = performance.now();
    ({ moment } = await service.manage('directory.changes', { since: moment, after: null }, Moment));
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((before, after) => before - after)[5] ?? NaN;
}

function printRow(cells: readonly string[]): void {
  print(`| ${cells.join(' | ')} |`);
}
