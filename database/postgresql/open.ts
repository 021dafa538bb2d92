import { openConnections } from '../connection/connections.ts';
import { Database } from '../database.ts';
import { openOrm } from '../orm/open.ts';
import { MISSING_PRIVILEGES, EXCESS_PRIVILEGES } from '../orm/privileges.ts';
import { isMigrated } from '../orm/migrations.ts';
import { inspectData } from '../upgrade/inspect.ts';
import { connectionConfig } from './connection-url.ts';
import { migrate } from './migrate.ts';
import { listen } from './notifications.ts';
import { SERVER_TIMEOUTS, SESSION_PARAMETERS, STARTUP_PARAMETERS } from './startup-parameters.ts';
import { transactionPooling, untrackedStatement } from './transaction-pooling.ts';
import { Replicas } from './replicas.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';

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
