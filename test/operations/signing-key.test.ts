import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createSigning } from '../../procedures/core/signing.ts';
import { OPERATOR_TOKEN, callManagement } from '../support/http/client.ts';
import { runProgram, startService, stopServiceProcess } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const Jwks = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: z.string(),
      kid: z.string(),
      use: z.literal('sig'),
      alg: z.literal('EdDSA'),
    }),
  ),
});
const Checkpoint = z.object({ signature: z.string(), keyId: z.string() }).loose();

const newPem = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
const keyIdOf = (pem: string) => createSigning(createPrivateKey(pem)).keyId;

async function start(settings: Record<string, string>) {
  const service = await startService({ LOG_LEVEL: 'info', ...settings });
  let stopped: Promise<unknown> | undefined;
  const stop = () => (stopped ??= stopServiceProcess(service));
  onTestFinished(async () => void (await stop()));
  const readKeys = async () => {
    const response = await fetch(`${service.url}/.well-known/signing-keys.json`);
    expect(response.headers.get('content-type')).toBe('application/jwk-set+json');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    return Jwks.parse(await response.json()).keys;
  };
  const manage = (...args: string[]) =>
    runProgram('cli/manage.ts', [...args, '--server', service.url], { OPERATOR_TOKEN, ...settings });
  /** Creates a company. @returns a function that reads its checkpoint */
  const createCompany = async () => {
    const { id } = await callManagement<{ id: number }>(service.url, 'company.create', { name: 'Acme' });
    const { key } = await callManagement<{ key: string }>(service.url, 'apiKey.create', { name: 'Auditor' }, id);
    return async () => {
      const response = await fetch(`${service.url}/external/audit/checkpoint`, { headers: { 'X-API-Key': key } });
      return Checkpoint.parse(await response.json());
    };
  };
  return { service, stop, readKeys, manage, createCompany };
}

describe('the embedded database', () => {
  test('has a key of its own, which a command replaces; the old one stays published', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'signing-key');
    const first = await start({ DATA_DIR: folder });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const pem = await readFile(file, 'utf8');
    const keyId = keyIdOf(pem);
    expect(await first.readKeys()).toMatchObject([{ kid: keyId }]);
    const readCheckpoint = await first.createCompany();
    expect(await readCheckpoint()).toMatchObject({ keyId });

    const rotated = await first.manage('signing-key', 'rotate');
    const { keyId: newKeyId } = z.object({ keyId: z.string() }).parse(JSON.parse(rotated.stdout));
    expect(newKeyId).not.toBe(keyId);
    const newPem_ = await readFile(file, 'utf8');
    expect([keyIdOf(newPem_), (await stat(file)).mode & 0o777]).toEqual([newKeyId, 0o600]);
    const keys = await first.readKeys();
    expect(keys.map(({ kid }) => kid)).toEqual([newKeyId, keyId]);
    const { signature, keyId: signedWith, ...head } = await readCheckpoint();
    expect(signedWith).toBe(newKeyId);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: keys[0]?.x ?? '' }, format: 'jwk' });
    expect(verify(null, Buffer.from(JSON.stringify(head)), key, Buffer.from(signature, 'base64'))).toBe(true);
    const listed = await first.manage('signing-key', 'list');
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { keyId: newKeyId, isCurrent: true },
      { keyId, isCurrent: false },
    ]);
    await first.stop();
    const logged = first.service.stdout
      .trim()
      .split('\n')
      .map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)));
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'signing key: rotated', before: keyId, keyId: newKeyId }),
    );
    for (const secret of [pem, newPem_]) expect(first.service.output).not.toContain(secret.split('\n')[1]);

    const second = await start({ DATA_DIR: folder });
    expect((await second.readKeys()).map(({ kid }) => kid)).toEqual([newKeyId, keyId]);
    await second.stop();
    await chmod(file, 0o600);
    await writeFile(file, 'no key');
    const failed = await runProgram('server/main.js', [], { OPERATOR_TOKEN, DATA_DIR: folder });
    expect(failed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `DATA_DIR: ${file} contains no valid key; restore the file, which has a private key of Ed25519 as PKCS#8\n`,
    });
  });

  test('signs with SIGNING_KEY, which no command replaces', async () => {
    const pem = newPem();
    const settings = { DATA_DIR: await temporaryFolder(), SIGNING_KEY: Buffer.from(pem).toString('base64') };
    const { readKeys, manage, createCompany, service } = await start(settings);
    expect(await readKeys()).toMatchObject([{ kid: keyIdOf(pem) }]);
    const readCheckpoint = await createCompany();
    expect(await readCheckpoint()).toMatchObject({ keyId: keyIdOf(pem) });
    expect(await manage('signing-key', 'rotate')).toMatchObject({
      code: 1,
      stderr: 'SIGNING_KEY: has the key; set another value and restart every process\n',
    });
    expect(service.output).not.toContain(settings.SIGNING_KEY);
  });
});
