import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { pino } from 'pino';
import { moveAway, OTHER_CELL } from '../support/cells/moved.ts';
import { sql } from '../support/database/database.ts';
import { startIdentityProvider } from '../support/servers/identity-provider.ts';
import { createBrowser } from '../support/sign-in/browser.ts';
import { startSingleSignOn } from '../support/sign-in/single-sign-on.ts';
import { membersOf, newDomain } from '../support/sign-in/sso-company.ts';
import { createMember } from '../support/tenants/member.ts';

// A sign-in that a third party starts, such as the tile of an identity provider.
// https://openid.net/specs/openid-connect-core-1_0.html#ThirdPartyInitiatedLogin

const sso = await startSingleSignOn(pino({ level: 'silent' }));
const { appUrl, createSsoCompany, isCallback, sessionStatus } = sso;
afterAll(sso.stop);

/** Headers of a browser that opens the address from a page of the provider. */
const FROM_TILE = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

type Query = Record<string, string>;

const tileUrl = (query: Query) => `${appUrl}/session/sso?${new URLSearchParams(query).toString()}`;
const open = (query: Query, headers: Record<string, string> = FROM_TILE) =>
  createBrowser().get(tileUrl(query), { headers });

/** Starts a provider of its own, so that only the companies of the test have its issuer. */
async function startProvider(): ReturnType<typeof startIdentityProvider> {
  const idp = await startIdentityProvider({ redirectUri: `${appUrl}/session/sso/callback` });
  onTestFinished(() => idp.close());
  // The port may be that of an earlier provider, whose companies still have its issuer. This one keeps it until the end of the test.
  const companies = await sql(`select from sso where issuer = '${idp.issuer}'`);
  return companies.length === 0 ? idp : startProvider();
}

/** Starts a provider of one company. */
async function createProviderOfCompany() {
  const idp = await startProvider();
  const created = await createSsoCompany({ issuer: idp.issuer });
  const email = `bob@${created.domain}`;
  idp.account = { sub: `account of ${email}`, email, email_verified: true, name: 'Bob' };
  return { ...created, idp, iss: idp.issuer, email };
}

/** Status and error of a start, and the host to which it leads. */
async function resultOf(response: Response) {
  const location = response.headers.get('location');
  const body: unknown = location === null ? await response.json() : undefined;
  return { status: response.status, body, host: location === null ? undefined : new URL(location).origin };
}
const start = (query: Query) => open(query, {}).then(resultOf);

