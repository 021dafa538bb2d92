import { beforeAll, describe, expect, test } from 'vitest';
import { OPERATOR } from '../../entities/company/user.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { asOwner, sql, tamper } from '../support/database/database.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { identitiesOf, runIdentityJob, sha256 } from '../support/fixtures/identities.ts';
import { createMember } from '../support/tenants/member.ts';
import { newEmail, updateMember } from '../support/tenants/sign-in.ts';

let acme: TestCompany;
beforeAll(async () => {
  acme = await createCompany();
});

const DIGEST = /^[0-9a-f]{64}$/;

describe('the events of a member', () => {
  test('have a digest of name and email, which a record beside the log opens', async () => {
    const email = newEmail();
    const ann = await createMember(acme, { name: 'Änn 😀', email, role: 'editor' });
    const [record, ...others] = await identitiesOf(ann.uniqueId);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ name: 'Änn 😀', email, action: 'member.create', user_id: ann.uniqueId });
    expect(record?.salt).toMatch(/^[0-9a-f]{32}$/);
    expect(record?.changes.identity).toBe(sha256(record?.salt ?? '', 'Änn 😀', email));
    const events = JSON.stringify(await acme.events());
    for (const text of ['Änn', email, ann.person, 'salt']) expect(events).not.toContain(text);
  });

  test('follow the name: a rename is an event of the member in each company, and the same name is none', async () => {
    const other = await createCompany('Other');
    const former = await createCompany('Former');
    const ann = await createMember(acme, { name: 'Ann' });
    const there = await createMember(other, { name: 'Ann', email: ann.email, role: 'auditor' });
    const ended = await createMember(former, { name: 'Ann', email: ann.email, role: 'editor' });
    await updateMember(former, ended.uniqueId, { isEnded: true });
    await ann.caller.account.update({ name: 'Ann Lee' });
    for (const { uniqueId } of [ann, there, ended]) {
      const [first, second, ...others] = await identitiesOf(uniqueId);
      expect(others).toEqual([]);
      expect(second).toMatchObject({ name: 'Ann Lee', email: ann.email, action: 'member.update', user_id: uniqueId });
      expect(second?.identity).toBe(sha256(second?.salt ?? '', 'Ann Lee', ann.email));
      expect(second?.changes).toEqual({ identity: { from: first?.identity, to: second?.identity } });
      expect(second?.salt).not.toBe(first?.salt);
    }
    await ann.caller.account.update({ name: 'Ann Lee' });
    expect(await identitiesOf(ann.uniqueId)).toHaveLength(2);
  });

  test('have a new digest when the person joins again', async () => {
    const bob = await createMember(acme, { name: 'Bob', role: 'editor' });
    await updateMember(acme, bob.uniqueId, { isEnded: true });
    await createMember(acme, { name: 'Bob', email: bob.email, role: 'editor' });
    const records = await identitiesOf(bob.uniqueId);
    expect(records.map(({ name, action }) => `${action} ${name}`)).toEqual(['member.create Bob', 'member.create Bob']);
    expect(new Set(records.map(({ identity }) => identity)).size).toBe(2);
  });
});

test('an invitation has a digest with an empty name in place of the email, and opens it itself', async () => {
  const email = newEmail();
  const { management } = (await createMember(acme)).caller;
  const { uniqueId } = await management.member.invite({ email, role: 'editor' });
  const [event] = await acme.events(uniqueId);
  const [row] = await sql<{ salt: string; identity: string }>(
    'select salt, identity from invitation where unique_id = $1',
    uniqueId,
  );
  expect(event?.changes).toMatchObject({ identity: row?.identity, role: 'editor' });
  expect(row?.identity).toBe(sha256(row?.salt ?? '', '', email));
  expect(JSON.stringify(event)).not.toContain(email);
  await management.invitation.revoke({ uniqueId });
  expect((await acme.events(uniqueId)).map(({ action }) => action)).toEqual(['invitation.create', 'invitation.revoke']);
});

