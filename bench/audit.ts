import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { openPostgreSql } from '../database/postgresql/open.ts';
import { Session } from '../database/session.ts';
import { newUniqueId } from '../entities/ids.ts';
import { operatorPrincipal } from '../entities/principal.ts';
import { insertCompany } from '../entities/company/statements.ts';
import { vendorStatements } from '../entities/vendor/statements.ts';
import { vendorResource } from '../entities/vendor/vendor.ts';
import { loadSettings } from '../server/config/settings.ts';
import { sealing, sealingChanges } from '../procedures/audit/sealing.ts';
import { startJob } from '../server/jobs/runner.ts';
import { createLog } from '../server/telemetry/log.ts';

// Benchmark of audit log sealing (decision 0007). Creates vendors over 32 connections, for one and for 50 companies.
// Compares three modes: no sealing, the sealing jobs of the service, and sealing within each writing transaction.
// Run with DATABASE_URL=postgresql://… npm run bench:audit.

const WRITER_COUNT = 32;
const WARM_UP_MS = 2000;
const MODES = ['none', 'sealed', 'in transaction'] as const;

type Mode = (typeof MODES)[number];
const NO_MEASUREMENT = { rate: 0, cpu: 0 };

/** Sealing within the writing transaction, which locks the head of the chain until the transaction ends. */
const SEAL_IN_TRANSACTION_SQL = [
  `create function seal_in_transaction() returns trigger language plpgsql as $$
  declare head audit_seal;
  begin
    perform from audit_watermark where company_id = new.company_id for update;
    select * into head from audit_seal where company_id = new.company_id order by seq desc limit 1;
    insert into audit_seal values (new.company_id, coalesce(head.seq, 0) + 1, new.id,
      audit_seal_hash(coalesce(head.hash, ''), audit_text(new, coalesce(head.seq, 0) + 1)));
    return null;
  end
  $$`,
  'create trigger seal_in_transaction after insert on audit_event for each row execute function seal_in_transaction()',
  'alter table audit_event disable trigger seal_in_transaction',
];

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '5' } },
});
const { databaseUrl } = loadSettings();
if (databaseUrl === undefined) throw new Error('DATABASE_URL: required');
const print = (line: string) => void process.stdout.write(`${line}\n`);
const databaseName = `bench_audit_${randomUUID().slice(0, 8)}`;
const url = new URL(databaseUrl);
url.pathname = `/${databaseName}`;
const admin = new Pool({ connectionString: databaseUrl, max: 1 });
await admin.query(`create database ${databaseName}`);
const serviceDatabase = await openPostgreSql(url.href);
const pool = new Pool({ connectionString: url.href, max: 2 });
pool.on('error', (error) => print(error.message));
/** A pool with one connection for each writer, and one to seal what they change. */
const writerDatabase = await openPostgreSql(url.href, { maxConnections: WRITER_COUNT + 1 });
try {
  await serviceDatabase.migrate();
  for (const statement of SEAL_IN_TRANSACTION_SQL) await pool.query(statement);
  for (const companies of [1, 50]) await compareModes(companies);
} finally {
  await serviceDatabase.close();
  await writerDatabase.close();
  await pool.end();
  await admin.query(`drop database ${databaseName} with (force)`);
  await admin.end();
}

/** Vendors created per second, and CPU microseconds per vendor of this process and its database connections. */
interface Measurement {
  rate: number;
  cpu: number;
}

