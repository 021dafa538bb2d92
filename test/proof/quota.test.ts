import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { serverStorage } from '../support/http/server.ts';
import { downloadProof, makeProof } from '../support/proof/make.ts';
import { ageFiles, fileCaller, removeUnusedFiles } from '../support/storage/evidence-files.ts';
import { createFileCompany } from '../support/storage/evidence-server.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

type Company = Awaited<ReturnType<typeof createFileCompany>>;

let acme: Company;
let auditor: TestMember;

beforeEach(async () => {
  acme = await createFileCompany();
  auditor = await createMember(acme, { role: 'auditor' });
});

const withQuota = (quotaBytes: number) => ({ ...serverStorage, quotaBytes });

/** Makes a proof and returns it. */
async function prove(storage = serverStorage) {
  const { uniqueId: proof } = await auditor.caller.proof.create({ evidence: false });
  await makeProof(acme.id, undefined, { storage });
  return auditor.caller.proof.get({ proof });
}

const reasonOf = (quotaBytes: number) =>
  `EVIDENCE_QUOTA_BYTES: the proofs of the company would exceed their quota of ${quotaBytes} bytes; delete one`;

describe('the quota of proofs', () => {
  test('is beside that of evidence, and one that does not fit is failed and names it', async () => {
    const { size } = await prove();
    const quota = Math.ceil(Number(size) * 1.5); // room for the events from now on, but not for another one
    const caller = await fileCaller(acme.key, withQuota(quota));
    await caller.upload(acme.taskId, randomBytes(quota));
    expect(await prove(withQuota(quota))).toMatchObject({ state: 'failed', reason: reasonOf(quota), size: null });
    const [, first] = (await auditor.caller.proof.list()).items;
    await auditor.caller.proof.delete({ proof: first?.uniqueId ?? '' });
    await ageFiles(acme.id);
    await removeUnusedFiles(serverStorage);
    expect(await prove(withQuota(quota))).toMatchObject({ state: 'done', reason: null });
  });

  test('also ends a proof that no longer fits when it is stored', async () => {
    const full = { ...withQuota(10), spool: (content: AsyncIterable<Uint8Array>) => serverStorage.spool(content, 1e9) };
    expect(await prove(full)).toMatchObject({ state: 'failed', reason: reasonOf(10) });
    expect(await prove()).toMatchObject({ state: 'done' });
  });

  test('is none for evidence with the bytes of a proof', async () => {
    const { uniqueId, size } = await prove();
    const zip = await downloadProof(acme.key, uniqueId);
    const small = await fileCaller(acme.key, withQuota(Number(size) - 1));
    await expect(small.upload(acme.taskId, zip)).rejects.toThrow('EVIDENCE_QUOTA_BYTES: the files of the company');
    const large = await fileCaller(acme.key, withQuota(Number(size)));
    await large.upload(acme.taskId, zip);
    await expect(large.upload(acme.taskId, randomBytes(1))).rejects.toThrow('EVIDENCE_QUOTA_BYTES');
  });
});

test('a key that is limited to a framework does not learn from a full quota which bytes the company has', async () => {
  const quota = 1000;
  const storage = withQuota(quota);
  const secret = randomBytes(900);
  const other = await acme.manage.framework.create({ name: 'SOC 2' });
  await (await fileCaller(acme.key, storage)).upload(acme.taskId, secret);
  const { key } = await acme.manage.apiKey.create({ name: 'Limited', scopes: [...SCOPES], frameworks: [other.id] });
  const limited = await fileCaller(key, storage);
  const { uniqueId: task } = await acme.newTask({ framework: other.id });
  const messages = await Promise.all(
    [secret, randomBytes(900)].map((content) => limited.upload(task, content).catch((error: Error) => error.message)),
  );
  const message = `EVIDENCE_QUOTA_BYTES: the files of the company would exceed its quota of ${quota} bytes`;
  expect(messages).toEqual([message, message]);
  // A key of the whole company may know it.
  await (await fileCaller(acme.key, storage)).upload(task, secret);
});
