import { expect, test } from 'vitest';
import type { FileKey, FileStore, SpooledFile } from '../../../procedures/core/storage.ts';
import { newKey, readBytes, spooledFile, storedIds } from './files.ts';

/** A store that is open, a company of it, and a folder for received files. */
export interface OpenStore {
  store: FileStore;
  company: number;
  folder: string;
  /** Makes what the store needs before a file. */
  prepare?: (key: FileKey, file: SpooledFile) => Promise<unknown>;
}

/** Size of a file of several chunks of each store and of each stream, whose last one is short. */
const SIZE = 700_001;

/** The behavior of every store. @param opened called by the tests, after the hooks */
export function testStore(opened: () => OpenStore): void {
  async function put(size = SIZE) {
    const { store, company, folder, prepare } = opened();
    const file = await spooledFile(folder, size);
    const key = newKey(company);
    await prepare?.(key, file);
    await store.put(key, file);
    return { store, company, key, bytes: file.bytes };
  }

  test.for([1, 262_144, SIZE])('reads a file of %d bytes as it was put', async (size) => {
    const { store, key, bytes } = await put(size);
    expect((await readBytes(store, key, size)).equals(bytes)).toBe(true);
  });

  test.for([
    [5, 5], // s3rver takes "0-0" for the whole file
    [262_143, 262_144],
    [1, 300_000],
    [262_144, 524_287],
    [SIZE - 1, SIZE - 1],
  ] as const)('reads bytes %d to %d', async ([start, end]) => {
    const { store, key, bytes } = await put();
    expect((await readBytes(store, key, { start, end })).equals(bytes.subarray(start, end + 1))).toBe(true);
  });

  test('throws an error that is not a 503 for a file that it lacks, and for bytes after the end', async () => {
    const { store, company, key } = await put(10);
    const tooFew = /^Error: file \d+\/[\da-f-]+: expected more bytes in the store$/;
    await expect(readBytes(store, newKey(company), 5).catch(String)).resolves.toMatch(tooFew);
    await expect(readBytes(store, key, 11).catch(String)).resolves.toMatch(tooFew);
    await expect(readBytes(store, key, { start: 10, end: 12 }).catch(String)).resolves.toMatch(tooFew);
  });

  test('lists the files that it has, and deletes one without an error also if it is gone', async () => {
    const { store, company, key } = await put(10);
    const { key: other } = await put(10);
    expect(await storedIds(store, company)).toEqual(expect.arrayContaining([key.uniqueId, other.uniqueId]));
    await store.delete(key);
    await store.delete(key);
    const ids = await storedIds(store, company);
    expect(ids).toContain(other.uniqueId);
    expect(ids).not.toContain(key.uniqueId);
    await expect(readBytes(store, key, 10)).rejects.toThrow('expected more bytes');
  });

  test('ends a read that its caller gives up', async () => {
    const { store, key, bytes } = await put();
    for await (const chunk of store.read(key, { start: 0, end: SIZE - 1 })) {
      expect(bytes.subarray(0, chunk.length).equals(chunk)).toBe(true);
      break;
    }
    expect((await readBytes(store, key, SIZE)).equals(bytes)).toBe(true);
  });
}
