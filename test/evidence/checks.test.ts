import { describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { asOwner } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany, operatorCaller } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { readAll, seal } from '../support/tenants/feed.ts';
import { createMember } from '../support/tenants/member.ts';

const acme = await createCompany();
const caller = await callerForKey(acme.key);
const ann = await createMember(acme, { name: 'Ann' });
const ben = await createMember(acme, { name: 'Ben', role: 'editor' });
const ada = await createMember(acme, { name: 'Ada', role: 'auditor' });
const newTask = async () => (await acme.newTask()).uniqueId;
const newEvidence = async () => addEvidence(acme, { taskUniqueId: await newTask() });

describe('a check', () => {
  test('shows its result, note, time and person, raises the version, and has an event of its own', async () => {
    const evidence = await newEvidence();
    const before = await ada.caller.evidence.get({ evidence });
    expect(before).toMatchObject({ check: null, version: 1 });
    const note = 'No <b>signature</b>\n';
    const rejected = await ada.caller.evidence.check({ evidence, result: 'rejected', note, ifMatch: before.etag });
    expect(rejected).toMatchObject({
      check: { result: 'rejected', note, at: rejected.updatedAt, by: ada.user },
      version: 2,
      updatedBy: ada.user,
    });
    expect(await caller.evidence.get({ evidence }).catch(String)).toContain('evidence:read');
    expect(await ben.caller.evidence.get({ evidence })).toEqual(rejected);
    await seal(acme);
    const { items } = await readAll(caller);
    const event = items.findLast(({ resource }) => resource.uniqueId === evidence);
    expect(event).toMatchObject({
      action: 'evidence.check',
      parent: { type: 'task' },
      actor: ada.user,
      changes: { check: { from: null, to: rejected.check } },
    });
    expect(Object.keys(event?.changes ?? {})).toEqual(['check']);
    const { items: history } = await caller.audit.list({ action: 'evidence.check', resourceId: evidence });
    expect(history).toHaveLength(1);
  });

  test('is made again, kept by an edit, and withdrawn once', async () => {
    const evidence = await newEvidence();
    const [first, second] = [
      await ada.caller.evidence.check({ evidence, result: 'accepted' }),
      await ada.caller.evidence.check({ evidence, result: 'accepted' }),
    ];
    expect([first.version, second.version]).toEqual([2, 3]);
    const edited = await ben.caller.evidence.update({ evidence, name: 'Renamed', ifMatch: second.etag });
    expect(edited).toMatchObject({ version: 4, check: second.check });
    expect(await ann.caller.evidence.check({ evidence, result: null })).toMatchObject({ version: 5, check: null });
    const none = await ann.caller.evidence.check({ evidence, result: null, note: 'Nothing to withdraw' });
    expect(none).toMatchObject({ version: 5, check: null });
    expect((await acme.events(evidence)).map(({ action }) => action)).toEqual([
      'evidence.create',
      'evidence.check',
      'evidence.check',
      'evidence.update',
      'evidence.check',
    ]);
  });

  test('fails for another state of the evidence, and changes nothing', async () => {
    const evidence = await newEvidence();
    const { etag } = await ada.caller.evidence.get({ evidence });
    await ben.caller.evidence.update({ evidence, note: 'Newer' });
    await expect(ada.caller.evidence.check({ evidence, result: 'accepted', ifMatch: etag })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    expect(await ada.caller.evidence.get({ evidence })).toMatchObject({ version: 2, check: null });
  });

  test('is for admins and auditors alone: neither editors, keys nor the operator make one', async () => {
    const evidence = await newEvidence();
    const input = { evidence, result: 'accepted' as const };
    await expect(ben.caller.evidence.check(input)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'role: your role, editor, cannot check evidence',
    });
    for (const { evidence: procedures } of [caller, operatorCaller(acme)])
      await expect(procedures.check(input)).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: 'This procedure requires a signed-in member.',
      });
    expect(await http('POST', `/external/evidence/${evidence}/check`, { key: acme.key, body: input })).toMatchObject({
      status: 404,
    });
    const { id } = await acme.manage.framework.create({ name: 'SOC 2' });
    const elsewhere = await createMember(acme, { role: 'auditor', frameworks: [id] });
    await expect(elsewhere.caller.evidence.check(input)).rejects.toThrow('framework: you may not access');
    const { vendor } = { vendor: (await acme.vendor.create({ name: 'Cloud Ltd' })).uniqueId };
    const ofVendor = { ...input, evidence: await addEvidence(acme, { vendor }) };
    expect(await elsewhere.caller.evidence.check(ofVendor)).toMatchObject({ check: { result: 'accepted' } });
    const unknown = { ...input, evidence: newUniqueId() };
    await expect(ada.caller.evidence.check(unknown)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await ada.caller.evidence.get({ evidence })).toMatchObject({ version: 1, check: null });
  });

  test('has a result of the contract and a note of at most 2,000 characters, in the database too', async () => {
    const evidence = await newEvidence();
    const note = 'x'.repeat(2000);
    expect(await ada.caller.evidence.check({ evidence, result: 'rejected', note })).toMatchObject({ check: { note } });
    await expect(ada.caller.evidence.check({ evidence, result: 'rejected', note: `${note}x` })).rejects.toThrow(
      'note: expected text of at most 2000 characters',
    );
    await expect(ada.caller.evidence.check({ evidence, result: 'maybe' as 'accepted' })).rejects.toThrow(
      'result: expected one of accepted, rejected',
    );
    for (const stored of ['{"result":"maybe","note":"","at":"","by":""}', '{"result":"accepted"}'])
      await expect(
        asOwner((run) => run('update evidence set checked = $1::jsonb where unique_id = $2::uuid', stored, evidence), {
          company: acme.id,
          user: ada.uniqueId,
        }),
      ).rejects.toThrow('evidence_checked');
  });
});

test('the list of all evidence is filtered by the last check, in pages', async () => {
  const company = await createCompany();
  const auditor = await createMember(company, { role: 'auditor' });
  const taskUniqueId = (await company.newTask()).uniqueId;
  const add = (name: string) => addEvidence(company, { taskUniqueId }, { name });
  const [accepted, , rejected, withdrawn] = [await add('1'), await add('2'), await add('3'), await add('4')];
  const check = (evidence: string, result: 'accepted' | 'rejected' | null) =>
    auditor.caller.evidence.check({ evidence, result });
  await check(accepted, 'rejected');
  await check(accepted, 'accepted');
  await check(rejected, 'rejected');
  await check(withdrawn, 'accepted');
  await check(withdrawn, null);
  const { key } = await company.manage.apiKey.create({ name: 'Reads', scopes: ['evidence:read', 'task:read'] });
  const namesOf = async (query: string) => {
    const { body } = await http('GET', `/external/evidence/list?${query}`, { key });
    return (body as { items?: { name: string }[] }).items?.map(({ name }) => name).join('');
  };
  expect(await namesOf('')).toBe('4321');
  expect(await namesOf('check=accepted')).toBe('1');
  expect(await namesOf('check=rejected')).toBe('3');
  expect(await namesOf('check=none')).toBe('42');
  expect(await http('GET', '/external/evidence/list?check=maybe', { key })).toMatchObject({ status: 400 });
  const first = await auditor.caller.evidence.listAll({ check: 'none', limit: 1 });
  const rest = { limit: 1, cursor: first.nextCursor ?? '' };
  expect((await auditor.caller.evidence.listAll({ ...rest, check: 'none' })).items).toMatchObject([{ name: '2' }]);
  await expect(auditor.caller.evidence.listAll({ ...rest, check: 'accepted' })).rejects.toThrow('cursor: expected');
});
