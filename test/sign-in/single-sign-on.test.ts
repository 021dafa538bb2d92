import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { findCompaniesOfPerson } from '../../entities/member/companies.ts';
import { processCounters } from '../../server/http/process-counters.ts';
import { OpenIdClient, stateOf } from '../../server/session/openid.ts';
import { clearHeader, readSignInState, startHeaders } from '../../server/session/single-sign-on.ts';
import { database, sql } from '../support/database/database.ts';
import { startIdentityProvider } from '../support/servers/identity-provider.ts';
import { CLIENT, createBrowser } from '../support/sign-in/browser.ts';
import { startSingleSignOn } from '../support/sign-in/single-sign-on.ts';
import { membersOf, newDomain } from '../support/sign-in/sso-company.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { updateMember } from '../support/tenants/sign-in.ts';

const logged: string[] = [];

const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) });
const sso = await startSingleSignOn(log);
const { appUrl, idp, createSsoCompany, useAccount, signIn, startUrl, isCallback } = sso;
afterAll(sso.stop);

/** Status of a query with the cookies of a browser. */
async function queryStatus(browser: ReturnType<typeof createBrowser>, procedure: string): Promise<number> {
  const response = await browser.get(`${appUrl}/trpc/${procedure}`, { headers: { 'Sec-Fetch-Site': 'same-origin' } });
  return response.status;
}

const SESSION_COOKIE = () => `session-${new URL(appUrl).port}`;
const SSO_PREFIX = () => `sso-${new URL(appUrl).port}-`;

/** The cookie of the only sign-in that a browser has begun. */
function ssoCookie(browser: ReturnType<typeof createBrowser>): { name: string; value: string } {
  const cookies = Object.entries(browser.cookies(appUrl));
  const [name, value] = cookies.find(([key]) => key.startsWith(SSO_PREFIX())) ?? ['', ''];
  return { name, value };
}

test('a first sign-in creates the person and the member with the role of the company, and a session', async () => {
  const { company, domain } = await createSsoCompany({ role: 'auditor' });
  const email = `bob@${domain}`;
  useAccount(email);
  const { browser, url, status } = await signIn(`Bob@${domain.toUpperCase()}`);
  expect({ url, status }).toEqual({ url: `${appUrl}/`, status: undefined });
  expect(await membersOf(company.id, email)).toEqual([
    expect.objectContaining({ role: 'auditor', password: null, name: 'Bob Builder' }),
  ]);
  expect(await queryStatus(browser, 'management.framework.list')).toBe(200);
  expect(await queryStatus(browser, 'management.apiKey.list')).toBe(200);
  expect(Object.keys(browser.cookies(appUrl))).toEqual([SESSION_COOKIE()]);
  const [member] = await membersOf(company.id, email);
  const entry = { event: 'signed_in', method: 'sso', member: member?.unique_id, email };
  expect((await company.manage.signIn.list({ member: member?.unique_id })).items).toMatchObject([entry]);
  expect(await company.events(member?.unique_id)).toMatchObject([
    { action: 'member.create', user_id: member?.unique_id, changes: { role: 'auditor' } },
    {
      action: 'member.update',
      user_id: member?.unique_id,
      changes: { single_sign_on: { from: null, to: idp.issuer } },
    },
  ]);
});

test('later sign-ins find the person by the account, also after a change of the email', async () => {
  const { company, domain } = await createSsoCompany();
  const sub = useAccount(`bob@${domain}`);
  await signIn(`bob@${domain}`);
  await signIn(`bob@${domain}`);
  useAccount(`robert@${domain}`, { sub });
  expect((await signIn(`robert@${domain}`)).url).toBe(`${appUrl}/`);
  expect(await membersOf(company.id, `bob@${domain}`)).toEqual([]);
  expect(await membersOf(company.id, `robert@${domain}`)).toHaveLength(1);
  expect((await company.events()).filter(({ action }) => action === 'member.create')).toHaveLength(2);
});

test('an account of a person who is not a member of the company does not decide: the email does', async () => {
  const first = await createSsoCompany();
  const second = await createSsoCompany();
  const sub = useAccount(`bob@${first.domain}`);
  await signIn(`bob@${first.domain}`);
  useAccount(`bob@${second.domain}`, { sub });
  await signIn(`bob@${second.domain}`);
  expect(await membersOf(second.company.id, `bob@${second.domain}`)).toHaveLength(1);
  expect(await membersOf(second.company.id, `bob@${first.domain}`)).toEqual([]);
});

