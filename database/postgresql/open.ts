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

/** Enough to keep the cores of the server busy. Further requests wait in the queue of the pool. */
const DEFAULT_MAX_CONNECTIONS = 10;

/**
 * Settings of each session. Dates have one format, whatever the server defaults are. All statements are short, so JIT
 * compilation would cost more than it saves. https://www.postgresql.org/docs/current/jit-decision.html
 */
const SESSION_PARAMETERS = { datestyle: 'ISO', timezone: 'UTC', jit: 'off' };
const SESSION_OPTIONS = {
  options: Object.entries(SESSION_PARAMETERS)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
};

/** Timeouts that the server enforces. */
const SERVER_TIMEOUTS = {
  statement_timeout: TIMEOUTS_MS.statement,
  lock_timeout: TIMEOUTS_MS.lock,
  idle_in_transaction_session_timeout: TIMEOUTS_MS.idleInTransaction,
};

/** Makes pg return dates and times as text in the format of PostgreSQL. */
export function datesAsText(): TypeOverrides {
  const overrides = new TypeOverrides();
  for (const type of [types.builtins.DATE, types.builtins.TIMESTAMP, types.builtins.TIMESTAMPTZ]) {
    overrides.setTypeParser(type, (text: string) => text);
  }
  return overrides;
}

interface ConnectionOptions {
  /** URL with the role that owns the tables and migrates them. Defaults to the URL of the service. */
  ownerUrl?: string | undefined;
  maxConnections?: number | undefined;
  /** Pool mode of a pooler such as PgBouncer in front of PostgreSQL. `ownerUrl` must bypass the pooler. */
  pooler?: 'transaction' | undefined;
  /** Hot standbys for reads, with the same role. */
  replicaUrls?: readonly string[];
}

/** Opens a connection pool on PostgreSQL 15 or later. The first query connects. */
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
    // A pooler in transaction mode does not forward notifications. Cached keys then expire within a second, as the contract says.
    listenForKeyChanges: async (onKeysChanged) =>
      pooling === undefined ? listenForKeyChanges(url, onKeysChanged) : async () => {},
    close: async () => void (await Promise.all([pool.end(), replicas?.close()])),
  });
}

/** Opens the ORM over the same pool. Loads it for the first unit of work, because hot paths do not need it. */
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
    if (command !== 'COMMIT')
      throw new Error('transaction: rolled back, because it continued after a failed statement');
    release();
    return result;
  } catch (error) {
    // Closing the connection rolls back without another round trip to a server that does not respond.
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
