import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { recordCurrentKey } from '../../procedures/audit/signing-key.ts';
import { OPERATOR_TOKEN } from '../support/http/client.ts';
import { http, url } from '../support/http/server.ts';
import { downloadProof, makeProof, openMaker } from '../support/proof/make.ts';
import { readLines, readManifest, sha256 as digestOf } from '../support/proof/chain.ts';
import type { Row } from '../support/proof/chain.ts';
import { now, wordsOf } from '../support/proof/report.ts';
import { verifyBytes, verifyWithPython } from '../support/proof/run.ts';
import { readZip, writeZip } from '../support/proof/zip.ts';
import type { ZipEntries } from '../support/proof/zip.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { database, sql } from '../support/database/database.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { services } from '../support/tenants/member.ts';

let acme: TestCompany;
let ann: TestMember;
let task: string;
let vendor: string;
let requirement: string;

const upload = async (path: string, name: string, content: string, key = acme.key) =>
  Object(
    (
      await http('POST', `/external/${path}/evidence/new?name=${name}`, {
        key,
        headers: { 'Content-Type': 'text/plain' },
        body: content,
      })
    ).body,
  ) as Row;

/** Requests a proof, makes it and downloads it. */
async function prove(input: object = {}): Promise<{ zip: Buffer; entries: ZipEntries; proof: Row }> {
  const { status, body, headers } = await http('POST', '/external/proof/new', { key: acme.key, body: input });
  expect([status, body]).toMatchObject([202, { state: 'queued' }]);
  await makeProof(acme.id);
  const { body: made } = await http('GET', String(headers['location']), { key: acme.key });
  expect(made).toMatchObject({ state: 'done', reason: null });
  const proof = Object(made) as Row;
  const zip = await downloadProof(acme.key, String(proof['uniqueId']));
  expect(proof).toMatchObject({ size: zip.length, sha256: createHash('sha256').update(zip).digest('hex') });
  return { zip, entries: readZip(zip), proof };
}

beforeAll(async () => {
  acme = await createCompany();
  await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, scopes: [...SCOPES] });
  ann = await createMember(acme, { name: 'Ann' });
  await createMember(acme, { name: 'Bob', role: 'auditor' });
  await ann.caller.account.update({ name: 'Ann Lee' });
  ({ uniqueId: task } = await acme.newTask({ title: '=Review, "access"', gaps: [acme.gap], labels: ['a', 'b'] }));
  await acme.task.update({ taskUniqueId: task, assigneeId: ann.uniqueId, departmentId: acme.department });
  await ann.caller.task.update({ taskUniqueId: task, status: 'in_progress' });
  const { uniqueId: second } = await acme.newTask({ title: 'Second' });
  await acme.task.delete({ taskUniqueId: second });
  ({ uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' }));
  await acme.vendor.create({ name: '@formula' });
  const text = '<p>Look, <b>Ann</b>:</p><p>5 &lt; 6 &amp; more</p>';
  await ann.caller.comment.create({ taskUniqueId: task, text, mentions: [ann.uniqueId] });
  await ann.caller.comment.create({ vendor, text: 'Hello' });
  const heading = { framework: acme.framework, ref: 'A.5', title: 'Organisation', assessable: false };
  const { uniqueId: parent } = await ann.caller.requirement.create(heading);
  const policies = {
    framework: acme.framework,
    ref: 'A.5.1',
    title: 'Policies; =1+1',
    parent,
    justification: 'Needed.',
  };
  ({ uniqueId: requirement } = await ann.caller.requirement.create({ ...policies, ownerId: ann.uniqueId }));
  await ann.caller.requirement.assess({ requirement, result: 'met', note: 'Read by all.' });
  await ann.caller.comment.create({ requirement, text: 'Approved in May' });
  await upload(`requirement/${requirement}`, 'approval.txt', 'Approved.\n');
  await acme.task.update({ taskUniqueId: task, requirements: [requirement] });
  await acme.manage.framework.update({ id: acme.framework, ownerId: ann.uniqueId, auditDate: '2027-03-01' });
  await acme.manage.gap.update({
    id: acme.gap,
    requirement,
    status: 'closed',
    ownerId: ann.uniqueId,
    dueDate: '2026-12-01',
  });
  await upload(`task/${task}`, 'review.txt', 'Access review of the second quarter.\n');
  await upload(`smart-inventory/vendor/${vendor}`, 'report.txt', 'Another file.\n');
  const lost = await upload(`task/${task}`, 'lost.txt', 'Gone.\n');
  await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, name: 'Renamed key' });
  await ann.caller.evidence.link({ taskUniqueId: task, url: 'https://example.com/policy', name: 'Policy' });
  await ann.caller.evidence.delete({ evidence: String(lost['uniqueId']) });
});

