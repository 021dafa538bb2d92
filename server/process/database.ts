import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import { MigrationError, asApiError, errorLine, isInsufficientPrivilege } from '../../database/errors.ts';
import { IncompatibleDataError } from '../../database/upgrade/inspect.ts';
import type { DemoData } from '../../procedures/demo/demo-data.ts';
import {
  databaseDir,
  lockDataDir,
  makePrivate,
  recoverDataDir,
  isPrepared,
  requireSamePostgreSql,
} from '../config/data-dir.ts';
import { ConfigError } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import { incompatibleData } from './data-errors.ts';
import { requireOwnerServer, requireServers } from './require-servers.ts';
import type { StartOptions } from './require-servers.ts';

/** Number of checks for missing privileges, and milliseconds between them. */
const PRIVILEGE_CHECK = { attempts: 5, intervalMs: 300 };

/**
 * Applies pending migrations and grants missing privileges.
 * @throws ConfigError if migrations are pending and RUN_MIGRATIONS is false, if the database role may not apply them, or if
 *   this version cannot run on the data
 */
export async function migrateIfNeeded(database: Database, settings: Settings, start: StartOptions): Promise<void> {
  const { runMigrations, migrationDatabaseUrl } = settings;
  const isMigrated = await database.isMigrated();
  // A migration that was killed before it granted the privileges has left none pending.
  const canGrant = runMigrations && migrationDatabaseUrl !== undefined;
  if (isMigrated && !(canGrant && (await database.missingPrivileges()) !== undefined)) return;
  if (!runMigrations) throw new ConfigError('RUN_MIGRATIONS: is false, but migrations are pending');
  if (migrationDatabaseUrl !== undefined) await requireOwnerServer(migrationDatabaseUrl, start);
  await database.migrate().catch(async (cause: unknown) => {
    if (cause instanceof IncompatibleDataError) throw await incompatibleData(cause, settings);
    const isExpected =
      cause instanceof MigrationError || asApiError(cause) !== undefined || isInsufficientPrivilege(cause);
    if (!isExpected) throw cause;
    const name = migrationDatabaseUrl === undefined ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL';
    throw new ConfigError(`${name}: ${errorLine(cause)}`, { cause });
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

/** An open database. */
interface OpenedDatabase {
  database: Database;
  /** Demo data that the preparation of the embedded database created. */
  demo: DemoData | undefined;
}

/** Settings of the preparation of the embedded database. */
export interface PreparationRequest extends Pick<
  Settings,
  'dataDir' | 'demoApiKey' | 'upgradeBackup' | 'companyIdStart'
> {
  /** True to rewrite tables, and nothing else. */
  rewriteOnly: boolean;
}

interface Prepared {
  /** Demo data of an empty database. */
  demo?: DemoData | undefined;
  /** Number of tables that were rewritten. */
  rewritten: number;
}

/** Result of the preparation. `configError` is a line for the operator. */
export type Preparation = Prepared | { error: string } | { configError: string };

/** Prepares the embedded database for this version in a process of its own, which locks DATA_DIR. */
async function prepare(
  { dataDir, demoApiKey, upgradeBackup, companyIdStart }: Settings,
  { rewriteOnly = false } = {},
): Promise<Prepared> {
  const request: PreparationRequest = { dataDir, demoApiKey, upgradeBackup, companyIdStart, rewriteOnly };
  const child = fork(new URL('prepare.ts', import.meta.url), { execArgv: [], serialization: 'advanced' });
  const exited = once(child, 'exit');
  // Not as an argument, which other users of the machine can read. If the process is killed before, its exit tells.
  child.send(request, () => {});
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- prepare.ts sends one message
  const message = once(child, 'message').then(([sent]) => sent as Preparation);
  const result = await Promise.race([message, exited.then(() => ({ error: 'its process was killed' }))]);
  await exited;
  if ('configError' in result) throw new ConfigError(result.configError);
  if ('error' in result) throw new Error(`database: preparation failed: ${result.error}`);
  return result;
}

/**
 * Opens the configured database. Loads only its driver, which saves memory and time at startup.
 * @param stack closes the database, and then releases the lock of DATA_DIR
 */
export async function openDatabase(
  settings: Settings,
  { log, signal }: StartOptions,
  stack: AsyncDisposableStack,
): Promise<OpenedDatabase> {
  const { databaseUrl, dataDir, runMigrations } = settings;
  if (databaseUrl !== undefined) {
    const { openPostgreSql } = await import('../../database/postgresql/open.ts');
    const { migrationDatabaseUrl: ownerUrl, connections: maxConnections, pooler, replicaUrls } = settings;
    await requireServers(settings, { log, signal });
    const database = await openPostgreSql(databaseUrl, { ownerUrl, maxConnections, pooler, replicaUrls });
    database.installation.configure(settings);
    return { database: stack.adopt(database, () => database.close()), demo: undefined };
  }
  const { openPglite } = await import('../../database/pglite/open.ts');
  const folder = databaseDir(dataDir);
  let unlock = await lockDataDir(dataDir);
  stack.defer(() => unlock());
  let opened: Database | undefined;
  stack.defer(() => opened?.close());
  await recoverDataDir(dataDir);
  await requireSamePostgreSql(dataDir);
  if (!existsSync(folder)) await makePrivate(folder);
  const prepareUnlocked = async (options?: Parameters<typeof prepare>[1]) => {
    unlock();
    unlock = () => {};
    try {
      return await prepare(settings, options);
    } finally {
      unlock = await lockDataDir(dataDir);
    }
  };
  const prepared = runMigrations && !(await isPrepared(dataDir)) ? await prepareUnlocked() : undefined;
  const error = await makePrivate(folder);
  if (error !== undefined) log.warn({ err: error, folder }, 'database folder: other users may read it');
  let database = (opened = await openPglite(folder));
  if ((await database.embedded?.rewriter.isRequested()) === true) {
    opened = undefined;
    await database.close();
    // Without space for it, the service starts all the same, and the next start tries again.
    await prepareUnlocked({ rewriteOnly: true }).then(
      ({ rewritten: tables }) => log.info({ tables }, 'database: rewrote the tables from which data were erased'),
      (cause: unknown) => log.warn({ err: cause }, 'database: rewriting the tables from which data were erased failed'),
    );
    database = opened = await openPglite(folder);
  }
  database.installation.configure(settings);
  return { database, demo: prepared?.demo };
}

/** Applies pending migrations on connections of its own. @throws ConfigError as `migrateIfNeeded` */
export async function migrateAndClose(settings: Settings, start: StartOptions): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { database } = await openDatabase(settings, start, stack);
  await migrateIfNeeded(database, settings, start);
}
