import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPglite } from '../../database/pglite/open.ts';
import { Session } from '../../database/session.ts';
import { findFile, startFile, takeFile } from '../../entities/file/statements.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { currentLocation } from '../../procedures/core/storage.ts';
import type { Storage } from '../../procedures/core/storage.ts';
import { reachableLocations, removeMoved } from '../../procedures/evidence/moving.ts';
import { adoptFiles, filePlaces } from '../../procedures/evidence/places.ts';
import { fileRemoval } from '../../procedures/evidence/removal.ts';
import type { IntervalJob } from '../../procedures/jobs/job.ts';
import type { StoreName } from '../../entities/file/file.ts';
import { openStorage } from '../../server/storage/open.ts';
import { S3Store } from '../../server/storage/s3.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { startHostilePeer } from '../support/servers/hostile-peer.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { newKey, readBytes, spooledFile, storedIds } from '../support/storage/files.ts';
import { s3Settings, startS3rver } from '../support/storage/s3-servers.ts';
import { moveAll, problemsIn } from '../support/storage/verify.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';

// A database of its own: a move concerns the files of all companies.
const database = await openPglite();
await database.migrate();
const s3 = await startS3rver();
afterAll(async () => {
  await database.close();
  await s3.stop();
});
const { id: company } = await createCompanyIn(database);
const session = new Session(database, null, 'test');
const operator = new Session(database, operatorPrincipal(company), 'test');
const folder = await temporaryFolder();

/** The stores of a process whose STORAGE_URL has this prefix, and this bucket. */
async function openWith(prefix: string, bucketUrl = s3.settings.bucketUrl): Promise<Storage> {
  const limits = { evidenceMaxBytes: 1e6, evidenceQuotaBytes: 1e9 };
  const settings = { s3: { ...s3.settings, bucketUrl, prefix }, databaseUrl: undefined, dataDir: folder, ...limits };
  const opened = await openStorage(settings, database, createLog('silent'));
  opened.stop();
  return opened;
}

/** Stores a file as an upload does. @param place what the row has; null is that of an earlier version */
async function store(storage: Storage, place = currentLocation(storage).place) {
  const key = newKey(company);
  const { uniqueId } = key;
  const file = await spooledFile(folder, 300_000);
  await operator.run(startFile, { purpose: 'evidence', ...key, ...file, store: 's3', place });
  await storage.store('s3').put(key, file);
  await operator.one(takeFile, {
    purpose: 'evidence',
    uniqueId,
    sha256: file.sha256,
    quotaBytes: 1e9,
    countsTwice: false,
  });
  return { uniqueId, ...file };
}
type Stored = Awaited<ReturnType<typeof store>>;

const placeOf = async ({ uniqueId }: Stored) => (await operator.one(findFile, { uniqueId })).place;

/** Expects that a process reads a file where its row says. */
async function expectReadable(storage: Storage, { uniqueId, size, bytes }: Stored): Promise<void> {
  const row = await operator.one(findFile, { uniqueId });
  expect((await readBytes(storage.store(row.store, row.place), row, size)).equals(bytes)).toBe(true);
}

/** Runs a job of a process. */
async function runJob(job: IntervalJob, storage: Storage): Promise<void> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const warn = (error: unknown) => {
    throw error;
  };
  await job.run(session, { database, session, storage, signal: stop.signal, warn });
}

