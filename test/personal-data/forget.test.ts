import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { FORMER_MEMBER } from '../../entities/member/forget.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { Browser } from '../support/http/browser.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { identitiesOf } from '../support/fixtures/identities.ts';
import { tablesWith } from '../support/fixtures/stored-texts.ts';
import { createMember, services } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { createPeople } from '../support/tenants/people.ts';
import { PASSWORD, createResetLink, invite, newEmail, passwordHash, updateMember } from '../support/tenants/sign-in.ts';

const app = await startApp({ services, trustProxy: 1 });
afterAll(() => app.stop());
let addressCount = 0;
const newBrowser = () => new Browser(app.url, { 'X-Forwarded-For': `203.0.113.${(addressCount += 1)}` });

let acme: TestCompany;
let admin: TestMember;
beforeEach(async () => {
  acme = await createCompany();
  admin = await createMember(acme, { role: 'admin', name: 'Admin' });
});

/** A name and an email that occur nowhere else. */
const newPerson = () => ({ name: `Ann ${newUniqueId()}`, email: newEmail() });

const forget = ({ uniqueId }: { uniqueId: string }, by = admin) => by.caller.management.member.forget({ uniqueId });

/** Ends a member and forgets it. */
async function endAndForget(member: TestMember, company = acme, by = admin): Promise<void> {
  await updateMember(company, member.uniqueId, { isEnded: true });
  await forget(member, by);
}

describe('a forgotten member', () => {
  test('is in no table by name or email, and its work stays', async () => {
    const { name, email } = newPerson();
    const renamed = `${name} Lee`;
    const ann = await createMember(acme, { name, email, role: 'editor', password: passwordHash });
    const other = newEmail();
    const { uniqueId: taskUniqueId } = await ann.caller.task.create({ framework: acme.framework, title: 'Task' });
    await ann.caller.comment.create({ taskUniqueId, text: 'Text' });
    await ann.caller.view.create({ name: 'Mine', page: 'tasks', query: '' });
    await ann.caller.account.update({ name: renamed });
    await newBrowser().signIn(email, PASSWORD);
    await newBrowser().signIn(email, 'wrong password');
    await createResetLink(ann.person);
    await admin.caller.management.member.invite({ email: other, role: 'editor' });
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    await admin.caller.management.member.invite({ email, role: 'editor' });
    expect(await tablesWith([name, email])).toEqual(['company_user', 'identity', 'invitation', 'person', 'sign_in']);
    const before = await acme.events();
    await forget(ann);
    expect(await tablesWith([name, email, ann.person])).toEqual([]);
    expect(await admin.caller.management.invitation.list()).toMatchObject([{ email: other }]);
    const former = { uniqueId: ann.uniqueId, name: FORMER_MEMBER, kind: 'human' };
    const task = await acme.task.get({ taskUniqueId });
    expect(task).toMatchObject({ createdBy: former, updatedBy: former });
    const reader = await callerForKey(acme.key);
    const { items } = await reader.task.history({ taskUniqueId, children: true });
    expect(items.map(({ actor }) => actor)).toEqual([former, former]);
    const events = await acme.events();
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.slice(before.length)).toEqual([
      {
        action: 'member.forget',
        resource_type: 'member',
        resource_id: ann.uniqueId,
        changes: { forgotten_at: { from: null, to: expect.any(String) } },
        user_id: admin.uniqueId,
        api_key_id: null,
        request_id: 'member-request',
      },
    ]);
    expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true, unsealed: 0 });
    expect(await sql('select scope from rewrite_request')).toContainEqual({ scope: 'people' });
  });

  test('is left out of the lists, and cannot be found, changed or forgotten again', async () => {
    const ann = await createMember(acme, { role: 'editor' });
    await endAndForget(ann);
    const { management, member } = admin.caller;
    expect((await management.member.list()).map(({ uniqueId }) => uniqueId)).toEqual([admin.uniqueId]);
    expect((await member.list()).map(({ uniqueId }) => uniqueId)).toEqual([admin.uniqueId]);
    const { uniqueId } = ann;
    for (const call of [management.member.forget, management.member.end, management.member.update])
      await expect(call({ uniqueId })).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'member: not found' });
  });

  test('loses password, factors, passkeys, links and sessions with the last company', async () => {
    const people = await createPeople(acme, 'Ann');
    const person = [people.member.person];
    await sql(
      `insert into sign_in_challenge (hash, kind, person_id, expires_at)
       values (sha256('x'), 'passkey_registration', $1, now() + interval '1 hour')`,
      ...person,
    );
    const tables = ['passkey', 'recovery_code', 'reset_link', 'sign_in_challenge', 'web_session'];
    for (const table of tables)
      expect([table, (await sql(`select 1 from ${table} where person_id = $1`, ...person)).length]).toEqual([table, 1]);
    await endAndForget(people.member);
    for (const table of tables)
      expect([table, (await sql(`select 1 from ${table} where person_id = $1`, ...person)).length]).toEqual([table, 0]);
    expect(await sql('select 1 from person where unique_id = $1', ...person)).toEqual([]);
    expect(await sql('select 1 from watch where member_id = $1', people.member.uniqueId)).toEqual([]);
    const views = await admin.caller.view.list();
    expect(views).toMatchObject([{ name: 'View of Ann', shared: true, owner: { name: FORMER_MEMBER } }]);
  });

  test('keeps the account for another company, which shows the name', async () => {
    const { name, email } = newPerson();
    const ann = await createMember(acme, { name, email, role: 'editor', password: passwordHash });
    const other = await createCompany('Other');
    const there = await createMember(other, { name, email, role: 'editor' });
    await endAndForget(ann);
    expect(await identitiesOf(ann.uniqueId)).toEqual([]);
    expect(await identitiesOf(there.uniqueId)).toMatchObject([{ name, email }]);
    expect(await sql('select last_company_id from person where unique_id = $1', ann.person)).toEqual([
      { last_company_id: other.id },
    ]);
    const browser = newBrowser();
    expect(await browser.signIn(email, PASSWORD)).toEqual([204]);
    expect((await browser.send('GET', '/session')).body).toMatchObject({
      person: { name },
      companies: [{ id: other.id }],
    });
  });

  test('becomes a new member with an invitation of the same email', async () => {
    const { name, email } = newPerson();
    const ann = await createMember(acme, { name, email, role: 'editor' });
    await endAndForget(ann);
    const token = await invite(acme, email);
    const accepted = await newBrowser().send('POST', '/session/invitation', { token, name: 'Ann', password: PASSWORD });
    expect(accepted.status).toBe(204);
    const listed = await admin.caller.management.member.list();
    expect(listed.map((member) => member.name)).toEqual(['Admin', 'Ann']);
    expect(listed[1]?.uniqueId).not.toBe(ann.uniqueId);
  });
});

