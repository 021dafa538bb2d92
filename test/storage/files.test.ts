import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../entities/api-error.ts';
import { FilesStore } from '../../server/storage/files.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { newKey, readBytes, spooledFile, storedIds } from '../support/storage/files.ts';
import { testStore } from '../support/storage/store-contract.ts';

const folder = await temporaryFolder();
const store = new FilesStore(join(folder, 'pglite', 'files'));

describe('the store of files', () => {
  testStore(() => ({ store, company: 1, folder }));

  test('takes the received file, and keeps it where only its user may read it', async () => {
    const file = await spooledFile(folder, 100);
    await chmod(file.path, 0o600);
    const key = newKey(7);
    await store.put(key, file);
    await expect(stat(file.path)).rejects.toThrow('ENOENT');
    const path = join(folder, 'pglite', 'files', '7', key.uniqueId);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(path, '..', '..'))).mode & 0o777).toBe(0o700);
  });

  test('is 503 if the disk fails, without a trace of the file', async () => {
    const blocked = new FilesStore(join(folder, 'blocked'));
    await writeFile(join(folder, 'blocked'), 'a file, where a folder is expected');
    const file = await spooledFile(folder, 10);
    const error = await blocked.put(newKey(), file).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: 'unavailable',
      message: 'The file storage is unavailable. Try again shortly.',
    });
    await store.put(newKey(), file); // it is still there
    await expect(store.put(newKey(), { path: join(folder, 'none'), size: 1, sha256: '' })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  test('ignores names that are not those of files, and rejects a key that leaves its folder', async () => {
    const strange = new FilesStore(join(folder, 'strange'));
    const key = newKey(3);
    await strange.put(key, await spooledFile(folder, 10));
    for (const name of ['x', '03', '3/x', '3/..x']) {
      await mkdir(join(folder, 'strange', name), { recursive: true });
    }
    await writeFile(join(folder, 'strange', 'note'), '');
    expect(await storedIds(strange, 3)).toEqual([key.uniqueId]);
    await expect(readBytes(strange, { company: 3, uniqueId: '../../secret' }, 1)).rejects.toThrow('the key of a file');
    await expect(strange.delete({ company: 0, uniqueId: key.uniqueId })).rejects.toThrow('the key of a file');
  });

  test('puts many files at once, also the first ones of a company', async () => {
    const files = await Promise.all(Array.from({ length: 20 }, () => spooledFile(folder, 1000)));
    const keys = files.map(() => newKey(9));
    await Promise.all(files.map((file, index) => store.put(keys[index] ?? newKey(), file)));
    expect(await readdir(join(folder, 'pglite', 'files', '9'))).toHaveLength(20);
    for (const [index, { sha256 }] of files.entries()) {
      const bytes = await readBytes(store, keys[index] ?? newKey(), 1000);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    }
  });
});
