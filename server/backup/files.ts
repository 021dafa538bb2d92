import { randomUUID } from 'node:crypto';
import { access, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BadSetting } from '../config.ts';
import {
  databaseFolder,
  draftFolder,
  flush,
  lockDataFolder,
  makePrivate,
  restoredFolder,
  settleDataFolder,
} from '../data-folder.ts';
import { checksumOf, filesIn } from './archive.ts';
import { prove } from './proof.ts';
import type { Proof } from './proof.ts';

/** What was done with a backup, and what it holds. */
interface Done extends Proof {
  file: string;
  sha256: string;
}

/**
 * Fetches a backup into a file that is not there yet: under that name it is whole and was proven, or there is none.
 * @throws BadSetting where it is not what it says
 */
export async function keep(fetched: () => Promise<AsyncIterable<Uint8Array>>, name: string): Promise<Done> {
  const file = resolve(name);
  if (await isThere(file)) throw new BadSetting(`${name} is there already`);
  const part = `${file}.${randomUUID().slice(0, 8)}.part`;
  const handle = await open(part, 'wx', 0o600).catch(failed(name));
  try {
    const backup = await fetched();
    await handle.writeFile(backup).catch(failed(name));
    await handle.sync();
    await handle.close();
    const done = await verify(part);
    await rename(part, file);
    await flush(dirname(file));
    return { ...done, file };
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}

/** A full disk, say, or a server that ended before the backup did. */
const failed = (name: string) => (cause: unknown) => {
  throw new BadSetting(`${name} is not written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
};

/** Proves a backup beside itself, in a folder that is gone afterwards. @throws BadSetting where it is not what it says */
export async function verify(name: string): Promise<Done> {
  const file = await fileOf(name);
  const folder = await mkdtemp(join(dirname(file), '.proof-'));
  try {
    return { file, sha256: await checksumOf(file), ...(await prove(file, folder)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Terms {
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
export async function restore(name: string, { dataDir, replace, anyTrail }: Terms): Promise<Done & { kept?: string }> {
  const file = await fileOf(name);
  const unlock = await lockDataFolder(dataDir);
  try {
    await settleDataFolder(dataDir);
    if (!replace && (await isThere(databaseFolder(dataDir)))) {
      throw new BadSetting(`DATA_DIR: ${dataDir} holds a database; with --replace it is put aside`);
    }
    const draft = await draftFolder(dataDir);
    const done = { file, sha256: await checksumOf(file), ...(await prove(file, draft)) };
    const broken = done.trails.find(({ intact }) => !intact);
    if (broken !== undefined && !anyTrail) {
      throw new BadSetting(
        `the trail of company ${broken.company} is not intact: ${broken.reason}; --any-trail restores it all the same`,
      );
    }
    await makePrivate(databaseFolder(draft));
    await flushAll(databaseFolder(draft));
    await rename(databaseFolder(draft), restoredFolder(dataDir));
    await flush(dataDir);
    const kept = await settleDataFolder(dataDir);
    return { ...done, ...(kept !== undefined && { kept }) };
  } finally {
    await settleDataFolder(dataDir);
    unlock();
  }
}

/** Files that are open at once while they are flushed. */
const AT_ONCE = 32;

async function flushAll(folder: string): Promise<void> {
  const files = await filesIn(folder);
  const paths = [...new Set([...files, ...files.map((file) => dirname(file)), folder])];
  // Together: a file system that keeps a journal flushes those that wait at once.
  for (let done = 0; done < paths.length; done += AT_ONCE)
    await Promise.all(paths.slice(done, done + AT_ONCE).map(flush));
}

/** The path of a backup. @throws BadSetting if it is not a file that can be read */
async function fileOf(name: string): Promise<string> {
  const file = resolve(name);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new BadSetting(`${name} does not exist`);
  if (found.isDirectory()) throw new BadSetting(`${name}: expected a backup file, found a folder`);
  await access(file, constants.R_OK).catch((cause: unknown) => {
    throw new BadSetting(`${name}: expected a file that can be read`, { cause });
  });
  return file;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
