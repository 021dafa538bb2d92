import { randomBytes, generateKeyPairSync } from 'node:crypto';
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
import { errorLine } from '../../database/errors.ts';
import { VERSION, POSTGRESQL_MAJOR } from '../../database/version.ts';
import { createSigning, parseSigningKey } from '../../procedures/core/signing.ts';
import type { Signing, SigningKeys } from '../../procedures/core/signing.ts';
import { OPERATOR_TOKEN_PATTERN, parseEncryptionKeys } from './environment.ts';
import { ConfigError } from './settings.ts';
import type { Settings } from './settings.ts';

const TOKEN_FILE = 'operator-token';
const ENCRYPTION_KEY_FILE = 'encryption-key';
const LOCK_FILE = 'lock';
const LOCK_OWNER_FILE = 'holder';

/** Directory of the embedded database inside DATA_DIR. */
export const databaseDir = (dataDir: string) => join(dataDir, 'pglite');

/** Directory of a completely restored database, before it replaces the current one. */
export const restoredDir = (dataDir: string) => join(dataDir, 'restored');

/** Name of the directory of a database that was replaced at this time. */
const replacedName = (at: Date) => `replaced-${at.toISOString().replaceAll(/[:.]/g, '-')}`;

/** Time at which a database was replaced, from the name of its directory. Undefined for another name. */
export function replacedAt(name: string): number | undefined {
  const [, date, hours, minutes, rest, ms] =
    /^replaced-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/.exec(name) ?? [];
  return date === undefined ? undefined : Date.parse(`${date}${hours}:${minutes}:${rest}.${ms}Z`);
}

/**
 * Creates a directory for an incomplete database. Only the owner of the lock may create one, so `recoverDataDir` may delete
 * every directory that an earlier process left.
 */
export const stagingDir = (dataDir: string) => mkdtemp(join(dataDir, '.staging-'));

/** Files with the secrets that the settings may have instead. */
export const secretFiles = (dataDir: string) => ({
  operatorToken: tokenPath(dataDir),
  encryptionKey: join(dataDir, ENCRYPTION_KEY_FILE),
  signingKey: join(dataDir, SIGNING_KEY_FILE),
});

const tokenPath = (dataDir: string) => join(dataDir, TOKEN_FILE);

/**
 * Locks DATA_DIR for this process. Uses a kernel lock on a SQLite file: the kernel releases it however the process ends, and
 * it works across containers, where process ids do not.
 * @returns a function that releases the lock
 * @throws ConfigError with the id of the process that owns the lock
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  await ensureDataDir(dataDir);
  const lock = openLock(join(dataDir, LOCK_FILE));
  try {
    lock.exec(`pragma busy_timeout = ${LOCK_TIMEOUT_MS}; pragma locking_mode = exclusive; begin exclusive`);
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    const owner = await readFile(join(dataDir, LOCK_OWNER_FILE), 'utf8').catch(() => 'another process');
    throw new ConfigError(`DATA_DIR: ${dataDir} is in use by ${owner}`, { cause: error });
  }
  await writeFile(join(dataDir, LOCK_OWNER_FILE), `process ${process.pid}`);
  return () => lock.close();
}

/** SQLite names no file in its error. */
function openLock(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file);
  } catch (cause) {
    throw new ConfigError(`DATA_DIR: ${file}: ${errorLine(cause)}`, { cause });
  }
}

const SQLITE_BUSY = 5;
/** Wait for a lock in milliseconds. A process that is ending may still hold it. */
const LOCK_TIMEOUT_MS = 1000;

/**
 * Completes the work of a killed process: deletes incomplete databases, and installs a completely restored one. The caller
 * must own the lock.
 * @returns the directory with the replaced database; undefined if no database was replaced
 */
export async function recoverDataDir(dataDir: string): Promise<string | undefined> {
  const names = await readdir(dataDir);
  for (const name of names.filter((entry) => /^\.staging-\w{6}$/.test(entry))) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
  if (!names.includes(basename(restoredDir(dataDir)))) return undefined;
  const replacedDir = join(dataDir, replacedName(new Date()));
  const hasDatabase = names.includes(basename(databaseDir(dataDir)));
  if (hasDatabase) {
    await makePrivate(databaseDir(dataDir)); // an error is ignored: the directory keeps its mode
    await rename(databaseDir(dataDir), replacedDir);
  }
  await rename(restoredDir(dataDir), databaseDir(dataDir));
  await syncToDisk(dataDir);
  return hasDatabase ? replacedDir : undefined;
}

/** Flushes a file, or the entries of a directory, to disk (fsync(2)), so that they survive a power failure. */
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
    throw new ConfigError(`DATA_DIR: expected a writable directory, not ${dataDir}`, { cause });
  }
}

/** Permission bits of the group and of other users. */
const GROUP_AND_OTHERS = 0o077;

/**
 * Creates a directory with mode 0700, or sets that mode on an existing one.
 * @returns the error if that fails, for example if the directory belongs to another user; otherwise undefined
 */
export async function makePrivate(folder: string): Promise<unknown> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (((await stat(folder)).mode & GROUP_AND_OTHERS) !== 0) await chmod(folder, 0o700);
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * Returns the operator token: OPERATOR_TOKEN, or the token file in DATA_DIR. Generates that file, readable only by its owner,
 * if it does not exist.
 */
export async function ensureOperatorToken(configuredToken: string | undefined, dataDir: string): Promise<string> {
  if (configuredToken !== undefined) return configuredToken;
  const token = await ensureSecretFile(dataDir, TOKEN_FILE, randomBytes(32).toString('base64url'));
  if (!OPERATOR_TOKEN_PATTERN.test(token))
    throw new ConfigError(
      `DATA_DIR: ${tokenPath(dataDir)} contains no valid token; delete the file to generate a new one`,
    );
  return token;
}

