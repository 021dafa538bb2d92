import { openConnections } from '../connection/connections.ts';
import { Database } from '../database.ts';
import { openOrm } from '../orm/open.ts';
import { MISSING_PRIVILEGES, EXCESS_PRIVILEGES } from '../orm/privileges.ts';
import { isMigrated } from '../orm/migrations.ts';
import { inspectData } from '../upgrade/inspect.ts';
import { migrate } from './migrate.ts';
import { listen } from './notifications.ts';
import { transactionPooling, untrackedStatement } from './transaction-pooling.ts';
import { Replicas } from './replicas.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';

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
  const connect = (serverUrl: string) =>
    openConnections(
      { connectionString: serverUrl, ...startupOptions },
      { connections: maxConnections, adapt: pooling?.bound },
    );
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
      await migrate(ownerUrl, String(rows[0]?.['role']), SESSION_OPTIONS);
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
      return rows.length > 0 ? 'expected PgBouncer 1.21 or newer with max_prepared_statements above 0' : undefined;
    },
    // A pooler in transaction mode does not forward notifications. Cached keys then expire within a second, as the contract says,
    // and new seals are found by polling.
    listen: async (listeners) => (pooling === undefined ? listen(url, listeners) : async () => {}),
    close: async () => void (await Promise.all([close(), replicas?.close()])),
  });
}
