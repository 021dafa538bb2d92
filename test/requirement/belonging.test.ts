import { beforeEach, describe, expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { http } from '../support/http/server.ts';
import { callerForKey } from '../support/tenants/company.ts';
import { createCommenters } from '../support/tenants/comments.ts';
import { fillInboxes, inboxOf, newItems } from '../support/tenants/inbox.ts';

type Commenters = Awaited<ReturnType<typeof createCommenters>>;
let { acme, ann, ben }: Commenters = {} as Commenters;
let caller: Awaited<ReturnType<typeof callerForKey>>;
let key: string;
let requirement: string;

beforeEach(async () => {
  ({ acme, ann, ben } = await createCommenters());
  ({ key } = await acme.manage.apiKey.create({ name: 'Requirements', scopes: [...SCOPES] }));
  caller = await callerForKey(key);
  const created = await caller.requirement.create({ framework: acme.framework, ref: 'A.5.1', title: 'Policies' });
  requirement = created.uniqueId;
});

describe('what belongs to a requirement', () => {
  test('are comments, over REST and tRPC, which go with it', async () => {
    const path = `/external/requirement/${requirement}/comment`;
    const created = await http('POST', `${path}/new`, { key, body: { text: 'Looks good' } });
    expect(created).toMatchObject({ status: 201, body: { resource: { type: 'requirement', uniqueId: requirement } } });
    expect((await http('GET', `${path}/list`, { key })).body).toMatchObject({ items: [{ text: 'Looks good' }] });
    await expect(caller.comment.list({ requirement })).resolves.toMatchObject({ items: [{ text: 'Looks good' }] });
    await expect(caller.requirement.get({ requirement })).resolves.toMatchObject({ version: 1 });
    await caller.requirement.delete({ requirement });
    const { items } = await caller.audit.list({ resourceId: requirement });
    expect(items.map(({ action }) => action)).toEqual(['requirement.delete', 'requirement.create']);
    await expect(caller.comment.list({ requirement })).rejects.toThrow('requirement: not found');
  });

  test('needs exactly one parent', async () => {
    const { uniqueId: taskUniqueId } = await acme.newTask();
    const error = 'expected one of taskUniqueId, vendor and requirement';
    await expect(caller.comment.create({ requirement, taskUniqueId, text: 'Both' })).rejects.toThrow(error);
    await expect(caller.comment.create({ text: 'None' })).rejects.toThrow(error);
  });

  test('is commented with requirement:write only, and read with task:read', async () => {
    const { key: reading } = await acme.manage.apiKey.create({ name: 'R', scopes: ['task:read', 'task:write'] });
    const reader = await callerForKey(reading);
    await expect(reader.comment.list({ requirement })).resolves.toMatchObject({ items: [] });
    await expect(reader.comment.create({ requirement, text: 'No' })).rejects.toThrow('requirement:write');
    const { key: writing } = await acme.manage.apiKey.create({ name: 'W', scopes: ['requirement:write'] });
    const writer = await callerForKey(writing);
    await expect(writer.comment.create({ requirement, text: 'Yes' })).resolves.toMatchObject({ text: 'Yes' });
    await expect(writer.requirement.get({ requirement })).rejects.toThrow('task:read');
  });

  test('is evidence, which counts for it and not for its version', async () => {
    const link = { url: 'https://example.com', name: 'Policy', date: '2026-01-01' };
    await http('POST', `/external/requirement/${requirement}/evidence/link`, { key, body: link });
    await expect(caller.requirement.get({ requirement })).resolves.toMatchObject({ evidenceCount: 1, version: 1 });
    const { items } = await caller.evidence.listAll({});
    expect(items).toMatchObject([{ name: 'Policy', resource: { type: 'requirement', uniqueId: requirement } }]);
  });
});

describe('the inbox', () => {
  test('has an item for a new owner, and for those who watch a requirement', async () => {
    await fillInboxes(acme);
    await newItems(ann);
    await ben.caller.requirement.update({ requirement, ownerId: ann.uniqueId });
    await fillInboxes(acme);
    expect(await newItems(ann)).toEqual(['assigned: A.5.1 Policies']);
    await expect(ann.caller.watch.get({ requirement })).resolves.toEqual({ watching: false });
    await ann.caller.watch.set({ requirement, watching: true });
    await ben.caller.requirement.assess({ requirement, result: 'met' });
    await fillInboxes(acme);
    expect(await newItems(ann)).toEqual(['status: A.5.1 Policies']);
    await ben.caller.requirement.assess({ requirement, result: 'met', note: 'Again' });
    await ben.caller.comment.create({ requirement, text: 'Well done', mentions: [ann.uniqueId] });
    await fillInboxes(acme);
    expect(await newItems(ann)).toEqual(['mentioned: A.5.1 Policies']);
    expect(await inboxOf(ben)).toEqual([]);
  });
});

describe('a framework and its gaps', () => {
  test('have an owner and dates, which are checked and audited', async () => {
    const { framework: id } = acme;
    const changed = await ann.caller.management.framework.update({
      id,
      ownerId: ben.uniqueId,
      auditDate: '2027-03-01',
    });
    expect(changed).toMatchObject({ name: 'ISO 27001', owner: { name: 'Ben' }, auditDate: '2027-03-01' });
    const listed = await http('GET', '/external/framework/list', { key });
    expect(listed.body).toMatchObject([{ id, archived: false, owner: { name: 'Ben' }, auditDate: '2027-03-01' }]);
    const unknown = ann.caller.management.framework.update({ id, ownerId: requirement });
    await expect(unknown).rejects.toThrow('ownerId: expected an active member who may see the framework');
    await expect(ann.caller.management.framework.rename({ id, name: 'SOC 2' })).resolves.toMatchObject({
      name: 'SOC 2',
      auditDate: '2027-03-01',
    });
    const { items } = await caller.audit.list({ resourceType: 'framework' });
    expect(items[1]?.changes).toMatchObject({
      owner: { from: null, to: { name: 'Ben' } },
      auditDate: { to: '2027-03-01' },
    });
  });

  test('a gap has a requirement of its framework, and loses one that is deleted', async () => {
    const { id } = await acme.manage.gap.create({ framework: acme.framework, title: 'No policy' });
    const update = (fields: object) => ann.caller.management.gap.update({ id, ...fields });
    const given = { requirement, status: 'closed', ownerId: ben.uniqueId, dueDate: '2027-01-01' };
    await expect(update(given)).resolves.toMatchObject({ requirement, status: 'closed', owner: { name: 'Ben' } });
    const { id: other } = await acme.manage.framework.create({ name: 'SOC 2' });
    const elsewhere = await caller.requirement.create({ framework: other, ref: 'CC1', title: 'Control' });
    await expect(update({ requirement: elsewhere.uniqueId })).rejects.toThrow(
      'requirement: expected a requirement of this framework',
    );
    await caller.requirement.delete({ requirement });
    const gaps = await caller.gap.list({ framework: acme.framework });
    expect(gaps.find((gap) => gap.id === id)).toMatchObject({ requirement: null, status: 'closed' });
  });
});