/**
 * Returns the encryption keys: ENCRYPTION_KEY, or with the embedded database the key file in DATA_DIR, which is generated if
 * it does not exist.
 * @returns undefined if the database is PostgreSQL and ENCRYPTION_KEY is not set
 */
export async function ensureEncryptionKeys({
  encryptionKey,
  databaseUrl,
  dataDir,
}: Pick<Settings, 'encryptionKey' | 'databaseUrl' | 'dataDir'>): Promise<[Buffer, ...Buffer[]] | undefined> {
  if (encryptionKey !== undefined) return parseEncryptionKeys(encryptionKey);
  if (databaseUrl !== undefined) return undefined;
  const keys = parseEncryptionKeys(
    await ensureSecretFile(dataDir, ENCRYPTION_KEY_FILE, randomBytes(32).toString('base64')),
  );
  if (keys === undefined)
    throw new ConfigError(`DATA_DIR: ${join(dataDir, ENCRYPTION_KEY_FILE)} contains no valid key; restore the file`);
  return keys;
}

/** Reads a file with a secret. Writes this new one, readable only by its owner, if it does not exist. */
async function ensureSecretFile(dataDir: string, name: string, newSecret: string): Promise<string> {
  await ensureDataDir(dataDir);
  const file = join(dataDir, name);
  const temporaryFile = `${file}.${process.pid}`;
  await writeFile(temporaryFile, newSecret, { mode: 0o600 });
  // A hard link is created atomically, so processes that start at the same time use the same secret.
  await link(temporaryFile, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(temporaryFile);
  return (await readFile(file, 'utf8')).trim();
}

/** Setting or file from which `readOperatorToken` reads the token. */
export const tokenSourceOf = ({ operatorToken, dataDir }: Settings): string =>
  operatorToken === undefined ? tokenPath(dataDir) : 'OPERATOR_TOKEN';

/**
 * Returns the operator token of an existing installation, for its clients.
 * @throws ConfigError if there is no token
 */
export async function readOperatorToken({ operatorToken, dataDir }: Settings): Promise<string> {
  if (operatorToken !== undefined) return operatorToken;
  const file = tokenPath(dataDir);
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const reason = isMissing ? 'does not exist' : `cannot be read (${errorLine(cause)})`;
    throw new ConfigError(`OPERATOR_TOKEN: expected a value, because ${file} ${reason}`, { cause });
  }
}

/** File that names the version that prepared the database last. It is part of a backup. */
const preparationFile = (dataDir: string) => join(databaseDir(dataDir), 'prepared-by');

const readText = (file: string) => readFile(file, 'utf8').catch(() => undefined);

/** True if this version was the last one that prepared the database, so that it needs no inspection before it is opened. */
export const isPrepared = async (dataDir: string): Promise<boolean> =>
  (await readText(preparationFile(dataDir))) === VERSION;

/** Records that this version has prepared the database. */
export const recordPreparation = (dataDir: string): Promise<void> => writeFile(preparationFile(dataDir), VERSION);

/**
 * Reads the version of PostgreSQL that wrote the files, which another one can neither read nor convert.
 * @throws ConfigError if the package of the embedded database brings another one (decision 0049)
 */
export async function requireSamePostgreSql(dataDir: string): Promise<void> {
  const major = (await readText(join(databaseDir(dataDir), 'PG_VERSION')))?.trim();
  if (major !== undefined && major !== String(POSTGRESQL_MAJOR))
    throw new ConfigError(
      `DATA_DIR: ${dataDir} has files of PostgreSQL ${major}, but this version includes PostgreSQL ${POSTGRESQL_MAJOR}; start the version that wrote them`,
    );
}

const SIGNING_KEY_FILE = 'signing-key';

/** Generates a private key as PKCS#8 in PEM. */
const newKey = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });

/**
 * Returns the signing key: SIGNING_KEY, or with the embedded database the key file in DATA_DIR, which is generated if it does
 * not exist.
 * @returns undefined if the database is PostgreSQL and SIGNING_KEY is not set
 */
export async function ensureSigningKey({
  signingKey,
  databaseUrl,
  dataDir,
}: Pick<Settings, 'signingKey' | 'databaseUrl' | 'dataDir'>): Promise<SigningKeys | undefined> {
  if (signingKey !== undefined) return { current: toSigning(signingKey, 'SIGNING_KEY: expected') };
  if (databaseUrl !== undefined) return undefined;
  const file = join(dataDir, SIGNING_KEY_FILE);
  const invalid = `DATA_DIR: ${file} contains no valid key; restore the file, which has`;
  let current = toSigning(await ensureSecretFile(dataDir, SIGNING_KEY_FILE, newKey()), invalid);
  async function replace(record: Parameters<NonNullable<SigningKeys['rotate']>>[0]): Promise<Signing> {
    const pem = newKey();
    const next = toSigning(pem, invalid);
    await record(next);
    const temporaryFile = `${file}.${process.pid}`;
    await writeFile(temporaryFile, pem, { mode: 0o600, flush: true });
    await rename(temporaryFile, file);
    await syncToDisk(dataDir);
    return (current = next);
  }
  /** The last rotation, after which the next one starts. */
  let rotation: Promise<unknown> = Promise.resolve();
  return {
    get current() {
      return current;
    },
    rotate(record) {
      const rotated = rotation.then(() => replace(record));
      rotation = rotated.catch(() => {});
      return rotated;
    },
  };
}

/** @param expectation beginning of the error. @throws ConfigError */
function toSigning(text: string, expectation: string) {
  const key = parseSigningKey(text);
  if (key === undefined) throw new ConfigError(`${expectation} a private key of Ed25519 as PKCS#8`);
  return createSigning(key);
}
