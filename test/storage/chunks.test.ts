import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { startFile } from '../../entities/file/statements.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import type { FileKey, SpooledFile } from '../../procedures/core/storage.ts';
import { DatabaseStore } from '../../server/storage/database.ts';
import { asOwner, database } from '../support/database/database.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { newKey, readBytes, spooledFile, storedIds } from '../support/storage/files.ts';
import { testStore } from '../support/storage/store-contract.ts';
import { createCompany } from '../support/tenants/company.ts';

const folder = await temporaryFolder();
const { id: company } = await createCompany();
const store = new DatabaseStore(database);

const prepare = ({ company: owner, uniqueId }: FileKey, { size, sha256 }: SpooledFile) =>
  new Session(database, operatorPrincipal(owner), 'test').run(startFile, {
    purpose: 'evidence',
    uniqueId,
    store: 'database',
    place: null,
    size,
    sha256,
  });

const chunkCount = ({ uniqueId }: FileKey) =>
  asOwner(async (run) => {
    const [row] = await run('select count(*)::int as chunks from file_chunk where file_id = $1', uniqueId);
    return row?.['chunks'];
  });

describe('the store of chunks in the database', () => {
  testStore(() => ({ store, company, folder, prepare }));

  test('keeps nothing of a file whose put fails, and deletes a large one in steps', async () => {
    const file = await spooledFile(folder, 20_000_000);
    const key = newKey(company);
    await prepare(key, file);
    await expect(store.put(key, { ...file, size: file.size + 1 })).rejects.toThrow('expected 20000001 bytes');
    expect(await chunkCount(key)).toBe(0);
    await store.put(key, file);
    expect(await chunkCount(key)).toBe(77);
    expect(
      (await readBytes(store, key, { start: 10_000_000, end: 10_500_000 })).equals(
        file.bytes.subarray(10_000_000, 10_500_001),
      ),
    ).toBe(true);
    await store.delete(key);
    expect(await chunkCount(key)).toBe(0);
  });

  test('takes the files that wait of each company in turn', async () => {
    const { id: other } = await createCompany();
    const order: string[] = [];
    const keys = [...Array.from({ length: 5 }, () => newKey(company)), newKey(other)];
    const files = await Promise.all(
      keys.map(async (key) => {
        const { path, ...file } = await spooledFile(folder, 10);
        await prepare(key, { path, ...file });
        const readPath = () => {
          order.push(key.uniqueId);
          return path;
        };
        return {
          ...file,
          get path() {
            return readPath();
          },
        };
      }),
    );
    await Promise.all(keys.map((key, index) => store.put(key, files[index] ?? expect.fail('expected a file'))));
    const [first, second, third, fourth, fifth, last] = keys.map(({ uniqueId }) => uniqueId);
    expect(order).toEqual([first, second, third, last, fourth, fifth]);
  });

  test('shows a file to its company only', async () => {
    const { id: other } = await createCompany();
    const file = await spooledFile(folder, 10);
    const key = newKey(company);
    await prepare(key, file);
    await store.put(key, file);
    await store.delete({ ...key, company: other });
    await expect(readBytes(store, { ...key, company: other }, 10)).rejects.toThrow('expected more bytes');
    expect(await storedIds(store, other)).toEqual([]);
    expect((await readBytes(store, key, 10)).equals(file.bytes)).toBe(true);
  });

  test('rejects a file without its row', async () => {
    await expect(store.put(newKey(company), await spooledFile(folder, 10))).rejects.toThrow('foreign key');
  });
});
