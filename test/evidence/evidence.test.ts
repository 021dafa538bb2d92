import { describe, expect } from 'vitest';
import { MAX_EVIDENCE } from '../../entities/evidence/evidence.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { todayIn } from '../../procedures/schemas/time-zone.ts';
import { test } from '../support/fixtures/test.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { Scope } from '../../entities/api-key/scope.ts';
import { createMember } from '../support/tenants/member.ts';
import { addEvidence, dateIn } from '../support/tenants/evidence.ts';

const acme = await createCompany();
const keyWith = async (...scopes: Scope[]) =>
  callerForKey((await acme.manage.apiKey.create({ name: 'Evidence', scopes })).key);
const full = await keyWith('task:read', 'vendor:read', 'evidence:read', 'evidence:write', 'evidence:delete');
const LINK = { url: 'https://wiki.example.com/review', name: 'Access review' };
const newTask = async () => (await acme.newTask()).uniqueId;

describe('a link', () => {
  test('has every field of the contract, today in the time zone of the company, and no file', async () => {
    const taskUniqueId = await newTask();
    const { user } = await full.apiKey.whoami();
    const { etag, ...link } = await full.evidence.link({ taskUniqueId, ...LINK });
    expect(link).toEqual({
      uniqueId: expect.any(String),
      resource: { type: 'task', uniqueId: taskUniqueId },
      kind: 'link',
      ...LINK,
      mediaType: null,
      size: null,
      sha256: null,
      note: '',
      date: todayIn('UTC'),
      validUntil: null,
      check: null,
      createdAt: expect.any(String),
      createdBy: user,
      updatedAt: link.createdAt,
      updatedBy: user,
      version: 1,
    });
    expect(await full.evidence.get({ evidence: link.uniqueId })).toEqual({ ...link, etag });
    const admin = await createMember(acme, { role: 'admin' });
    await admin.caller.management.settings.update({ timeZone: 'Pacific/Kiritimati' });
    expect(await full.evidence.link({ taskUniqueId, ...LINK })).toMatchObject({ date: todayIn('Pacific/Kiritimati') });
    await admin.caller.management.settings.update({ timeZone: 'UTC' });
  });

  test.for([
    [{ name: 'a/b' }, 'name: expected a name without / and \\, other than . and ..'],
    [{ name: 'a\\b' }, 'name: expected a name without / and \\, other than . and ..'],
    [{ name: '.' }, 'name: expected a name without / and \\, other than . and ..'],
    [{ name: ' .. ' }, 'name: expected a name without / and \\, other than . and ..'],
    [{ name: 'a\u0085b' }, 'name: expected no line end and no control character'],
    [{ name: ' ' }, 'name: expected text of 1 to 255 characters'],
    [{ name: 'x'.repeat(256) }, 'name: expected text of 1 to 255 characters'],
    [{ note: 'x'.repeat(2001) }, 'note: expected text of at most 2000 characters'],
    [{ url: 'https://a@b@evil.example/' }, 'url: expected a URL without user info'],
    [{ url: 'javascript:alert(1)' }, 'url: expected an http or https URL of at most 2048 characters'],
    [
      { url: `https://example.com/${'x'.repeat(2048)}` },
      'url: expected an http or https URL of at most 2048 characters',
    ],
    [{ date: '2026-02-30' }, 'date: expected a calendar date YYYY-MM-DD from 1900 to 2999'],
    [{ date: null }, 'date: expected a calendar date YYYY-MM-DD from 1900 to 2999'],
    [{ sha256: 'x' }, 'sha256: unknown field; it is read-only'],
  ])('with %o is 400', async ([field, message]) => {
    const taskUniqueId = await newTask();
    const input = { taskUniqueId, ...LINK, ...(field as object) };
    await expect(full.evidence.link(input)).rejects.toMatchObject({ code: 'BAD_REQUEST', message });
    expect(await acme.task.get({ taskUniqueId })).toMatchObject({ evidenceCount: 0 });
  });

  test('needs either a task or a vendor, which exists, and ends not before its date', async () => {
    const taskUniqueId = await newTask();
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
    for (const parents of [{}, { taskUniqueId, vendor }])
      await expect(full.evidence.link({ ...LINK, ...parents })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    for (const parent of [{ taskUniqueId: newUniqueId() }, { vendor: newUniqueId() }, { vendor: 'x' }])
      await expect(full.evidence.link({ ...LINK, ...parent })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const dates = { date: '2026-06-30', validUntil: '2026-06-29' };
    await expect(full.evidence.link({ ...LINK, vendor, ...dates })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: 'validUntil: 2026-06-29 is before date 2026-06-30',
    });
    const created = await full.evidence.link({ ...LINK, vendor, date: '2026-06-30', validUntil: '2026-06-30' });
    expect(created).toMatchObject({ resource: { type: 'vendor', uniqueId: vendor }, validUntil: '2026-06-30' });
  });
});

describe('changes', () => {
  test('keep what they omit, obey the entity tag, and write nothing if nothing changes', async () => {
    const { uniqueId: evidence, etag } = await full.evidence.link({ taskUniqueId: await newTask(), ...LINK });
    const changed = await full.evidence.update({ evidence, note: 'Signed', validUntil: '2999-12-31', ifMatch: etag });
    expect(changed).toMatchObject({ ...LINK, note: 'Signed', validUntil: '2999-12-31', version: 2 });
    expect(await full.evidence.update({ evidence, note: 'Signed' })).toMatchObject({ version: 2, etag: changed.etag });
    await expect(full.evidence.update({ evidence, name: 'x', ifMatch: etag })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await expect(full.evidence.update({ evidence, date: '3000-01-01' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(full.evidence.update({ evidence, validUntil: '1999-12-31' })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    });
    expect(await full.evidence.update({ evidence, validUntil: null })).toMatchObject({ validUntil: null, version: 3 });
    await expect(full.evidence.delete({ evidence, ifMatch: etag })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await full.evidence.delete({ evidence });
    await expect(full.evidence.get({ evidence })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('need their own scopes, and the read scope of the task or vendor', async () => {
    const taskUniqueId = await newTask();
    const { uniqueId: evidence } = await full.evidence.link({ taskUniqueId, ...LINK });
    const lacks = (scope: string) => ({ code: 'FORBIDDEN', message: `scope: the key lacks ${scope}` });
    const reader = await keyWith('task:read', 'evidence:read');
    expect(await reader.evidence.get({ evidence })).toMatchObject(LINK);
    await expect(reader.evidence.link({ taskUniqueId, ...LINK })).rejects.toMatchObject(lacks('evidence:write'));
    await expect(reader.evidence.update({ evidence, note: 'x' })).rejects.toMatchObject(lacks('evidence:write'));
    await expect(reader.evidence.delete({ evidence })).rejects.toMatchObject(lacks('evidence:delete'));
    const ofVendors = await keyWith('vendor:read', 'evidence:read', 'evidence:write', 'evidence:delete');
    await expect(ofVendors.evidence.get({ evidence })).rejects.toMatchObject(lacks('task:read'));
    await expect(ofVendors.evidence.update({ evidence, note: 'x' })).rejects.toMatchObject(lacks('task:read'));
    await expect(ofVendors.evidence.delete({ evidence })).rejects.toMatchObject(lacks('task:read'));
    await expect(ofVendors.evidence.link({ taskUniqueId, ...LINK })).rejects.toMatchObject(lacks('task:read'));
    const { caller: auditor } = await createMember(acme, { role: 'auditor' });
    expect(await auditor.evidence.get({ evidence })).toMatchObject(LINK);
    await expect(auditor.evidence.delete({ evidence })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await full.evidence.get({ evidence })).toMatchObject({ version: 1 });
  });
});

describe('lists', () => {
  test('of an object are in pages, newest first', async () => {
    const taskUniqueId = await newTask();
    const ids: string[] = [];
    for (const name of ['1', '2', '3']) ids.push((await full.evidence.link({ taskUniqueId, ...LINK, name })).uniqueId);
    const first = await full.evidence.list({ taskUniqueId, limit: 2 });
    expect(first.items.map(({ uniqueId }) => uniqueId)).toEqual([ids[2], ids[1]]);
    const rest = await full.evidence.list({ taskUniqueId, limit: 2, cursor: first.nextCursor ?? '' });
    expect(rest).toMatchObject({ items: [{ uniqueId: ids[0] }], nextCursor: null });
  });

  test('of the company have what the scopes and frameworks reach, and perhaps only what is expiring', async ({
    company,
  }) => {
    const key = async (scopes: Scope[], frameworks: number[] | null = null) =>
      callerForKey((await company.manage.apiKey.create({ name: 'List', scopes, frameworks })).key);
    const { id: other } = await company.manage.framework.create({ name: 'NIS 2' });
    const { uniqueId: own } = await company.newTask();
    const { uniqueId: foreign } = await company.newTask({ framework: other });
    const { uniqueId: vendor } = await company.vendor.create({ name: 'Cloud Ltd' });
    const soon = { validUntil: dateIn(10) };
    const names = async (caller: Awaited<ReturnType<typeof key>>, input = {}) =>
      (await caller.evidence.listAll(input)).items.map(({ name }) => name);
    await addEvidence(company, { taskUniqueId: own }, { name: 'Own', ...soon });
    await addEvidence(company, { taskUniqueId: foreign }, { name: 'Foreign', ...soon });
    await addEvidence(company, { vendor }, { name: 'Old', ...soon });
    await addEvidence(company, { vendor }, { name: 'New', validUntil: dateIn(400) });
    expect(await names(await key(['task:read', 'vendor:read', 'evidence:read']))).toEqual([
      'New',
      'Old',
      'Foreign',
      'Own',
    ]);
    expect(await names(await key(['task:read', 'vendor:read', 'evidence:read']), { expiring: true })).toEqual([
      'Foreign',
      'Own',
    ]);
    expect(await names(await key(['vendor:read', 'evidence:read']))).toEqual(['New', 'Old']);
    expect(await names(await key(['task:read', 'evidence:read'], [company.framework]))).toEqual(['Own']);
    await expect(names(await key(['evidence:read']))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test(`hold at most ${MAX_EVIDENCE} pieces of an object, also at once`, async () => {
    const taskUniqueId = await newTask();
    for (let count = 0; count < MAX_EVIDENCE - 2; count += 1) await addEvidence(acme, { taskUniqueId });
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => full.evidence.link({ taskUniqueId, ...LINK })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(full.evidence.link({ taskUniqueId, ...LINK })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: `evidence: expected at most ${MAX_EVIDENCE} for a task, vendor, or requirement`,
    });
    expect(await acme.task.get({ taskUniqueId })).toMatchObject({ evidenceCount: MAX_EVIDENCE });
  });
});
