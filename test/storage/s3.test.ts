import { afterAll, describe, expect, test } from 'vitest';
import { S3Client } from '../../server/storage/s3-client.ts';
import { S3Store } from '../../server/storage/s3.ts';
import { startFaultyProxy } from '../support/servers/faulty-proxy.ts';
import type { ProxyFault } from '../support/servers/faulty-proxy.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { newKey, readBytes, spooledFile, storedIds } from '../support/storage/files.ts';
import { startS3rver } from '../support/storage/s3-servers.ts';
import { testStore } from '../support/storage/store-contract.ts';

const folder = await temporaryFolder();
const { settings, stop } = await startS3rver();
afterAll(stop);
const store = new S3Store(settings);
const unavailable = { code: 'unavailable', message: 'The file storage is unavailable. Try again shortly.' };

describe('the store in S3', () => {
  testStore(() => ({ store, company: 1, folder }));

  test('lists more files than a page of the server has', async () => {
    const company = 11;
    const keys = Array.from({ length: 1003 }, () => newKey(company));
    const file = await spooledFile(folder, 1);
    const waiting = keys.values();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (const key of waiting) await store.put(key, file);
      }),
    );
    expect(await storedIds(store, company)).toEqual(keys.map(({ uniqueId }) => uniqueId).toSorted());
  });

  test('ignores objects that are not files, and those of another prefix', async () => {
    const client = new S3Client(settings);
    const file = await spooledFile(folder, 1);
    const key = newKey(12);
    await client.call({ method: 'PUT', key: `${settings.prefix}12/notes.txt`, file });
    await client.call({ method: 'PUT', key: `${settings.prefix}12/${key.uniqueId}/more`, file });
    const other = new S3Store({ ...settings, prefix: `${settings.prefix}12/` });
    await other.put(key, file);
    const withoutPrefix = new S3Store({ ...settings, prefix: '' });
    await withoutPrefix.put(key, file);
    expect(await storedIds(store, 12)).toEqual([]);
    expect(await storedIds(other, 12)).toEqual([key.uniqueId]);
    expect(await storedIds(withoutPrefix, 12)).toEqual([key.uniqueId]);
  });

  test.for(['secretAccessKey', 'accessKeyId', 'bucketUrl'] as const)(
    'is 503 with a wrong %s, and names neither the secret nor the session token',
    async (name) => {
      const secrets = { secretAccessKey: 'S3RVER', sessionToken: 'token-that-nobody-sees' };
      const wrong = new S3Store({ ...settings, ...secrets, [name]: `${settings[name]}-wrong-value` });
      const file = await spooledFile(folder, 100);
      const key = newKey();
      const errors = [
        await wrong.put(key, file).catch((error: unknown) => error),
        await readBytes(wrong, key, 100).catch((error: unknown) => error),
        await storedIds(wrong).catch((error: unknown) => error),
        await wrong.delete(key).catch((error: unknown) => error),
      ];
      for (const error of errors) {
        expect(error).toMatchObject({
          ...unavailable,
          cause: { message: expect.stringMatching(/^S3: (?:PUT|GET|DELETE): 40[34] \w+$/) },
        });
        const text = [error, error instanceof Error && error.stack, JSON.stringify(error)].join();
        expect(text).not.toMatch(/wrong-value|token-that-nobody-sees/);
      }
      await expect(readBytes(store, key, 100)).rejects.toThrow('expected more bytes');
    },
  );

  // Each waits for the pauses before its attempts, so they run at the same time, with a proxy and files of their own.
  test.concurrent.for(['reset', 'lost', 503] as const)(
    'makes a second attempt after a request that is %s',
    async (fault, context) => {
      const faults: ProxyFault[] = [];
      const proxy = await startFaultyProxy(new URL(settings.bucketUrl).origin, () => faults.shift() ?? 'none');
      context.onTestFinished(proxy.stop);
      const proxied = new S3Store({ ...settings, bucketUrl: settings.bucketUrl.replace(/^http:..[^/]+/, proxy.url) });
      const file = await spooledFile(folder, 500_000);
      const key = newKey();
      faults.push(fault);
      await proxied.put(key, file);
      faults.push(fault);
      expect((await readBytes(proxied, key, file.size)).equals(file.bytes)).toBe(true);
      faults.push(fault);
      expect(await storedIds(proxied)).toContain(key.uniqueId);
      faults.push(fault);
      await proxied.delete(key);
      faults.push(fault, fault);
      await expect(proxied.put(key, file)).rejects.toMatchObject(unavailable);
      await context.expect.poll(() => readBytes(store, key, 1).catch(String)).toContain('expected more bytes');
    },
  );
});