describe('the tile of a provider', () => {
  test('starts the sign-in of the company that has the issuer, and the person lands on the overview', async () => {
    const { company, iss, email } = await createProviderOfCompany();
    const browser = createBrowser();
    const started = await browser.get(tileUrl({ iss }), { headers: FROM_TILE });
    expect(started.status).toBe(302);
    expect(started.headers.get('referrer-policy')).toBe('no-referrer');
    const isPage = (url: URL) => url.origin === appUrl && !url.pathname.startsWith('/session');
    const { url } = await browser.follow(started.headers.get('location') ?? '', isPage);
    expect(url.href).toBe(`${appUrl}/`);
    expect(await sessionStatus(browser)).toBe(200);
    expect(await membersOf(company.id, email)).toHaveLength(1);
  });

  test('passes the hint on, and sends none that it was not given', async () => {
    const { iss, email } = await createProviderOfCompany();
    const hintOf = async (query: Query) =>
      new URL((await open({ iss, ...query })).headers.get('location') ?? '').searchParams.get('login_hint');
    expect(await hintOf({ login_hint: email })).toBe(email);
    expect(await hintOf({ login_hint: 'opaque/token+of=provider' })).toBe('opaque/token+of=provider');
    expect(await hintOf({})).toBeNull();
  });

  test('may add parameters that the service does not know', async () => {
    const { iss } = await createProviderOfCompany();
    expect((await open({ iss, tile: '7', email: 'x', return: '//evil.example' })).status).toBe(302);
  });

  test.each(['same-site', 'none', 'same-origin', undefined])('may be anywhere: Sec-Fetch-Site %s', async (site) => {
    const { iss } = await createProviderOfCompany();
    const headers: Record<string, string> = site === undefined ? { Referer: 'https://login.example.com/' } : {};
    if (site !== undefined) headers['Sec-Fetch-Site'] = site;
    expect((await open({ iss }, headers)).status).toBe(302);
  });

  test.each(['image', 'script', 'empty', 'iframe'])('is no part of another page: %s', async (destination) => {
    const { iss } = await createProviderOfCompany();
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': destination };
    const browser = createBrowser();
    for (let attempt = 0; attempt < 31; attempt += 1)
      expect((await browser.get(tileUrl({ iss }), { headers })).status).toBe(403);
    expect((await browser.get(tileUrl({ iss }), { headers: FROM_TILE })).status).toBe(302);
  });

  test('does not begin a sign-in that another browser can complete', async () => {
    const { iss } = await createProviderOfCompany();
    const { url } = await createBrowser().follow(tileUrl({ iss }), isCallback);
    const victim = createBrowser();
    expect((await victim.get(url.href, { headers: FROM_TILE })).status).toBe(422);
    expect(await sessionStatus(victim)).toBe(401);
  });

  test('leaves the session of the browser until the provider has named a member', async () => {
    const { iss, idp, company } = await createProviderOfCompany();
    const ann = await createMember(company);
    const browser = createBrowser();
    browser.setCookie(appUrl, `session-${new URL(appUrl).port}`, ann.token);
    idp.account = { sub: 'mallory', email: 'mallory@other.example', email_verified: true };
    const { url } = await browser.follow(tileUrl({ iss }), isCallback);
    expect(await sessionStatus(browser)).toBe(200);
    expect((await browser.get(url.href)).status).toBe(403);
    expect(await sessionStatus(browser)).toBe(200);
  });
});

describe('the target of a tile', () => {
  /** Address at which a person arrives who opened a tile with a target. */
  async function landingOf(target: string) {
    const { iss } = await createProviderOfCompany();
    const browser = createBrowser();
    const { url } = await browser.follow(tileUrl({ iss, target_link_uri: target }), isCallback);
    return (await browser.get(url.href)).headers.get('location');
  }

  test('is where the person lands if it is a page of this service', async () => {
    expect(await landingOf(`${appUrl}/vendors?q=a%20b#top`)).toBe(`${appUrl}/vendors?q=a%20b#top`);
  });

  test.each([
    ['another host', () => 'https://evil.example/tasks'],
    ['a host that begins with that of this service', () => `${appUrl}.evil.example/tasks`],
    ['a host after this service as a user', () => `${appUrl}@evil.example/tasks`],
    ['another port', () => `${appUrl.replace(/:\d+$/, '')}:1/tasks`],
    ['another scheme', () => `${appUrl.replace('http:', 'https:')}/tasks`],
    ['a path that browsers open as a host', () => `${appUrl}//evil.example/`],
    ['a path with a backslash', () => `${appUrl}/\\evil.example/`],
    ['a script', () => 'javascript:alert(1)'],
    ['a blob of this service', () => `blob:${appUrl}/tasks`],
    ['no URL', () => '/tasks'],
    ['a path that is too long', () => `${appUrl}/${'x'.repeat(501)}`],
  ])('is ignored if it is %s', async (_, target) => {
    expect(await landingOf(target())).toBe(`${appUrl}/`);
  });

  test('is ignored if it is given twice', async () => {
    const { iss } = await createProviderOfCompany();
    const target = encodeURIComponent(`${appUrl}/tasks`);
    const url = `${tileUrl({ iss })}&target_link_uri=${target}&target_link_uri=${target}`;
    const browser = createBrowser();
    const { url: callback } = await browser.follow(url, isCallback);
    expect((await browser.get(callback.href)).headers.get('location')).toBe(`${appUrl}/`);
  });
});

