import { link, mkdir, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { createWriteStream, existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { restoreBackup } from '../../cli/backup.ts';
import type { Database } from '../../database/database.ts';
import { filesFolder } from '../../database/pglite/files-folder.ts';
import { openPglite } from '../../database/pglite/open.ts';
import { Session } from '../../database/session.ts';
import { findFile, startFile } from '../../entities/file/statements.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import type { FileKey } from '../../procedures/core/storage.ts';
import { createArchive, extractArchive } from '../../server/backup/archive.ts';
import { backUpBeforeUpgrade, listUpgradeBackups } from '../../server/backup/upgrade.ts';
import { databaseDir, stagingDir } from '../../server/config/data-dir.ts';
import { FilesStore } from '../../server/storage/files.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { prepareDataDir } from '../support/database/template.ts';
import { newKey, readBytes, spooledFile, storedIds } from '../support/storage/files.ts';
import type { TestFile } from '../support/storage/files.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';
import { unpackDataDir } from '../upgrade/scenario/data.ts';
import { FIXTURES_DIR } from '../upgrade/scenario/packed.ts';

const dataDir = await temporaryFolder();
const folder = await temporaryFolder();
const store = new FilesStore(filesFolder(databaseDir(dataDir)));

describe('a backup of the embedded database and its files', () => {
  let database: Database;
  let company: number;
  beforeAll(async () => {
    await prepareDataDir(dataDir);
    database = await openPglite(databaseDir(dataDir));
    ({ id: company } = await createCompanyIn(database));
  });
  afterAll(() => database.close());

  const sessionOf = (opened: Database) => new Session(opened, operatorPrincipal(company), 'test');

  /** Stores a file with its row. */
  async function addFile(size = 1000): Promise<FileKey & { file: TestFile }> {
    const file = await spooledFile(folder, size);
    const key = newKey(company);
    const { sha256 } = file;
    await sessionOf(database).run(startFile, {
      purpose: 'evidence',
      uniqueId: key.uniqueId,
      store: 'files',
      place: null,
      size,
      sha256,
    });
    await store.put(key, file);
    return { ...key, file };
  }

  /**
   * Makes a backup.
   * @param meanwhile runs after the files are linked, while the tables are copied
   * @param beforeRead runs when the manifest has been written, and the files have not been read
   */
  async function backUp(
    name: string,
    { meanwhile, beforeRead }: { [moment in 'meanwhile' | 'beforeRead']?: (copy: string) => Promise<unknown> } = {},
  ): Promise<string> {
    const staging = await stagingDir(dataDir);
    const archive = await createArchive(async (copy) => {
      const copying = database.files?.copyTo(copy);
      await vi.waitUntil(() => existsSync(filesFolder(copy)), { interval: 1, timeout: 10_000 });
      await meanwhile?.(copy);
      const contents = await copying;
      return contents ?? expect.fail('expected a database with files');
    }, staging);
    await beforeRead?.(databaseDir(staging));
    const file = join(folder, `${name}.tar.gz`);
    await pipeline(archive, createWriteStream(file));
    await rm(staging, { recursive: true });
    return file;
  }

  test('has the files that its tables name, also one that came and none that went meanwhile, and leaves them as they are', async () => {
    const kept = await addFile(3_000_000);
    const deleted = await addFile();
    let added: FileKey | undefined;
    const stored = join(filesFolder(databaseDir(dataDir)), String(company), kept.uniqueId);
    let links = 0;
    const backup = await backUp('first', {
      meanwhile: async (copy) => {
        const path = join(filesFolder(copy), String(company), kept.uniqueId);
        await vi.waitUntil(() => existsSync(path), { interval: 1, timeout: 10_000 });
        links = (await stat(stored)).nlink;
        await store.delete(deleted);
        added = await addFile();
      },
    });
    expect(links).toBe(2);
    expect((await stat(stored)).nlink).toBe(1);
    expect((await readBytes(store, kept, kept.file.size)).equals(kept.file.bytes)).toBe(true);
    const restoredDir = await temporaryFolder();
    const result = await restoreBackup(backup, { dataDir: restoredDir, replace: false, anyTrail: false });
    expect(result).toMatchObject({ rows: { file: 3 }, trails: [{ intact: true }] });
    const restored = new FilesStore(filesFolder(databaseDir(restoredDir)));
    expect(await storedIds(restored, company)).toEqual([kept.uniqueId, added?.uniqueId ?? ''].toSorted());
    expect((await readBytes(restored, kept, kept.file.size)).equals(kept.file.bytes)).toBe(true);
    const opened = await openPglite(databaseDir(restoredDir));
    expect(await sessionOf(opened).one(findFile, { uniqueId: added?.uniqueId ?? '' })).toMatchObject({ size: 1000 });
    await opened.close();
    expect(await storedIds(store, company)).toContain(added?.uniqueId);
  });

  test('does not match its checksums if a file is replaced', async () => {
    const { uniqueId } = await addFile();
    const other = await spooledFile(folder, 1000);
    const damaged = await backUp('damaged', {
      beforeRead: async (copy) => {
        const path = join(filesFolder(copy), String(company), uniqueId);
        await rm(path);
        await link(other.path, path);
      },
    });
    await expect(extractArchive(damaged, await temporaryFolder())).rejects.toThrow(
      `files/${company}/${uniqueId} does not match its checksum`,
    );
  });

  test('with writes and reads: reads do not wait, and writes wait for less than 5 s', async () => {
    await Promise.all(Array.from({ length: 300 }, () => addFile(10)));
    const longest = { read: 0, write: 0 };
    const state = { ended: false };
    const measure = async (kind: keyof typeof longest, work: () => Promise<unknown>) => {
      while (!state.ended) {
        const startedAt = performance.now();
        await work();
        longest[kind] = Math.max(longest[kind], performance.now() - startedAt);
      }
    };
    const running = [
      measure('read', () => sessionOf(database).run(findFile, { uniqueId: newKey().uniqueId })),
      measure('write', () => addFile(10)),
    ];
    await backUp('busy').finally(() => (state.ended = true));
    await Promise.all(running);
    expect(longest.read).toBeLessThan(2000);
    expect(longest.write).toBeLessThan(5000);
  });
});

test('an archive of files that compress a thousandfold is extracted', async () => {
  const staging = await temporaryFolder();
  const zeros = join(filesFolder(databaseDir(staging)), '1', 'zeros');
  const archive = await createArchive(async () => {
    await mkdir(dirname(zeros), { recursive: true });
    await writeFile(zeros, '');
    await truncate(zeros, 60_000_000);
    return { postgresql: 18, migrations: [], rows: {} };
  }, staging);
  const file = join(folder, 'zeros.tar.gz');
  await pipeline(archive, createWriteStream(file));
  expect((await stat(file)).size).toBeLessThan(60_000);
  const unpacked = await temporaryFolder();
  await extractArchive(file, unpacked);
  expect((await stat(join(filesFolder(databaseDir(unpacked)), '1', 'zeros'))).size).toBe(60_000_000);
});

test('a backup before an upgrade has the files too, and needs no room for a second copy of them', async () => {
  const upgraded = await temporaryFolder();
  const [packed = ''] = globSync(join(FIXTURES_DIR, '*', 'data-dir.tar.zst'));
  await unpackDataDir(packed, upgraded);
  const oldStore = new FilesStore(filesFolder(databaseDir(upgraded)));
  const { bytes, ...file } = await spooledFile(folder, 100_000);
  const key = newKey();
  await oldStore.put(key, file);
  const path = join(filesFolder(databaseDir(upgraded)), '1', key.uniqueId);
  let links = 0;
  await backUpBeforeUpgrade(upgraded, async (copy) => {
    links = (await stat(path)).nlink;
    return openPglite(copy);
  });
  expect(links).toBe(2);
  expect((await stat(path)).nlink).toBe(1);
  const [backup] = await listUpgradeBackups(upgraded);
  const unpacked = await temporaryFolder();
  await extractArchive(backup?.file ?? '', unpacked);
  const restored = new FilesStore(filesFolder(databaseDir(unpacked)));
  expect((await readBytes(restored, key, 100_000)).equals(bytes)).toBe(true);
  // Larger than the room: a copy of it would fail, but the backup of it could be small.
  const { bavail, bsize } = await statfs(upgraded);
  await truncate(path, bavail * bsize * 2);
  const missing = backUpBeforeUpgrade(upgraded, openPglite).catch((error: Error) => error.message);
  const [, missingMib = ''] = / lacks (\d+) MiB for the backup/.exec(String(await missing)) ?? [];
  expect(Number(missingMib)).toBeGreaterThan(0);
  expect(Number(missingMib)).toBeLessThan((1.5 * bavail * bsize) / 2 ** 20);
});
