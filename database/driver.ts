import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/postgresql';
import type { PoolStats, QueryOptions } from './postgresql/connection-pool.ts';
import type { DatabaseFiles } from './pglite/data-directory.ts';
import type { Replicas } from './postgresql/replicas.ts';
import type { BoundStatement } from '../entities/statements/define-statement.ts';

/** Runs a bound statement in one round trip, prepared under its name where that pays. */
export type RunStatement = (bound: BoundStatement) => Promise<{ rows: unknown[] }>;

/** What differs between PostgreSQL and the embedded PGlite; both understand the same statements. */
export interface DatabaseDriver {
  /** The ORM over the same connections; asked for once. */
  openOrm(): Promise<MikroORM<AbstractSqlDriver>>;
  /** The pool that it runs statements over, where there is one. */
  pool?: PoolStats;
  /** Its files, where they are this process's own. */
  files?: DatabaseFiles;
  /** Runs a statement in a transaction of its own. */
  run(bound: BoundStatement, options: QueryOptions): Promise<{ rows: unknown[] }>;
  /** Where there are any: what only reads may be run there. */
  replicas?: Replicas;
  /** Runs what the work runs in one transaction: committed when the work ends, rolled back when it throws. */
  transaction<T>(work: (run: RunStatement) => Promise<T>, deadline: number): Promise<T>;
  /** Does work with entity managers, which wait for nothing longer than that. */
  withDeadline?<T>(deadline: number, work: () => Promise<T>): Promise<T>;
  /** Brings the schema up to date. Processes that start together take turns; one of them applies. */
  migrate(): Promise<void>;
  /** Whether the schema is what this version needs. */
  isMigrated(): Promise<boolean>;
  /** What this connection's role may not do and has to; undefined when it may do all. */
  missingPrivileges(): Promise<string | undefined>;
  /** What lets this connection's role past the policies that keep companies apart; undefined when nothing does. */
  excessPrivileges(): Promise<string | undefined>;
  /** The reason why statements cannot run through the pooler; undefined without a pooler or if they can. */
  poolerError?(): Promise<string | undefined>;
  /** Calls back whenever a key was changed, by whichever process. @returns ends that */
  listenForKeyChanges(onKeysChanged: () => void): Promise<() => Promise<void>>;
  /** Closes the connections. */
  close(): Promise<void>;
}
