import { beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../entities/api-key/scope.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { createMember } from '../support/tenants/member.ts';
import { find, indexAll } from '../support/tenants/search.ts';
import { sql } from '../support/database/database.ts';

const acme = await createCompany('Acme');
const rival = await createCompany('Rival');
const ann = await createMember(acme, { name: 'Ann Lee', email: 'ann@acme.example' });
const other = await createMember(rival, { name: 'Ann Rival' });
const { id: soc2 } = await acme.manage.framework.create({ name: 'SOC 2' });

const keyWith = async (scopes: Scope[], frameworks?: number[]) =>
  callerForKey((await acme.manage.apiKey.create({ name: 'Limited', scopes, ...(frameworks && { frameworks }) })).key);

/** An object of each type with the word `zebra`, of both frameworks. */
async function createZebras() {
  const { caller } = ann;
  const task = await acme.newTask({
    title: 'Zebra task',
    description: '<p>Feed the ze<b>bra</b>s</p>',
    dueDate: '2027-01-31',
  });
  const hidden = await acme.newTask({ framework: soc2, title: 'Zebra task of SOC 2' });
  const vendor = await acme.vendor.create({
    name: 'Zebra Ltd',
    contacts: [{ name: 'Zoë', email: 'zoe.zebra@cloud.example' }],
  });
  const requirement = await caller.requirement.create({
    framework: acme.framework,
    ref: 'A.5.9',
    title: 'Zebra inventory',
  });
  await caller.comment.create({ taskUniqueId: task.uniqueId, text: '<p>A zebra comment</p>' });
  await caller.comment.create({ taskUniqueId: hidden.uniqueId, text: 'A zebra comment' });
  await caller.comment.create({ vendor: vendor.uniqueId, text: 'A zebra comment' });
  await addEvidence(acme, { taskUniqueId: task.uniqueId }, { name: 'Zebra of a task' });
  await addEvidence(acme, { vendor: vendor.uniqueId }, { name: 'Zebra of a vendor' });
  await acme.manage.framework.create({ name: 'Zebra framework' });
  await acme.manage.department.create({ name: 'Zebra department' });
  await createMember(acme, { name: 'Zebra Member', email: 'z@acme.example' });
  return { task, hidden, vendor, requirement };
}
let created: Awaited<ReturnType<typeof createZebras>>;

beforeAll(async () => {
  created = await createZebras();
  await rival.newTask({ title: 'Zebra of the rival' });
  await indexAll(acme);
  await indexAll(rival);
});

const OF_TASKS = ['task: Zebra task', 'comment: Zebra task', 'requirement: A.5.9 Zebra inventory'];
const ALL = [
  ...OF_TASKS,
  'task: Zebra task of SOC 2',
  'comment: Zebra task of SOC 2',
  'vendor: Zebra Ltd',
  'comment: Zebra Ltd',
  'evidence: Zebra of a task',
  'evidence: Zebra of a vendor',
  'framework: Zebra framework',
  'department: Zebra department',
];

describe('a search shows what its caller may read:', () => {
  test('a member everything of the company, with people', async () => {
    expect((await find(ann.caller, 'zebra')).toSorted()).toEqual([...ALL, 'member: Zebra Member'].toSorted());
    const auditor = await createMember(acme, { role: 'auditor' });
    expect((await find(auditor.caller, 'zebra')).toSorted()).toEqual([...ALL, 'member: Zebra Member'].toSorted());
    expect(await find(other.caller, 'zebra')).toEqual(['task: Zebra of the rival']);
  });

  test('a key everything of its scopes, without people', async () => {
    const all = await keyWith(['task:read', 'vendor:read', 'evidence:read', 'member:read']);
    expect((await find(all, 'zebra')).toSorted()).toEqual(ALL.toSorted());
    const ofTasks = await keyWith(['task:read']);
    expect((await find(ofTasks, 'zebra')).toSorted()).toEqual(
      ALL.filter((one) => !one.startsWith('evidence') && !one.endsWith('Ltd')).toSorted(),
    );
    const ofVendors = await keyWith(['vendor:read', 'evidence:read']);
    expect((await find(ofVendors, 'zebra')).toSorted()).toEqual(
      ['vendor: Zebra Ltd', 'comment: Zebra Ltd', 'evidence: Zebra of a vendor'].toSorted(),
    );
  });

  test('a key that is limited to a framework nothing of others', async () => {
    const limited = await keyWith(['task:read', 'vendor:read', 'evidence:read'], [acme.framework]);
    expect((await find(limited, 'zebra')).toSorted()).toEqual(
      ALL.filter((one) => !one.endsWith('SOC 2') && !one.startsWith('framework')).toSorted(),
    );
    const member = await createMember(acme, { role: 'editor', frameworks: [soc2] });
    expect((await find(member.caller, 'zebra', { type: 'task,comment' })).toSorted()).toEqual(
      ['task: Zebra task of SOC 2', 'comment: Zebra task of SOC 2', 'comment: Zebra Ltd'].toSorted(),
    );
    expect(await find(limited, created.hidden.uniqueId)).toEqual([]);
  });

  test('nothing to a key without a scope to read tasks or vendors', async () => {
    const none = await keyWith(['audit:read', 'evidence:read']);
    await expect(none.search.find({ q: 'zebra' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'scope: the key lacks task:read',
    });
  });

  test('lost rights and deletions at once, before the index follows', async () => {
    const { uniqueId } = await acme.newTask({ title: 'Quagga' });
    const dead = await acme.vendor.create({ name: 'Quagga Ltd' });
    await ann.caller.comment.create({ vendor: dead.uniqueId, text: 'Quagga too' });
    const key = await acme.manage.apiKey.create({ name: 'Narrowed', scopes: ['task:read', 'vendor:read'] });
    await indexAll(acme);
    expect((await find(await callerForKey(key.key), 'quagga')).length).toBe(3);
    await acme.vendor.delete({ vendor: dead.uniqueId });
    expect(await find(await callerForKey(key.key), 'quagga')).toEqual(['task: Quagga']);
    await acme.manage.apiKey.update({ uniqueId: key.uniqueId, frameworks: [soc2] });
    expect(await find(await callerForKey(key.key), 'quagga')).toEqual([]);
    await indexAll(acme);
    expect(
      await sql(
        `select type from search_document where company_id = $1 and words @@ $2::tsquery`,
        acme.id,
        `'${acme.id} quagga':*`,
      ),
    ).toEqual([{ type: 'task' }]);
    await acme.task.delete({ taskUniqueId: uniqueId });
  });
});

describe('a search finds', () => {
  test('all words in any fields of one object, as beginnings of words', async () => {
    expect(await find(ann.caller, 'feed zeb')).toEqual(['task: Zebra task']);
    expect(await find(ann.caller, 'zebras FEED')).toEqual(['task: Zebra task']);
    expect(await find(ann.caller, 'feed inventory')).toEqual([]);
    expect(await find(ann.caller, 'ebra')).toEqual([]);
    expect(await find(ann.caller, '"zebra" "inventory"')).toEqual(['requirement: A.5.9 Zebra inventory']);
    expect(await find(ann.caller, '?! --')).toEqual([]);
  });

  test('refs, ids, and addresses', async () => {
    expect(await find(ann.caller, 'A.5.9')).toEqual(['requirement: A.5.9 Zebra inventory']);
    expect(await find(ann.caller, created.vendor.uniqueId)).toEqual(['vendor: Zebra Ltd']);
    expect(await find(ann.caller, 'zoe.zebra@cloud.example')).toEqual(['vendor: Zebra Ltd']);
    expect(await find(ann.caller, 'ann@acme.example')).toEqual(['member: Ann Lee']);
    await acme.task.link({ taskUniqueId: created.task.uniqueId, source: 'jira', externalId: 'SEC-4711' });
    await indexAll(acme);
    expect(await find(ann.caller, 'SEC-47')).toEqual(['task: Zebra task']);
  });

  test('what has a type and a number, titles before texts', async () => {
    const [first] = await find(ann.caller, 'zebra framework');
    expect(first).toBe('framework: Zebra framework');
    await acme.newTask({ title: 'Okapi' });
    await acme.newTask({ title: 'Newer', description: 'An okapi, in the text' });
    await indexAll(acme);
    expect(await find(ann.caller, 'okapi')).toEqual(['task: Okapi', 'task: Newer']);
    expect(await find(ann.caller, 'okapi', { limit: 1 })).toEqual(['task: Okapi']);
    expect(await find(ann.caller, 'zebra', { type: 'department,vendor' })).toEqual(
      expect.arrayContaining(['department: Zebra department', 'vendor: Zebra Ltd']),
    );
    await expect(find(ann.caller, 'zebra', { type: 'gap' })).rejects.toThrow('type: expected one or more of task, ');
    await expect(find(ann.caller, 'z')).rejects.toThrow('q: expected text of 2 to 255 characters');
    await expect(find(ann.caller, 'z'.repeat(256))).rejects.toThrow('q: expected text of 2 to 255 characters');
    await expect(find(ann.caller, 'zebra', { limit: 51 })).rejects.toThrow('limit: expected');
  });

  test('changed texts in place of those before, also of archived objects', async () => {
    const { uniqueId } = await acme.vendor.create({ name: 'Ibex Ltd' });
    const { id } = await acme.manage.framework.create({ name: 'Ibex' });
    await indexAll(acme);
    await acme.vendor.update({ vendor: uniqueId, name: 'Kudu Ltd', status: 'archived' });
    await acme.manage.framework.rename({ id, name: 'Kudu' });
    await acme.manage.framework.archive({ id });
    await indexAll(acme);
    expect(await find(ann.caller, 'ibex')).toEqual([]);
    expect(await find(ann.caller, 'kudu')).toEqual(['framework: Kudu', 'vendor: Kudu Ltd']);
  });

  test('members by the name of today, and forgotten ones never', async () => {
    const ben = await createMember(acme, { name: 'Bongo', email: 'bongo@acme.example', role: 'editor' });
    await indexAll(acme);
    expect(await find(ann.caller, 'bongo')).toEqual(['member: Bongo']);
    await ben.caller.account.update({ name: 'Eland' });
    await indexAll(acme);
    expect(await find(ann.caller, 'eland')).toEqual(['member: Eland']);
    expect(await find(ann.caller, 'bongo@acme.example')).toEqual(['member: Eland']);
    await ann.caller.management.member.end({ uniqueId: ben.uniqueId });
    await ann.caller.management.member.forget({ uniqueId: ben.uniqueId });
    expect(await find(ann.caller, 'eland')).toEqual([]);
    expect(await find(ann.caller, ben.uniqueId)).toEqual([]);
    const documents = () => sql('select 1 from search_document where object_id = $1', ben.uniqueId);
    expect(await documents()).toEqual([]);
    await indexAll(acme);
    expect(await documents()).toEqual([]);
  });
});

test('an item says where the hit is, and what it belongs to', async () => {
  const text = `${'Before it. '.repeat(40)}The <i>gn</i>u &amp; co.${' After it.'.repeat(40)}`;
  const { uniqueId: commentId } = await ann.caller.comment.create({
    taskUniqueId: created.task.uniqueId,
    text: `<p>${text}</p>`,
  });
  await indexAll(acme);
  const { items } = await ann.caller.search.find({ q: 'gnu' });
  expect(items).toEqual([
    {
      type: 'comment',
      uniqueId: commentId,
      title: 'Zebra task',
      excerpt: expect.stringMatching(/^….{20,60} The gnu & co\. .{20,150}…$/) as string,
      parent: { type: 'task', uniqueId: created.task.uniqueId, title: 'Zebra task' },
      status: null,
      dueDate: null,
    },
  ]);
  const byTitle = async (q: string) => (await ann.caller.search.find({ q, limit: 1 })).items;
  const framework = { type: 'framework', uniqueId: String(acme.framework), title: 'ISO 27001' };
  expect(await byTitle('zebra task feed')).toMatchObject([
    { excerpt: 'Feed the zebras', parent: framework, status: 'todo', dueDate: '2027-01-31' },
  ]);
  expect(await byTitle('A.5.9')).toMatchObject([
    { type: 'requirement', parent: framework, status: 'not_assessed', dueDate: null, excerpt: 'A.5.9' },
  ]);
  expect(await byTitle('zebra ltd')).toMatchObject([{ type: 'vendor', parent: null, status: 'active', dueDate: null }]);
});
