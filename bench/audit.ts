import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { openPostgreSql } from '../entities/database/postgresql.ts';
import { Session } from '../entities/database/session.ts';
import { operatorOf } from '../entities/principal.ts';
import { newUniqueId } from '../entities/ids.ts';
import { insertCompany } from '../entities/statements/company.ts';
import { insertVendor } from '../entities/statements/vendor.ts';
import { settings } from '../server/config.ts';
import { createLog } from '../server/log.ts';
import { startSealing } from '../server/sealing.ts';

// What sealing the trail costs writers: vendors created by 32 connections at once, of one company and of fifty, without
// sealing, with the service's own sealing beside, and with a chain that grows in the transaction of each change.
// docs/decisions/0007-sealing-the-trail.md. Run with DATABASE_URL=postgresql://… npm run bench:audit.

const WRITERS = 32;
/** Milliseconds. */
const RUN_UP = 2000;
const MODES = ['none', 'sealed', 'in transaction'] as const;
type Mode = (typeof MODES)[number];
const NOTHING = { rate: 0, cpu: 0 };

/** The other way: the end of the chain is locked from each change until its transaction has ended. */
const IN_TRANSACTION = [
  `create function chain_at_once() returns trigger language plpgsql as $$
  declare head audit_seal;
  begin
    perform from audit_horizon where company_id = new.company_id for update;
    select * into head from audit_seal where company_id = new.company_id order by seq desc limit 1;
    insert into audit_seal values (new.company_id, coalesce(head.seq, 0) + 1, new.id,
      audit_link(coalesce(head.hash, ''), audit_text(new, coalesce(head.seq, 0) + 1)));
    return null;
  end
  $$`,
  'create trigger chain_at_once after insert on audit_event for each row execute function chain_at_once()',
  'alter table audit_event disable trigger chain_at_once',
];

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '5' } },
});
const { databaseUrl } = settings();
if (databaseUrl === undefined) throw new Error('DATABASE_URL: required');
const say = (line: string) => void process.stdout.write(`${line}\n`);
const name = `bench_audit_${randomUUID().slice(0, 8)}`;
const url = new URL(databaseUrl);
url.pathname = `/${name}`;
const admin = new Pool({ connectionString: databaseUrl, max: 1 });
await admin.query(`create database ${name}`);
const service = await openPostgreSql(url.href);
const pool = new Pool({ connectionString: url.href, max: 2 });
pool.on('error', (error) => say(error.message));
/** The service's own statements, over a connection for each writer. */
const writers = await openPostgreSql(url.href, { connections: WRITERS });
try {
  await service.migrate();
  for (const statement of IN_TRANSACTION) await pool.query(statement);
  for (const companies of [1, 50]) await compare(companies);
} finally {
  await service.close();
  await writers.close();
  await pool.end();
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
}

/** Vendors created in a second, and microseconds of CPU for each: of this process and of its database connections. */
interface Figures {
  rate: number;
  cpu: number;
}

async function compare(count: number): Promise<void> {
  const nobody = new Session(service, null, 'bench');
  const companies: number[] = [];
  for (let made = 0; made < count; made++) companies.push((await nobody.only(insertCompany, { name: 'Bench' })).id);
  await seal(companies);
  const rounds: Record<Mode, Figures>[] = [];
  say(`${WRITERS} writers of ${count} ${count === 1 ? 'company' : 'companies'}; vendors a second, CPU for each:`);
  for (let round = -1; round < Number(options.rounds); round++) {
    const figures = { none: NOTHING, sealed: NOTHING, 'in transaction': NOTHING };
    // Each round in another order, so that no way always comes after the same one; the first round warms up.
    const order = MODES.map((_, index) => MODES[(index + round + MODES.length) % MODES.length] ?? 'none');
    for (const mode of order) figures[mode] = await measure(mode, companies);
    const line = MODES.map((mode) => `${mode} ${Math.round(figures[mode].rate)}, ${Math.round(figures[mode].cpu)} µs`);
    say(`  ${round < 0 ? 'warm-up' : `round ${round + 1}`}: ${line.join('; ')}`);
    if (round >= 0) rounds.push(figures);
  }
  for (const mode of MODES) {
    // Compared round by round: what else the machine does changes from one to the next.
    const against = (figure: keyof Figures) =>
      ((median(rounds.map((one) => one[mode][figure] / one.none[figure])) - 1) * 100).toFixed(1);
    const [rate, each] = [median(rounds.map((one) => one[mode].rate)), median(rounds.map((one) => one[mode].cpu))];
    say(`  median, ${mode}: ${Math.round(rate)} (${against('rate')} %), ${Math.round(each)} µs (${against('cpu')} %)`);
  }
}

async function measure(mode: Mode, companies: readonly number[]): Promise<Figures> {
  if (mode === 'in transaction') await pool.query('alter table audit_event enable trigger chain_at_once');
  const stop = mode === 'sealed' ? startSealing(service, createLog('warn')) : async () => {};
  // Measured once sealing has come to a steady pace: what it then seals is what it is a moment behind.
  const from = performance.now() + RUN_UP;
  const end = from + Number(options.seconds) * 1000;
  const began = wait(RUN_UP).then(cpu);
  const written = await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      let counted = 0;
      for (let made = 0; performance.now() < end; made++) {
        const company = companies[(writer + made * WRITERS) % companies.length] ?? 0;
        const vendor = { uniqueId: newUniqueId(), name: 'Cloud Ltd', status: 'active', description: '' } as const;
        await new Session(writers, operatorOf(company), 'bench').only(insertVendor, vendor);
        if (performance.now() >= from) counted += 1;
      }
      return counted;
    }),
  );
  const all = written.reduce((sum, counted) => sum + counted, 0);
  const figures = { rate: (all / (performance.now() - from)) * 1000, cpu: ((await cpu()) - (await began)) / all };
  await stop();
  await pool.query('alter table audit_event disable trigger chain_at_once');
  await seal(companies);
  await pool.query('vacuum analyze audit_seal, audit_event, audit_horizon, vendor');
  await pool.query('checkpoint');
  return figures;
}

/** Microseconds of CPU that this process and its connections to the database have used, where /proc tells. */
async function cpu(): Promise<number> {
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

async function seal(companies: readonly number[]): Promise<void> {
  for (const company of companies) {
    let sealed = 0;
    do {
      const { rows } = await pool.query<{ sealed: number }>('select seal_audit($1, 5000) as sealed', [company]);
      sealed = rows[0]?.sealed ?? 0;
    } while (sealed > 0);
  }
}

function median(rates: readonly number[]): number {
  return rates.toSorted((one, other) => one - other)[Math.floor(rates.length / 2)] ?? Number.NaN;
}
