import { pino } from 'pino';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { MAX_SIGN_IN_FAILURES } from '../../server/session/sign-in-limits.ts';
import { sql } from '../support/database/database.ts';
import { tablesWith } from '../support/fixtures/stored-texts.ts';
import { startApp } from '../support/http/app.ts';
import { Browser, statusAndCode } from '../support/http/browser.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { createPeople, PERSON_TABLES } from '../support/tenants/people.ts';
import { PASSWORD, invite, newEmail, passwordHash, setUpTotp, updateMember } from '../support/tenants/sign-in.ts';

const acme = await createCompany();
// The last admin of a company cannot be ended.
const admin = await createMember(acme, { name: 'Ada' });
const app = await startApp({ services, trustProxy: 1 });
afterAll(app.stop);

let addressCount = 0;
/** A browser with an address of its own. */
const newBrowser = (url = app.url) => new Browser(url, { 'X-Forwarded-For': `198.51.100.${(addressCount += 1)}` });

const deleteAccount = (email: string, { password = PASSWORD, code = '', browser = newBrowser() } = {}) =>
  browser.send('POST', '/session/delete', { email, password, ...(code !== '' && { code }) });

/** Creates a person who has ended. */
async function createEnded(company = acme, given: Parameters<typeof createMember>[1] = {}) {
  const member = await createMember(company, { role: 'editor', password: passwordHash, ...given });
  await updateMember(company, member.uniqueId, { isEnded: true });
  return member;
}

const exists = async (person: string) => (await sql('select from person where unique_id = $1', person)).length > 0;

