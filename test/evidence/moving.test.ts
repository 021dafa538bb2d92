import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openPglite } from '../../database/pglite/open.ts';
import { Session } from '../../database/session.ts';
import { abandonUpload, moveFile, startFile, takeFile } from '../../entities/file/statements.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { currentLocation } from '../../procedures/core/storage.ts';
import type { FileStore, Storage } from '../../procedures/core/storage.ts';
import { moveFiles, removeMoved } from '../../procedures/evidence/moving.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { openStorage } from '../../server/storage/open.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { newKey, readBytes, spooledFile, storedIds } from '../support/storage/files.ts';
import { moveAll, problemsIn } from '../support/storage/verify.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';

// A database of its own: a move concerns the files of all companies.
const database = await openPglite();
await database.migrate();
afterAll(() => database.close());
const { id: company } = await createCompanyIn(database);
const session = new Session(database, null, 'test');
const operator = new Session(database, operatorPrincipal(company), 'test');
const folder = await temporaryFolder();
const opened = await openStorage(
  { s3: undefined, databaseUrl: undefined, dataDir: folder, evidenceMaxBytes: 1e6, evidenceQuotaBytes: 1e9 },
  database,
  createLog('silent'),
);
opened.stop();
const inDatabase: Storage = { ...opened, current: 'database' };
const inFiles: Storage = { ...opened, current: 'files' };

/** Stores a file as an upload does. */
async function store(storage: Storage) {
  const key = newKey(company);
  const { uniqueId } = key;
  const file = await spooledFile(folder, 300_000);
  await operator.run(startFile, { purpose: 'evidence', ...key, ...file, ...currentLocation(storage) });
  await storage.store(storage.current).put(key, file);
  await operator.one(takeFile, {
    purpose: 'evidence',
    uniqueId,
    sha256: file.sha256,
    quotaBytes: 1e9,
    countsTwice: false,
  });
  return { key, ...file };
}

test('files move to the store of today and back, and stay readable meanwhile', async () => {
  const files = [await store(inDatabase), await store(inDatabase), await store(inFiles)];
  expect(await moveAll(session, inFiles)).toBe(2);
  for (const { key, bytes, size } of files)
    expect((await readBytes(opened.store('files'), key, size)).equals(bytes)).toBe(true);
  // Downloads from the former store may be in progress, so its bytes go at the end.
  expect(await storedIds(opened.store('database'), company)).toHaveLength(2);
  expect(await problemsIn(session, inFiles)).toMatchObject([{ problem: 'too many' }, { problem: 'too many' }]);
  expect(await removeMoved(session, inFiles)).toBe(2);
  expect(await problemsIn(session, inFiles)).toEqual([]);
  expect(await moveAll(session, inFiles)).toBe(0);
  expect(await moveAll(session, inDatabase)).toBe(3);
  await removeMoved(session, inDatabase);
  expect(await storedIds(opened.store('files'), company)).toEqual([]);
  expect(await problemsIn(session, inDatabase)).toEqual([]);
});

test('two moves at once lose nothing', async () => {
  const files = await Promise.all([store(inDatabase), store(inDatabase), store(inDatabase)]);
  await Promise.all([moveAll(session, inFiles), moveAll(session, inFiles)]);
  await removeMoved(session, inFiles);
  expect(await problemsIn(session, inFiles)).toEqual([]);
  for (const { key, bytes, size } of files)
    expect((await readBytes(opened.store('files'), key, size)).equals(bytes)).toBe(true);
});

test('a move that another one overtakes between the copy and the row keeps the file', async () => {
  const { key, bytes, size } = await store(inDatabase);
  const target = opened.store('files');
  const overtaken: FileStore = {
    ...bound(target),
    put: async (...put) => {
      await target.put(...put);
      await operator.one(moveFile, {
        uniqueId: key.uniqueId,
        from: 'database',
        fromPlace: null,
        store: 'files',
        place: null,
      });
    },
  };
  const storage = {
    ...inFiles,
    store: (name: 'database' | 'files' | 's3') => (name === 'files' ? overtaken : opened.store(name)),
  };
  expect(await moveFiles(session, storage)).toMatchObject({ moved: 0, isDone: true });
  expect((await readBytes(target, key, size)).equals(bytes)).toBe(true);
});

test('a file with other bytes is named, and stays where it is', async () => {
  await moveAll(session, inFiles);
  await removeMoved(session, inFiles);
  const { key } = await store(inFiles);
  await writeFile(join(folder, 'pglite', 'files', String(company), key.uniqueId), 'changed');
  const error = {
    code: 'unprocessable',
    message: `file ${company}/${key.uniqueId}: its bytes in files are missing or different`,
  };
  await expect(moveAll(session, inDatabase)).rejects.toMatchObject(error);
  expect(await problemsIn(session, inFiles)).toContainEqual({
    company,
    uniqueId: key.uniqueId,
    store: 'files',
    place: null,
    problem: 'missing',
    evidence: [],
    proofs: [],
  });
});

test('an upload that was given up cannot be taken into use', async () => {
  const key = newKey(company);
  const file = await spooledFile(folder, 10);
  await operator.run(startFile, { purpose: 'evidence', ...key, ...file, store: 'files', place: null });
  await operator.one(abandonUpload, key);
  expect(
    await operator.first(takeFile, {
      purpose: 'evidence',
      ...key,
      sha256: file.sha256,
      quotaBytes: 1e9,
      countsTwice: false,
    }),
  ).toBeUndefined();
});

/** Methods of a store as functions. */
const bound = (target: FileStore): FileStore => ({
  put: (...call) => target.put(...call),
  read: (...call) => target.read(...call),
  delete: (...call) => target.delete(...call),
  list: () => target.list(),
});
