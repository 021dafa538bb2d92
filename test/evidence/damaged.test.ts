import { pino } from 'pino';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { findFile } from '../../entities/file/statements.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { Session } from '../../database/session.ts';
import { verifyFiles } from '../../procedures/evidence/verification.ts';
import { sessionCookie } from '../../server/auth/cookies.ts';
import { database } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { http } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { fileRows, openTestStorage, sha256Of } from '../support/storage/evidence-files.ts';
import { createFileCompany, idOf } from '../support/storage/evidence-server.ts';
import { spooledFile } from '../support/storage/files.ts';
import { createMember, services } from '../support/tenants/member.ts';

const folder = await temporaryFolder();
const storage = await openTestStorage(folder);
const log: { reason?: string; err?: { message: string } }[] = [];
const summaries: { route: string | null; evidence?: string; key: string | null; member?: string; status: number }[] =
  [];
const app = await startApp({
  services: { ...services, storage },
  log: pino({ level: 'warn' }, { write: (line) => void log.push(JSON.parse(line) as (typeof log)[number]) }),
  observers: [(summary) => summaries.push(summary)],
});
afterAll(app.stop);
beforeEach(() => {
  log.length = 0;
  summaries.length = 0;
});

const MISSING = 'content: the file is missing in the store of the service; tell its operator';
const DAMAGED = 'content: the file is damaged in the store of the service; tell its operator';
/** Sizes of a file that is verified in memory, and of one that is read twice. */
const SIZES = [1000, 3_000_000];

/** A company with a file of a task, and what damages its bytes in the store. */
async function companyWithFile(size: number) {
  const acme = await createFileCompany();
  const file = await spooledFile(folder, size);
  const created = await http('POST', `${acme.path}/new?name=Review.pdf`, {
    baseUrl: app.url,
    key: acme.key,
    headers: { 'Content-Type': 'application/pdf' },
    body: file.bytes,
  });
  const evidence = idOf(created);
  const [row] = await fileRows(acme.id);
  const key = { company: acme.id, uniqueId: row?.unique_id ?? '' };
  const store = storage.store(storage.current);
  return {
    ...acme,
    evidence,
    fileId: key.uniqueId,
    bytes: file.bytes,
    lose: () => store.delete(key),
    /** Gives it other bytes of this size. */
    replace: async (newSize = size) => {
      await store.delete(key);
      await store.put(key, await spooledFile(folder, newSize));
    },
    read: async (headers: Record<string, string> = {}, init: RequestInit = {}) => {
      const path = `${app.url}/external/evidence/${evidence}/content`;
      const response = await fetch(path, { headers: { 'X-API-Key': acme.key, ...headers }, ...init });
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    },
  };
}
type Read = Awaited<ReturnType<Awaited<ReturnType<typeof companyWithFile>>['read']>>;

function expectUnavailable({ status, headers, bytes }: Read, error: string): void {
  expect([status, bytes.toString()]).toEqual([503, JSON.stringify({ error })]);
  expect(headers.get('X-Error-Code')).toBe('unavailable');
  expect(Number(headers.get('Retry-After'))).toBeGreaterThan(1);
  for (const name of ['ETag', 'Content-Disposition', 'Repr-Digest', 'Content-Range'])
    expect(headers.get(name)).toBeNull();
}

describe.for(SIZES)('a download of a file of %d bytes', (size) => {
  test('has its bytes, whole and in ranges', async () => {
    const { read, bytes } = await companyWithFile(size);
    const whole = await read();
    expect([whole.status, sha256Of(whole.bytes)]).toEqual([200, sha256Of(bytes)]);
    const end = await read({ Range: 'bytes=-300' });
    expect([end.status, end.bytes.equals(bytes.subarray(-300))]).toEqual([206, true]);
  });

  test('is 503 if the store lacks it, for ranges too, and the log says so', async () => {
    const { read, lose, fileId } = await companyWithFile(size);
    await lose();
    expectUnavailable(await read(), MISSING);
    expectUnavailable(await read({ Range: 'bytes=0-9' }), MISSING);
    expect(log[0]).toMatchObject({ reason: MISSING, err: { message: expect.stringContaining(fileId) as string } });
  });

  test('is 503 if the store has other bytes, for ranges too, and the log says so', async () => {
    const { read, replace, bytes } = await companyWithFile(size);
    await replace();
    expectUnavailable(await read(), DAMAGED);
    expectUnavailable(await read({ Range: 'bytes=0-9' }), DAMAGED);
    const message = expect.stringContaining(`expected bytes with the SHA-256 ${sha256Of(bytes)}`) as string;
    expect(log[0]).toMatchObject({ reason: DAMAGED, err: { message } });
  });

  test('is 503 if the store has the beginning only', async () => {
    const { read, replace } = await companyWithFile(size);
    await replace(size - 1);
    expectUnavailable(await read(), MISSING);
  });
});

test('a member reads the same error below /session', async () => {
  const acme = await companyWithFile(1000);
  await acme.replace();
  const ann = await createMember(acme);
  const cookie = sessionCookie(services.appUrl).header(ann.token).split(';', 1).join('');
  const headers = { Cookie: cookie, Origin: app.url, 'Sec-Fetch-Site': 'same-origin' };
  const response = await fetch(`${app.url}/session/evidence/${acme.evidence}/content`, { headers });
  expect([response.status, await response.json()]).toEqual([503, { error: DAMAGED }]);
  await expect
    .poll(() => summaries.at(-1))
    .toMatchObject({
      evidence: acme.evidence,
      key: null,
      member: ann.uniqueId,
      status: 503,
    });
});

test('the log line of a download has the evidence and the key', async () => {
  const { read, evidence } = await companyWithFile(1000);
  await read();
  await expect
    .poll(() => summaries.at(-1))
    .toMatchObject({
      route: '/external/evidence/{evidence}/content',
      evidence,
      key: expect.any(String) as string,
      status: 200,
    });
  expect(summaries.slice(0, -1).filter((summary) => 'evidence' in summary)).toEqual([]);
});

test('a verification names the evidence of a problem, with its task or vendor', async () => {
  const acme = await companyWithFile(1000);
  await acme.replace();
  const session = new Session(database, null, 'test');
  const before = await new Session(database, operatorPrincipal(acme.id), 'test').one(findFile, {
    uniqueId: acme.fileId,
  });
  const position = { afterCompany: acme.id, afterId: '00000000-0000-0000-0000-000000000000' };
  const { problems } = await verifyFiles(session, storage, position);
  expect(problems.find(({ company }) => company === acme.id)).toEqual({
    company: acme.id,
    uniqueId: acme.fileId,
    store: before.store,
    place: null,
    problem: 'different',
    evidence: [{ uniqueId: acme.evidence, name: 'Review.pdf', resource: { type: 'task', uniqueId: acme.taskId } }],
    proofs: [],
  });
});