describe('POST /session/delete', () => {
  test('deletes a person who is not a member, and each company keeps the name in its own record', async () => {
    const globex = await createCompany('Globex');
    await createMember(globex);
    const ann = await createEnded(acme, { name: 'Ann Adams' });
    const there = await createEnded(globex, { name: 'Ann Adams', email: ann.email });
    expect(await deleteAccount(ann.email)).toMatchObject({ status: 204, text: '' });
    expect(await exists(ann.person)).toBe(false);
    for (const [company, { uniqueId }] of [
      [acme, ann],
      [globex, there],
    ] as const) {
      const members = await company.manage.member.list();
      expect(members.find((member) => member.uniqueId === uniqueId)).toMatchObject({
        name: 'Ann Adams',
        email: ann.email,
        endedAt: expect.any(String),
      });
      await company.manage.member.forget({ uniqueId });
      expect((await company.manage.member.list()).map((member) => member.uniqueId)).not.toContain(uniqueId);
    }
    expect(statusAndCode(await deleteAccount(ann.email))).toEqual([401, 'unauthorized']);
  });

  test('leaves nothing of the person in any table of people', async () => {
    const { member } = await createPeople(acme, 'Petra Peel');
    await sql('update person set password = $1 where unique_id = $2', passwordHash, member.person);
    await sql(
      `insert into sign_in_challenge (hash, kind, person_id, expires_at)
      values (sha256(convert_to($1::text, 'UTF8')), 'passkey_registration', $1::uuid, now() + interval '1 hour')`,
      member.person,
    );
    await updateMember(acme, member.uniqueId, { isEnded: true });
    expect(await tablesWith([member.person], PERSON_TABLES)).toEqual(
      PERSON_TABLES.filter((table) => !['company_move', 'erased_company', 'unknown_sign_in'].includes(table)),
    );
    expect((await deleteAccount(member.email)).status).toBe(204);
    expect(await tablesWith([member.person], PERSON_TABLES)).toEqual([]);
    expect(await tablesWith([member.email], PERSON_TABLES)).toEqual([]);
    expect(await sql(`select scope from rewrite_request where scope = 'people'`)).toEqual([{ scope: 'people' }]);
    const [row] = await sql(
      'select person_id, single_sign_on, single_sign_on_subject from member where unique_id = $1',
      member.uniqueId,
    );
    expect(row).toEqual({ person_id: null, single_sign_on: null, single_sign_on_subject: null });
  });

  test('leaves no mail behind that was queued for the address before it had an account', async () => {
    const { email } = await createEnded(acme);
    await sql(
      `insert into queued_mail (unique_id, kind, email, content, expires_at)
      values (gen_random_uuid(), 'invitation', $1, 'encrypted', now() + interval '1 day')`,
      email,
    );
    expect((await deleteAccount(email)).status).toBe(204);
    expect(await sql('select * from queued_mail where email = $1', email)).toEqual([]);
  });

  test('keeps the name of a member whose record is missing or old, by an event of the operator', async () => {
    const ann = await createEnded(acme, { name: 'Ann Old' });
    await sql(`update person set name = 'Ann New' where unique_id = $1`, ann.person);
    expect((await deleteAccount(ann.email)).status).toBe(204);
    const members = await acme.manage.member.list();
    expect(members.find(({ uniqueId }) => uniqueId === ann.uniqueId)).toMatchObject({ name: 'Ann New' });
    const event = (await acme.events(ann.uniqueId)).at(-1);
    expect(event).toMatchObject({ action: 'member.update', changes: { identity: expect.any(Object) } });
    expect(JSON.stringify(event)).not.toContain('Ann');
    expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true });
  });

  test('is 409 for an active member, after the right password and code only, and changes nothing', async () => {
    const ann = await createMember(acme, { role: 'editor', password: passwordHash });
    const ended = await createEnded(await withAdmin(), { email: ann.email });
    const code = await setUpTotp(ann.person);
    expect(statusAndCode(await deleteAccount(ann.email, { password: 'a wrong password' }))).toEqual([
      401,
      'unauthorized',
    ]);
    expect(statusAndCode(await deleteAccount(ann.email))).toEqual([401, 'second_factor_required']);
    expect(statusAndCode(await deleteAccount(ann.email, { code: '000000' }))).toEqual([401, 'second_factor_required']);
    const response = await deleteAccount(ann.email, { code: code() });
    expect(statusAndCode(response)).toEqual([409, 'conflict']);
    expect(response.body).toEqual({
      error: 'You are a member of a company; an admin of each of your companies must end the membership first',
    });
    const rows = await sql('select person_id from member where unique_id = any($1)', [ann.uniqueId, ended.uniqueId]);
    expect(rows).toEqual([{ person_id: ann.person }, { person_id: ann.person }]);
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    expect((await deleteAccount(ann.email, { code: code(1) })).status).toBe(204);
  });

  test('responds the same to an unknown email, a wrong password and a person without one', async () => {
    const ann = await createEnded();
    const withoutPassword = await createEnded(acme, { password: null });
    const responses = [
      await deleteAccount(newEmail()),
      await deleteAccount(ann.email, { password: 'a wrong password' }),
      await deleteAccount(withoutPassword.email),
    ];
    for (const response of responses) {
      expect(statusAndCode(response)).toEqual([401, 'unauthorized']);
      expect(response.body).toEqual({
        error: 'The email or the password is wrong, or your company requires single sign-on.',
      });
    }
    expect([await exists(ann.person), await exists(withoutPassword.person)]).toEqual([true, true]);
    const { items } = await acme.manage.signIn.list({ member: ann.uniqueId });
    expect(items[0]).toMatchObject({ event: 'failed', method: 'password', email: ann.email });
  });

  test('counts for the limits of sign-in', async () => {
    const limited = await startApp({ services, trustProxy: 1 });
    onTestFinished(limited.stop);
    const { email } = await createEnded();
    for (let count = 0; count < MAX_SIGN_IN_FAILURES.account; count += 1)
      await deleteAccount(email, { password: 'a wrong password', browser: newBrowser(limited.url) });
    const response = await deleteAccount(email, { browser: newBrowser(limited.url) });
    expect(statusAndCode(response)).toEqual([429, 'rate_limited']);
    expect(response.headers['retry-after']).toEqual(expect.any(String));
    expect(await newBrowser(limited.url).signIn(email, PASSWORD)).toEqual([429, 'rate_limited']);
  });

  test('takes only its fields, as JSON of the own pages', async () => {
    const { email } = await createEnded();
    expect(statusAndCode(await newBrowser().send('POST', '/session/delete', {}))).toEqual([400, 'invalid_request']);
    const other = { email, password: PASSWORD, company: acme.id };
    expect(statusAndCode(await newBrowser().send('POST', '/session/delete', other))).toEqual([400, 'invalid_request']);
    const foreign = new Browser(app.url, { Origin: 'https://evil.example' });
    const response = await fetch(`${app.url}/session/delete`, {
      method: 'POST',
      headers: { Origin: 'https://evil.example', 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'cross-site' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    expect([response.status, foreign.cookie]).toEqual([403, undefined]);
    const get = await newBrowser().send('GET', '/session/delete');
    expect([get.status, get.headers.allow]).toEqual([405, 'POST']);
  });

  test('clears the cookie of the person, and leaves that of somebody else', async () => {
    const [ann, bob] = [await createEnded(), await createEnded()];
    const own = new Browser(app.url, { cookie: `session-3000=${ann.token}` });
    expect((await deleteAccount(ann.email, { browser: own })).status).toBe(204);
    expect(own.cookie).toBeUndefined();
    const ofAdmin = new Browser(app.url, { cookie: `session-3000=${admin.token}` });
    expect((await deleteAccount(bob.email, { browser: ofAdmin })).status).toBe(204);
    expect(ofAdmin.cookie).toBe(`session-3000=${admin.token}`);
    expect((await ofAdmin.send('GET', '/session')).status).toBe(200);
    const without = newBrowser();
    const { email } = await createEnded();
    expect((await deleteAccount(email, { browser: without })).headers['set-cookie']).toBeUndefined();
  });

  test('logs the result without the name, the email and the password', async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => lines.push(line) });
    const logged = await startApp({ services, log });
    onTestFinished(logged.stop);
    const { email, person } = await createEnded(acme, { name: 'Ann Logged' });
    await deleteAccount(email, { password: 'a wrong password', browser: new Browser(logged.url) });
    expect((await deleteAccount(email, { browser: new Browser(logged.url) })).status).toBe(204);
    const events = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg !== 'request');
    expect(events).toMatchObject([
      { msg: 'sign-in: failed', method: 'deletion', reason: 'wrong_password', person },
      { msg: 'account: deleted', person, address: '127.0.0.1' },
    ]);
    for (const secret of [email, 'Ann Logged', PASSWORD, 'a wrong password'])
      expect(lines.join('')).not.toContain(secret);
  });

  test('an invitation of the same email makes a new person and a new member', async () => {
    const ann = await createEnded();
    expect((await deleteAccount(ann.email)).status).toBe(204);
    const token = await invite(acme, ann.email);
    const body = { token, name: 'Ann Again', password: PASSWORD };
    expect((await newBrowser().send('POST', '/session/invitation', body)).status).toBe(204);
    const members = (await acme.manage.member.list()).filter(({ email }) => email === ann.email);
    expect(members).toMatchObject([
      { uniqueId: ann.uniqueId, endedAt: expect.any(String) },
      { uniqueId: expect.not.stringContaining(ann.uniqueId), name: 'Ann Again', endedAt: null },
    ]);
  });
});

