import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { asApiError, isInsufficientPrivilege } from '../../database/errors.ts';
import { databaseDir, lockDataDir, makePrivate, recoverDataDir } from '../config/data-dir.ts';
import { ConfigError } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';

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
    if (asApiError(cause) === undefined && !isInsufficientPrivilege(cause)) throw cause;
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
  return error.cause instanceof Error ? rootCauseMessage(error.cause) : error.message;
}

/** Opens the configured database. Loads only its driver, which saves memory and time at startup. */
export async function openDatabase(
  { databaseUrl, migrationDatabaseUrl: ownerUrl, connections, pooler, replicaUrls, dataDir }: Settings,
  log: Logger,
): Promise<{ database: Database; unlock: () => void }> {
  if (databaseUrl !== undefined) {
    const { openPostgreSql } = await import('../../database/postgresql/open.ts');
    return {
      database: await openPostgreSql(databaseUrl, { ownerUrl, maxConnections: connections, pooler, replicaUrls }),
      unlock: () => {},
    };
  }
  const { openPglite } = await import('../../database/pglite/open.ts');
  const unlock = await lockDataDir(dataDir);
  await recoverDataDir(dataDir);
  const folder = databaseDir(dataDir);
  const error = await makePrivate(folder);
  if (error !== undefined) log.warn({ err: error, folder }, 'database folder: other users may read it');
  return { database: await openPglite(folder), unlock };
}
