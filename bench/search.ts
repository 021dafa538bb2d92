import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { z } from 'zod';
import type { OwnerQuery } from '../database/driver.ts';
import { databaseDir } from '../server/config/data-dir.ts';
import { loadSettings } from '../server/config/settings.ts';
import { asOwner } from './report/seed.ts';
import { startBenchService } from './service.ts';
import type { BenchService } from './service.ts';

// The search of a company with many tasks: how long the index of an upgrade takes, what a search takes by the frequency of its words, and
// the longest wait of another request meanwhile. The words are as frequent as those of a language: the n-th one 1/n as often as the
// first. Run [DATABASE_URL=postgresql://…] npm run bench:search -- --tasks 1000000. Without a URL it uses the embedded database.

const { values: options } = parseArgs({ options: { tasks: { type: 'string', default: '50000' } } });
const tasks = Number(options.tasks);
const ROUNDS = 21;
const READ_INTERVAL_MS = 10;
const VOCABULARY = 8000;

const SYLLABLES = 'ba co di fe gu ha jo ki le mu na po ri se tu va wo xi ye zu'.split(' ');
/** Word n of the vocabulary, which has three syllables: in SQL, and as text. */
const syllableSql = (index: string) => `('{${SYLLABLES.join(',')}}'::text[])[1 + ${index} % 20]`;
const wordSql = (n: string) => [n, `${n} / 20`, `${n} / 400`].map((index) => syllableSql(`(${index})`)).join(' || ');
const word = (n: number) => [n, n / 20, n / 400].map((index) => SYLLABLES[Math.floor(index) % 20]).join('');
/** SQL of random words, as frequent as their rank says. */
const randomWords = (count: number, row: string) =>
  `(select string_agg(word.word, ' ') from (
      select floor(power(${VOCABULARY}, random() + 0 * ${row}))::int as n from generate_series(1, ${count}) offset 0) drawn join word using (n))`;

const { databaseUrl } = loadSettings();
const databaseName = `bench_search_${randomUUID().slice(0, 8)}`;
const admin = databaseUrl === undefined ? undefined : new Pool({ connectionString: databaseUrl, max: 1 });
await admin?.query(`create database ${databaseName}`);
const url = databaseUrl === undefined ? undefined : new URL(databaseUrl);
if (url !== undefined) url.pathname = `/${databaseName}`;
const folder = await mkdtemp(join(tmpdir(), 'bench-search-'));
const start = () =>
  startBenchService(url?.href, { DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '0', COMPANY_RATE_LIMIT_PER_MINUTE: '0' });
const print = (fields: object) => void process.stdout.write(`${JSON.stringify(fields)}\n`);
const Id = z.object({ id: z.number() });

try {
  const first = await start();
  const { id: company } = await first.manage('company.create', { name: 'Bench' }, Id);
  const { key } = await first.manage('apiKey.create', { name: 'Bench' }, z.object({ key: z.string() }), company);
  const { id: framework } = await first.manage('framework.create', { name: 'ISO' }, Id, company);
  await first.stop();
  await seed(company, framework);
  const service = await start();
  try {
    await measure(service, key);
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
  await admin?.query(`drop database ${databaseName} with (force)`);
  await admin?.end();
}

/** Inserts tasks without triggers, and makes the company one from before the index. */
async function seed(company: number, framework: number): Promise<void> {
  const rows = async (query: OwnerQuery) => {
    await query(`select set_config('app.company', $1, true)`, [String(company)]);
    await query('set local session_replication_role = replica');
    await query(
      `create temporary table word on commit drop as select n, ${wordSql('n')} as word from generate_series(0, ${VOCABULARY}) n`,
    );
    await query('create index on word (n)');
    await query('analyze word');
    const size = 50_000;
    for (let from = 1; from <= tasks; from += size)
      await query(
        `insert into task (company_id, unique_id, framework_id, title, description, updated_at, created_by_id, updated_by_id)
        select $1, uuid_v7(), $2, ${randomWords(5, 'i')} || ' SEC-' || i, ${randomWords(25, 'i')},
          now() - (${tasks} - i) * interval '1 second', u.unique_id, u.unique_id
        from generate_series($3::int, $4::int) i, (select unique_id from company_user where company_id = $1 and kind = 'human' limit 1) u`,
        [company, framework, from, Math.min(tasks, from + size - 1)],
      );
    await query('delete from search_document');
    await query('delete from search_reader');
    await query('analyze task');
  };
  await asOwner(url === undefined ? { folder: databaseDir(folder) } : { url: url.href }, [rows]);
}

async function measure(service: BenchService, key: string): Promise<void> {
  const get = async (path: string) => {
    const sentAt = performance.now();
    const response = await fetch(service.url + path, { headers: { 'X-API-Key': key } });
    const text = await response.text();
    return { ms: performance.now() - sentAt, status: response.status, text };
  };
  /** Waits of another request while `work` runs. */
  const beside = async (work: Promise<unknown>) => {
    const state = { ended: false };
    const waits: number[] = [];
    const reads = async () => {
      while (!state.ended) {
        waits.push((await get('/external/smart-inventory/vendor/list?limit=1')).ms);
        await wait(READ_INTERVAL_MS);
      }
    };
    await Promise.all([work.finally(() => (state.ended = true)), reads()]);
    const sorted = waits.toSorted((one, other) => one - other);
    return { median: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0), worst: Math.round(sorted.at(-1) ?? 0) };
  };
  const search = (q: string) => get(`/external/search?q=${encodeURIComponent(q)}`);

  const beganAt = performance.now();
  const built = async () => {
    while ((await search('nothing')).status !== 200) await wait(500);
  };
  const whileBuilding = await beside(built());
  print({ built: tasks, seconds: Math.round((performance.now() - beganAt) / 1000), readMs: whileBuilding });

  const queries: Record<string, (round: number) => string> = {
    'words 1 to 20': (round) => word(1 + (round % 20)),
    'words 40 to 60': (round) => word(40 + round),
    'words 100 to 120': (round) => word(100 + round),
    'words 300 to 320': (round) => word(300 + round),
    'words 5000 to 5020': (round) => word(5000 + round),
    'two letters': (round) => word(round % 20).slice(0, 2),
    'two of 1 to 40': (round) => `${word(1 + round)} ${word(20 + round)}`,
    'three of 20 to 60': (round) => `${word(20 + round)} ${word(21 + round)} ${word(22 + round)}`,
    'one of 1 to 20, one of 7000': (round) => `${word(1 + (round % 20))} ${word(7000 + round)}`,
    'an id': (round) => `SEC-${1000 + 37 * round}`,
    'a ref that is not there': (round) => `A.5.${round}`,
    nothing: (round) => `qq${round}`,
  };
  for (const [name, queryOf] of Object.entries(queries)) {
    const times: number[] = [];
    let items = 0;
    const cpuBefore = await service.cpuMs();
    const readMs = await beside(
      (async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const { ms, text, status } = await search(queryOf(round));
          if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
          items += z.object({ items: z.array(z.unknown()) }).parse(JSON.parse(text)).items.length;
          times.push(ms);
        }
      })(),
    );
    const sorted = times.toSorted((one, other) => one - other).map(Math.round);
    print({
      name,
      medianMs: sorted[(ROUNDS - 1) / 2],
      worstMs: sorted.at(-1),
      items: Math.round(items / ROUNDS),
      cpuMs: Math.round(((await service.cpuMs()) - cpuBefore) / ROUNDS),
      readMs,
    });
  }
}