describe('events show the names', () => {
  test('that actors and people in changes had then, in the list, a history and the feed', async () => {
    const company = await createCompany();
    const reader = await callerForKey(company.key);
    const ann = await createMember(company, { name: 'Ann' });
    const { uniqueId: taskUniqueId } = await ann.caller.task.create({ framework: company.framework, title: 'Task' });
    await ann.caller.task.update({ taskUniqueId, assigneeId: ann.uniqueId });
    await ann.caller.account.update({ name: 'Ann Lee' });
    await ann.caller.task.update({ taskUniqueId, title: 'Renamed' });
    await ann.caller.task.update({ taskUniqueId, assigneeId: null });
    const [was, is] = ['Ann', 'Ann Lee'].map((name) => ({ uniqueId: ann.uniqueId, name, kind: 'human' }));
    const history = await reader.task.history({ taskUniqueId });
    expect(history.items.map(({ actor }) => actor)).toEqual([is, is, was, was]);
    expect(history.items.map(({ changes }) => changes?.['assignee'])).toMatchObject([
      { from: is, to: null },
      undefined,
      { from: null, to: was },
      null,
    ]);
    const listed = await reader.audit.list({ actor: ann.uniqueId });
    expect(listed.items.map(({ action, actor }) => `${action} ${actor.name}`)).toEqual([
      'task.update Ann Lee',
      'task.update Ann Lee',
      'member.update Ann Lee',
      'task.update Ann',
      'task.create Ann',
      'member.create Ann',
    ]);
    expect((await reader.task.get({ taskUniqueId })).createdBy).toEqual(is);
  });

  test('that keys had then, and always that of the operator', async () => {
    const company = await createCompany();
    await company.newTask({ title: 'Before' });
    await company.manage.apiKey.update({ uniqueId: company.apiKey.uniqueId, name: 'New name' });
    await company.newTask({ title: 'After' });
    const { items } = await company.audit.list({ resourceType: 'task' });
    expect(items.map(({ actor }) => actor.name)).toEqual(['New name', 'Integration of Acme']);
    const operator = await company.audit.list({ actor: OPERATOR.uniqueId });
    expect(new Set(operator.items.map(({ actor }) => actor.name))).toEqual(new Set(['Operator']));
  });

  test('of the first record before it, and the uniqueId without one', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann' });
    await ann.caller.vendor.create({ name: 'Cloud' });
    await forgetRecords(ann.uniqueId);
    const names = async () => (await company.audit.list({ actor: ann.uniqueId })).items.map(({ actor }) => actor.name);
    expect(new Set(await names())).toEqual(new Set([ann.uniqueId]));
    await runIdentityJob();
    expect(new Set(await names())).toEqual(new Set(['Ann']));
  });
});

/** Leaves a member as an earlier version did. */
const forgetRecords = (member: string) =>
  tamper(
    `update member set identity = null where unique_id = '${member}'`,
    `delete from identity where member_id = '${member}'`,
  );

test('a rename while a company is closed reaches it when it is open again, by the operator', async () => {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const elsewhere = await createMember(acme, { name: 'Ann', email: ann.email });
  await company.manage.company.close({ name: 'Acme' });
  await elsewhere.caller.account.update({ name: 'Ann Lee' });
  await runIdentityJob();
  expect((await identitiesOf(ann.uniqueId)).map(({ name }) => name)).toEqual(['Ann']);
  await company.manage.company.reopen();
  await runIdentityJob();
  const [, renamed] = await identitiesOf(ann.uniqueId);
  expect(renamed).toMatchObject({ name: 'Ann Lee', user_id: OPERATOR.uniqueId });
});

describe('what processes of earlier versions make', () => {
  test('gets an identity by the operator, once', async () => {
    const ann = await createMember(acme, { name: 'Ann' });
    const bob = await createMember(acme, { name: 'Bob' });
    await forgetRecords(ann.uniqueId);
    await asOwner((run) => run(`update person set name = 'Bob Ross' where unique_id = $1`, bob.person));
    await runIdentityJob();
    const [first, ...others] = await identitiesOf(ann.uniqueId);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ name: 'Ann', action: 'member.update', user_id: OPERATOR.uniqueId });
    expect(first?.changes).toEqual({ identity: { from: null, to: expect.stringMatching(DIGEST) } });
    expect((await identitiesOf(bob.uniqueId)).at(-1)).toMatchObject({ name: 'Bob Ross', user_id: OPERATOR.uniqueId });
    expect((await acme.task.get({ taskUniqueId: (await bobsTask(bob)).uniqueId })).createdBy.name).toBe('Bob Ross');
    await Promise.all([runIdentityJob(), runIdentityJob()]);
    expect(await identitiesOf(ann.uniqueId)).toHaveLength(1);
    expect(await identitiesOf(bob.uniqueId)).toHaveLength(2);
  });

  const bobsTask = ({ caller }: Awaited<ReturnType<typeof createMember>>) =>
    caller.task.create({ framework: acme.framework, title: 'Task of Bob' });

  test('keeps the person in its events, and their emails are left out of responses', async () => {
    const company = await createCompany();
    const ids = { invitation: newUniqueId(), member: newUniqueId(), person: newUniqueId() };
    const insert = (type: string, id: string, changes: object) =>
      sql(
        `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, changes, request_id)
         values ($1, uuid_v7(), now(), $2, $3, $4, $5, $6, 'test')`,
        company.id,
        OPERATOR.uniqueId,
        `${type}.create`,
        type,
        id,
        JSON.stringify(changes),
      );
    await insert('invitation', ids.invitation, { unique_id: ids.invitation, email: 'old@example.com', role: 'editor' });
    await insert('member', ids.member, {
      unique_id: ids.member,
      person_id: ids.person,
      role: 'editor',
      ended_at: null,
    });
    const { items } = await company.audit.list({ limit: 2 });
    expect(items.map(({ changes }) => changes)).toEqual([
      { uniqueId: ids.member, person: ids.person, role: 'editor', endedAt: null },
      { uniqueId: ids.invitation, role: 'editor' },
    ]);
    const admin = await createMember(company);
    const named = await admin.caller.audit.page({ resourceId: ids.invitation });
    expect(named.items.map(({ resource, changes }) => ({ name: resource.name, changes }))).toEqual([
      { name: null, changes: { uniqueId: ids.invitation, role: 'editor' } },
    ]);
  });
});
