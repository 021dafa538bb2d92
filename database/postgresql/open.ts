import type { MikroORM } from '@mikro-orm/postgresql';
import { TypeOverrides, types } from 'pg';
import { ConnectionPool } from './connection-pool.ts';
import type { Lease, QueryOptions } from './connection-pool.ts';
import { Database } from '../database.ts';
import type { RunStatement } from '../driver.ts';
import { asApiError } from '../errors.ts';
import { MISSING_PRIVILEGES, EXCESS_PRIVILEGES } from '../orm/privileges.ts';
import { isMigrated, migrate } from './migrate.ts';
import { listenForKeyChanges } from './notifications.ts';
import { kyselyPool, withDeadline } from '../orm/kysely-pool.ts';
import { transactionPooling, untrackedStatement } from './transaction-pooling.ts';
import { queryWithTimeout } from './prepared-query.ts';
import { Replicas } from './replicas.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';
import { WriteBatcher } from './write-batcher.ts';
import { PipelinedReads } from './pipelined-reads.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';
import { execute, executeOn } from './execute.ts';

/** Enough to keep the server's cores busy; more wait in the pool rather than in PostgreSQL. */
const DEFAULT_MAX_CONNECTIONS = 10;

/**
 * Dates are read and recorded in one form, whatever the server's settings are. No statement is so long that compiling it
 * would pay: with ten thousand companies, looking for what is to be sealed was compiled anew each second.
 */
const SESSION_PARAMETERS = { datestyle: 'ISO', timezone: 'UTC', jit: 'off' };
const SESSION_OPTIONS = {
  options: Object.entries(SESSION_PARAMETERS)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
};

/** What a server ends by itself, as long as it is able to. */
const SERVER_TIMEOUTS = {
  statement_timeout: TIMEOUTS_MS.statement,
  lock_timeout: TIMEOUTS_MS.lock,
  idle_in_transaction_session_timeout: TIMEOUTS_MS.idleInTransaction,
};

/** Dates and times are read as PostgreSQL writes them, by the ORM and by statements. */
export function datesAsText(): TypeOverrides {
  const overrides = new TypeOverrides();
  for (const type of [types.builtins.DATE, types.builtins.TIMESTAMP, types.builtins.TIMESTAMPTZ]) {
    overrides.setTypeParser(type, (text: string) => text);
  }
  return overrides;
}

interface ConnectionOptions {
  /** Whose role owns the tables, and so migrates them; by default the service's own. */
  ownerUrl?: string | undefined;
  /** At most so many at once. */
  maxConnections?: number | undefined;
  /** What stands between, and gives each transaction another connection to PostgreSQL. `ownerUrl` leads past it. */
  pooler?: 'transaction' | undefined;
  /** Servers that follow, for the same role, and that may be read. */
  replicaUrls?: readonly string[];
}

