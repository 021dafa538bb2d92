import { randomUUID } from 'node:crypto';
import { access, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { ConfigError } from '../server/config/settings.ts';
import type { Settings } from '../server/config/settings.ts';
import {
  readOperatorToken,
  tokenSourceOf,
  databaseDir,
  stagingDir,
  syncToDisk,
  lockDataDir,
  makePrivate,
  restoredDir,
  recoverDataDir,
} from '../server/config/data-dir.ts';
import { BACKUP_PATH, POSTGRESQL_BACKUP_HINT } from '../server/backup/route.ts';
import { checksumFile, listFiles, extractArchive } from '../server/backup/archive.ts';
import type { Manifest } from '../server/backup/archive.ts';
import { openPglite } from '../database/pglite/open.ts';
import { IncompatibleDataError } from '../database/upgrade/inspect.ts';
import type { Database } from '../database/database.ts';
import { Session } from '../database/session.ts';
import type { StatementRunner } from '../database/statement-runner.ts';
import { operatorPrincipal } from '../entities/principal.ts';
import type { Principal } from '../entities/principal.ts';
import { createCaller } from '../procedures/index.ts';
import { call, unexpected } from './remote.ts';

const REQUEST_ID = 'backup';

type AuditVerification = Awaited<ReturnType<ReturnType<typeof managementCaller>['audit']['verify']>>;

/** Result of the verification of a backup. */
interface BackupVerification {
  madeAt: string;
  /** Rows of each table. */
  rows: Manifest['rows'];
  trails: Trail[];
}

/** Verification of the audit log of a company. */
type Trail = { company: number; name: string } & Pick<AuditVerification, 'intact' | 'reason' | 'sealed' | 'head'>;

/**
 * Verifies a backup. Extracts it to an empty directory, opens the database and compares it with the manifest. Then applies
 * pending migrations, as a start would, and verifies the audit logs.
 * @throws ConfigError if the backup is incomplete or not compatible with this version
 */
async function verifyBackup(file: string, folder: string): Promise<BackupVerification> {
  const manifest = await extractArchive(file, folder);
  const database = await openPglite(databaseDir(folder)).catch((cause: unknown) => {
    throw new ConfigError(
      `${file}: the database cannot be opened; it was created by PostgreSQL ${manifest.postgresql}`,
      { cause },
    );
  });
  try {
    const { migrations, rows } = manifest;
    const contents = await database.files?.contents();
    if (JSON.stringify([contents?.migrations, contents?.rows]) !== JSON.stringify([migrations, rows])) {
      throw new ConfigError(`${file}: the rows do not match the manifest`);
    }
    await database.migrate().catch((error: unknown) => {
      throw error instanceof IncompatibleDataError
        ? new ConfigError(`${file}: ${error.message}`, { cause: error })
        : error;
    });
    return { madeAt: manifest.madeAt, rows, trails: await verifyTrails(database) };
  } finally {
    await database.close();
  }
}

/**
 * Verifies the audit log of each company of a database that no service uses.
 * @param runner of a transaction that has the rows; by default each statement is one
 */
export async function verifyTrails(database: Database, runner?: StatementRunner): Promise<Trail[]> {
  const callerOf = (principal: Principal | null) => managementCaller(database, principal, runner);
  const trails: Trail[] = [];
  for (const { id, name } of (await callerOf(null).company.list()).filter((one) => 'name' in one)) {
    const { intact, reason, sealed, head } = await callerOf(operatorPrincipal(id)).audit.verify({});
    trails.push({ company: id, name, intact, reason, sealed, head });
  }
  return trails;
}

/** Describes the first audit log that is not intact; undefined if all are. */
export function brokenTrail(trails: readonly Trail[]): string | undefined {
  const broken = trails.find(({ intact }) => !intact);
  return broken && `audit log of company ${broken.company}: not intact: ${broken.reason}`;
}

const managementCaller = (database: Database, principal: Principal | null, runner: StatementRunner = database) =>
  createCaller({
    requestId: REQUEST_ID,
    address: null,
    caller: 'operator',
    session: new Session(database, principal, REQUEST_ID, { runner }),
  }).management;

/** Result of a backup command: the file and its verification. */
interface BackupResult extends BackupVerification {
  file: string;
  sha256: string;
}

/**
 * Downloads a backup to a new file. The file gets its name only after the download is complete and verified.
 * @throws ConfigError if the file exists, cannot be written, or is not a valid backup
 */
async function downloadBackup(
  fetchContent: () => Promise<AsyncIterable<Uint8Array>>,
  name: string,
): Promise<BackupResult> {
  const file = resolve(name);
  if (existsSync(file)) throw new ConfigError(`${name}: already exists`);
  const partialFile = `${file}.${randomUUID().slice(0, 8)}.part`;
  const handle = await open(partialFile, 'wx', 0o600).catch(writeError(name));
  try {
    const backup = await fetchContent();
    await handle.writeFile(backup).catch(writeError(name));
    await handle.sync();
    await handle.close();
    const result = await verifyFile(partialFile);
    await rename(partialFile, file);
    await syncToDisk(dirname(file));
    return { ...result, file };
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(partialFile, { force: true });
    throw error;
  }
}

/** Throws the error of a write, for example on a full disk or if the server stops during the download. */
const writeError = (name: string) => (cause: unknown) => {
  throw new ConfigError(`${name}: write failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
};

/**
 * Verifies a backup in a temporary directory next to it.
 * @throws ConfigError if it is not a valid backup
 */
export async function verifyFile(name: string): Promise<BackupResult> {
  const file = await requireReadableFile(name);
  const folder = await mkdtemp(join(dirname(file), '.verify-'));
  try {
    return { file, sha256: await checksumFile(file), ...(await verifyBackup(file, folder)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface RestoreOptions {
  dataDir: string;
  /** Allows the restore to move an existing database aside. */
  replace: boolean;
  /** Allows the restore of an audit log that is not intact. */
  anyTrail: boolean;
}

/**
 * Restores a backup into DATA_DIR while no server uses it. An interruption leaves either the old or the new database: the
 * rename to `restored` commits the restore, and `recoverDataDir` completes it at the next start.
 * @throws ConfigError if a database exists and `replace` is false, or if the backup is not valid
 */
export async function restoreBackup(
  name: string,
  { dataDir, replace, anyTrail }: RestoreOptions,
): Promise<BackupResult & { kept?: string }> {
  const file = await requireReadableFile(name);
  const unlock = await lockDataDir(dataDir);
  try {
    await recoverDataDir(dataDir);
    if (!replace && existsSync(databaseDir(dataDir))) {
      throw new ConfigError(`DATA_DIR: ${dataDir} contains a database; --replace moves it aside`);
    }
    const staging = await stagingDir(dataDir);
    const result = { file, sha256: await checksumFile(file), ...(await verifyBackup(file, staging)) };
    const broken = brokenTrail(result.trails);
    if (broken !== undefined && !anyTrail) throw new ConfigError(`${broken}; --any-trail restores it anyway`);
    await makePrivate(databaseDir(staging));
    await syncAllToDisk(databaseDir(staging));
    await rename(databaseDir(staging), restoredDir(dataDir));
    await syncToDisk(dataDir);
    const kept = await recoverDataDir(dataDir);
    return { ...result, ...(kept !== undefined && { kept }) };
  } finally {
    await recoverDataDir(dataDir).finally(unlock);
  }
}

/** Maximum number of files flushed concurrently. */
const MAX_CONCURRENT = 32;

async function syncAllToDisk(folder: string): Promise<void> {
  const files = await listFiles(folder);
  const paths = [...new Set([...files, ...files.map((file) => dirname(file)), folder])];
  // Concurrent, because a journaling file system flushes waiting files in one operation.
  for (let start = 0; start < paths.length; start += MAX_CONCURRENT)
    await Promise.all(paths.slice(start, start + MAX_CONCURRENT).map(syncToDisk));
}

/**
 * Returns the absolute path of a backup.
 * @throws ConfigError unless it is a readable file
 */
async function requireReadableFile(name: string): Promise<string> {
  const file = resolve(name);
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined) throw new ConfigError(`${name} does not exist`);
  if (stats.isDirectory()) throw new ConfigError(`${name}: expected a backup file, not a directory`);
  await access(file, constants.R_OK).catch((cause: unknown) => {
    throw new ConfigError(`${name}: expected a readable file`, { cause });
  });
  return file;
}

const FileArgument = z.string().min(1).describe('file');

/**
 * Creates the commands for backups of the embedded database.
 * @param server URL of the running server
 */
export function backupCommands(settings: Settings, server: string) {
  const t = initTRPC.meta<Meta>().create();
  const command = (description: string) => t.procedure.meta({ description });
  return {
    create: command('Write a backup of the running server’s database to a new file and verify it')
      .input(z.tuple([FileArgument]))
      .mutation(async ({ input: [file] }) => {
        requireEmbedded(settings);
        return setExitCode(await downloadBackup(() => fetchBackup(settings, server), file));
      }),
    verify: command('Verify a backup: open its database, count the rows, verify the audit logs')
      .input(z.tuple([FileArgument]))
      .query(async ({ input: [file] }) => setExitCode(await verifyFile(file))),
    restore: command('Restore a backup into DATA_DIR; the server must be stopped')
      .input(
        z.tuple([
          FileArgument,
          z.object({
            replace: z.boolean().default(false).describe('Move an existing database aside'),
            anyTrail: z.boolean().default(false).describe('Restore the backup even if an audit log is not intact'),
          }),
        ]),
      )
      .mutation(async ({ input: [file, options] }) => {
        requireEmbedded(settings);
        return setExitCode(await restoreBackup(file, { dataDir: settings.dataDir, ...options }));
      }),
  };
}

function requireEmbedded({ databaseUrl }: Settings): void {
  if (databaseUrl !== undefined)
    throw new ConfigError(`DATABASE_URL: expected no value for this command; ${POSTGRESQL_BACKUP_HINT}`);
}

/** Sets exit code 1 unless every audit log is intact. */
function setExitCode<Verification extends BackupVerification>(verification: Verification): Verification {
  if (verification.trails.some(({ intact }) => !intact)) process.exitCode = 1;
  return verification;
}

async function fetchBackup(settings: Settings, server: string): Promise<AsyncIterable<Uint8Array>> {
  const headers = { Authorization: `Bearer ${await readOperatorToken(settings)}` };
  const response = await call(server, BACKUP_PATH, { method: 'POST', headers }, tokenSourceOf(settings));
  const isBackup = response.headers.get('Content-Type') === 'application/gzip';
  if (response.ok && isBackup && response.body !== null) return response.body;
  throw unexpected(server, response, await response.json().catch(() => undefined));
}
