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
import { ConfigError, OPERATOR_TOKEN_PATTERN } from './settings.ts';
import type { Settings } from './settings.ts';

const TOKEN_FILE = 'operator-token';
const LOCK_FILE = 'lock';
const LOCK_OWNER_FILE = 'holder';

/** Where the embedded database lives inside DATA_DIR. */
export const databaseDir = (dataDir: string) => join(dataDir, 'pglite');

/** A database that was restored whole, on its way to the place of the one that was there before. */
export const restoredDir = (dataDir: string) => join(dataDir, 'restored');

/** Where parts of a database are put together, by who has the lock: what is found there later belongs to nobody. */
export const stagingDir = (dataDir: string) => mkdtemp(join(dataDir, '.staging-'));

const tokenPath = (dataDir: string) => join(dataDir, TOKEN_FILE);

/**
 * Takes DATA_DIR for this process. The lock is the kernel's, held on a SQLite file: it goes with its holder however
 * that ends, and it holds across containers, where a process id would not.
 * @returns gives the lock up
 * @throws BadSetting naming the process that holds it
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  await ensureDataDir(dataDir);
  const lock = new DatabaseSync(join(dataDir, LOCK_FILE));
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    const owner = await readFile(join(dataDir, LOCK_OWNER_FILE), 'utf8').catch(() => 'another process');
    throw new ConfigError(`DATA_DIR: ${dataDir} is in use by ${owner}`, { cause: error });
  }
  await writeFile(join(dataDir, LOCK_OWNER_FILE), `process ${process.pid}`);
  return () => lock.close();
}

const SQLITE_BUSY = 5;

/**
 * Ends what a process left that was killed: parts of a database go, and one that was restored whole takes its place. Only for
 * who has the lock. @returns where the database that it replaced is kept
 */
export async function recoverDataDir(dataDir: string): Promise<string | undefined> {
  const names = await readdir(dataDir);
  for (const name of names.filter((one) => /^\.staging-\w{6}$/.test(one))) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
  if (!names.includes(basename(restoredDir(dataDir)))) return undefined;
  const replacedDir = join(dataDir, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
  const hasDatabase = names.includes(basename(databaseDir(dataDir)));
  if (hasDatabase) {
    await makePrivate(databaseDir(dataDir)); // if it cannot be changed, it is kept as it is
    await rename(databaseDir(dataDir), replacedDir);
  }
  await rename(restoredDir(dataDir), databaseDir(dataDir));
  await syncToDisk(dataDir);
  return hasDatabase ? replacedDir : undefined;
}

/** Returns when what was written to a file, or the names in a folder, would outlast a power cut. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function ensureDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.W_OK);
  } catch (cause) {
    throw new ConfigError(`DATA_DIR: ${dataDir} is no folder that can be written to`, { cause });
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
export async function ensureOperatorToken(setting: string | undefined, dataDir: string): Promise<string> {
  if (setting !== undefined) return setting;
  await ensureDataDir(dataDir);
  const file = tokenPath(dataDir);
  const temporaryFile = `${file}.${process.pid}`;
  await writeFile(temporaryFile, randomBytes(32).toString('base64url'), { mode: 0o600 });
  // A link appears whole or not at all, so that processes which start together agree on one token.
  await link(temporaryFile, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(temporaryFile);
  const token = (await readFile(file, 'utf8')).trim();
  if (!OPERATOR_TOKEN_PATTERN.test(token))
    throw new ConfigError(`DATA_DIR: ${file} holds no token; remove it for a new one`);
  return token;
}

/** The token of a server that has started before, for what talks to it. @throws BadSetting when there is none */
export async function readOperatorToken({ operatorToken: setting, dataDir }: Settings): Promise<string> {
  if (setting !== undefined) return setting;
  const file = tokenPath(dataDir);
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new ConfigError(`OPERATOR_TOKEN is not set and ${file} does not exist`, { cause });
  }
}
