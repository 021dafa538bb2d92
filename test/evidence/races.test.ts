import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toApiError } from '../../procedures/core/errors.ts';
import type { Storage } from '../../procedures/core/storage.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import {
  ageFiles,
  fileCaller,
  fileRows,
  openTestStorage,
  receivedFiles,
  removeUnusedFiles,
  sha256Of,
} from '../support/storage/evidence-files.ts';
import { createFileCompany } from '../support/storage/evidence-server.ts';
import { storedIds } from '../support/storage/files.ts';

const ROUNDS = 12;
const UPLOADS_AT_ONCE = 4;
/** More than a chunk of the store in the database. */
const SIZE = 300_000;

const folder = await temporaryFolder();
const storage = await openTestStorage(folder);

/** A company with a task, and a caller for its files. */
async function createFiles(stores: Storage = storage) {
  const company = await createFileCompany();
  const caller = await fileCaller(company.key, stores);
  return { ...caller, id: company.id, upload: (content: Uint8Array) => caller.upload(company.taskId, content) };
}

/** The values of those that succeeded, and the errors of the others. */
function split<T>(results: PromiseSettledResult<T>[]) {
  return {
    values: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    errors: results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])),
  };
}

/** Expects one row and one stored file for each content, whose uses are the evidence that refers to it. */
async function expectFiles(company: number, uses: number[]): Promise<void> {
  const rows = await fileRows(company);
  expect(rows.map(({ state, references }) => [state, references])).toEqual(uses.map((count) => ['stored', count]));
  expect(rows.map((row) => row.uses)).toEqual(uses);
  expect(await storedIds(storage.store(storage.current), company)).toEqual(
    rows.map(({ unique_id }) => unique_id).toSorted(),
  );
  expect(await receivedFiles(folder)).toEqual([]);
}

test('equal bytes that arrive while the last evidence with them is deleted, and unused files are removed, are never lost', async () => {
  const { id, evidence, upload, sha256 } = await createFiles();
  const content = randomBytes(SIZE);
  let present = [await upload(content)];
  let failed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const removals = async () => {
      for (let count = 0; count < 3; count += 1) {
        await ageFiles(id); // also of uploads in progress, as if their process had paused
        await removeUnusedFiles(storage);
      }
    };
    const [uploads] = await Promise.all([
      Promise.allSettled(Array.from({ length: UPLOADS_AT_ONCE }, () => upload(content))),
      ...present.map(({ uniqueId }) => evidence.delete({ evidence: uniqueId })),
      removals(),
    ]);
    const { values, errors } = split(uploads);
    // Given up, or the database is busy.
    expect(errors.filter((error) => toApiError(error).reason !== 'unavailable')).toEqual([]);
    failed += errors.length;
    present = values;
    for (const { uniqueId } of present) expect(await sha256(uniqueId)).toBe(sha256Of(content));
  }
  expect(failed).toBeLessThan(ROUNDS * UPLOADS_AT_ONCE);
  present.push(await upload(content));
  await ageFiles(id);
  await removeUnusedFiles(storage);
  await expectFiles(id, [present.length]);
  for (const { uniqueId } of present) await evidence.delete({ evidence: uniqueId });
  await ageFiles(id);
  await removeUnusedFiles(storage);
  await expectFiles(id, []);
});

test('equal bytes of a company that arrive at once are stored once; two companies never share', async () => {
  const [acme, other] = [await createFiles(), await createFiles()];
  const content = randomBytes(SIZE);
  await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? other : acme).upload(content)));
  await expectFiles(acme.id, [8]);
  await expectFiles(other.id, [4]);
  const [[one], [two]] = [await fileRows(acme.id), await fileRows(other.id)];
  expect(one?.sha256).toBe(two?.sha256);
  expect(one?.unique_id).not.toBe(two?.unique_id);
});

test('an upload that is given up while its bytes are put leaves none', async () => {
  let isGivenUp = false;
  const slow: Storage = {
    ...storage,
    store: (name) => {
      const store = storage.store(name);
      return {
        read: (key, range) => store.read(key, range),
        delete: (key) => store.delete(key),
        list: () => store.list(),
        async put(key, file) {
          await ageFiles(key.company);
          await removeUnusedFiles(storage);
          isGivenUp = (await fileRows(key.company)).length === 0;
          await store.put(key, file);
        },
      };
    },
  };
  const { id, upload } = await createFiles(slow);
  await expect(upload(randomBytes(SIZE))).rejects.toThrow('Send it again');
  expect(isGivenUp).toBe(true);
  await expectFiles(id, []);
});

describe('the quota', () => {
  const SIZE_OF_MANY = 40_000;

  test('is never exceeded by uploads at once, and a rejected one leaves nothing', async () => {
    const limited = await openTestStorage(folder, { quotaBytes: 5 * SIZE_OF_MANY + 1 });
    const { id, upload } = await createFiles(limited);
    const contents = Array.from({ length: 16 }, () => randomBytes(SIZE_OF_MANY));
    const { values, errors } = split(await Promise.allSettled(contents.map((content) => upload(content))));
    expect(values).toHaveLength(5);
    const rejection = { reason: 'unprocessable', message: expect.stringMatching(/^EVIDENCE_QUOTA_BYTES: /) };
    for (const error of errors) expect(toApiError(error)).toMatchObject(rejection);
    await expectFiles(id, [1, 1, 1, 1, 1]);
    await expect(upload(randomBytes(2))).rejects.toThrow('EVIDENCE_QUOTA_BYTES');
    await upload(randomBytes(1));
  });

  test('counts equal bytes once', async () => {
    const limited = await openTestStorage(folder, { quotaBytes: SIZE_OF_MANY });
    const { id, upload } = await createFiles(limited);
    const content = randomBytes(SIZE_OF_MANY);
    await Promise.all(Array.from({ length: 6 }, () => upload(content)));
    await expectFiles(id, [6]);
    await expect(upload(randomBytes(1))).rejects.toThrow('EVIDENCE_QUOTA_BYTES');
  });
});
