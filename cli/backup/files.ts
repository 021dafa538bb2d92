import { randomUUID } from 'node:crypto';
import { access, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { constants } from 'node:fs';
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

/** What was done with a backup, and what it holds. */
interface BackupResult extends BackupVerification {
  file: string;
  sha256: string;
}

/**
 * Fetches a backup into a file that is not there yet: under that name it is whole and was proven, or there is none.
 * @throws BadSetting where it is not what it says
 */
export async function downloadBackup(
  fetchBackup: () => Promise<AsyncIterable<Uint8Array>>,
  name: string,
): Promise<BackupResult> {
  const file = resolve(name);
  if (await exists(file)) throw new ConfigError(`${name} is there already`);
  const partialFile = `${file}.${randomUUID().slice(0, 8)}.part`;
  const handle = await open(partialFile, 'wx', 0o600).catch(writeError(name));
  try {
    const backup = await fetchBackup();
    await handle.writeFile(backup).catch(writeError(name));
    await handle.sync();
    await handle.close();
    const done = await verifyFile(partialFile);
    await rename(partialFile, file);
    await syncToDisk(dirname(file));
    return { ...done, file };
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(partialFile, { force: true });
    throw error;
  }
}

/** A full disk, say, or a server that ended before the backup did. */
const writeError = (name: string) => (cause: unknown) => {
  throw new ConfigError(`${name} is not written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
};

/** Proves a backup beside itself, in a folder that is gone afterwards. @throws BadSetting where it is not what it says */
export async function verifyFile(name: string): Promise<BackupResult> {
  const file = await fileOf(name);
  const folder = await mkdtemp(join(dirname(file), '.verify-'));
  try {
    return { file, sha256: await checksumFile(file), ...(await verifyBackup(file, folder)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface RestoreOptions {
  dataDir: string;
  /** Whether a database that is there may be put aside. */
  replace: boolean;
  /** Whether a trail that is not intact may be restored. */
  anyTrail: boolean;
}

/**
 * Puts the database of a backup into DATA_DIR, which no server may have. Whenever it is cut short, the old database is
 * there or the new one: with the name that the new one gets when it is whole, it is decided, and who comes next ends it.
 * @throws BadSetting where there is one already, or the backup is not what it says
 */
export async function restoreBackup(
  name: string,
  { dataDir, replace, anyTrail }: RestoreOptions,
): Promise<BackupResult & { kept?: string }> {
  const file = await fileOf(name);
  const unlock = await lockDataDir(dataDir);
  try {
    await recoverDataDir(dataDir);
    if (!replace && (await exists(databaseDir(dataDir)))) {
      throw new ConfigError(`DATA_DIR: ${dataDir} holds a database; with --replace it is put aside`);
    }
    const staging = await stagingDir(dataDir);
    const done = { file, sha256: await checksumFile(file), ...(await verifyBackup(file, staging)) };
    const invalidAuditLog = done.trails.find(({ intact }) => !intact);
    if (invalidAuditLog !== undefined && !anyTrail) {
      throw new ConfigError(
        `the trail of company ${invalidAuditLog.company} is not intact: ${invalidAuditLog.reason}; --any-trail restores it all the same`,
      );
    }
    await makePrivate(databaseDir(staging));
    await syncAllToDisk(databaseDir(staging));
    await rename(databaseDir(staging), restoredDir(dataDir));
    await syncToDisk(dataDir);
    const kept = await recoverDataDir(dataDir);
    return { ...done, ...(kept !== undefined && { kept }) };
  } finally {
    await recoverDataDir(dataDir);
    unlock();
  }
}

/** Files that are open at once while they are flushed. */
const MAX_CONCURRENT = 32;

async function syncAllToDisk(folder: string): Promise<void> {
  const files = await listFiles(folder);
  const paths = [...new Set([...files, ...files.map((file) => dirname(file)), folder])];
  // Together: a file system that keeps a journal flushes those that wait at once.
  for (let done = 0; done < paths.length; done += MAX_CONCURRENT)
    await Promise.all(paths.slice(done, done + MAX_CONCURRENT).map(syncToDisk));
}

/** The path of a backup. @throws BadSetting if it is not a file that can be read */
async function fileOf(name: string): Promise<string> {
  const file = resolve(name);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new ConfigError(`${name} does not exist`);
  if (found.isDirectory()) throw new ConfigError(`${name}: expected a backup file, found a folder`);
  await access(file, constants.R_OK).catch((cause: unknown) => {
    throw new ConfigError(`${name}: expected a file that can be read`, { cause });
  });
  return file;
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
