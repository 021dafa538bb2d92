import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';
import { openConnections } from '../connection/connections.ts';
import { Database } from '../database.ts';
import { openOrm } from '../orm/open.ts';
import { MISSING_PRIVILEGES, EXCESS_PRIVILEGES, grantStatements } from '../orm/privileges.ts';
import { isMigrated } from '../orm/migrations.ts';
import { inspectData } from '../upgrade/inspect.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';
import {
  connectionConfig,
  SERVER_TIMEOUTS,
  SESSION_PARAMETERS,
  STARTUP_PARAMETERS,
  SESSION_OPTIONS,
} from './connection-url.ts';
import { listen } from './notifications.ts';
import { Replicas } from './replicas.ts';

/** Key of the advisory lock for migrations: an arbitrary number that no other application uses. */
export const MIGRATION_LOCK_ID = 7_305_020_149;
/** Milliseconds between two attempts to take the lock. */
const LOCK_POLL_MS = 200;

/**
 * Applies pending migrations on a connection of its own, without timeouts of requests.
 * If the service uses another role than the owner, grants this role its privileges.
 * @throws IncompatibleDataError if this version cannot run on the data
 */
export async function migrate(url: string, role: string): Promise<void> {
  const [{ MikroORM: Orm }, { ormOptions }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('../orm/options.ts'),
  ]);
  // One connection, which is never closed as idle: its lock is released when it ends, also by a kill, and when its last statement
  // ends on the server.
  const orm = await Orm.init({
    ...ormOptions,
    clientUrl: url, // names the database; the driver connects with the options
    pool: { min: 1, max: 1, idleTimeoutMillis: 0 },
    driverOptions: { ...connectionConfig(url), ...SESSION_OPTIONS },
  });
  try {
    const connection = orm.em.getConnection();
    const tryLock = `select pg_try_advisory_lock(${MIGRATION_LOCK_ID}) as locked, current_user as owner`;
    const lock = () => connection.execute<{ locked: boolean; owner: string }>(tryLock, [], 'get');
    let state = await lock();
    // A wait inside PostgreSQL would be a transaction, for which `create index concurrently` of the other process waits.
    for (; !state.locked; state = await lock()) await wait(LOCK_POLL_MS);
    await inspectData(async (_, text) => ({ rows: await connection.execute(text, [], 'all') }));
    await orm.migrator.up();
    if (state.owner !== role) await connection.execute(grantStatements(role), [], 'run');
  } finally {
    await orm.close();
  }
}

/** Enough to keep the cores of the server busy. Further requests wait in the queue of the pool. */
const DEFAULT_MAX_CONNECTIONS = 10;

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
  const startupParameters = pooling === undefined ? STARTUP_PARAMETERS : {};
  const connect = (serverUrl: string) => {
    const { connectionTimeoutMillis: connectTimeoutMs, ...server } = connectionConfig(serverUrl);
    const limits = { connections: maxConnections, ...(connectTimeoutMs !== undefined && { connectTimeoutMs }) };
    return openConnections({ ...server, ...startupParameters }, { ...limits, adapt: pooling?.bound });
  };
  const { pool, run, transaction, close } = connect(url);
  const replicas = replicaUrls.length === 0 ? undefined : new Replicas(run, replicaUrls.map(connect));
  const runWithDeadline = (bound: BoundStatement) =>
    run(bound, { write: false, deadline: performance.now() + TIMEOUTS_MS.request });
  const query = (name: string, text: string) => runWithDeadline({ name, text, values: [] });
  return new Database({
    pool,
    openOrm: () => openOrm(url, pool, pooling?.begin),
    run,
    ...(replicas !== undefined && { replicas }),
    transaction,
    migrate: async () => {
      const { rows } = await query('role', 'select current_user as role');
      await migrate(ownerUrl, String(rows[0]?.['role']));
    },
    isMigrated: () => isMigrated(query),
    inspect: () => inspectData(query),
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
      return rows.length > 0
        ? 'expected PgBouncer 1.21 or newer in transaction mode, with max_prepared_statements above 0'
        : undefined;
    },
    // A pooler in transaction mode does not forward notifications. Cached keys then expire within a second, as the contract says,
    // and new seals are found by polling.
    listen: async (listeners) => (pooling === undefined ? listen(url, listeners) : async () => {}),
    close: async () => void (await Promise.all([close(), replicas?.close()])),
  });
}

/** Settings that each transaction sets locally. Behind a pooler, session settings would leak to other clients. */
type TransactionSettings = Readonly<Record<string, string | number>>;

/**
 * Adapts statements to a pooler that gives each transaction another connection to PostgreSQL. Settings that a connection
 * of our own gets at its start are set in front of each statement, in the same round trip.
 */
function transactionPooling(transactionSettings: TransactionSettings): {
  bound: (bound: BoundStatement) => BoundStatement;
  begin: (text: string) => string;
} {
  const setConfigCalls = Object.entries(transactionSettings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ');
  const onlyTransactionSettings = { name: 'settings.transaction', text: `select ${setConfigCalls}`, values: [] };
  return {
    bound: ({ settings, ...bound }) => ({
      ...bound,
      settings:
        settings === undefined ? onlyTransactionSettings : { ...settings, text: `${settings.text}, ${setConfigCalls}` },
    }),
    begin: (text) => `${text}; select ${setConfigCalls}`,
  };
}

/**
 * Tells if PostgreSQL has this statement under the name that the client gave it. PgBouncer prepares statements under names
 * of its own if it tracks them. The name is new each time, as untracked statements stay on PgBouncer's connections.
 * https://www.pgbouncer.org/config.html#max_prepared_statements
 */
function untrackedStatement(): BoundStatement {
  const name = `pooler.${randomUUID()}`;
  return { name, text: 'select from pg_prepared_statements where name = $1', values: [name] };
}
