import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/postgresql';
import type { BoundStatement } from '../entities/statements/define-statement.ts';
import type { PoolStats, QueryOptions } from './connection/connection-pool.ts';
import type { PoolRequest } from './connection/pool-queue.ts';
import type { Data } from './upgrade/inspect.ts';
import type { Replicas } from './postgresql/replicas.ts';

/** Runs a bound statement in one round trip, as a prepared statement if the driver supports it. */
export type RunStatement = (bound: BoundStatement) => Promise<{ rows: unknown[] }>;

/** Options of a transaction, which counts as one write. */
export type TransactionOptions = Omit<PoolRequest, 'write'>;

/** Summary of a database, to compare a copy with its original. */
export interface DatabaseContents {
  /** Major version of PostgreSQL. Other versions cannot read its files. */
  postgresql: number;
  /** Names of the applied migrations. */
  migrations: string[];
  /** Number of rows by table, over all companies. */
  rows: Record<string, number>;
}

/** Data directory of the embedded database. */
export interface DatabaseFiles {
  contents(): Promise<DatabaseContents>;
  /** Copies the files to a new folder. Reads run meanwhile, and writes except at the end. @returns contents of the copy */
  copyTo(folder: string): Promise<DatabaseContents>;
}

/** Rewrites tables whose files may hold deleted values. */
export interface Rewriter {
  /** True if tables are to be rewritten. */
  isRequested(): Promise<boolean>;
  /** Rewrites them. Everything else waits meanwhile. @returns the number of tables */
  run(): Promise<number>;
}

/** Work that PostgreSQL does in the background. */
export interface Maintenance {
  /** Updates the statistics of tables that have changed much. @returns their names */
  analyze(): Promise<string[]>;
  /** Writes a checkpoint if the write-ahead log has become long. @returns true if it did */
  writeCheckpoint(): Promise<boolean>;
}

/** Work of the owner of the tables of the embedded database. */
interface Embedded {
  owner: Owner;
  rewriter: Rewriter;
  maintenance: Maintenance;
}

/** Functions that notifications of any process call, by channel. They are also called when some may have been lost. */
export interface NotificationListeners {
  /** A key was changed. */
  api_key_changed: () => void;
  /** Audit events of a company were sealed. */
  audit_sealed: () => void;
}

/** Operations that differ between PostgreSQL and the embedded PGlite. Both run the same statements. */
export interface DatabaseDriver {
  /** Opens the ORM over the same connections. Called once. */
  openOrm(): Promise<MikroORM<AbstractSqlDriver>>;
  /** Statistics of the connection pool, if there is one. */
  pool?: PoolStats;
  /** Data directory, if the database is embedded and not in memory. */
  files?: DatabaseFiles;
  /** Work of the owner of the tables, if the database is embedded: no other process opens it. */
  embedded?: Embedded;
  /** Maximum number of milliseconds of a lookup before a request; by default `TIMEOUTS_MS.lookup`. */
  lookupTimeoutMs?: number;
  /** Runs a statement in a separate transaction. */
  run(bound: BoundStatement, options: QueryOptions): Promise<{ rows: unknown[] }>;
  /** Replicas for read-only statements, if there are any. */
  replicas?: Replicas;
  /** Runs the statements of `work` in one transaction: commits when `work` ends, rolls back if it throws. */
  transaction<T>(work: (run: RunStatement) => Promise<T>, options: TransactionOptions): Promise<T>;
  /** Inspects the data, applies pending migrations and grants the privileges of the service. If several processes start at the same time, only one of them applies each migration. */
  migrate: () => Promise<void>;
  /** True if all migrations are applied. @throws ApiError 503 if the database is unavailable */
  isMigrated: () => Promise<boolean>;
  /** Compares the data with this version, as the owner of the tables. @throws IncompatibleDataError if it cannot run on them */
  inspect: () => Promise<Data>;
  /** Describes privileges that the role needs and lacks; undefined if it lacks none. */
  missingPrivileges: () => Promise<string | undefined>;
  /** Describes a privilege with which the role could bypass tenant isolation; undefined if there is none. */
  excessPrivileges: () => Promise<string | undefined>;
  /** The reason why statements cannot run through the pooler; undefined without a pooler or if they can. */
  poolerError?: () => Promise<string | undefined>;
  /** Listens for notifications. @returns ends that */
  listen(listeners: NotificationListeners): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Runs one statement with positional values. */
export type OwnerQuery = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Access to the database as the role that owns the tables. */
export interface Owner {
  /** Runs the statements of `work` in one transaction: commits when `work` ends, rolls back if it throws. */
  transaction<T>(work: (query: OwnerQuery) => Promise<T>): Promise<T>;
  /** Milliseconds that a batch of deletions may take. */
  readonly batchMs: number;
}
