import { afterAll, describe, expect, test } from 'vitest';
import { OPERATOR } from '../../entities/company/user.ts';
import { asOwner, sql, tamper } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { Browser, statusAndCode } from '../support/http/browser.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import {
  PASSWORD,
  createResetLink,
  invite,
  newEmail,
  passwordHash,
  readPerson,
  setUpTotp,
  updateMember,
} from '../support/tenants/sign-in.ts';

const NEW_PASSWORD = 'another long password';

const acme = await createCompany();
const app = await startApp({ services, trustProxy: 1 });
afterAll(() => app.stop());

let addressCount = 0;
const newBrowser = () => new Browser(app.url, { 'X-Forwarded-For': `203.0.113.${(addressCount += 1)}` });

const accept = (body: object, browser = newBrowser()) => browser.send('POST', '/session/invitation', body);
const look = (body: object) => newBrowser().send('POST', '/session/invitation/look', body);
const reset = (body: object) => newBrowser().send('POST', '/session/reset', body);

/** Makes a link expire now. */
const expire = (table: 'invitation' | 'reset_link', column: 'email' | 'person_id', value: string) =>
  tamper(`update ${table} set expires_at = now() where ${column} = '${value}'`);

describe('a new person who accepts an invitation', () => {
  test('chooses a name and a password, and acts for the company as a member', async () => {
    const email = newEmail();
    const token = await invite(acme, email, { role: 'editor', frameworks: [acme.framework] });
    const browser = newBrowser();
    const response = await accept({ token, name: ' Ann ', password: PASSWORD }, browser);
    expect(response).toMatchObject({ status: 204, text: '' });
    const { body } = await browser.send('GET', '/session');
    expect(body).toEqual({
      person: { uniqueId: expect.any(String), email, name: 'Ann' },
      member: expect.any(String),
      company: { id: acme.id, name: 'Acme', timeZone: 'UTC', lockClosed: false },
      role: 'editor',
      companies: [{ id: acme.id, name: 'Acme', role: 'editor' }],
    });
    const { member } = body as { member: string };
    expect(
      (await acme.events(member)).map(({ action, user_id, api_key_id }) => ({ action, user_id, api_key_id })),
    ).toEqual([{ action: 'member.create', user_id: member, api_key_id: null }]);
    expect(await sql('select frameworks from member where unique_id = $1', member)).toEqual([
      { frameworks: [acme.framework] },
    ]);
    expect(await newBrowser().signIn(email, PASSWORD)).toEqual([204]);
  });

  test('needs a name and a password of 10 to 200 characters, else nothing changes', async () => {
    const email = newEmail();
    const token = await invite(acme, email);
    const errors = [];
    for (const body of [
      { token, password: PASSWORD },
      { token, name: 'Ann', password: 'x'.repeat(9) },
      { token, name: ' ', password: PASSWORD },
      { token, name: 'Ann', password: 'x'.repeat(201) },
      { token, name: 'Ann' },
    ]) {
      const response = await accept(body);
      errors.push([response.status, Object.values(response.body as object)[0]]);
    }
    expect(errors).toEqual([
      [400, 'name: required'],
      [400, 'password: expected 10 to 200 characters'],
      [400, expect.stringMatching(/^name: expected/)],
      [400, expect.stringMatching(/^password: expected/)],
      [400, 'password: required'],
    ]);
    expect(await sql('select 1 from person where email = $1', email)).toEqual([]);
    expect((await accept({ token, name: 'Ann', password: 'x'.repeat(10) })).status).toBe(204);
  });

  test('may use a token once, also at the same time', async () => {
    const email = newEmail();
    const token = await invite(acme, email);
    const body = { token, name: 'Ann', password: PASSWORD };
    const responses = await Promise.all([accept(body), accept(body), accept(body)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404, 404]);
    expect((await accept(body)).status).toBe(404);
    expect(
      await sql('select 1 from person p join member m on m.person_id = p.unique_id where email = $1', email),
    ).toHaveLength(1);
  });

  test('who has invitations of two companies may accept both at the same time', async () => {
    const email = newEmail();
    const globex = await createCompany('Globex');
    const tokens = [await invite(acme, email, { mailed: true }), await invite(globex, email, { mailed: true })];
    const attempt = (token = '') => accept({ token, name: 'Ann', password: PASSWORD });
    const statuses = (await Promise.all(tokens.map(attempt))).map(({ status }) => status);
    for (const [index, status] of statuses.entries())
      if (status === 409) statuses[index] = (await attempt(tokens[index])).status;
    expect(statuses).toEqual([204, 204]);
  });
});