async function compareModes(count: number): Promise<void> {
  const rootSession = new Session(serviceDatabase, null, 'bench');
  const companies: number[] = [];
  while (companies.length < count)
    companies.push((await rootSession.one(insertCompany, { name: 'Bench', idStart: 1 })).id);
  await sealAll(companies);
  const rounds: Record<Mode, Measurement>[] = [];
  print(
    `${WRITER_COUNT} writers, ${count} ${count === 1 ? 'company' : 'companies'}; vendors per second, CPU per vendor:`,
  );
  for (let round = -1; round < Number(options.rounds); round++) {
    const figures = { none: NO_MEASUREMENT, sealed: NO_MEASUREMENT, 'in transaction': NO_MEASUREMENT };
    // Rotating the order avoids effects of the previous mode. The first round is the warm-up.
    const order = MODES.map((_, index) => MODES[(index + round + MODES.length) % MODES.length] ?? 'none');
    for (const mode of order) figures[mode] = await measure(mode, companies);
    const line = MODES.map((mode) => `${mode} ${Math.round(figures[mode].rate)}, ${Math.round(figures[mode].cpu)} µs`);
    print(`  ${round < 0 ? 'warm-up' : `round ${round + 1}`}: ${line.join('; ')}`);
    if (round >= 0) rounds.push(figures);
  }
  for (const mode of MODES) {
    // Ratios are computed per round, because the other load on the machine changes between rounds.
    const changePercent = (figure: keyof Measurement) =>
      ((median(rounds.map((round) => round[mode][figure] / round.none[figure])) - 1) * 100).toFixed(1);
    const rate = median(rounds.map((round) => round[mode].rate));
    const cpu = median(rounds.map((round) => round[mode].cpu));
    print(
      `  median, ${mode}: ${Math.round(rate)} (${changePercent('rate')} %), ${Math.round(cpu)} µs (${changePercent('cpu')} %)`,
    );
  }
}

async function measure(mode: Mode, companies: readonly number[]): Promise<Measurement> {
  if (mode === 'in transaction') await pool.query('alter table audit_event enable trigger seal_in_transaction');
  const log = createLog('warn');
  const stops =
    mode === 'sealed'
      ? [
          startJob(sealing, { database: serviceDatabase, log }),
          startJob(sealingChanges, { database: writerDatabase, log }),
        ]
      : [];
  // The measurement starts after the warm-up, when sealing keeps pace with the writers.
  const measureFrom = performance.now() + WARM_UP_MS;
  const end = measureFrom + Number(options.seconds) * 1000;
  const cpuAtStart = wait(WARM_UP_MS).then(cpuMicroseconds);
  const vendorCounts = await Promise.all(
    Array.from({ length: WRITER_COUNT }, async (_, writer) => {
      let counted = 0;
      for (let index = 0; performance.now() < end; index++) {
        const company = companies[(writer + index * WRITER_COUNT) % companies.length] ?? 0;
        const vendor = { ...vendorResource.defaults, uniqueId: newUniqueId(), name: 'Cloud Ltd' };
        await new Session(writerDatabase, operatorPrincipal(company), 'bench').one(vendorStatements.insert, vendor);
        if (performance.now() >= measureFrom) counted += 1;
      }
      return counted;
    }),
  );
  const vendorCount = vendorCounts.reduce((sum, counted) => sum + counted, 0);
  const figures = {
    rate: (vendorCount / (performance.now() - measureFrom)) * 1000,
    cpu: ((await cpuMicroseconds()) - (await cpuAtStart)) / vendorCount,
  };
  await Promise.all(stops.map((stop) => stop()));
  await pool.query('alter table audit_event disable trigger seal_in_transaction');
  await sealAll(companies);
  await pool.query('vacuum analyze audit_seal, audit_event, audit_watermark, vendor');
  await pool.query('checkpoint');
  return figures;
}

/** CPU microseconds used by this process and by its PostgreSQL backends, which are read from /proc on the same machine. */
async function cpuMicroseconds(): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database()',
  );
  const { user, system } = process.cpuUsage();
  const ticks = await Promise.all(
    rows.map(async ({ pid }) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
    }),
  );
  return user + system + ticks.reduce((sum, count) => sum + count, 0) * 10_000;
}

async function sealAll(companies: readonly number[]): Promise<void> {
  for (const company of companies) {
    let sealed = 0;
    do {
      const { rows } = await pool.query<{ sealed: number }>('select seal_audit_log($1, 5000) as sealed', [company]);
      sealed = rows[0]?.sealed ?? 0;
    } while (sealed > 0);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