const listed = (entries: ZipEntries) => [...entries].filter(([name]) => !name.startsWith('manifest.'));

describe('a proof', () => {
  test('holds for both verifiers, and has the registers', async () => {
    const { zip, entries, proof } = await prove();
    expect(await verifyBytes(zip)).toMatchObject({ missing: [], head: { sequence: proof['sequence'] } });
    expect(await verifyWithPython([{ zip }])).toEqual([expect.stringMatching(/^0\t/)]);
    const names = ['tasks', 'vendors', 'requirements', 'comments', 'evidence', 'members', 'keys'];
    expect(names.map((name) => readLines(entries, `${name}.ndjson`).length)).toEqual([1, 2, 2, 3, 4, 2, 1]);
    expect(entries.get('tasks.csv')?.toString()).toContain(`"'=Review, ""access"""`);
    const requirements = String(entries.get('requirements.csv')).split('\r\n');
    expect(requirements[0]).toBe(
      '\u{feff}uniqueId,framework,ref,title,description,parent,position,assessable,applicable,justification,owner,assessment,' +
        'createdAt,updatedAt,createdBy,updatedBy,version,status,tasks,evidenceCount,frameworkName,parentRef',
    );
    expect(requirements.find((row) => row.includes('A.5.1'))).toMatch(
      /A\.5\.1,Policies; '=1\+1,.*,Needed\.,Ann Lee,.*,met,,,ISO 27001,A\.5$/,
    );
    const report = String(entries.get('report.html'));
    expect(report).toContain('wrote a comment: “Look, Ann: 5 &#60; 6 &#38; more”');
  });

  test('has each object as `asOf` returns it', async () => {
    const asOf = await now();
    await acme.task.update({ taskUniqueId: task, title: 'Later' });
    const { entries } = await prove({ asOf });
    await acme.task.update({ taskUniqueId: task, title: '=Review, "access"' });
    const read = async (path: string) => (await http('GET', `${path}/item?asOf=${asOf}`, { key: acme.key })).body;
    // These two follow from the events, so that registers leave them out.
    for (const row of readLines(entries, 'tasks.ndjson'))
      expect({ ...row, closedAt: null, closedBy: null }).toEqual(
        await read(`/external/task/${String(row['uniqueId'])}`),
      );
    for (const row of readLines(entries, 'vendors.ndjson'))
      expect(row).toEqual(await read(`/external/smart-inventory/vendor/${String(row['uniqueId'])}`));
    for (const row of readLines(entries, 'requirements.ndjson'))
      expect(row).toEqual(await read(`/external/requirement/${String(row['uniqueId'])}`));
  });

  test('has the owner and the audit date of frameworks, and what gaps are about', async () => {
    const { entries } = await prove();
    const owner = { uniqueId: ann.uniqueId, name: 'Ann Lee', kind: 'human' };
    const framework = { id: acme.framework, owner, auditDate: '2027-03-01' };
    expect(readLines(entries, 'frameworks.ndjson')).toContainEqual(expect.objectContaining(framework));
    const gap = { id: acme.gap, requirement, status: 'closed', owner, dueDate: '2026-12-01' };
    expect(readLines(entries, 'gaps.ndjson')).toEqual([expect.objectContaining(gap)]);
  });

  test('has equal files for an equal request', async () => {
    const asOf = await now();
    const [first, second] = [await prove({ asOf }), await prove({ asOf })];
    expect(listed(second.entries)).toEqual(listed(first.entries));
  });

  test('of a period has one piece of the chain, and the registers at its end', async () => {
    const from = await now();
    await acme.task.update({ taskUniqueId: task, priority: 1 });
    const asOf = await now();
    await acme.task.update({ taskUniqueId: task, priority: 2 });
    const { zip, entries } = await prove({ from, asOf });
    expect(readLines(entries, 'events.ndjson')).toMatchObject([{}, { event: { action: 'task.update' } }]);
    expect(readLines(entries, 'tasks.ndjson')).toMatchObject([{ priority: 1 }]);
    expect(await verifyBytes(zip)).toMatchObject({ from });
    const empty = await prove({ from: asOf, asOf });
    const { sequence } = Object(readLines(entries, 'events.ndjson')[1]) as { sequence: number };
    expect(readLines(empty.entries, 'events.ndjson')).toMatchObject([{ sequence }]);
    expect(await verifyBytes(empty.zip)).toMatchObject({ from: asOf });
  });

  test('of some frameworks leaves out the tasks and requirements of others, and what belongs to them', async () => {
    const { id: framework } = await acme.manage.framework.create({ name: 'Other' });
    const { zip, entries } = await prove({ frameworks: [framework] });
    const names = ['tasks', 'requirements', 'comments', 'evidence'];
    expect(names.map((name) => readLines(entries, `${name}.ndjson`).length)).toEqual([0, 0, 1, 1]);
    expect(String(entries.get('requirements.csv'))).toMatch(/^\u{feff}uniqueId,framework,ref,[^\r\n]*,parentRef\r\n$/u);
    expect([...entries.keys()].filter((name) => name.startsWith('files/')).length).toBe(1);
    expect(await verifyBytes(zip)).toMatchObject({ missing: [], frameworkNames: ['Other'] });
    const report = wordsOf(String(entries.get('report.html')));
    expect(report).toContain(
      'Frameworks | Only Other | Left out | The tasks and requirements of ISO 27001, with their comments and evidence',
    );
    expect(report).toContain('The proof is limited: tasks and requirements of other frameworks');
    const { zip: whole, entries: all } = await prove({ frameworks: [acme.framework] });
    expect(names.map((name) => readLines(all, `${name}.ndjson`).length)).toEqual([1, 2, 3, 4]);
    for (const one of [zip, whole])
      expect(await verifyWithPython([{ zip: one }])).toEqual([expect.stringMatching(/^0\t/)]);
    expect(await verifyBytes(whole)).toMatchObject({ counts: { requirements: 2 } });
  });

  test('holds for the command of the installation, also as the version without the register made it', async () => {
    const { signing } = services;
    if (signing === undefined) expect.fail('expected a signing key');
    await recordCurrentKey(new Session(database, null, 'test'), signing);
    const { zip, entries } = await prove();
    const before = new Map([...entries].filter(([name]) => !/^(?:requirements|manifest)\./.test(name)));
    const fields = JSON.parse(String(entries.get('fields.json'))) as { types: { requirement: Row } };
    fields.types.requirement['derived'] = [];
    before.set('fields.json', Buffer.from(JSON.stringify(fields)));
    const files = [...before].map(([path, bytes]) => ({ path, size: bytes.length, sha256: digestOf(bytes) }));
    const manifest = Buffer.from(`${JSON.stringify({ ...readManifest(entries), files }, null, 2)}\n`);
    before.set('manifest.json', manifest).set('manifest.sig', signing.current.sign(manifest));
    const folder = await temporaryFolder();
    const file = join(folder, 'proof.zip');
    const verify = async (bytes: Buffer) => {
      await writeFile(file, bytes);
      const arguments_ = ['proof', 'verify', file, '--server', url];
      const { stdout, stderr } = await runProgram('cli/manage.ts', arguments_, { OPERATOR_TOKEN, DATA_DIR: folder });
      return stdout + stderr;
    };
    // The service shows a key that was recorded within a second.
    await expect.poll(() => verify(zip), { timeout: 120_000 }).toMatch(/the proof holds: .*requirements 2/s);
    const shown = await verify(await writeZip(before));
    expect(shown).toContain('the proof holds: ');
    expect(shown).not.toContain('requirements 2');
  });

  test('names each file as its earliest evidence, which the report links, and itself as company and date', async () => {
    const content = 'The same bytes.\n';
    await upload(`task/${task}`, encodeURIComponent('Zugriff: Ä?.txt'), content);
    const { sha256 } = await upload(`task/${task}`, 'copy.txt', content);
    const { entries, proof } = await prove();
    const path = `files/${String(sha256)}/Zugriff_ Ä_.txt`;
    expect(entries.get(path)?.toString()).toBe(content);
    expect([...entries.keys()].filter((name) => name.includes(String(sha256)))).toEqual([path]);
    const report = String(entries.get('report.html'));
    const links = [...report.matchAll(/<a href="(files[^"]*)">([^<]*)<\/a>/g)].map(([, href = '', name]) => [
      decodeURIComponent(href),
      name,
    ]);
    expect(links).toContainEqual([path, 'Zugriff: Ä?.txt']);
    expect(links).toContainEqual([path, 'copy.txt']);
    expect(links.filter(([href = '']) => !entries.has(href))).toEqual([]);
    const download = `/external/proof/${String(proof['uniqueId'])}/content`;
    const { headers } = await http('HEAD', download, { key: acme.key });
    const name = `Acme, proof of ${String(proof['asOf']).slice(0, 10)}.zip`;
    expect(headers['content-disposition']).toContain(`filename="${name}"`);
  });

  test('fails and names the evidence whose file the store lacks, or has with other bytes', async () => {
    const other = await createCompany();
    const auditor = await createMember(other, { role: 'auditor' });
    const { uniqueId: taskUniqueId } = await other.newTask({ title: 'Review' });
    await other.manage.apiKey.update({ uniqueId: other.apiKey.uniqueId, scopes: [...SCOPES] });
    const { uniqueId } = await upload(`task/${taskUniqueId}`, 'Review.txt', 'Reviewed.', other.key);
    const reason = (what: string) =>
      `The file of the evidence “Review.txt” (${String(uniqueId)}) is ${what} in the store`;
    const outcome = async () => {
      const { uniqueId: proof } = await auditor.caller.proof.create({});
      await makeProof(other.id);
      const made = await auditor.caller.proof.get({ proof });
      return [made.state, made.reason];
    };
    expect(await outcome()).toEqual(['done', null]);
    const ofEvidence = `company_id = $1 and file_id = (select file_id from evidence where unique_id = $2::uuid)`;
    await sql(`update file_chunk set bytes = 'Rejected.'::bytea where ${ofEvidence}`, other.id, uniqueId);
    expect(await outcome()).toEqual(['failed', reason('damaged')]);
    await sql(`delete from file_chunk where ${ofEvidence}`, other.id, uniqueId);
    expect(await outcome()).toEqual(['failed', reason('missing')]);
  });

  test('names files whose bytes are gone', async () => {
    const { sha256, size, uniqueId } = await upload(`task/${task}`, 'old.txt', 'Old.\n');
    const asOf = await now();
    await ann.caller.evidence.delete({ evidence: String(uniqueId) });
    await sql('delete from file where sha256 = $1', String(sha256));
    const { zip } = await prove({ asOf });
    expect(await verifyBytes(zip)).toMatchObject({ missing: [{ sha256, size }] });
    const without = await prove({ asOf, evidence: false });
    expect(await verifyBytes(without.zip)).toMatchObject({ missing: [] });
  });

  test('changes only the name and the identities of a person who is forgotten meanwhile', async () => {
    const bea = await createMember(acme, { name: 'Bea' });
    await bea.caller.comment.create({ vendor, text: 'From her' });
    const asOf = await now();
    const before = await prove({ asOf });
    await acme.manage.member.end({ uniqueId: bea.uniqueId });
    await acme.manage.member.forget({ uniqueId: bea.uniqueId });
    const after = await prove({ asOf });
    for (const { zip } of [before, after]) expect(await verifyBytes(zip)).toMatchObject({ missing: [] });
    const identities = new RegExp(`("uniqueId":"${bea.uniqueId}","name".*"identities":)\\[.*\\]`, 'g');
    const forget = (text: string) =>
      text.replaceAll('"name":"Bea"', '"name":"Former member"').replaceAll(identities, '$1[]');
    const texts = (entries: ZipEntries) =>
      listed(entries).flatMap(([name, bytes]) => (name.endsWith('.ndjson') ? [[name, bytes.toString()] as const] : []));
    expect(texts(after.entries)).toEqual(texts(before.entries).map(([name, text]) => [name, forget(text)]));
    expect(after.entries.get('report.html')?.toString()).not.toContain('Bea');
  });
});

