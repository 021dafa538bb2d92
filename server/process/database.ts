import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { MigrationError, asApiError, isInsufficientPrivilege } from '../../database/errors.ts';
import { databaseDir, lockDataDir, makePrivate, recoverDataDir } from '../config/data-dir.ts';
import { ConfigError } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import type { DemoData } from './demo-data.ts';

/** Number of checks for missing privileges, and milliseconds between them. */
const PRIVILEGE_CHECK = { attempts: 5, intervalMs: 300 };

/**
 * Applies pending migrations.
 * @throws ConfigError if migrations are pending and RUN_MIGRATIONS is false, or if the database role may not apply them
 */
export async function migrateIfNeeded(
  database: Database,
  { runMigrations, migrationDatabaseUrl }: Settings,
): Promise<void> {
  if (await database.isMigrated()) return;
  if (!runMigrations) throw new ConfigError('RUN_MIGRATIONS: is false, but migrations are pending');
  await database.migrate().catch((cause: unknown) => {
    const isExpected =
      cause instanceof MigrationError || asApiError(cause) !== undefined || isInsufficientPrivilege(cause);
    if (!isExpected) throw cause;
    const name = migrationDatabaseUrl === undefined ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL';
    throw new ConfigError(`${name}: ${rootCauseMessage(cause)}`, { cause });
  });
}

/**
 * Returns the missing privileges of the service role, or undefined if there are none. Retries, because another process may
 * have applied the migrations and not granted the privileges yet.
 */
export async function waitForPrivileges(database: Database): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const missingPrivileges = await database.missingPrivileges();
    if (missingPrivileges === undefined || attempt === PRIVILEGE_CHECK.attempts) return missingPrivileges;
    await wait(PRIVILEGE_CHECK.intervalMs);
  }
}

/** Message of the innermost cause, which is the original message of the driver. */
function rootCauseMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof MigrationError) return error.message;
  return error.cause instanceof Error ? rootCauseMessage(error.cause) : error.message;
}

/** An open database. */
interface OpenedDatabase {
  database: Database;
  /** Demo data that the preparation of the embedded database created. */
  demo: DemoData | undefined;
  /** Releases the lock of DATA_DIR. */
  unlock: () => void;
}

/** Result of the preparation of the embedded database. */
export type Preparation = { demo: DemoData | undefined } | { error: string };

/** Prepares the embedded database for this version in a process of its own, which locks DATA_DIR. */
async function prepare(dataDir: string): Promise<DemoData | undefined> {
  const child = fork(new URL('prepare.ts', import.meta.url), [dataDir], { execArgv: [], serialization: 'advanced' });
  const exited = once(child, 'exit');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- prepare.ts sends one message
  const message = once(child, 'message').then(([sent]) => sent as Preparation);
  const result = await Promise.race([message, exited.then(() => ({ error: 'its process was killed' }))]);
  await exited;
  if ('error' in result) throw new Error(`database: preparation failed: ${result.error}`);
  return result.demo;
}

/** Opens the configured database. Loads only its driver, which saves memory and time at startup. */
export async function openDatabase(
  { databaseUrl, migrationDatabaseUrl: ownerUrl, connections, pooler, replicaUrls, dataDir, runMigrations }: Settings,
  log: Logger,
): Promise<OpenedDatabase> {
  if (databaseUrl !== undefined) {
    const { openPostgreSql } = await import('../../database/postgresql/open.ts');
    return {
      database: await openPostgreSql(databaseUrl, { ownerUrl, maxConnections: connections, pooler, replicaUrls }),
      demo: undefined,
      unlock: () => {},
    };
  }
  const { openPglite } = await import('../../database/pglite/open.ts');
  let unlock = await lockDataDir(dataDir);
  await recoverDataDir(dataDir);
  const folder = databaseDir(dataDir);
  const error = await makePrivate(folder);
  if (error !== undefined) log.warn({ err: error, folder }, 'database folder: other users may read it');
  if (!runMigrations || existsSync(join(folder, 'PG_VERSION'))) {
    const database = await openPglite(folder);
    if (!runMigrations || (await database.isMigrated())) return { database, demo: undefined, unlock };
    await database.close();
  }
  unlock();
  const demo = await prepare(dataDir);
  unlock = await lockDataDir(dataDir);
  return { database: await openPglite(folder), demo, unlock };
}