/** Opens a pool on PostgreSQL 15 or newer. Connects at first use. */
export async function openPostgreSql(
  url: string,
  { ownerUrl = url, maxConnections = DEFAULT_MAX_CONNECTIONS, pooler, replicaUrls = [] }: ConnectionOptions = {},
): Promise<Database> {
  const pooling = pooler && transactionPooling({ ...SESSION_PARAMETERS, ...SERVER_TIMEOUTS });
  const startupOptions = pooling === undefined ? { ...SERVER_TIMEOUTS, ...SESSION_OPTIONS } : {};
  const connect = (serverUrl: string) => {
    const pool = new ConnectionPool(
      { connectionString: serverUrl, ...startupOptions, types: datesAsText() },
      maxConnections,
    );
    const pipelinedReads = pooling === undefined ? new PipelinedReads(pool) : undefined;
    const writeBatcher = pooling === undefined ? new WriteBatcher(pool) : undefined;
    const run = (bound: BoundStatement, options: QueryOptions) =>
      (bound.lockKey === undefined ? undefined : writeBatcher?.run(bound, options)) ??
      (options.pipelined === true ? pipelinedReads?.run(bound, options) : undefined) ??
      execute(pool, pooling?.bound(bound) ?? bound, options);
    return { pool, run, close: () => pool.end() };
  };
  const { pool, run } = connect(url);
  const replicas = replicaUrls.length === 0 ? undefined : new Replicas(run, replicaUrls.map(connect));
  const runWithDeadline = (bound: BoundStatement) =>
    run(bound, { write: false, deadline: performance.now() + TIMEOUTS_MS.request });
  const query = (name: string, text: string) => runWithDeadline({ name, text, values: [] });
  return new Database({
    pool,
    openOrm: () => openOrm(pool, url, pooling?.begin),
    run,
    ...(replicas !== undefined && { replicas }),
    transaction: (work, deadline) => transaction(pool, work, deadline, pooling?.bound),
    withDeadline,
    migrate: async () => {
      if (await isMigrated(query)) return;
      const { rows } = await query('role', 'select current_user as role');
      await migrate(ownerUrl, String(rows[0]?.['role']), SESSION_OPTIONS);
    },
    isMigrated: () => isMigrated(query),
    missingPrivileges: async () => {
      const { rows } = await query('privileges.missing', MISSING_PRIVILEGES);
      return rows[0] && `the role ${String(rows[0]['role'])} lacks ${String(rows[0]['missing'])}`;
    },
    excessPrivileges: async () => {
      const { rows } = await query('privileges.excess', EXCESS_PRIVILEGES);
      return rows[0] && `the role ${String(rows[0]['role'])} ${String(rows[0]['reason'])}`;
    },
    poolerError: async () => {
      if (pooling === undefined) return undefined;
      const { rows } = await runWithDeadline(untrackedStatement());
      return rows.length > 0 ? 'expected PgBouncer 1.21 or newer with max_prepared_statements above 0' : undefined;
    },
    // Nobody is told through a pooler: there a key is known for a moment only, which is as soon as is promised.
    listenForKeyChanges: async (onKeysChanged) =>
      pooling === undefined ? listenForKeyChanges(url, onKeysChanged) : async () => {},
    close: async () => void (await Promise.all([pool.end(), replicas?.close()])),
  });
}

/** The ORM over the same pool: loaded for the first unit of work, as most of what is served needs none. */
async function openOrm(pool: ConnectionPool, url: string, begin?: (text: string) => string): Promise<MikroORM> {
  const [{ MikroORM: Orm }, { PostgresDialect }, { ormOptions }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('kysely'),
    import('../orm/options.ts'),
  ]);
  return Orm.init({
    ...ormOptions,
    clientUrl: url,
    driverOptions: new PostgresDialect({ pool: kyselyPool(pool, begin) }),
  });
}

async function transaction<T>(
  pool: ConnectionPool,
  work: (run: RunStatement) => Promise<T>,
  deadline: number,
  adapt?: (bound: BoundStatement) => BoundStatement,
): Promise<T> {
  const { client, release } = await acquireLease(pool, deadline);
  const query = (text: string) => client.query(queryWithTimeout(text, deadline));
  try {
    await query('begin');
    const result = await work((bound) => executeOn(client, adapt?.(bound) ?? bound, deadline));
    const { command } = await query('commit');
    if (command !== 'COMMIT') throw new Error('a transaction went on after one of its statements had failed');
    release();
    return result;
  } catch (error) {
    // Who waited for the database in vain does not wait for it once more: closing the connection rolls back as well.
    if (asApiError(error)?.code === 'unavailable') release(error);
    else await query('rollback').then(() => release(), release);
    throw error;
  }
}

function acquireLease(pool: ConnectionPool, deadline: number): Promise<Lease> {
  const { promise, resolve, reject } = Promise.withResolvers<Lease>();
  pool.acquire({ write: true, deadline }, (lease) => (lease instanceof Error ? reject(lease) : resolve(lease)));
  return promise;
}
