import { constants, createWriteStream } from 'node:fs';
import { cp, mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../../database/database.ts';
import type { DatabaseContents } from '../../database/driver.ts';
import { filesFolder, linkStoredFiles } from '../../database/pglite/files-folder.ts';
import type { Data } from '../../database/upgrade/inspect.ts';
import { VERSION, isOlder } from '../../database/version.ts';
import type { Job } from '../../procedures/jobs/job.ts';
import { databaseDir, stagingDir, syncToDisk, replacedAt } from '../config/data-dir.ts';
import { ConfigError } from '../config/settings.ts';
import { createArchive, listFiles } from './archive.ts';

/** Backups that are kept, and days for which. Contract, section 25. */
export const MAX_BACKUPS = 3;
export const BACKUP_RETENTION_DAYS = 30;
const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

const backupsDir = (dataDir: string) => join(dataDir, 'backups');
const backupFile = (dataDir: string, version: string) => join(backupsDir(dataDir), `before-${version}.tar.gz`);

/** A backup that a version wrote before it migrated. */
interface UpgradeBackup {
  file: string;
  /** Version that migrated. */
  version: string;
  writtenAt: number;
}

/**
 * Inspects a copy of the closed database in DATA_DIR, and writes a backup of it if migrations are pending. The backup needs room for the
 * copy, whose stored files are links, and at most as much for the archive. A database on which
 * this version cannot run stays as it is. The caller must own the lock.
 * @param open opens the database in a folder
 * @throws IncompatibleDataError if this version cannot run on the data
 * @throws ConfigError if there is no room for the backup
 */
export async function backUpBeforeUpgrade(dataDir: string, open: (folder: string) => Promise<Database>): Promise<void> {
  const missing = await missingMib(dataDir, { tables: 2, files: 1 });
  if (missing > 0)
    throw new ConfigError(
      `DATA_DIR: ${dataDir} lacks ${missing} MiB for the backup before the upgrade; free that much space, or set UPGRADE_BACKUP=false`,
    );
  const staging = await stagingDir(dataDir);
  try {
    const copy = databaseDir(staging);
    await copyTables(dataDir, copy);
    await linkStoredFiles(databaseDir(dataDir), copy);
    const { data, contents } = await inspect(await open(copy));
    if (data.pending.length === 0) return;
    const file = backupFile(dataDir, VERSION);
    if (data.isInterrupted && (await isRecent(file))) return; // a backup of the data before the upgrade
    const partialFile = join(staging, basename(file));
    const archive = await createArchive(async () => contents, staging);
    await pipeline(archive, createWriteStream(partialFile, { mode: 0o600 }));
    await syncToDisk(partialFile);
    await mkdir(backupsDir(dataDir), { recursive: true, mode: 0o700 });
    await rename(partialFile, file);
    await syncToDisk(backupsDir(dataDir));
    await deleteOldUpgradeBackups(dataDir);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Inspects a database and closes it. */
async function inspect(database: Database): Promise<{ data: Data; contents: DatabaseContents }> {
  try {
    if (database.files === undefined) throw new Error('database: expected files');
    return { data: await database.inspect(), contents: await database.files.contents() };
  } finally {
    await database.close();
  }
}

/** True if the file was written within a day. */
const isRecent = async (file: string): Promise<boolean> => {
  const stats = await stat(file).catch(() => undefined);
  return stats !== undefined && stats.mtimeMs > Date.now() - DAY_MS;
};

/** Copies the closed database in DATA_DIR to a new folder, without its stored files. The caller must own the lock. */
export async function copyTables(dataDir: string, copy: string): Promise<void> {
  const isTables = (path: string) => path !== filesFolder(databaseDir(dataDir));
  await cp(databaseDir(dataDir), copy, { recursive: true, mode: constants.COPYFILE_FICLONE, filter: isTables });
}

/**
 * Computes the room in MiB that the disk of DATA_DIR lacks for copies of its database; 0 if there is enough.
 * @param copies of the tables, and of the stored files. Links to stored files need no room.
 */
export async function missingMib(dataDir: string, copies: { tables: number; files: number }): Promise<number> {
  const [{ bavail, bsize }, files] = await Promise.all([statfs(dataDir), listFiles(databaseDir(dataDir))]);
  const storedFiles = filesFolder(databaseDir(dataDir)) + sep;
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(file)).size * copies[file.startsWith(storedFiles) ? 'files' : 'tables']),
  );
  const missing = sizes.reduce((sum, size) => sum + size, 0) - bavail * bsize;
  return Math.max(0, Math.ceil(missing / MIB));
}

/** Lists the backups in DATA_DIR, the newest first. */
export async function listUpgradeBackups(dataDir: string): Promise<UpgradeBackup[]> {
  const names = await readdir(backupsDir(dataDir)).catch(() => []);
  const backups = names.map(async (name): Promise<UpgradeBackup[]> => {
    const version = /^before-(\d+\.\d+\.\d+)\.tar\.gz$/.exec(name)?.[1];
    if (version === undefined) return [];
    const file = backupFile(dataDir, version);
    return [{ file, version, writtenAt: (await stat(file)).mtimeMs }];
  });
  return (await Promise.all(backups)).flat().toSorted((one, other) => other.writtenAt - one.writtenAt);
}

/** Deletes backups beyond the newest three and those older than 30 days. Returns their number. */
export async function deleteOldUpgradeBackups(dataDir: string): Promise<number> {
  const backups = await listUpgradeBackups(dataDir);
  const old = backups.filter(
    ({ writtenAt }, index) => index >= MAX_BACKUPS || writtenAt < Date.now() - BACKUP_RETENTION_DAYS * DAY_MS,
  );
  await Promise.all(old.map(({ file }) => rm(file, { force: true })));
  return old.length;
}

/** Returns the file of the backup with the newest data that this version can restore; undefined if there is none. */
export async function restorableBackup(dataDir: string): Promise<string | undefined> {
  const backups = (await listUpgradeBackups(dataDir)).filter(({ version }) => isOlder(VERSION, version));
  return backups.toSorted((one, other) => (isOlder(one.version, other.version) ? -1 : 1))[0]?.file;
}

/** Deletes databases that a restore replaced more than 30 days ago: they hold people who were forgotten since. Returns their number. */
async function deleteReplacedDatabases(dataDir: string): Promise<number> {
  const oldest = Date.now() - BACKUP_RETENTION_DAYS * DAY_MS;
  const old = (await readdir(dataDir)).filter((name) => (replacedAt(name) ?? Infinity) < oldest);
  for (const name of old) await rm(join(dataDir, name), { recursive: true, force: true });
  return old.length;
}

/** Deletes old backups of upgrades and replaced databases in DATA_DIR, at the start and each hour. */
export const backupCleanup = (dataDir: string): Job => ({
  kind: 'interval',
  name: 'delete-old-backups',
  failure: 'backups of upgrades: deleting expired rows failed',
  intervalMs: 3_600_000,
  run: async () => {
    await deleteOldUpgradeBackups(dataDir);
    await deleteReplacedDatabases(dataDir);
  },
});