describe('a request', () => {
  const request = (input: object, key = acme.key) => http('POST', '/external/proof/new', { key, body: input });

  test.each([
    [{ asOf: '2999-01-01T00:00:00Z' }, /^asOf: .* is in the future$/],
    [{ from: '2999-01-01T00:00:00Z' }, /^asOf: .* is before from/],
    [{ asOf: '2020-01-01T00:00:00Z' }, /^asOf: the audit log begins after/],
    [{ frameworks: [999_999] }, /^frameworks: 999999 is unknown$/],
  ])('%j is 422', async (input, error) => {
    const { status, body } = await request(input);
    expect([status, Reflect.get(Object(body), 'error')]).toEqual([422, expect.stringMatching(error)]);
  });

  test('needs every scope, also that of evidence with files, and all frameworks', async () => {
    const scopes = SCOPES.filter((scope) => scope.endsWith(':read') && scope !== 'evidence:read');
    const { key } = await acme.manage.apiKey.create({ name: 'Reader', scopes });
    expect((await request({}, key)).body).toEqual({ error: 'scope: the key lacks evidence:read' });
    const { status, body } = await request({ evidence: false }, key);
    expect(status).toBe(202);
    const { uniqueId: proof } = Object(body) as { uniqueId: string };
    expect((await http('DELETE', `/external/proof/${proof}/delete`, { key })).status).toBe(204);
    const { framework } = acme;
    const limited = await acme.manage.apiKey.create({ name: 'Limited', scopes: [...SCOPES], frameworks: [framework] });
    expect((await request({}, limited.key)).status).toBe(403);
  });

  test('of an auditor has its events and its item in the inbox', async () => {
    const auditor = await createMember(acme, { role: 'auditor' });
    const { uniqueId: proof } = await auditor.caller.proof.create({});
    const lastEvent = async () => (await auditor.caller.audit.list({ resourceType: 'proof', limit: 1 })).items;
    expect(await lastEvent()).toMatchObject([
      { action: 'proof.create', changes: { uniqueId: proof, from: null, evidence: true } },
    ]);
    await makeProof(acme.id);
    expect((await auditor.caller.inbox.list({})).items).toMatchObject([{ reason: 'proof' }]);
    await auditor.caller.proof.delete({ proof });
    expect(await lastEvent()).toMatchObject([{ action: 'proof.delete', resource: { uniqueId: proof } }]);
    await expect(auditor.caller.proof.get({ proof })).rejects.toThrow(/not found/i);
  });

  test('is rejected while too many are open, and one runs at a time', async () => {
    const other = await createCompany();
    const auditor = await createMember(other, { role: 'auditor' });
    for (let index = 0; index < 10; index += 1) await auditor.caller.proof.create({ evidence: false });
    await expect(auditor.caller.proof.create({})).rejects.toThrow('proof: 10 are queued or running');
    const makers = [openMaker(), openMaker()];
    await Promise.all(makers.map((maker) => maker.runSlice(other.id)));
    const states = (await auditor.caller.proof.list()).items.map(({ state }) => state);
    expect(states.filter((state) => state === 'running').length).toBe(1);
    await Promise.all(makers.map(async (maker) => maker.stop?.()));
  });
});

