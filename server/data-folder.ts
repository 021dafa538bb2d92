import { randomBytes } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  link,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BadSetting, OPERATOR_TOKEN } from './config.ts';
import type { Settings } from './config.ts';

const TOKEN_FILE = 'operator-token';
const LOCK_FILE = 'lock';
const HOLDER_FILE = 'holder';

/** Where the embedded database lives inside DATA_DIR. */
export const databaseFolder = (dataDir: string) => join(dataDir, 'pglite');

/** A database that was restored whole, on its way to the place of the one that was there before. */
export const restoredFolder = (dataDir: string) => join(dataDir, 'restored');

/** Where parts of a database are put together, by who has the lock: what is found there later belongs to nobody. */
export const draftFolder = (dataDir: string) => mkdtemp(join(dataDir, '.draft-'));

const tokenFile = (dataDir: string) => join(dataDir, TOKEN_FILE);

/**
 * Takes DATA_DIR for this process. The lock is the kernel's, held on a SQLite file: it goes with its holder however
 * that ends, and it holds across containers, where a process id would not.
 * @returns gives the lock up
 * @throws BadSetting naming the process that holds it
 */
export async function lockDataFolder(dataDir: string): Promise<() => void> {
  await makeFolder(dataDir);
  const lock = new DatabaseSync(join(dataDir, LOCK_FILE));
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    const holder = await readFile(join(dataDir, HOLDER_FILE), 'utf8').catch(() => 'another process');
    throw new BadSetting(`DATA_DIR: ${dataDir} is in use by ${holder}`, { cause: error });
  }
  await writeFile(join(dataDir, HOLDER_FILE), `process ${process.pid}`);
  return () => lock.close();
}

const SQLITE_BUSY = 5;

/**
 * Ends what a process left that was killed: parts of a database go, and one that was restored whole takes its place. Only for
 * who has the lock. @returns where the database that it replaced is kept
 */
export async function settleDataFolder(dataDir: string): Promise<string | undefined> {
  const names = await readdir(dataDir);
  for (const name of names.filter((one) => /^\.draft-\w{6}$/.test(one))) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
  if (!names.includes(basename(restoredFolder(dataDir)))) return undefined;
  const kept = join(dataDir, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
  const replaces = names.includes(basename(databaseFolder(dataDir)));
  if (replaces) {
    await makePrivate(databaseFolder(dataDir)); // if it cannot be changed, it is kept as it is
    await rename(databaseFolder(dataDir), kept);
  }
  await rename(restoredFolder(dataDir), databaseFolder(dataDir));
  await flush(dataDir);
  return replaces ? kept : undefined;
}

/** Returns when what was written to a file, or the names in a folder, would outlast a power cut. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function makeFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.W_OK);
  } catch (cause) {
    throw new BadSetting(`DATA_DIR: ${dataDir} is no folder that can be written to`, { cause });
  }
}

const OTHERS = 0o077;

/**
 * Makes a folder that only its owner can read, or changes one that others can.
 * @returns the error if that fails: the folder belongs to another user, or its file system does not support modes
 */
export async function makePrivate(folder: string): Promise<unknown> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (((await stat(folder)).mode & OTHERS) !== 0) await chmod(folder, 0o700);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The operator's token: the setting, or what was generated once into DATA_DIR, readable by its owner alone. */
export async function operatorToken(setting: string | undefined, dataDir: string): Promise<string> {
  if (setting !== undefined) return setting;
  await makeFolder(dataDir);
  const file = tokenFile(dataDir);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, randomBytes(32).toString('base64url'), { mode: 0o600 });
  // A link appears whole or not at all, so that processes which start together agree on one token.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  const token = (await readFile(file, 'utf8')).trim();
  if (!OPERATOR_TOKEN.test(token)) throw new BadSetting(`DATA_DIR: ${file} holds no token; remove it for a new one`);
  return token;
}

/** The token of a server that has started before, for what talks to it. @throws BadSetting when there is none */
export async function knownToken({ operatorToken: setting, dataDir }: Settings): Promise<string> {
  if (setting !== undefined) return setting;
  const file = tokenFile(dataDir);
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new BadSetting(`OPERATOR_TOKEN is not set and ${file} does not exist`, { cause });
  }
}
