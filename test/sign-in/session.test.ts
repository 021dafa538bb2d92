import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { VERSION } from '../../database/version.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { deleteExpiredSignIns } from '../../entities/sign-in/statements.ts';
import { runJob } from '../support/database/jobs.ts';
import { generateToken } from '../../procedures/sign-in/tokens.ts';
import { sql } from '../support/database/database.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { Browser, statusAndCode } from '../support/http/browser.ts';
import { http } from '../support/http/server.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { PASSWORD, createResetLink, passwordHash, updateMember } from '../support/tenants/sign-in.ts';

const acme = await createCompany();
const app = await startApp({ services });
afterAll(app.stop);

const browserOf = ({ token }: { token: string }, url = app.url) =>
  new Browser(url, { cookie: `session-3000=${token}` });

/** Ages the session of a member. */
const age = ({ webSession }: { webSession: { uniqueId: string } }, change: string) =>
  sql(`update web_session set ${change} where unique_id = $1`, webSession.uniqueId);

const sessionCount = async (person: string) =>
  (await sql('select 1 from web_session where person_id = $1', person)).length;

describe('GET /session', () => {
  test('describes the person, the member, the company, the role and the companies', async () => {
    const globex = await createCompany('Globex');
    const ann = await createMember(acme, { role: 'editor' });
    await createMember(globex, { email: ann.email, role: 'auditor' });
    const response = await browserOf(ann).send('GET', '/session');
    expect(response).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringMatching(/^application\/json/) },
    });
    expect(response.body).toEqual({
      person: { uniqueId: ann.person, email: ann.email, name: 'Ann' },
      member: ann.uniqueId,
      company: { id: acme.id, name: 'Acme', timeZone: 'UTC', lockClosed: false },
      role: 'editor',
      companies: [
        { id: acme.id, name: 'Acme', role: 'editor' },
        { id: globex.id, name: 'Globex', role: 'auditor' },
      ],
    });
    expect(response.text).not.toContain(passwordHash);
    expect((await browserOf(ann).send('HEAD', '/session')).status).toBe(200);
  });

  test.each([undefined, 'session-3000=', 'session-3000=unknown', `session-3000=${generateToken().token}`, 'other=1'])(
    'is 401 with the cookie %s',
    async (cookie) => {
      const browser = new Browser(app.url, cookie === undefined ? {} : { cookie });
      for (const method of ['GET', 'PATCH', 'DELETE'])
        expect(statusAndCode(await browser.send(method, '/session'))).toEqual([401, 'unauthorized']);
    },
  );
});

describe('PATCH /session', () => {
  test('makes the session act for another company of the person, and for no other company', async () => {
    const [globex, foreign] = [await createCompany('Globex'), await createCompany('Foreign')];
    const ann = await createMember(acme, { role: 'editor' });
    const there = await createMember(globex, { email: ann.email, role: 'admin' });
    const browser = browserOf(ann);
    expect(await browser.send('PATCH', '/session', { company: globex.id })).toMatchObject({ status: 204, text: '' });
    expect((await browser.send('GET', '/session')).body).toMatchObject({
      member: there.uniqueId,
      company: { id: globex.id },
      role: 'admin',
    });
    for (const company of [foreign.id, 2_147_483_647])
      expect(statusAndCode(await browser.send('PATCH', '/session', { company }))).toEqual([404, 'not_found']);
    for (const body of [{}, { company: '1' }, { company: 0 }, { company: acme.id, role: 'admin' }])
      expect(statusAndCode(await browser.send('PATCH', '/session', body))).toEqual([400, 'invalid_request']);
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    expect((await browser.send('PATCH', '/session', { company: acme.id })).status).toBe(404);
    expect((await browser.send('GET', '/session')).body).toMatchObject({ company: { id: globex.id } });
  });

  test('keeps a session of single sign-on in its company', async () => {
    const globex = await createCompany('Globex');
    const ann = await createMember(acme);
    await createMember(globex, { email: ann.email });
    await age(ann, 'single_sign_on = true');
    const browser = browserOf(ann);
    expect((await browser.send('GET', '/session')).body).toMatchObject({
      companies: [{ id: acme.id, name: 'Acme', role: 'admin' }],
    });
    expect((await browser.send('PATCH', '/session', { company: globex.id })).status).toBe(404);
    expect((await browser.send('PATCH', '/session', { company: acme.id })).status).toBe(204);
  });
});

