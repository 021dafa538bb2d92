import { afterAll, describe, expect, test } from 'vitest';
import { createCaller } from '../../procedures/index.ts';
import { sql } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { newEmail, passwordHash, setUpTotp } from '../support/tenants/sign-in.ts';
import { startSingleSignOn } from '../support/sign-in/single-sign-on.ts';
import { membersOf, newDomain } from '../support/sign-in/sso-company.ts';
import { createBrowser } from '../support/sign-in/browser.ts';
import type { Browser } from '../support/sign-in/single-sign-on.ts';

const sso = await startSingleSignOn();
afterAll(() => sso.stop());

describe('sessions from single sign-on', () => {
  const signedIn = async (email: string) => {
    sso.useAccount(email);
    const { browser, path } = await sso.signIn(email);
    expect(path).toBe('/');
    return browser;
  };

  test('end when the provider is removed, or another issuer or client is set, and no others do', async () => {
    const other = await sso.createSsoCompany();
    const stays = await signedIn(`ann@${other.domain}`);
    for (const change of ['remove', { issuer: 'https://login.example.com' }, { clientId: 'another' }] as const) {
      const { domain, admin, settings, company } = await sso.createSsoCompany();
      const email = `ann@${domain}`;
      const browser = await signedIn(email);
      const { set, remove } = admin.caller.management.sso;
      await set({ ...settings, role: 'auditor', required: true });
      expect(await sso.sessionStatus(browser)).toBe(200);
      await (change === 'remove' ? remove() : set({ ...settings, ...change }));
      expect(await sso.sessionStatus(browser)).toBe(401);
      const [member] = await membersOf(company.id, email);
      expect((await company.manage.signIn.list({ member: member?.unique_id })).items[0]).toMatchObject({
        event: 'ended',
        method: 'sso',
      });
      expect(await sql('select 1 from web_session where person_id = $1', admin.person)).toHaveLength(1);
    }
    expect(await sso.sessionStatus(stays)).toBe(200);
  });

  test('end when the company loses the domain of their email', async () => {
    const [kept, lost] = [newDomain(), newDomain()];
    const { admin, settings } = await sso.createSsoCompany({ domains: [kept, lost] });
    const browsers = [await signedIn(`ann@${kept}`), await signedIn(`bob@${lost}`)] as const;
    await admin.caller.management.sso.set({ ...settings, domains: [kept] });
    expect(await Promise.all(browsers.map((browser) => sso.sessionStatus(browser)))).toEqual([200, 401]);
  });

  test('do not start with claims of a provider that was replaced while the callback waited', async () => {
    const { company, domain, admin, settings } = await sso.createSsoCompany();
    const email = `ann@${domain}`;
    sso.useAccount(email);
    const browser = createBrowser();
    const { url } = await browser.follow(sso.startUrl(email), sso.isCallback);
    sso.idp.beforeToken = async () => {
      await admin.caller.management.sso.set({ ...settings, issuer: 'https://login.example.com' });
    };
    const response = await browser.get(url.href);
    sso.idp.beforeToken = undefined;
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 422,
      body: { error: 'The single sign-on of your company was changed in the meantime. Start again.' },
    });
    expect(await membersOf(company.id, email)).toEqual([]);
  });

  test('do not start at a provider that was set after the sign-in began', async () => {
    const { domain, admin, settings } = await sso.createSsoCompany();
    const email = `ann@${domain}`;
    sso.useAccount(email);
    const browser = createBrowser();
    const { url } = await browser.follow(sso.startUrl(email), sso.isCallback);
    const tokenRequests = sso.idp.requests.filter((path) => path === '/token').length;
    await admin.caller.management.sso.set({ ...settings, clientId: 'another' });
    expect((await browser.get(url.href)).status).toBe(422);
    expect(sso.idp.requests.filter((path) => path === '/token')).toHaveLength(tokenRequests);
  });
});

