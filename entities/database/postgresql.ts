import type { MikroORM } from '@mikro-orm/postgresql';
import { DatabaseError, TypeOverrides, types } from 'pg';
import { Connections } from './connections.ts';
import type { Held, Terms } from './connections.ts';
import { Database } from './database.ts';
import type { Run } from './driver.ts';
import { asRefusal } from './failure.ts';
import { LACKS, TOO_STRONG, grantsTo } from './grants.ts';
import { listen } from './listen.ts';
import { knownMigrations } from './migrations.ts';
import { ormConnections, untilThen } from './orm-connections.ts';
import { pooled } from './pooled.ts';
import { boundedQuery, forgetPrepared } from './prepared.ts';
import { Replicas } from './replicas.ts';
import type { Bound } from './statement.ts';
import { GatheredChanges } from './gathered.ts';
import { SharedConnections } from './shared.ts';
import { TIMEOUTS } from './timeouts.ts';
import { runPrepared, runPreparedOn } from './transactions.ts';

/** Enough to keep the server's cores busy; more wait in the pool rather than in PostgreSQL. */
const CONNECTIONS = 10;

/**
 * Dates are read and recorded in one form, whatever the server's settings are. No statement is so long that compiling it
 * would pay: with ten thousand companies, looking for what is to be sealed was compiled anew each second.
 */
const FORMS = { datestyle: 'ISO', timezone: 'UTC', jit: 'off' };
const FORMED = {
  options: Object.entries(FORMS)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
};

/** What a server ends by itself, as long as it is able to. */
const ENDED_BY_SERVER = {
  statement_timeout: TIMEOUTS.statement,
  lock_timeout: TIMEOUTS.lock,
  idle_in_transaction_session_timeout: TIMEOUTS.idleInTransaction,
};

/** SQLSTATEs of a database that has no tables yet, or has not let this role to them. */
const NOT_YET = new Set(['42P01', '42501']);

/** Any number that only this service uses: the advisory lock under which migrations are applied. */
const MIGRATION_LOCK = 7_305_020_149;

/** Dates and times are read as PostgreSQL writes them, by the ORM and by statements. */
export function asText(): TypeOverrides {
  const overrides = new TypeOverrides();
  for (const type of [types.builtins.DATE, types.builtins.TIMESTAMP, types.builtins.TIMESTAMPTZ]) {
    overrides.setTypeParser(type, (text: string) => text);
  }
  return overrides;
}

interface Connecting {
  /** Whose role owns the tables, and so migrates them; by default the service's own. */
  ownerUrl?: string | undefined;
  /** At most so many at once. */
  connections?: number | undefined;
  /** What stands between, and gives each transaction another connection to PostgreSQL. `ownerUrl` leads past it. */
  pooler?: 'transaction' | undefined;
  /** Servers that follow, for the same role, and that may be read. */
  replicaUrls?: readonly string[];
}

/** Opens a pool on PostgreSQL 15 or newer. Connects at first use. */
export async function openPostgreSql(
  url: string,
  { ownerUrl = url, connections = CONNECTIONS, pooler, replicaUrls = [] }: Connecting = {},
): Promise<Database> {
  const behind = pooler && pooled({ ...FORMS, ...ENDED_BY_SERVER });
  const started = behind === undefined ? { ...ENDED_BY_SERVER, ...FORMED } : {};
  const connect = (to: string) => {
    const pool = new Connections({ connectionString: to, ...started, types: asText() }, connections);
    const shared = behind === undefined ? new SharedConnections(pool) : undefined;
    const gathered = behind === undefined ? new GatheredChanges(pool) : undefined;
    const run = (bound: Bound, terms: Terms) =>
      (bound.order === undefined ? undefined : gathered?.run(bound, terms)) ??
      (terms.isBrief === true ? shared?.run(bound, terms) : undefined) ??
      runPrepared(pool, behind?.bound(bound) ?? bound, terms);
    return { pool, run, close: () => pool.end() };
  };
  const { pool, run } = connect(url);
  const replicas = replicaUrls.length === 0 ? undefined : new Replicas(run, replicaUrls.map(connect));
  const ask = (name: string, text: string) =>
    run({ name, text, values: [] }, { writes: false, until: performance.now() + TIMEOUTS.request });
  return new Database({
    pool,
    openOrm: () => openOrm(pool, url, behind?.begin),
    run,
    ...(replicas !== undefined && { replicas }),
    transaction: (work, until) => transaction(pool, work, until, behind?.bound),
    untilThen,
    migrate: async () => {
      if (await isMigrated(ask)) return;
      const { rows } = await ask('role', 'select current_user as role');
      await migrate(ownerUrl, String(rows[0]?.['role']));
    },
    isMigrated: () => isMigrated(ask),
    tooWeak: async () => {
      const { rows } = await ask('too-weak', LACKS);
      return rows[0] && `the role ${String(rows[0]['role'])} lacks ${String(rows[0]['lacks'])}`;
    },
    tooStrong: async () => {
      const { rows } = await ask('too-strong', TOO_STRONG);
      return rows[0] && `the role ${String(rows[0]['role'])} ${String(rows[0]['why'])}`;
    },
    // Nobody is told through a pooler: there a key is known for a moment only, which is as soon as is promised.
    listen: async (keysChanged) => (behind === undefined ? listen(url, keysChanged) : async () => {}),
    close: async () => void (await Promise.all([pool.end(), replicas?.close()])),
  });
}