test('a person with a password is found by email, and the session can act only for the company of the provider', async () => {
  const { company, domain, admin } = await createSsoCompany();
  const other = await createCompany();
  const email = `carol@${domain}`;
  const carol = await createMember(other, { role: 'admin', email, name: 'Carol' });
  useAccount(email, { name: 'Other Name' });
  const { browser } = await signIn(email);
  const [member] = await membersOf(company.id, email);
  expect(member).toMatchObject({ person_id: carol.person, name: 'Carol', role: 'editor' });
  const [stored] = await sql(
    `select company_id, single_sign_on, second_factor_at from web_session where person_id = $1 and user_agent <> 'test'`,
    carol.person,
  );
  expect(stored).toEqual({ company_id: company.id, single_sign_on: true, second_factor_at: null });
  const companies = (singleSignOnCompany: number | null) =>
    new Session(database, null, 'test').run(findCompaniesOfPerson, { person: carol.person, singleSignOnCompany });
  expect((await companies(company.id)).map(({ id }) => id)).toEqual([company.id]);
  expect(new Set((await companies(null)).map(({ id }) => id))).toEqual(new Set([company.id, other.id]));
  expect(await queryStatus(browser, 'management.apiKey.list')).toBe(403);
  expect(admin.person).not.toBe(carol.person);
});

test('an ended member cannot sign in, and is not revived', async () => {
  const { company, domain } = await createSsoCompany();
  const email = `dan@${domain}`;
  const sub = useAccount(email);
  await signIn(email);
  const [member] = await membersOf(company.id, email);
  await updateMember(company, member?.unique_id ?? '', { isEnded: true });
  const { status, body, browser } = await signIn(email);
  expect({ status, body }).toEqual({
    status: 403,
    body: { error: 'Your membership of this company has ended. Ask an admin for an invitation.' },
  });
  useAccount(email, { sub: `${sub}-other` });
  expect((await signIn(email)).status).toBe(403);
  expect(browser.cookies(appUrl)).not.toHaveProperty(SESSION_COOKIE());
  const [{ ended_at } = { ended_at: null }] = await sql<{ ended_at: unknown }>(
    'select ended_at from member where unique_id = $1',
    member?.unique_id,
  );
  expect(ended_at).not.toBeNull();
  const { items } = await company.manage.signIn.list({ member: member?.unique_id });
  expect(items.filter(({ event }) => event === 'failed')).toHaveLength(2);
});

test('a failed attempt is listed only in the company of the provider', async () => {
  const other = await createCompany();
  const email = `${randomBytes(6).toString('hex')}@other.example`;
  const eve = await createMember(other, { email });
  const { company, domain, admin } = await createSsoCompany();
  useAccount(email);
  expect((await signIn(`mallory@${domain}`)).status).toBe(403);
  expect((await other.manage.signIn.list({ member: eve.uniqueId })).items).toMatchObject([{ event: 'signed_in' }]);
  const unknown = (await company.manage.signIn.list({ limit: 100 })).items.filter((item) => item.email === email);
  expect(unknown).toMatchObject([{ event: 'failed', method: 'sso', member: null }]);
  expect(JSON.stringify(await admin.caller.management.signIn.list())).not.toContain(email);
});

test('a failure is counted once in the metrics', async () => {
  const { domain } = await createSsoCompany();
  useAccount('mallory@other.example');
  const before = processCounters.signIns.failed;
  await signIn(`mallory@${domain}`);
  expect(processCounters.signIns.failed).toBe(before + 1);
});

test('a domain that is unknown or not confirmed starts no sign-in', async () => {
  const { domain, company } = await createSsoCompany({ isConfirmed: false });
  for (const email of [`bob@${domain}`, `bob@${newDomain()}`]) {
    const response = await fetch(startUrl(email));
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 422,
      body: { error: 'email: this domain has no single sign-on' },
    });
    expect(response.headers.getSetCookie()).toEqual([]);
  }
  await company.manage.sso.confirm({ domain });
  expect((await fetch(startUrl(`bob@${domain}`), { redirect: 'manual' })).status).toBe(302);
});