/** Creates a company with an admin who stays. */
async function withAdmin() {
  const company = await createCompany();
  await createMember(company);
  return company;
}

describe('at the same time', () => {
  const ROUNDS = 4;

  test('of two deletions one succeeds, and the other is a failed sign-in', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { email } = await createEnded();
      const results = await Promise.all([deleteAccount(email), deleteAccount(email)]);
      expect(results.map(statusAndCode).toSorted(([one], [other]) => one - other)).toEqual([
        [204],
        [401, 'unauthorized'],
      ]);
    }
  });

  test('a deletion and an accepted invitation exclude each other', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { email, person } = await createEnded(acme, { isProven: true });
      const globex = await createCompany('Globex');
      const token = await invite(globex, email);
      const [deleted, accepted] = await Promise.all([
        deleteAccount(email),
        newBrowser().send('POST', '/session/invitation', { token, password: PASSWORD }),
      ]);
      const result = [statusAndCode(deleted), statusAndCode(accepted)];
      expect([
        [[409, 'conflict'], [204]],
        [[204], [401, 'unauthorized']],
        // The account was gone before the invitation was read, so a new person needs a name.
        [[204], [400, 'invalid_request']],
      ]).toContainEqual(result);
      expect(await exists(person)).toBe(deleted.status === 409);
      const members = await globex.manage.member.list();
      expect(members.map((member) => member.email)).toEqual(accepted.status === 204 ? [email] : []);
    }
  });

  test('a deletion and a forgetting leave no person, and no record of the name', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ann = await createEnded(acme, { name: 'Ann Race' });
      // The deletion makes a record first.
      await sql(`update person set name = 'Ann Raced' where unique_id = $1`, ann.person);
      const [deleted] = await Promise.all([
        deleteAccount(ann.email),
        acme.manage.member.forget({ uniqueId: ann.uniqueId }),
      ]);
      expect([204, 401]).toContain(deleted.status);
      expect(await exists(ann.person)).toBe(false);
      expect(await sql('select from identity where member_id = $1', ann.uniqueId)).toEqual([]);
    }
  });

  test('a new name and a forgetting leave no record of either name', async () => {
    for (let round = 0; round < 5 * ROUNDS; round += 1) {
      const ann = await createEnded(acme, { name: 'Ann Race' });
      const active = await createMember(await withAdmin(), { email: ann.email });
      await Promise.all([
        active.caller.account.update({ name: 'Ann Raced' }),
        acme.manage.member.forget({ uniqueId: ann.uniqueId }),
      ]);
      expect(await sql('select name from identity where member_id = $1', ann.uniqueId)).toEqual([]);
    }
  });

  test('a deletion and a sign-in with a session elsewhere end clearly', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ann = await createMember(acme, { role: 'editor', password: passwordHash });
      const [deleted, signedIn, read] = await Promise.all([
        admin.caller.management.member.end({ uniqueId: ann.uniqueId }).then(() => deleteAccount(ann.email)),
        newBrowser().signIn(ann.email, PASSWORD),
        new Browser(app.url, { cookie: `session-3000=${ann.token}` }).query('account.data'),
      ]);
      expect(deleted.status).toBe(204);
      expect([[204], [401, 'unauthorized']]).toContainEqual(signedIn);
      expect([200, 401]).toContain(read.status);
      expect(await tablesWith([ann.person], PERSON_TABLES)).toEqual([]);
    }
  });

  test('an active member elsewhere is not deleted by an end in one company', async () => {
    const ann = await createMember(acme, { role: 'editor', password: passwordHash });
    await createMember(await withAdmin(), { email: ann.email });
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    expect((await deleteAccount(ann.email)).status).toBe(409);
    expect(await newBrowser().signIn(ann.email, PASSWORD)).toEqual([204]);
  });
});

test('a session of a person who was deleted is 401', async () => {
  const ann = await createEnded();
  expect((await deleteAccount(ann.email)).status).toBe(204);
  await expect(ann.caller.account.get()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  await expect(ann.caller.account.data()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