describe('the process that makes a proof', () => {
  let auditor: TestMember;
  beforeAll(async () => {
    auditor = await createMember(acme, { role: 'auditor' });
  });
  const create = async () => (await auditor.caller.proof.create({ evidence: false })).uniqueId;
  const read = (proof: string) => auditor.caller.proof.get({ proof });

  test('returns it to the queue when it stops, and its successor makes it', async () => {
    const proof = await create();
    const maker = openMaker();
    await maker.runSlice(acme.id);
    await maker.stop?.();
    await makeProof(acme.id);
    expect(await read(proof)).toMatchObject({ state: 'done' });
  });

  test('is replaced after its lease, and the proof fails after some attempts', async () => {
    const proof = await create();
    const lost = `state = 'running', attempts = 3, lease_until = now() - interval '1 second'`;
    await sql(`update proof set ${lost} where unique_id = $1::uuid`, proof);
    await makeProof(acme.id);
    const reason = 'The service ended 3 times while it made the proof';
    expect(await read(proof)).toMatchObject({ state: 'failed', reason });
  });

  test('gives it the reason of the time-stamp server', async () => {
    const proof = await create();
    const timestamp = { request: () => Promise.reject(new Error('The time-stamp server did not respond')) };
    await makeProof(acme.id, undefined, { timestamp });
    expect(await read(proof)).toMatchObject({ state: 'failed', reason: 'The time-stamp server did not respond' });
  });

  test('leaves a download that is 503 if the store lacks the ZIP', async () => {
    const proof = await create();
    await makeProof(acme.id);
    const ofProof = 'company_id = $1 and file_id = (select file_id from proof where unique_id = $2::uuid)';
    await sql(`delete from file_chunk where ${ofProof}`, acme.id, proof);
    for (const headers of [{}, { Range: 'bytes=1-9' }]) {
      const { status, body } = await http('GET', `/external/proof/${proof}/content`, { key: acme.key, headers });
      expect([status, body]).toEqual([503, { error: expect.stringContaining('missing in the store') }]);
    }
  });

  test('leaves no use of the file of a deleted proof', async () => {
    const proof = await create();
    await makeProof(acme.id);
    const [row] = await sql('select file_id as id from proof where unique_id = $1::uuid', proof);
    await auditor.caller.proof.delete({ proof });
    expect(await sql('select uses from file where unique_id = $1::uuid', row?.['id'])).toEqual([{ uses: 0 }]);
  });
});
