import { afterAll, describe, expect, test, vi } from 'vitest';
import { hashPassword } from '../../procedures/sign-in/password.ts';
import { database, sql } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { mailsTo, withMail } from '../support/tenants/queued-mails.ts';
import { PASSWORD, passwordHash, setUpTotp, updateMember, shown } from '../support/tenants/sign-in.ts';
import { startSingleSignOn } from '../support/sign-in/single-sign-on.ts';
import { membersOf } from '../support/sign-in/sso-company.ts';
import { createBrowser } from '../support/sign-in/browser.ts';

const sso = await startSingleSignOn();
afterAll(() => sso.stop());

const LINK_PAGE = '/sign-in/link';
const OTHER_ACCOUNT = {
  error:
    'This email address belongs to an earlier member, who signs in with another account of the identity provider. Ask an admin of your company to change the address of the earlier member first.',
};

describe('a member who is linked to an account', () => {
  test('is not taken over by another account with the same email', async () => {
    const { company, domain } = await sso.createSsoCompany();
    const email = `ann@${domain}`;
    const sub = sso.useAccount(email);
    expect(await sso.signIn(email)).toMatchObject({ path: '/' });
    sso.useAccount(email);
    const { status, body, browser } = await sso.signIn(email);
    expect({ status, body }).toEqual({ status: 403, body: OTHER_ACCOUNT });
    expect(await sso.sessionStatus(browser)).toBe(401);
    sso.useAccount(email, { sub });
    expect(await sso.signIn(email)).toMatchObject({ path: '/' });
    const [member] = await membersOf(company.id, email);
    expect(await company.manage.signIn.list({ member: member?.unique_id })).toMatchObject({
      items: [{ event: 'signed_in' }, { event: 'failed', method: 'sso' }, { event: 'signed_in' }],
    });
  });

  test('is linked to another account after an admin removed the link, which ends the sessions made with it', async () => {
    const { company, domain, admin } = await sso.createSsoCompany();
    const email = `ann@${domain}`;
    sso.useAccount(email);
    const { browser } = await sso.signIn(email);
    const [{ unique_id: uniqueId } = { unique_id: '' }] = await membersOf(company.id, email);
    const { management } = withMail(admin);
    const find = async () => (await management.member.list()).find((member) => member.uniqueId === uniqueId);
    expect(await find()).toMatchObject({ singleSignOn: sso.idp.issuer });
    expect(await management.member.unlink({ uniqueId })).toMatchObject({ uniqueId, singleSignOn: null });
    expect(await sso.sessionStatus(browser)).toBe(401);
    expect((await company.events(uniqueId)).at(-1)).toMatchObject({
      action: 'member.update',
      user_id: admin.uniqueId,
      changes: { single_sign_on: { from: sso.idp.issuer, to: null } },
    });
    expect((await admin.caller.audit.list({ resourceType: 'member', limit: 1 })).items[0]).toMatchObject({
      action: 'member.update',
      changes: { singleSignOn: { from: sso.idp.issuer, to: null } },
    });
    expect((await mailsTo(email)).map(({ text }) => text)).toEqual([
      expect.stringContaining('You now sign in to'),
      expect.stringContaining('removed the link'),
    ]);
    await management.member.unlink({ uniqueId });
    expect(await mailsTo(email)).toHaveLength(2);
    sso.useAccount(email);
    expect(await sso.signIn(email)).toMatchObject({ path: '/' });
    expect(await find()).toMatchObject({ singleSignOn: sso.idp.issuer });
  });

  test('keeps the password session when the link is removed', async () => {
    const { company, domain, admin } = await sso.createSsoCompany({ required: true });
    const ann = await createMember(company, { email: `ann@${domain}`, role: 'editor', isProven: true });
    sso.useAccount(ann.email);
    const { browser } = await sso.signIn(ann.email);
    await admin.caller.management.member.unlink({ uniqueId: ann.uniqueId });
    expect(await sso.sessionStatus(browser)).toBe(401);
    expect(await sql('select 1 from web_session where person_id = $1', ann.person)).toHaveLength(1);
  });

  test('loses the link with the settings of the provider, and hears of it', async () => {
    const { company, domain, admin, settings } = await sso.createSsoCompany();
    const email = `ann@${domain}`;
    sso.useAccount(email);
    await sso.signIn(email);
    await withMail(admin).management.sso.remove();
    expect(await membersOf(company.id, email)).toMatchObject([{ single_sign_on: null }]);
    expect((await mailsTo(email)).at(-1)).toMatchObject({ text: expect.stringContaining('removed the link') });
    await admin.caller.management.sso.set(settings);
    await company.manage.sso.confirm({ domain });
    sso.useAccount(email);
    expect(await sso.signIn(email)).toMatchObject({ path: '/' });
  });

  test('keeps the link to a provider to which the company returns', async () => {
    const { domain, admin, settings, company } = await sso.createSsoCompany();
    const email = `ann@${domain}`;
    const sub = sso.useAccount(email);
    await sso.signIn(email);
    await admin.caller.management.sso.set({ ...settings, issuer: 'https://login.example.com' });
    await admin.caller.management.sso.set(settings);
    sso.useAccount(email);
    expect((await sso.signIn(email)).status).toBe(403);
    sso.useAccount(email, { sub });
    expect(await sso.signIn(email)).toMatchObject({ path: '/' });
    expect(await membersOf(company.id, email)).toHaveLength(1);
  });

  test('belongs to one company: an admin of another one sees and removes no link', async () => {
    const { company, domain } = await sso.createSsoCompany();
    const email = `ann@${domain}`;
    sso.useAccount(email);
    await sso.signIn(email);
    const [{ unique_id: uniqueId } = { unique_id: '' }] = await membersOf(company.id, email);
    const stranger = await createMember(await createCompany());
    await expect(stranger.caller.management.member.unlink({ uniqueId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await membersOf(company.id, email)).toMatchObject([{ single_sign_on: sso.idp.issuer }]);
  });
});

test('of concurrent first sign-ins with two accounts of one email, one is linked', async () => {
  const { company, domain } = await sso.createSsoCompany();
  const email = `ann@${domain}`;
  const callbacks = [];
  for (const browser of [createBrowser(), createBrowser(), createBrowser()]) {
    sso.useAccount(email);
    callbacks.push({ browser, ...(await browser.follow(sso.startUrl(email), sso.isCallback)) });
  }
  const responses = await Promise.all(callbacks.map(({ browser, url }) => browser.get(url.href)));
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 403, 403]);
  expect(await membersOf(company.id, email)).toHaveLength(1);
});