describe('DELETE /session', () => {
  test('ends the session, clears the cookie, and leaves other sessions of the person', async () => {
    const ann = await createMember(acme, { password: passwordHash });
    const other = new Browser(app.url);
    await other.signIn(ann.email, PASSWORD);
    const browser = browserOf(ann);
    const response = await browser.send('DELETE', '/session');
    expect(response).toMatchObject({ status: 204, text: '' });
    expect(response.headers['set-cookie']).toEqual(['session-3000=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
    expect(await sessionCount(ann.person)).toBe(1);
    expect(statusAndCode(await browserOf(ann).send('DELETE', '/session'))).toEqual([401, 'unauthorized']);
    expect((await other.send('GET', '/session')).status).toBe(200);
  });
});

describe('a session ends', () => {
  test.each([
    ['after 12 hours without a request', `seen_at = now() - interval '12 hours'`, 401],
    ['not before', `seen_at = now() - interval '11 hours 59 minutes'`, 200],
    ['after 7 days', 'expires_at = now()', 401],
  ])('%s', async (_, change, status) => {
    const ann = await createMember(acme);
    await age(ann, change);
    expect((await browserOf(ann).send('GET', '/session')).status).toBe(status);
    expect((await browserOf(ann).query('management.framework.list')).status).toBe(status);
  });

  test('7 days after the sign-in, however often it is used; a request keeps it from being idle', async () => {
    const ann = await createMember(acme);
    const lifetimes = () =>
      sql(
        `select seen_at > now() - interval '1 minute' as seen, round(extract(epoch from expires_at - created_at)) as lifetime
         from web_session where unique_id = $1`,
        ann.webSession.uniqueId,
      );
    await age(ann, `seen_at = now() - interval '11 hours'`);
    await browserOf(ann).send('GET', '/session');
    expect(await lifetimes()).toEqual([{ seen: true, lifetime: String(7 * 86_400) }]);
  });

  test('when the member ends', async () => {
    await createMember(acme);
    const ann = await createMember(acme, { role: 'editor' });
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    expect((await browserOf(ann).send('GET', '/session')).status).toBe(401);
  });
});

test('a job deletes expired sessions, reset links and challenges, and no others', async () => {
  const [valid, expired, idle] = [await createMember(acme), await createMember(acme), await createMember(acme)];
  await age(expired, 'expires_at = now()');
  await age(idle, `seen_at = now() - interval '13 hours'`);
  for (const { person } of [valid, expired]) await createResetLink(person);
  await sql('update reset_link set expires_at = now() where person_id = $1', expired.person);
  const challenge = (interval: string) =>
    sql<{ hash: string }>(
      `insert into sign_in_challenge (hash, kind, expires_at) values ($1, 'passkey_sign_in', now() + $2::interval) returning encode(hash, 'hex') as hash`,
      generateToken().tokenHash,
      interval,
    );
  const hashes = [...(await challenge('-1 second')), ...(await challenge('1 minute'))].map(({ hash }) => hash);
  await runJob(deleteExpiredSignIns.name, { processes: 2 });
  const remaining = {
    sessions: await Promise.all([valid, expired, idle].map(({ person }) => sessionCount(person))),
    links: await sql('select person_id from reset_link where person_id in ($1, $2)', valid.person, expired.person),
    challenges: await sql(
      `select encode(hash, 'hex') as hash from sign_in_challenge where encode(hash, 'hex') = any($1)`,
      hashes,
    ),
  };
  expect(remaining).toEqual({
    sessions: [1, 0, 0],
    links: [{ person_id: valid.person }],
    challenges: [{ hash: hashes[1] }],
  });
});

test('the cookie of this port comes before that of another port, and over https only its own name counts', async () => {
  const [ann, bob] = [await createMember(acme, { name: 'Ann' }), await createMember(acme, { name: 'Bob' })];
  const secure = await startApp({ services: { ...services, appUrl: () => 'https://app.example.com' } });
  onTestFinished(secure.stop);
  const nameOf = async (cookie: string, url = app.url) => {
    const { status, text } = await new Browser(url, { cookie }).send('GET', '/session');
    return status === 200 ? (JSON.parse(text) as { person: { name: string } }).person.name : status;
  };
  expect(await nameOf(`session-4000=${bob.token}`)).toBe('Bob');
  expect(await nameOf(`session-4000=${bob.token}; session-3000=${ann.token}`)).toBe('Ann');
  expect(await nameOf(`session-4000=${bob.token}`, secure.url)).toBe(401);
  expect(await nameOf(`__Host-session=${ann.token}`, secure.url)).toBe('Ann');
});

describe('a second server on the same database', () => {
  test('sees a sign-out, a reset and a change of the role at once', async () => {
    const other = await startApp({ services });
    onTestFinished(other.stop);
    await createMember(acme);
    const ann = await createMember(acme, { role: 'admin' });
    const browser = browserOf(ann, other.url);
    const create = () => browser.send('POST', '/trpc/management.framework.create', { name: newUniqueId() });
    expect((await create()).status).toBe(200);
    await updateMember(acme, ann.uniqueId, { role: 'auditor' });
    expect((await create()).status).toBe(403);
    await updateMember(acme, ann.uniqueId, { role: 'admin' });
    expect((await create()).status).toBe(200);
    await browserOf(ann).send('DELETE', '/session');
    expect((await create()).status).toBe(401);

    const ben = await createMember(acme);
    const second = browserOf(ben, other.url);
    expect((await second.query('management.framework.list')).status).toBe(200);
    const token = await createResetLink(ben.person);
    expect((await new Browser(app.url).send('POST', '/session/reset', { token, password: PASSWORD })).status).toBe(204);
    expect((await second.query('management.framework.list')).status).toBe(401);
  });
});

describe('the first credential that is there decides', () => {
  const WRONG_KEY = `svc_sk_live_${'0'.repeat(46)}`;
  const status = async (headers: Record<string, string>) =>
    (await http('GET', '/trpc/management.framework.list', { baseUrl: app.url, headers })).status;

  test('in the order X-API-Key, Authorization, cookie', async () => {
    const ann = await createMember(acme);
    const cookie = { Cookie: `session-3000=${ann.token}`, 'Sec-Fetch-Site': 'same-origin' };
    const operator = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(acme.id) };
    expect(await status(cookie)).toBe(200);
    expect(await status(operator)).toBe(200);
    expect(await status({ ...cookie, ...operator })).toBe(200);
    expect(await status({ ...cookie, Authorization: 'Bearer wrong' })).toBe(401);
    expect(await status({ ...cookie, ...operator, 'X-API-Key': WRONG_KEY })).toBe(401);
    expect(await status({ ...cookie, 'X-API-Key': acme.key })).toBe(403); // a key may not call management procedures
    expect(await status({ ...operator, Cookie: 'session-3000=wrong' })).toBe(200);
    expect(await status({ Cookie: 'session-3000=wrong', 'Sec-Fetch-Site': 'same-origin' })).toBe(401);
  });

  test('at /session too, where only a session is one', async () => {
    const ann = await createMember(acme);
    const cookie = { Cookie: `session-3000=${ann.token}`, 'Sec-Fetch-Site': 'same-origin' };
    for (const headers of [{ 'X-API-Key': acme.key }, { Authorization: `Bearer ${OPERATOR_TOKEN}` }]) {
      const response = await http('GET', '/session', { baseUrl: app.url, headers: { ...cookie, ...headers } });
      expect(response.status).toBe(401);
    }
  });
});

test('401s of ended sessions neither count against the address nor are blocked', async () => {
  const limited = await startApp({ services, rateLimits: await openTestRateLimits(1000) });
  onTestFinished(limited.stop);
  const ended = new Browser(limited.url, { cookie: `session-3000=${generateToken().token}` });
  const statuses = new Set<number>();
  for (let request = 0; request < 40; request++) {
    statuses.add((await ended.query('management.framework.list')).status);
    statuses.add((await ended.send('GET', '/session')).status);
  }
  expect([...statuses]).toEqual([401]);
  const wrong = await http('GET', '/trpc/management.framework.list', {
    baseUrl: limited.url,
    headers: { Authorization: 'Bearer wrong' },
  });
  expect(wrong.status).toBe(401); // 429 if the others had been counted
});

test('unknown paths and methods below /session are 404 and 405', async () => {
  const send = (method: string, path: string) => new Browser(app.url).send(method, path);
  expect(statusAndCode(await send('GET', '/session/unknown'))).toEqual([404, 'not_found']);
  const response = await send('PUT', '/session');
  expect(statusAndCode(response)).toEqual([405, 'method_not_allowed']);
  expect(response.headers.allow).toBe('POST, GET, HEAD, PATCH, DELETE');
  expect((await send('GET', '/session/reset')).headers.allow).toBe('POST');
});

test('requests below /session go through the load shedder', async () => {
  let slots = 0;
  const loadShedder = {
    middleware: (_: unknown, next: () => Promise<void>) => {
      slots += 1;
      return next();
    },
    stop: () => {},
  };
  const shedding = await startApp({ services, loadShedder: loadShedder as never });
  onTestFinished(shedding.stop);
  await new Browser(shedding.url).send('GET', '/session');
  expect(slots).toBe(1);
});

test('only people who are signed in learn the version', async () => {
  const headersOf = async (browser: Browser) => (await browser.query('vendor.list')).headers;
  const withKey = await http('GET', '/trpc/vendor.list', { baseUrl: app.url, key: acme.key });
  expect([withKey.status, withKey.headers['x-service-version']]).toEqual([200, undefined]);
  expect((await headersOf(new Browser(app.url)))['x-service-version']).toBeUndefined();
  expect((await headersOf(browserOf(await createMember(acme))))['x-service-version']).toBe(VERSION);
});