test('only an ended member is forgotten, else nothing changes', async () => {
  const ann = await createMember(acme, { role: 'editor' });
  const before = await acme.events();
  const conflict = { code: 'CONFLICT', message: 'uniqueId: is a member; end the membership first' };
  for (const member of [ann, admin]) await expect(forget(member)).rejects.toMatchObject(conflict);
  expect(await acme.events()).toEqual(before);
  expect(await identitiesOf(ann.uniqueId)).toHaveLength(1);
});

test('the operator forgets a member too', async () => {
  const ann = await createMember(acme, { role: 'editor' });
  await updateMember(acme, ann.uniqueId, { isEnded: true });
  await acme.manage.member.forget({ uniqueId: ann.uniqueId });
  expect(await identitiesOf(ann.uniqueId)).toEqual([]);
});

describe('at the same time', () => {
  const statuses = (results: readonly PromiseSettledResult<unknown>[]) => results.map(({ status }) => status);

  test('two admins forget a member once', async () => {
    const ann = await createMember(acme, { role: 'editor' });
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    const results = await Promise.allSettled([forget(ann), forget(ann)]);
    expect(statuses(results).filter((status) => status === 'fulfilled')).toHaveLength(1);
    const events = await acme.events(ann.uniqueId);
    expect(events.filter(({ action }) => action === 'member.forget')).toHaveLength(1);
  });

  test('two companies forget a person, who is then deleted', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ann = await createMember(acme, { role: 'editor' });
      const other = await createCompany('Other');
      const there = await createMember(other, { role: 'editor', email: ann.email });
      await updateMember(acme, ann.uniqueId, { isEnded: true });
      await updateMember(other, there.uniqueId, { isEnded: true });
      await Promise.all([forget(ann), other.manage.member.forget({ uniqueId: there.uniqueId })]);
      expect(await sql('select 1 from person where unique_id = $1', ann.person)).toEqual([]);
    }
  });

  test('an invitation elsewhere that is accepted keeps the person, or gets a clear error', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { name, email } = newPerson();
      const ann = await createMember(acme, { name, email, role: 'editor', password: passwordHash, isProven: true });
      await updateMember(acme, ann.uniqueId, { isEnded: true });
      const other = await createCompany('Other');
      const token = await invite(other, email);
      const [accepted] = await Promise.all([
        newBrowser().send('POST', '/session/invitation', { token, password: PASSWORD }),
        forget(ann),
      ]);
      const persons = await sql('select 1 from person where email = $1', email);
      expect([
        [204, 1],
        [401, 0],
        [400, 0],
      ]).toContainEqual([accepted.status, persons.length]);
      expect(await identitiesOf(ann.uniqueId)).toEqual([]);
    }
  });

  test('a sign-in elsewhere works', async () => {
    const { name, email } = newPerson();
    const ann = await createMember(acme, { name, email, role: 'editor', password: passwordHash });
    await createMember(await createCompany('Other'), { name, email, role: 'editor' });
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    const [signedIn] = await Promise.all([newBrowser().signIn(email, PASSWORD), forget(ann)]);
    expect(signedIn).toEqual([204]);
  });
});