describe('an issuer of several companies', () => {
  test('needs a hint, whose domain decides', async () => {
    const idp = await startProvider();
    const companies = [await createSsoCompany({ issuer: idp.issuer }), await createSsoCompany({ issuer: idp.issuer })];
    const error = {
      status: 422,
      body: {
        error: 'login_hint: expected an email address of one of the companies that sign in at this identity provider',
      },
      host: undefined,
    };
    const iss = idp.issuer;
    expect(await start({ iss })).toEqual(error);
    expect(await start({ iss, login_hint: `bob@${newDomain()}` })).toEqual(error);
    expect(await start({ iss, login_hint: 'bob' })).toEqual(error);
    for (const { company, domain } of companies) {
      const email = `bob@${domain}`;
      idp.account = { sub: email, email, email_verified: true };
      const browser = createBrowser();
      const tile = tileUrl({ iss, login_hint: `Bob@${domain.toUpperCase()}` });
      const { url } = await browser.follow(tile, isCallback);
      expect((await browser.get(url.href)).status).toBe(302);
      expect(await membersOf(company.id, email)).toHaveLength(1);
    }
  });

  test('needs none if the others have no confirmed domain, or are closed', async () => {
    const { iss, company } = await createProviderOfCompany();
    await createSsoCompany({ issuer: iss, isConfirmed: false });
    const closed = await createSsoCompany({ issuer: iss });
    await closed.company.manage.company.close({ name: 'Acme' });
    expect((await open({ iss })).status).toBe(302);
    await company.manage.company.close({ name: 'Acme' });
    expect(await start({ iss })).toMatchObject({ status: 422, body: { error: expect.stringContaining('iss: ') } });
  });
});

describe('a start by an issuer', () => {
  test('is 422 for an issuer that differs in one character', async () => {
    const { iss } = await createProviderOfCompany();
    for (const other of [`${iss}/`, iss.toUpperCase(), `${iss}?`, ` ${iss}`, `https://${newDomain()}`, 'x', ''])
      expect(await start({ iss: other })).toEqual({
        status: 422,
        body: { error: 'iss: no company signs in at this identity provider' },
        host: undefined,
      });
  });

  test.each([
    ['the issuer is given twice', 'iss=a&iss=b', 'iss: expected the issuer of an identity provider'],
    ['the issuer is too long', `iss=${'x'.repeat(501)}`, 'iss: expected the issuer of an identity provider'],
    ['the issuer cannot be stored', 'iss=%00', 'iss: expected well-formed Unicode without NUL'],
    ['the hint is given twice', 'iss=a&login_hint=b&login_hint=c', 'login_hint: expected an email address'],
  ])('is 400 if %s', async (_, query, error) => {
    const response = await fetch(`${appUrl}/session/sso?${query}`, { redirect: 'manual' });
    expect([response.status, await response.json()]).toEqual([400, { error: expect.stringContaining(error) }]);
  });

  test('is 421 with the new address after the company was moved', async () => {
    const { iss, company } = await createProviderOfCompany();
    await moveAway(company);
    const { status, body } = await start({ iss });
    expect(status).toBe(421);
    expect(JSON.stringify(body)).toContain(OTHER_CELL);
  });

  test('counts for the limit of its address, and for the account of its hint', async () => {
    const email = `bob@${newDomain()}`;
    const statuses = [];
    for (let attempt = 0; attempt < 11; attempt += 1)
      statuses.push((await open({ iss: 'https://unknown.example', login_hint: email }, {})).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 422), 429]);
    const browser = createBrowser();
    const withoutHint = [];
    for (let attempt = 0; attempt < 31; attempt += 1)
      withoutHint.push((await browser.get(tileUrl({ iss: 'https://unknown.example' }))).status);
    expect(withoutHint).toEqual([...Array.from({ length: 30 }, () => 422), 429]);
  });

  test('is GET only', async () => {
    const { iss } = await createProviderOfCompany();
    for (const method of ['HEAD', 'POST'])
      expect((await createBrowser().get(tileUrl({ iss }), { method })).status).toBe(405);
  });
});