test.each([
  ['the email is missing', '', 'email: required'],
  ['the email is malformed', 'email=x', 'email: expected an email address'],
  ['a field is unknown', 'email=a@b.example&x=1', 'x: unknown field'],
  ['the email is given twice', 'email=a@b.example&email=c@d.example', 'email: expected an email address'],
  ['the path is another host', 'email=a@b.example&return=//evil.example', 'return: expected a path of this server'],
  ['the path is another host for browsers', 'email=a@b.example&return=/\\evil.example', 'return: expected a path'],
  ['the path has a scheme', 'email=a@b.example&return=https://evil.example', 'return: expected a path of this server'],
  [
    'the path has a tab, which browsers remove',
    'email=a@b.example&return=/%09/evil.example',
    'return: expected a path',
  ],
])('a start is 400 if %s', async (_, query, error) => {
  const response = await fetch(`${appUrl}/session/sso?${query}`, { redirect: 'manual' });
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: expect.stringContaining(error) });
});

test('a sign-in returns to the path at which it began', async () => {
  const { domain } = await createSsoCompany();
  useAccount(`eve@${domain}`);
  expect((await signIn(`eve@${domain}`, createBrowser(), '/vendors?search=a%20b#top')).url).toBe(
    `${appUrl}/vendors?search=a%20b#top`,
  );
});

test('a page of another site cannot start a sign-in, but a bookmark can', async () => {
  const { domain } = await createSsoCompany();
  const statusFrom = async (site: string) =>
    (await fetch(startUrl(`bob@${domain}`), { redirect: 'manual', headers: { 'Sec-Fetch-Site': site } })).status;
  expect(await Promise.all(['cross-site', 'same-site', 'none', 'same-origin'].map(statusFrom))).toEqual([
    403, 403, 302, 302,
  ]);
});

test.each([
  ['has the domain of another company', 'mallory@other.example', {}, 'email: its domain is not one of this company'],
  [
    'has no verified email',
    undefined,
    { email_verified: false },
    'email: the identity provider has not verified this email address',
  ],
  ['has a text that is not an email address', 'mallory', {}, 'email: the identity provider sent no email address'],
] as const)('a person whose account %s is not signed in', async (_, email, claims, error) => {
  const { company, domain } = await createSsoCompany();
  useAccount(email ?? `mallory@${domain}`, claims);
  const { status, body, browser } = await signIn(`mallory@${domain}`);
  expect({ status, body }).toEqual({ status: 403, body: { error } });
  expect(browser.cookies(appUrl)).not.toHaveProperty(SESSION_COOKIE());
  expect((await company.events()).filter(({ action }) => action === 'member.create')).toHaveLength(1);
});

const EXPIRED = { error: 'This sign-in has expired, was used before, or began in another browser. Start again.' };

/** Follows a sign-in up to the callback, which is not opened. */
async function reachCallback() {
  const { company, domain } = await createSsoCompany();
  const email = `bob@${domain}`;
  useAccount(email);
  const browser = createBrowser();
  const { url } = await browser.follow(startUrl(email), isCallback);
  return { company, email, browser, url };
}

test('a callback works once', async () => {
  const { browser, url } = await reachCallback();
  const { name, value } = ssoCookie(browser);
  expect((await browser.get(url.href)).status).toBe(302);
  browser.setCookie(appUrl, name, value);
  const replay = await browser.get(url.href);
  expect({ status: replay.status, body: await replay.json() }).toEqual({ status: 422, body: EXPIRED });
});

test('a callback without the cookie, or with that of another browser, is rejected, and the right browser can continue', async () => {
  const { browser, url } = await reachCallback();
  const other = await reachCallback();
  for (const stranger of [createBrowser(), other.browser]) {
    const response = await stranger.get(url.href);
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 422, body: EXPIRED });
  }
  expect((await browser.get(url.href)).status).toBe(302);
  expect((await other.browser.get(other.url.href)).status).toBe(302);
});

test('a callback with another state, or without one, is rejected', async () => {
  const { browser, url } = await reachCallback();
  for (const state of ['', randomBytes(32).toString('base64url')]) {
    const foreign = new URL(url);
    foreign.searchParams.set('state', state);
    expect((await browser.get(foreign.href)).status).toBe(422);
  }
  url.searchParams.delete('state');
  expect((await browser.get(url.href)).status).toBe(422);
});

test('a callback after ten minutes is rejected', async () => {
  const { browser, url, company } = await reachCallback();
  await sql(`update sign_in_challenge set expires_at = now() where company_id = $1`, company.id);
  expect((await browser.get(url.href)).status).toBe(422);
});

test('an ID token with another nonce, or of another code challenge, is rejected', async () => {
  for (const replaced of [{ nonce: 'another' }, { code_challenge: randomBytes(32).toString('base64url') }]) {
    idp.replaced = replaced;
    onTestFinished(() => void (idp.replaced = {}));
    const { browser, url, company, email } = await reachCallback();
    const response = await browser.get(url.href);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 422,
      body: {
        error:
          'The identity provider did not send a valid response. Ask an admin to check the settings of single sign-on.',
      },
    });
    expect(await membersOf(company.id, email)).toEqual([]);
  }
});