test('a token that is unknown, used, revoked or expired is not found', async () => {
  const [revoked, expired] = [newEmail(), newEmail()];
  const tokens = ['', 'unknown', 'x'.repeat(5000), await invite(acme, revoked), await invite(acme, expired)];
  await asOwner((run) => run('update invitation set revoked_at = now() where email = $1', revoked), {
    company: acme.id,
    user: OPERATOR.uniqueId,
  });
  await expire('invitation', 'email', expired);
  for (const token of tokens) {
    const accepted = await accept({ token, name: 'Ann', password: PASSWORD });
    expect(statusAndCode(accepted)).toEqual([404, 'not_found']);
    const looked = await look({ token });
    expect([...statusAndCode(looked), looked.body]).toEqual([404, 'not_found', accepted.body]);
  }
});

/** Revokes the open invitations of a company, so that the next one is the only one. */
const revokeInvitations = ({ id: company }: { id: number }) =>
  asOwner((run) => run('update invitation set revoked_at = now() where company_id = $1', company), {
    company,
    user: OPERATOR.uniqueId,
  });

describe('a look at an invitation', () => {
  test('shows company, email and role, and changes nothing', async () => {
    const globex = await createCompany('Globex');
    const email = newEmail();
    const token = await invite(globex, email, { role: 'editor', frameworks: [globex.framework] });
    for (let looks = 0; looks < 2; looks++) {
      const response = await look({ token });
      expect(response).toMatchObject({ status: 200, body: { company: 'Globex', email, role: 'editor' } });
      expect(response.body).toEqual({ company: 'Globex', email, role: 'editor', account: null });
      expect(response.headers['set-cookie']).toBeUndefined();
      expect(response.headers['cache-control']).toBe('no-store');
    }
    expect(await sql('select 1 from person where email = $1', email)).toEqual([]);
    expect(await sql('select 1 from sign_in where company_id = $1', globex.id)).toEqual([]);
    expect((await accept({ token, name: 'Ann', password: PASSWORD })).status).toBe(204);
    expect(statusAndCode(await look({ token }))).toEqual([404, 'not_found']);
  });

  test('shows whether the person has a proven account, but only to who reads the mails of the address', async () => {
    for (const [given, account] of [
      [{ password: passwordHash, isProven: true }, true],
      [{ isProven: true }, true],
      [{ password: passwordHash }, false],
    ] as const) {
      const { email } = await createMember(acme, given);
      const globex = await createCompany();
      expect((await look({ token: await invite(globex, email, { mailed: true }) })).body).toMatchObject({
        email,
        account,
      });
      await revokeInvitations(globex);
      expect((await look({ token: await invite(globex, email) })).body).toMatchObject({ email, account: null });
    }
  });

  test('takes only the token', async () => {
    const token = await invite(acme, newEmail());
    expect((await look({})).body).toEqual({ error: 'token: required' });
    expect(statusAndCode(await look({ token, password: PASSWORD }))).toEqual([400, 'invalid_request']);
    const response = await newBrowser().send('GET', '/session/invitation/look');
    expect([response.status, response.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('a person with an account who accepts an invitation', () => {
  test('gives its password, and the session acts for the new company', async () => {
    const globex = await createCompany('Globex');
    const ann = await createMember(acme, { password: passwordHash, isProven: true });
    const token = await invite(globex, ann.email, { role: 'auditor' });
    expect(await accept({ token, password: NEW_PASSWORD })).toMatchObject({
      status: 422,
      body: { error: 'password: not the password of your account' },
    });
    const browser = newBrowser();
    expect((await accept({ token, name: 'Other', password: PASSWORD }, browser)).status).toBe(204);
    expect((await browser.send('GET', '/session')).body).toMatchObject({
      person: { uniqueId: ann.person, name: 'Ann' },
      company: { id: globex.id, name: 'Globex', timeZone: 'UTC', lockClosed: false },
      role: 'auditor',
      companies: [
        { id: acme.id, name: 'Acme', role: 'admin' },
        { id: globex.id, name: 'Globex', role: 'auditor' },
      ],
    });
  });

  test('sends the code of the second factor too, else nothing changes', async () => {
    const globex = await createCompany('Globex');
    const ann = await createMember(acme, { password: passwordHash, isProven: true });
    const code = await setUpTotp(ann.person);
    const token = await invite(globex, ann.email);
    for (const body of [
      { token, password: PASSWORD },
      { token, password: PASSWORD, code: 'wrong' },
    ])
      expect(statusAndCode(await accept(body))).toEqual([401, 'second_factor_required']);
    expect(await sql('select 1 from member where company_id = $1', globex.id)).toEqual([]);
    expect((await accept({ token, password: PASSWORD, code: code() })).status).toBe(204);
  });

  test('and no password gets an error', async () => {
    const ann = await createMember(acme, { isProven: true });
    const token = await invite(await createCompany(), ann.email);
    expect(await accept({ token, password: PASSWORD })).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/^password: your account has none/) },
    });
  });

  test('joins a company again as the same member, to whom the event is attributed', async () => {
    await createMember(acme);
    const ann = await createMember(acme, { role: 'editor', password: passwordHash });
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    const browser = newBrowser();
    const token = await invite(acme, ann.email, { role: 'auditor' });
    expect((await accept({ token, password: PASSWORD }, browser)).status).toBe(204);
    expect((await browser.send('GET', '/session')).body).toMatchObject({ member: ann.uniqueId, role: 'auditor' });
    const events = await acme.events(ann.uniqueId);
    expect(events.map(({ action, user_id: user }) => [action, user])).toEqual([
      ['member.create', ann.uniqueId],
      ['member.delete', OPERATOR.uniqueId],
      ['member.create', ann.uniqueId],
    ]);
  });

  test('and is a member of the company already gets a conflict, and keeps the role', async () => {
    const ann = await createMember(acme, { role: 'editor', password: passwordHash });
    const token = await invite(acme, ann.email, { role: 'admin' });
    expect(statusAndCode(await accept({ token, password: PASSWORD }))).toEqual([409, 'conflict']);
    expect(await sql('select role from member where unique_id = $1', ann.uniqueId)).toEqual([{ role: 'editor' }]);
  });

  test('of a company that requires single sign-on gets an error, and nothing changes', async () => {
    const globex = await createCompany('Globex');
    await createMember(globex);
    const domain = `d${globex.id}.example`;
    await requireSingleSignOn(globex, domain);
    const email = `ann@${domain}`;
    const token = await invite(globex, email);
    expect(await accept({ token, name: 'Ann', password: PASSWORD })).toMatchObject({
      status: 422,
      body: { error: 'password: this company requires single sign-on; sign in with it' },
    });
    expect(await sql('select 1 from person where email = $1', email)).toEqual([]);
    expect(await sql('select used_at from invitation where email = $1', email)).toEqual([{ used_at: null }]);
  });
});

const requireSingleSignOn = ({ id }: { id: number }, domain: string) =>
  sql(
    `with settings as (select set_config('app.user', '00000000-0000-7000-8000-000000000001', true),
       set_config('app.company', $1::text, true))
     insert into sso (company_id, issuer, client_id, client_secret, domains, confirmed_domains, required, role)
     select $1::int, 'https://id.example.com', 'client', 'secret', array[$2], array[$2], true, 'editor' from settings`,
    id,
    domain,
  );

describe('a password reset', () => {
  test('sets a new password once, ends all sessions, and keeps the second factor', async () => {
    const ann = await createMember(acme, { password: passwordHash });
    const code = await setUpTotp(ann.person);
    const browser = new Browser(app.url, { cookie: `session-3000=${ann.token}` });
    expect((await browser.send('GET', '/session')).status).toBe(200);
    const token = await createResetLink(ann.person);
    const response = await reset({ token, password: NEW_PASSWORD });
    expect(response).toMatchObject({ status: 204, text: '' });
    expect(response.headers['set-cookie']).toBeUndefined();
    expect((await browser.send('GET', '/session')).status).toBe(401);
    expect(statusAndCode(await reset({ token, password: PASSWORD }))).toEqual([404, 'not_found']);
    expect(await newBrowser().signIn(ann.email, PASSWORD)).toEqual([401, 'unauthorized']);
    expect(await newBrowser().signIn(ann.email, NEW_PASSWORD)).toEqual([401, 'second_factor_required']);
    expect(await newBrowser().signIn(ann.email, NEW_PASSWORD, code())).toEqual([204]);
    expect((await readPerson(ann.person)).password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('leaves no session of the old password, also of a sign-in at the same time', async () => {
    const ann = await createMember(acme, { password: passwordHash });
    const token = await createResetLink(ann.person);
    const signIns = Array.from({ length: 6 }, () => newBrowser().signIn(ann.email, PASSWORD));
    expect((await reset({ token, password: NEW_PASSWORD })).status).toBe(204);
    for (const result of await Promise.all(signIns)) expect([[204], [401, 'unauthorized']]).toContainEqual(result);
    expect(await sql('select 1 from web_session where person_id = $1', ann.person)).toEqual([]);
  });

  test('works for one of concurrent requests', async () => {
    const ann = await createMember(acme, { password: passwordHash });
    const token = await createResetLink(ann.person);
    const responses = await Promise.all([1, 2, 3].map(() => reset({ token, password: NEW_PASSWORD })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404, 404]);
  });

  test('gives a password to a person who had none', async () => {
    const ann = await createMember(acme);
    await reset({ token: await createResetLink(ann.person), password: NEW_PASSWORD });
    expect(await newBrowser().signIn(ann.email, NEW_PASSWORD)).toEqual([204]);
  });

  test('checks the new password before it uses the link, which ends after an hour', async () => {
    const ann = await createMember(acme);
    const token = await createResetLink(ann.person);
    expect(await reset({ token, password: 'short' })).toMatchObject({
      status: 400,
      body: { error: 'password: expected 10 to 200 characters' },
    });
    await expire('reset_link', 'person_id', ann.person);
    expect((await reset({ token, password: NEW_PASSWORD })).status).toBe(404);
    expect((await reset({ token: 'unknown', password: NEW_PASSWORD })).status).toBe(404);
  });
});
