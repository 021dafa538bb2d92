import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { openPostgreSql } from '../database/postgresql/open.ts';
import { Session } from '../database/session.ts';
import { operatorPrincipal } from '../entities/principal.ts';
import { newUniqueId } from '../entities/ids.ts';
import { insertCompany } from '../entities/statements/company.ts';
import { vendorStatements } from '../entities/statements/vendor/vendor.ts';
import { vendorResource } from '../entities/vendor.ts';
import { loadSettings } from '../server/config/settings.ts';
import { createLog } from '../server/telemetry/log.ts';
import { startSealing } from '../server/jobs/seal-audit-log.ts';

// What sealing the trail costs writers: vendors created by 32 connections at once, of one company and of fifty, without
// sealing, with the service's own sealing beside, and with a chain that grows in the transaction of each change.
// docs/decisions/0007-sealing-the-trail.md. Run with DATABASE_URL=postgresql://… npm run bench:audit.

const WRITER_COUNT = 32;
/** Milliseconds. */
const WARM_UP_MS = 2000;
const MODES = ['none', 'sealed', 'in transaction'] as const;
type Mode = (typeof MODES)[number];
const NO_MEASUREMENT = { rate: 0, cpu: 0 };

/** The other way: the end of the chain is locked from each change until its transaction has ended. */
const SEAL_IN_TRANSACTION_SQL = [
  `create function chain_at_once() returns trigger language plpgsql as $$
  declare head audit_seal;
  begin
    perform from audit_watermark where company_id = new.company_id for update;
    select * into head from audit_seal where company_id = new.company_id order by seq desc limit 1;
    insert into audit_seal values (new.company_id, coalesce(head.seq, 0) + 1, new.id,
      audit_seal_hash(coalesce(head.hash, ''), audit_text(new, coalesce(head.seq, 0) + 1)));
    return null;
  end
  $$`,
  'create trigger chain_at_once after insert on audit_event for each row execute function chain_at_once()',
  'alter table audit_event disable trigger chain_at_once',
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
/** The service's own statements, over a connection for each writer. */
const writerDatabase = await openPostgreSql(url.href, { maxConnections: WRITER_COUNT });
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

/** Vendors created in a second, and microseconds of CPU for each: of this process and of its database connections. */
interface Measurement {
  rate: number;
  cpu: number;
}

async function compareModes(count: number): Promise<void> {
  const nobody = new Session(serviceDatabase, null, 'bench');
  const companies: number[] = [];
  for (let made = 0; made < count; made++) companies.push((await nobody.one(insertCompany, { name: 'Bench' })).id);
  await sealAll(companies);
  const rounds: Record<Mode, Measurement>[] = [];
  print(
    `${WRITER_COUNT} writers of ${count} ${count === 1 ? 'company' : 'companies'}; vendors a second, CPU for each:`,
  );
  for (let round = -1; round < Number(options.rounds); round++) {
    const figures = { none: NO_MEASUREMENT, sealed: NO_MEASUREMENT, 'in transaction': NO_MEASUREMENT };
    // Each round in another order, so that no way always comes after the same one; the first round warms up.
    const order = MODES.map((_, index) => MODES[(index + round + MODES.length) % MODES.length] ?? 'none');
    for (const mode of order) figures[mode] = await measure(mode, companies);
    const line = MODES.map((mode) => `${mode} ${Math.round(figures[mode].rate)}, ${Math.round(figures[mode].cpu)} µs`);
    print(`  ${round < 0 ? 'warm-up' : `round ${round + 1}`}: ${line.join('; ')}`);
    if (round >= 0) rounds.push(figures);
  }
  for (const mode of MODES) {
    // Compared round by round: what else the machine does changes from one to the next.
    const against = (figure: keyof Measurement) =>
      ((median(rounds.map((one) => one[mode][figure] / one.none[figure])) - 1) * 100).toFixed(1);
    const [rate, each] = [median(rounds.map((one) => one[mode].rate)), median(rounds.map((one) => one[mode].cpu))];
    print(
      `  median, ${mode}: ${Math.round(rate)} (${against('rate')} %), ${Math.round(each)} µs (${against('cpu')} %)`,
    );
  }
}

async function measure(mode: Mode, companies: readonly number[]): Promise<Measurement> {
  if (mode === 'in transaction') await pool.query('alter table audit_event enable trigger chain_at_once');
  const stop = mode === 'sealed' ? startSealing(serviceDatabase, createLog('warn')) : async () => {};
  // Measured once sealing has come to a steady pace: what it then seals is what it is a moment behind.
  const measureFrom = performance.now() + WARM_UP_MS;
  const end = measureFrom + Number(options.seconds) * 1000;
  const cpuAtStart = wait(WARM_UP_MS).then(cpuMicroseconds);
  const vendorCounts = await Promise.all(
    Array.from({ length: WRITER_COUNT }, async (_, writer) => {
      let counted = 0;
      for (let made = 0; performance.now() < end; made++) {
        const company = companies[(writer + made * WRITER_COUNT) % companies.length] ?? 0;
        const vendor = { ...vendorResource.defaults, uniqueId: newUniqueId(), name: 'Cloud Ltd' };
        await new Session(writerDatabase, operatorPrincipal(company), 'bench').one(vendorStatements.insert, vendor);
        if (performance.now() >= measureFrom) counted += 1;
      }
      return counted;
    }),
  );
  const all = vendorCounts.reduce((sum, counted) => sum + counted, 0);
  const figures = {
    rate: (all / (performance.now() - measureFrom)) * 1000,
    cpu: ((await cpuMicroseconds()) - (await cpuAtStart)) / all,
  };
  await stop();
  await pool.query('alter table audit_event disable trigger chain_at_once');
  await sealAll(companies);
  await pool.query('vacuum analyze audit_seal, audit_event, audit_watermark, vendor');
  await pool.query('checkpoint');
  return figures;
}

/** Microseconds of CPU that this process and its connections to the database have used, where /proc tells. */
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
  return user + system + ticks.reduce((sum, one) => sum + one, 0) * 10_000;
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

function median(rates: readonly number[]): number {
  return rates.toSorted((one, other) => one - other)[Math.floor(rates.length / 2)] ?? Number.NaN;
}