test('an error of the provider is 403, with none of its text', async () => {
  const { browser, url } = await reachCallback();
  const denied = new URL(url);
  denied.search = new URLSearchParams({
    error: 'access_denied',
    error_description: '<b>internal</b>',
    state: url.searchParams.get('state') ?? '',
    iss: idp.issuer,
  }).toString();
  const response = await browser.get(denied.href);
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 403,
    body: { error: 'The identity provider did not sign you in.' },
  });
});

test('a provider that cannot be reached is 503', async () => {
  const gone = await startIdentityProvider({ redirectUri: `${appUrl}/session/sso/callback` });
  gone.close();
  const { domain } = await createSsoCompany({ issuer: gone.issuer });
  const response = await fetch(startUrl(`bob@${domain}`));
  expect(response.status).toBe(503);
  expect(response.headers.get('Retry-After')).toBe('5');
  expect(await response.json()).toEqual({
    error: 'The identity provider of your company cannot be reached. Try again shortly.',
  });
});

test('a provider with internal errors is 503', async () => {
  const broken = createServer((_, response) => response.writeHead(502).end());
  onTestFinished(() => void broken.close());
  await once(broken.listen(0, '127.0.0.1'), 'listening');
  const address = broken.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const { domain } = await createSsoCompany({ issuer });
  expect((await fetch(startUrl(`bob@${domain}`))).status).toBe(503);
});

test('metadata of another issuer, and a wrong client secret, are 422', async () => {
  for (const path of ['/tenant', '/.well-known/openid-configuration']) {
    const { domain } = await createSsoCompany({ issuer: `${idp.issuer}${path}` });
    expect((await fetch(startUrl(`bob@${domain}`))).status).toBe(422);
  }
  expect(logged.at(-2)).toContain('issuer: expected the issuer of the metadata');
  const wrong = await createSsoCompany();
  await wrong.admin.caller.management.sso.set({ ...wrong.settings, clientSecret: 'wrong' });
  useAccount(`bob@${wrong.domain}`);
  expect((await signIn(`bob@${wrong.domain}`)).status).toBe(422);
});

test('a provider that puts the email into the ID token and takes the secret in the body works too', async () => {
  const other = await startIdentityProvider({
    redirectUri: `${appUrl}/session/sso/callback`,
    hasEmailInIdToken: true,
    authentication: 'client_secret_post',
  });
  onTestFinished(() => other.close());
  const { domain, company } = await createSsoCompany({ issuer: other.issuer });
  other.account = { sub: 'x', email: `frank@${domain}`, email_verified: true };
  expect((await signIn(`frank@${domain}`)).url).toBe(`${appUrl}/`);
  expect(await membersOf(company.id, `frank@${domain}`)).toEqual([expect.objectContaining({ name: 'frank' })]);
  expect(other.requests).toContain('/token');
  expect(other.requests).not.toContain('/me');
});

test('an ID token with a signature of another key is rejected', async () => {
  const forged = await startIdentityProvider({ redirectUri: `${appUrl}/session/sso/callback`, hasOtherKey: true });
  onTestFinished(() => forged.close());
  const { domain, company } = await createSsoCompany({ issuer: forged.issuer });
  forged.account = { sub: 'x', email: `frank@${domain}` };
  expect((await signIn(`frank@${domain}`)).status).toBe(422);
  expect(await membersOf(company.id, `frank@${domain}`)).toEqual([]);
});

test('single sign-on that was removed ends sign-ins that have begun, and frees the domain', async () => {
  const { browser, url, company, email } = await reachCallback();
  const admin = await createMember(company);
  await admin.caller.management.sso.remove();
  expect((await browser.get(url.href)).status).toBe(422);
  expect((await fetch(startUrl(email))).status).toBe(422);
  const other = await createSsoCompany({ domains: [email.split('@')[1] ?? ''] });
  expect(await other.admin.caller.management.sso.get()).toMatchObject({ confirmedDomains: [other.domain] });
});

test('concurrent first sign-ins of one person create one member', async () => {
  const { company, domain } = await createSsoCompany();
  const email = `gina@${domain}`;
  useAccount(email);
  const browsers = [createBrowser(), createBrowser(), createBrowser()];
  const callbacks = await Promise.all(browsers.map((browser) => browser.follow(startUrl(email), isCallback)));
  const responses = await Promise.all(browsers.map((browser, index) => browser.get(callbacks[index]?.url.href ?? '')));
  expect(responses.map(({ status }) => status)).toEqual([302, 302, 302]);
  expect(await membersOf(company.id, email)).toHaveLength(1);
  const users = await sql(
    `select unique_id from company_user where company_id = $1 and name = 'Bob Builder'`,
    company.id,
  );
  expect(users).toHaveLength(1);
});