describe('a file in S3', () => {
  test('stays readable after the setting has another prefix, and a move brings it to that one and back', async () => {
    const [before, after] = [await openWith('before/'), await openWith('after/')];
    const files = [await store(before), await store(before)] as const;
    expect(await placeOf(files[0])).toBe('evidence/before/');
    for (const file of files) await expectReadable(after, file);
    expect(await problemsIn(session, after)).toEqual([]);

    expect(await moveAll(session, after)).toBe(2);
    for (const file of files) await expectReadable(after, file);
    expect(await placeOf(files[0])).toBe('evidence/after/');
    // Downloads from the former place may be in progress, so its bytes go at the end, also of a command that was killed before.
    const left = { problem: 'too many', store: 's3', place: 'evidence/before/' };
    expect(await problemsIn(session, after)).toMatchObject([left, left]);
    expect(await removeMoved(session, after)).toBe(2);
    expect(await storedIds(before.store('s3'), company)).toEqual([]);
    expect(await reachableLocations(session, after)).not.toContainEqual({ store: 's3', place: 'evidence/before/' });
    expect(await moveAll(session, after)).toBe(0);

    expect(await moveAll(session, before)).toBe(2);
    await removeMoved(session, before);
    for (const file of files) await expectReadable(before, file);
    expect(await storedIds(after.store('s3'), company)).toEqual([]);
    expect(await problemsIn(session, before)).toEqual([]);
  });

  test('stays readable in another bucket than that of the setting', async () => {
    const file = await store(await openWith('files/'));
    await expectReadable(await openWith('', `${new URL(s3.settings.bucketUrl).origin}/other-bucket`), file);
  });

  test('whose evidence goes is removed in the place of today, and left in a former one until a move', async () => {
    const [former, today] = [await openWith('original/'), await openWith('copy/')];
    const [original, copied] = [await store(former), await store(today)];
    const old = "update file set touched_at = now() - interval '1 minute'";
    await operator.run(defineStatement<object, never>('test.age-files', old, 'all companies'), {});
    await runJob(fileRemoval, today);
    expect(await storedIds(today.store('s3'), company)).not.toContain(copied.uniqueId);
    expect(await storedIds(former.store('s3'), company)).toContain(original.uniqueId);
    await moveAll(session, today);
    await removeMoved(session, today);
    await runJob(fileRemoval, today);
    for (const storage of [former, today])
      expect(await storedIds(storage.store('s3'), company)).not.toContain(original.uniqueId);
  });

  test('that S3 does not remove keeps no file in another store waiting, and is tried again', async () => {
    const today = await openWith('hanging/');
    const inS3 = [await store(today), await store(today)];
    const inFolder = await spooledFile(folder, 10);
    const key = newKey(company);
    await operator.run(startFile, { purpose: 'evidence', ...key, ...inFolder, store: 'files', place: null });
    await today.store('files').put(key, inFolder);
    const old = "update file set touched_at = now() - interval '1 minute'";
    await operator.run(defineStatement<object, never>('test.age-files-again', old, 'all companies'), {});

    const { url, connections } = await startHostilePeer('switches protocols');
    const hanging = new S3Store(s3Settings(url.replace(/\/$/, ''), 'id', 'secret'), { stallMs: 300, responseMs: 1500 });
    const storage = { ...today, store: (name: StoreName) => (name === 's3' ? hanging : today.store(name)) };
    const warnings: unknown[] = [];
    const stop = new AbortController();
    const warn = (error: unknown) => warnings.push(error);
    await fileRemoval.run(session, { database, session, storage, signal: stop.signal, warn });
    expect(warnings).toMatchObject([{ code: 'unavailable' }]);
    expect(connections()).toBe(1);
    expect(await operator.first(findFile, key)).toBeUndefined();
    const states = await Promise.all(inS3.map(({ uniqueId }) => operator.one(findFile, { uniqueId })));
    expect(states.map(({ state }) => state)).toEqual(['deleting', 'deleting']);

    await operator.run(defineStatement<object, never>('test.age-files-last', old, 'all companies'), {});
    await runJob(fileRemoval, today);
    for (const { uniqueId } of inS3) expect(await operator.first(findFile, { uniqueId })).toBeUndefined();
  });

  test('is read in the place of today after a restore with a copy of the objects is adopted', async () => {
    const [original, copy] = [await openWith('production/'), await openWith('backup/')];
    const file = await store(original);
    const key = { company, uniqueId: file.uniqueId };
    await copy.store('s3').put(key, file);
    expect(await adoptFiles(session, copy)).toBeGreaterThan(0);
    expect(await adoptFiles(session, copy)).toBe(0);
    await original.store('s3').delete(key);
    await expectReadable(copy, file);
  });

  test('of an earlier version gets its place if it is in that of today, and is looked for again if not', async () => {
    const [before, after] = [await openWith('earlier/'), await openWith('later/')];
    const file = await store(before, null);
    await expectReadable(before, file);
    await runJob(filePlaces, after);
    expect(await placeOf(file)).toBeNull();
    await runJob(filePlaces, before);
    expect(await placeOf(file)).toBe('evidence/earlier/');
    await expectReadable(after, file);
    await moveAll(session, after);
    await removeMoved(session, after);
    await expectReadable(after, file);
  });
});