describe('the first link of a person with a password', () => {
  /** A member with a password, at the page that asks for it. */
  async function reachPage({ isTotp = false, isOtherCompany = false } = {}) {
    const { company, domain, admin } = await sso.createSsoCompany();
    const email = `ann@${domain}`;
    const ann = await createMember(isOtherCompany ? await createCompany() : company, {
      email,
      role: 'editor',
      password: passwordHash,
      isProven: true,
    });
    const code = isTotp ? await setUpTotp(ann.person) : () => '';
    sso.useAccount(email);
    const { browser, path } = await sso.signIn(email);
    expect(path).toBe(LINK_PAGE);
    expect(await sso.sessionStatus(browser)).toBe(401);
    return { company, admin, ann, browser, code, email };
  }

  test('requires the password once', async () => {
    const { ann, browser, email, company } = await reachPage();
    expect(await membersOf(company.id, email)).toMatchObject([{ single_sign_on: null }]);
    expect((await sso.link(browser, { password: PASSWORD })).status).toBe(204);
    expect(await sso.sessionStatus(browser)).toBe(200);
    expect(await sql('select company_id from web_session where person_id = $1 and single_sign_on', ann.person)).toEqual(
      [{ company_id: company.id }],
    );
    expect(await membersOf(company.id, email)).toMatchObject([{ single_sign_on: sso.idp.issuer }]);
    expect(await mailsTo(email)).toHaveLength(1);
    expect(await sso.signIn(email)).toMatchObject({ path: '/' });
    expect(await mailsTo(email)).toHaveLength(1);
    expect((await company.events(ann.uniqueId)).at(-1)).toMatchObject({
      action: 'member.update',
      user_id: ann.uniqueId,
    });
  });

  test('does not begin for a person who deletes the account meanwhile', async () => {
    const { domain } = await sso.createSsoCompany();
    const former = await createCompany();
    await createMember(former);
    const email = `ann@${domain}`;
    const ann = await createMember(former, { email, role: 'editor', password: passwordHash, isProven: true });
    await updateMember(former, ann.uniqueId, { isEnded: true });
    sso.useAccount(email);
    const runStatement = database.run.bind(database);
    const run = vi.spyOn(database, 'run');
    run.mockImplementation(async (statement, ...rest) => {
      if (statement.name === 'link-challenge.insert') {
        run.mockImplementation(runStatement);
        const body = { email, password: PASSWORD };
        expect((await http('POST', '/session/delete', { baseUrl: sso.appUrl, body })).status).toBe(204);
      }
      return runStatement(statement, ...rest);
    });
    try {
      const error = 'Your account was deleted in the meantime. Start again.';
      expect(await sso.signIn(email)).toMatchObject({ status: 409, body: { error } });
    } finally {
      run.mockRestore();
    }
    expect(await sso.signIn(email)).toMatchObject({ path: '/' });
  });

  test('is not made with a wrong password, which counts as a failed sign-in', async () => {
    const { browser, company, ann, email } = await reachPage();
    const response = await sso.link(browser, { password: 'wrong password of Ann' });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 422,
      body: { error: 'password: not the password of your account' },
    });
    expect(await membersOf(company.id, email)).toMatchObject([{ single_sign_on: null }]);
    expect((await company.manage.signIn.list({ member: ann.uniqueId })).items[0]).toMatchObject({ event: 'failed' });
    for (let failures = 1; failures < 10; failures++)
      expect((await sso.link(browser, { password: 'wrong password of Ann' })).status).toBe(422);
    expect((await sso.link(browser, { password: PASSWORD })).status).toBe(429);
    expect(await membersOf(company.id, email)).toMatchObject([{ single_sign_on: null }]);
  });

  test('requires the second factor too', async () => {
    const { browser, code } = await reachPage({ isTotp: true });
    const missing = await sso.link(browser, { password: PASSWORD });
    expect([missing.status, missing.headers.get('X-Error-Code')]).toEqual([401, 'second_factor_required']);
    expect((await sso.link(browser, { password: PASSWORD, code: '000000' })).status).toBe(401);
    expect((await sso.link(browser, { password: PASSWORD, code: code() })).status).toBe(204);
  });

  test('works once, in the browser in which it began, and for ten minutes', async () => {
    const { browser, company, email } = await reachPage();
    const stranger = createBrowser();
    expect((await sso.link(stranger, { password: PASSWORD })).status).toBe(422);
    await sql('update sign_in_challenge set expires_at = now() where company_id = $1', company.id);
    const expired = await sso.link(browser, { password: PASSWORD });
    expect({ status: expired.status, body: await expired.json() }).toEqual({
      status: 422,
      body: { error: 'This sign-in has expired, or was used before. Start single sign-on again.' },
    });
    await sso.signIn(email, browser);
    const cookies = browser.cookies(sso.appUrl);
    expect((await sso.link(browser, { password: PASSWORD })).status).toBe(204);
    for (const [name, value] of Object.entries(cookies)) browser.setCookie(sso.appUrl, name, value);
    expect((await sso.link(browser, { password: PASSWORD })).status).toBe(422);
  });

  test('makes a person of another company a member', async () => {
    const { browser, company, email, ann } = await reachPage({ isOtherCompany: true });
    expect(await membersOf(company.id, email)).toEqual([]);
    expect((await sso.link(browser, { password: PASSWORD })).status).toBe(204);
    expect(await membersOf(company.id, email)).toMatchObject([
      { person_id: ann.person, role: 'editor', single_sign_on: sso.idp.issuer },
    ]);
  });

  test('is not made after the provider was removed or the password was changed', async () => {
    const removed = await reachPage();
    await removed.admin.caller.management.sso.remove();
    expect((await sso.link(removed.browser, { password: PASSWORD })).status).toBe(422);
    const changed = await reachPage();
    await sql(
      'update person set password = $2 where unique_id = $1',
      changed.ann.person,
      await hashPassword('another one'),
    );
    expect((await sso.link(changed.browser, { password: PASSWORD })).status).toBe(422);
    expect(await membersOf(changed.company.id, changed.email)).toMatchObject([{ single_sign_on: null }]);
  });

  test('needs no password if the company requires single sign-on', async () => {
    const { company, domain } = await sso.createSsoCompany({ required: true });
    const ann = await createMember(company, {
      email: `ann@${domain}`,
      role: 'editor',
      password: passwordHash,
      isProven: true,
    });
    sso.useAccount(ann.email);
    expect(await sso.signIn(ann.email)).toMatchObject({ path: '/' });
    expect(await mailsTo(ann.email)).toHaveLength(1);
  });

  test('is not taken from a page of another site', async () => {
    const { browser } = await reachPage();
    const response = await browser.get(`${sso.appUrl}/session/sso/link`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'cross-site' },
      body: JSON.stringify({ password: PASSWORD }),
    });
    expect(response.status).toBe(403);
  });
});

