import { randomUUID } from 'node:crypto';
import { access, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../server/config/settings.ts';
import {
  databaseDir,
  stagingDir,
  syncToDisk,
  lockDataDir,
  makePrivate,
  restoredDir,
  recoverDataDir,
} from '../../server/config/data-dir.ts';
import { checksumFile, listFiles } from '../../server/backup/archive.ts';
import { verifyBackup } from './verify.ts';
import type { BackupVerification } from './verify.ts';

/** Result of a backup command: the file and its verification. */
interface BackupResult extends BackupVerification {
  file: string;
  sha256: string;
}

/**
 * Downloads a backup to a new file. The file gets its name only after the download is complete and verified.
 * @throws ConfigError if the file exists, cannot be written, or is not a valid backup
 */
export async function downloadBackup(
  fetchBackup: () => Promise<AsyncIterable<Uint8Array>>,
  name: string,
): Promise<BackupResult> {
  const file = resolve(name);
  if (existsSync(file)) throw new ConfigError(`${name}: already exists`);
  const partialFile = `${file}.${randomUUID().slice(0, 8)}.part`;
  const handle = await open(partialFile, 'wx', 0o600).catch(writeError(name));
  try {
    const backup = await fetchBackup();
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
    const invalidAuditLog = result.trails.find(({ intact }) => !intact);
    if (invalidAuditLog !== undefined && !anyTrail) {
      throw new ConfigError(
        `audit log of company ${invalidAuditLog.company}: not intact: ${invalidAuditLog.reason}; --any-trail restores it anyway`,
      );
    }
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