describe('a session from single sign-on of a person with another company', () => {
  /** The account of Ann, who has a password and is a member of another company, after single sign-on. */
  async function signInToBoth() {
    const { company, domain } = await sso.createSsoCompany({ required: true });
    const email = `ann@${domain}`;
    const other = await createCompany();
    const ann = await createMember(other, { email, name: 'Ann', password: passwordHash, isProven: true });
    await setUpTotp(ann.person);
    sso.useAccount(email);
    const { browser } = await sso.signIn(email);
    return { ann, browser, company, other };
  }

  const call = (browser: Browser, procedure: string, input?: object) =>
    browser.get(`${sso.appUrl}/trpc/${procedure}`, {
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      ...(input !== undefined && { method: 'POST', body: JSON.stringify(input) }),
    });

  test('does not rename the person', async () => {
    const { ann, browser } = await signInToBoth();
    const response = await call(browser, 'account.update', { name: 'Mallory' });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('sign in with your password or a passkey');
    expect(await sql('select name from person where unique_id = $1', ann.person)).toEqual([{ name: 'Ann' }]);
  });

  test('shows and ends only its own sessions, and shows no credentials', async () => {
    const { ann, browser } = await signInToBoth();
    expect(await ann.caller.account.sessions()).toHaveLength(2);
    const shown = await (await call(browser, 'account.sessions')).text();
    expect(shown).not.toContain(ann.webSession.uniqueId);
    expect(shown).toContain('"current":true');
    expect((await call(browser, 'account.endSession', { uniqueId: ann.webSession.uniqueId })).status).toBe(404);
    expect(await ann.caller.account.sessions()).toHaveLength(2);
    expect(await (await call(browser, 'account.get')).text()).toContain('"totp":false,"passkeys":[]');
    const own = (await ann.caller.account.sessions()).find(({ uniqueId }) => uniqueId !== ann.webSession.uniqueId);
    expect((await call(browser, 'account.endSession', { uniqueId: own?.uniqueId })).status).toBe(200);
    expect(await sso.sessionStatus(browser)).toBe(401);
  });

  test('renames a person of this company alone', async () => {
    const { domain, company } = await sso.createSsoCompany();
    const email = `bob@${domain}`;
    sso.useAccount(email);
    const { browser } = await sso.signIn(email);
    expect((await call(browser, 'account.update', { name: 'Robert' })).status).toBe(200);
    expect(await membersOf(company.id, email)).toMatchObject([{ name: 'Robert' }]);
  });
});

describe('an email', () => {
  test.each([
    ['is not verified', { email_verified: false }, false, 403],
    ['is not verified at a trusted provider', { email_verified: false }, true, 403],
    ['is perhaps verified', { email_verified: undefined }, false, 403],
    ['is perhaps verified at a trusted provider', { email_verified: undefined }, true, undefined],
    ['is verified', { email_verified: true }, false, undefined],
  ])('that %s: %j', async (_, claims, trustEmail, expected) => {
    const { domain, admin } = await sso.createSsoCompany({ trustEmail });
    expect(await admin.caller.management.sso.get()).toMatchObject({ trustEmail });
    const email = `ann@${domain}`;
    sso.idp.account = { sub: newEmail(), email, name: 'Ann', ...(claims.email_verified !== undefined && claims) };
    const { status, body } = await sso.signIn(email);
    expect(status).toBe(expected);
    if (expected === 403)
      expect(body).toEqual({ error: 'email: the identity provider has not verified this email address' });
  });

  test('with a character that folds to ASCII is rejected', async () => {
    const kelvin = 'an\u212A@example.com';
    const admin = await createMember(await createCompany());
    await expect(admin.caller.management.member.invite({ email: kelvin, role: 'editor' })).rejects.toMatchObject({
      message: expect.stringContaining('email: expected an email address'),
    });
    const settings = { issuer: 'https://a.example', clientId: 'c', clientSecret: 's', required: false } as const;
    await expect(
      admin.caller.management.sso.set({ ...settings, role: 'editor', domains: ['\u212Aelvin.example'] }),
    ).rejects.toMatchObject({ message: expect.stringContaining('domains.0: expected a domain') });
    const body = { email: kelvin, password: 'some password' };
    const response = await http('POST', '/session', { baseUrl: sso.appUrl, body });
    expect(response.status).toBe(400);
    const { domain } = await sso.createSsoCompany();
    sso.useAccount(`an\u212A@${domain}`);
    expect((await sso.signIn(`ank@${domain}`)).status).toBe(403);
  });
});

describe('the name of a person', () => {
  const HIDDEN = '\u200B\u2060\uFEFF\u3164';

  test.each([
    ['Bob \u202Egpj.exe\u202C', 'Bob gpj.exe'],
    ['\u2066Bob\u2069', 'Bob'],
    [HIDDEN, 'bob'],
    [' \u202E ', 'bob'],
    ['\uD800Bob', '\uFFFDBob'],
    ['Zoë 山田', 'Zoë 山田'],
  ])('%j at the provider is %j', async (name, expected) => {
    const { domain, company } = await sso.createSsoCompany();
    const email = `bob@${domain}`;
    sso.useAccount(email, { name });
    await sso.signIn(email);
    expect(await membersOf(company.id, email)).toMatchObject([{ name: expected }]);
  });

  test('has no overrides and is visible, also if the person chooses it', async () => {
    const ann = await createMember(await createCompany());
    const { update } = createCaller({ ...ann.context, services }).account;
    expect(await update({ name: 'Ann \u202Etxet\u202C' })).toMatchObject({ name: 'Ann txet' });
    for (const name of [HIDDEN, '\u202E\u2069', '\u2800'])
      await expect(update({ name })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('name: expected a visible character'),
      });
  });
});