describe('the first single sign-on of an invited person', () => {
  test.each([{ required: false }, { required: true }])('uses the invitation and its role, %j', async (settings) => {
    const { company, domain, admin } = await sso.createSsoCompany({ ...settings, role: 'auditor' });
    const email = `ann@${domain}`;
    const link = shown(
      await admin.caller.management.member.invite({ email, role: 'editor', frameworks: [company.framework] }),
    );
    sso.useAccount(email);
    expect(await sso.signIn(email)).toMatchObject({ path: '/' });
    const member = (await admin.caller.management.member.list()).find((item) => item.email === email);
    expect(member).toMatchObject({ role: 'editor', frameworks: [company.framework] });
    expect(await admin.caller.management.invitation.list()).toEqual([]);
    const token = link.split('/').at(-1);
    const body = { token, name: 'Ann', password: PASSWORD };
    const accept = await http('POST', '/session/invitation', { baseUrl: sso.appUrl, body });
    expect(accept.status).toBe(404);
  });

  test('starts an ended membership again', async () => {
    const { company, domain, admin } = await sso.createSsoCompany();
    const email = `ann@${domain}`;
    const sub = sso.useAccount(email);
    await sso.signIn(email);
    const [{ unique_id: uniqueId } = { unique_id: '' }] = await membersOf(company.id, email);
    await admin.caller.management.member.end({ uniqueId });
    expect((await sso.signIn(email)).status).toBe(403);
    await admin.caller.management.member.invite({ email, role: 'auditor' });
    sso.useAccount(email, { sub });
    expect(await sso.signIn(email)).toMatchObject({ path: '/' });
    expect(await membersOf(company.id, email)).toMatchObject([{ unique_id: uniqueId, role: 'auditor' }]);
  });

  test('uses the invitation only with the password of an existing account', async () => {
    const { company, domain, admin } = await sso.createSsoCompany();
    const email = `ann@${domain}`;
    await createMember(await createCompany(), { email, password: passwordHash, isProven: true });
    await admin.caller.management.member.invite({ email, role: 'auditor' });
    sso.useAccount(email);
    const { browser, path } = await sso.signIn(email);
    expect(path).toBe(LINK_PAGE);
    expect(await admin.caller.management.invitation.list()).toHaveLength(1);
    expect((await sso.link(browser, { password: PASSWORD })).status).toBe(204);
    expect(await membersOf(company.id, email)).toMatchObject([{ role: 'auditor' }]);
    expect(await admin.caller.management.invitation.list()).toEqual([]);
  });
});