/** The ORM over the same pool: loaded for the first unit of work, as most of what is served needs none. */
async function openOrm(pool: Connections, url: string, begin?: (text: string) => string): Promise<MikroORM> {
  const [{ MikroORM: Orm }, { PostgresDialect }, { ormOptions }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('kysely'),
    import('./options.ts'),
  ]);
  return Orm.init({
    ...ormOptions,
    clientUrl: url,
    driverOptions: new PostgresDialect({ pool: ormConnections(pool, begin) }),
  });
}

type Ask = (name: string, text: string) => ReturnType<typeof runPrepared>;

/** Whether all migrations were applied: most starts find it so, and need not load what applies them. */
async function isMigrated(ask: Ask): Promise<boolean> {
  const applied = await ask('migrations', 'select name from mikro_orm_migrations').catch((error: unknown) => {
    if (error instanceof DatabaseError && NOT_YET.has(error.code ?? '')) return { rows: [] };
    throw error;
  });
  const names = new Set(applied.rows.map(({ name }) => name));
  return (await knownMigrations()).every((name) => names.has(name));
}

async function transaction<T>(
  pool: Connections,
  work: (run: Run) => Promise<T>,
  until: number,
  behind?: (bound: Bound) => Bound,
): Promise<T> {
  const { client, giveBack } = await held(pool, until);
  const tell = (text: string) => client.query(boundedQuery(text, until));
  try {
    await tell('begin');
    // What this transaction's connection has prepared is not known: in a transaction there is no second attempt.
    if (behind !== undefined) forgetPrepared(client);
    const result = await work((bound) => runPreparedOn(client, behind?.(bound) ?? bound, until));
    const { command } = await tell('commit');
    if (command !== 'COMMIT') throw new Error('a transaction went on after one of its statements had failed');
    giveBack();
    return result;
  } catch (error) {
    // Who waited for the database in vain does not wait for it once more: closing the connection rolls back as well.
    if (asRefusal(error)?.code === 'unavailable') giveBack(error);
    else await tell('rollback').then(() => giveBack(), giveBack);
    throw error;
  }
}

function held(pool: Connections, until: number): Promise<Held> {
  const { promise, resolve, reject } = Promise.withResolvers<Held>();
  pool.take({ writes: true, until }, (taken) => (taken instanceof Error ? reject(taken) : resolve(taken)));
  return promise;
}

/**
 * Applies what is pending over connections of its own, which may wait and work as long as it takes, and lets the role of
 * the service to the tables, where it is another.
 */
async function migrate(url: string, role: string): Promise<void> {
  const [{ MikroORM: Orm }, { ormOptions }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('./options.ts'),
  ]);
  const orm = await Orm.init({ ...ormOptions, clientUrl: url, pool: { max: 2 }, driverOptions: FORMED });
  try {
    const pool = await orm.em.getConnection().getNativeClient();
    const holder = await pool.connect();
    try {
      await holder.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await orm.migrator.up();
      const { rows } = await holder.query<{ owner: string }>('select current_user as owner');
      if (rows[0]?.owner !== role) await holder.query(grantsTo(role));
    } finally {
      holder.release(true); // closing the connection gives up the lock, whatever happened
    }
  } finally {
    await orm.close();
  }
}
