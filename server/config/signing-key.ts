import { generateKeyPairSync } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSigning, parseSigningKey } from '../../procedures/core/signing.ts';
import type { Signing, SigningKeys } from '../../procedures/core/signing.ts';
import { ensureSecretFile, syncToDisk } from './data-dir.ts';
import { ConfigError } from './settings.ts';
import type { Settings } from './settings.ts';

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