test('the database and the log have no token, and log lines name the person, the company and the reason', async () => {
  logged.length = 0;
  const { browser, url, company, email } = await reachCallback();
  const [token = ''] = ssoCookie(browser).value.split('.');
  expect(token).toHaveLength(43);
  const [challenge] = await sql<{ row: string }>(
    `select c::text as row from sign_in_challenge c where company_id = $1`,
    company.id,
  );
  for (const secret of [token, url.searchParams.get('state') ?? '-', Buffer.from(token, 'base64url').toString('hex')])
    expect(challenge?.row).not.toContain(secret);
  await browser.get(url.href);
  await browser.get(url.href);
  const [member] = await membersOf(company.id, email);
  const lines = logged.map((line): unknown => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: 'sign-in: succeeded',
      method: 'sso',
      company: company.id,
      person: member?.person_id,
    }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'sign-in: single sign-on failed', reason: expect.stringContaining('expired') }),
  );
  const secrets = [
    token,
    url.searchParams.get('code'),
    url.searchParams.get('state'),
    browser.cookies(appUrl)[SESSION_COOKIE()],
  ];
  for (const secret of [...secrets, CLIENT.clientSecret]) expect(logged.join('')).not.toContain(secret ?? '-');
});

test('the cookie of a sign-in is bound to the browser and short-lived', async () => {
  const { domain } = await createSsoCompany();
  const response = await fetch(startUrl(`bob@${domain}`), { redirect: 'manual' });
  expect(response.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      new RegExp(`^${SSO_PREFIX()}[\\w-]{16}=[\\w-]{43}\\.\\w+; Path=/; Max-Age=600; HttpOnly; SameSite=Lax$`),
    ),
  ]);
  const location = new URL(response.headers.get('Location') ?? '');
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: CLIENT.clientId,
    redirect_uri: `${appUrl}/session/sso/callback`,
    scope: 'openid email profile',
    code_challenge_method: 'S256',
    login_hint: `bob@${domain}`,
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
  });
});

test('a server in production sends no request to this machine', async () => {
  const production = new OpenIdClient(() => 'https://compliance.example.com');
  const { port } = new URL(idp.issuer);
  const requests = idp.requests.length;
  for (const [issuer, code] of [
    [idp.issuer, 'unprocessable'],
    [`https://127.0.0.1:${port}`, 'unavailable'],
    [`https://localhost:${port}`, 'unavailable'],
  ] as const) {
    const client = { company: 1, issuer, ...CLIENT };
    await expect(production.authorizationUrl(client, 'token', 'bob@a.example', async () => {})).rejects.toMatchObject({
      code,
    });
  }
  expect(idp.requests).toHaveLength(requests);
});

test('over https the cookie of a sign-in is tied to the host, and only a local path is read from it', () => {
  const token = randomBytes(32).toString('base64url');
  const origin = 'https://compliance.example.com';
  const cookieFor = (returnPath: string) => startHeaders({}, origin, { token, returnPath })[0] ?? '';
  const read = (header: string, state = stateOf(token)) =>
    readSignInState({ cookie: header.split(';')[0] ?? '' }, origin, state);
  const header = cookieFor('/tasks');
  expect(header).toMatch(/^__Host-sso-[\w-]{16}=.*; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
  expect(read(header)).toEqual({ token, returnPath: '/tasks' });
  expect(read(header, `${stateOf(token).slice(0, 42)}_`)).toBeUndefined();
  expect(read(cookieFor('//evil.example'))).toBeUndefined();
  const cookies = ['__Host-sso-link', ...Array.from('abcdef', (letter) => `__Host-sso-${letter.repeat(16)}`)];
  const cookie = cookies.map((name) => `${name}=x`).join('; ');
  const headers = startHeaders({ cookie }, origin, { token, returnPath: '/' });
  expect(headers.map((text) => text.split('=', 1)[0])).toEqual([cookies[1], cookies[2], header.split('=', 1)[0]]);
  expect(clearHeader(origin, { token, returnPath: '/' })).toMatch(
    /^__Host-sso-[\w-]{16}=; Path=\/; Max-Age=0; .*Secure$/,
  );
});
