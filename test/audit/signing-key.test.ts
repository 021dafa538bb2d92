import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSigning, parseSigningKey } from '../../procedures/core/signing.ts';
import { ensureSigningKey } from '../../server/config/data-dir.ts';
import { loadSettings } from '../../server/config/settings.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const newPem = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
const keyIdOf = (pem: string) => createSigning(createPrivateKey(pem)).keyId;

test.for([
  ['PEM', (pem: string) => pem],
  ['PEM with spaces around', (pem: string) => `\n${pem}\n `],
  ['base64 of the PEM', (pem: string) => Buffer.from(pem).toString('base64')],
  [
    'base64 of the DER',
    (pem: string) => createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  ],
] as const)('SIGNING_KEY is PKCS#8 as %s', async ([, encode]) => {
  const pem = newPem();
  const settings = loadSettings({ SIGNING_KEY: encode(pem), DATABASE_URL: 'postgresql://a@127.0.0.1/b' });
  expect((await ensureSigningKey(settings))?.current.keyId).toBe(keyIdOf(pem));
});

test('keys of other algorithms and public keys are none', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { publicKey } = generateKeyPairSync('ed25519');
  for (const text of [
    privateKey.export({ type: 'pkcs8', format: 'pem' }),
    publicKey.export({ type: 'spki', format: 'pem' }),
    '',
  ])
    expect(parseSigningKey(text)).toBeUndefined();
});

test('with PostgreSQL there is no key unless SIGNING_KEY is set', async () => {
  const settings = loadSettings({ DATABASE_URL: 'postgresql://a@127.0.0.1/b', DATA_DIR: await temporaryFolder() });
  expect(await ensureSigningKey(settings)).toBeUndefined();
});

test('rotations at the same time leave the key that signs in the file, and record each key before it signs', async () => {
  const folder = await temporaryFolder();
  const signing = await ensureSigningKey(loadSettings({ DATA_DIR: folder }));
  const recorded: string[] = [];
  const rotate = () =>
    signing?.rotate?.(async ({ keyId }) => {
      expect(signing.current.keyId).not.toBe(keyId);
      recorded.push(keyId);
    });
  await Promise.all([rotate(), rotate(), rotate()]);
  expect(new Set(recorded).size).toBe(3);
  expect(signing?.current.keyId).toBe(recorded.at(-1));
  expect(keyIdOf(await readFile(join(folder, 'signing-key'), 'utf8'))).toBe(recorded.at(-1));
  await expect(signing?.rotate?.(() => Promise.reject(new Error('no database'))) ?? Promise.resolve()).rejects.toThrow(
    'no database',
  );
  expect(signing?.current.keyId).toBe(recorded.at(-1));
});
