import { pino } from 'pino';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { processCounters } from '../../server/http/process-counters.ts';
import { MAX_SIGN_IN_FAILURES as MAX, openSignInLimits } from '../../server/session/sign-in-limits.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { database, sql } from '../support/database/database.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { Browser, statusAndCode } from '../support/http/browser.ts';
import { http } from '../support/http/server.ts';
import { hasRedis, startRedis } from '../support/servers/redis.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import {
  PASSWORD,
  createResetLink,
  invite,
  newEmail,
  passwordHash,
  setUpTotp,
  updateMember,
} from '../support/tenants/sign-in.ts';

const WRONG = 'wrong password of a person';

const acme = await createCompany();
const app = await startApp({ services, trustProxy: 1 });
afterAll(app.stop);

const createPerson = () => createMember(acme, { password: passwordHash });

let addressCount = 0;
/** A browser with an address of its own. */
function newBrowser(url = app.url, address = `198.51.${Math.floor((addressCount += 1) / 250)}.${addressCount % 250}`) {
  return new Browser(url, { 'X-Forwarded-For': address });
}

/** Starts another server with its own limits. */
async function startLimitedApp(windowSeconds?: number, redisUrl?: string) {
  const signInLimits = openSignInLimits({ redisUrl }, createLog('silent'), windowSeconds);
  const limited = await startApp({ services, trustProxy: 1, signInLimits });
  onTestFinished(() => signInLimits.close());
  onTestFinished(limited.stop);
  return limited.url;
}

async function failTimes(times: number, browser: () => Browser, email: () => string): Promise<[number, string?][]> {
  const results = [];
  for (let attempt = 0; attempt < times; attempt++) results.push(await browser().signIn(email(), WRONG));
  return results;
}

describe('a sign-in with a password', () => {
  test('starts a session with a cookie, and stores only the hash of its token', async () => {
    const ann = await createPerson();
    const browser = newBrowser();
    const response = await browser.send('POST', '/session', { email: ann.email, password: PASSWORD });
    expect(response).toMatchObject({ status: 204, text: '' });
    expect(response.headers['content-type']).toBeUndefined();
    expect(response.headers['set-cookie']).toEqual([
      expect.stringMatching(/^session-3000=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/),
    ]);
    const token = browser.cookie?.split('=')[1] ?? '';
    const rows = await sql<{ row: string }>(
      `select s::text || encode(s.token_hash, 'escape') as row from web_session s where person_id = $1`,
      ann.person,
    );
    for (const secret of [token, Buffer.from(token, 'base64url').toString('hex')])
      expect(rows.some(({ row }) => row.includes(secret))).toBe(false);
    expect(rows.length).toBeGreaterThan(0);
    expect((await browser.query('management.framework.list')).status).toBe(200);
  });

  test('sends a Secure cookie tied to the host if APP_URL is https', async () => {
    const ann = await createPerson();
    const secure = await startApp({ services: { ...services, appUrl: () => 'https://app.example.com' } });
    onTestFinished(secure.stop);
    const body = { email: ann.email, password: PASSWORD };
    const response = await http('POST', '/session', { baseUrl: secure.url, body });
    expect(response.headers['set-cookie']?.[0]).toMatch(
      /^__Host-session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  test('ignores the case of the email and spaces around it', async () => {
    const ann = await createPerson();
    expect(await newBrowser().signIn(` ${ann.email.toUpperCase()} `, PASSWORD)).toEqual([204]);
  });

  test('works for programs other than browsers, which send neither Origin nor a cookie', async () => {
    const ann = await createPerson();
    const body = { email: ann.email, password: PASSWORD };
    expect((await http('POST', '/session', { baseUrl: app.url, body })).status).toBe(204);
  });

  test('responds the same to an unknown email, a wrong password and a person without a company', async () => {
    const ann = await createPerson();
    const ended = await createMember(acme, { role: 'editor', password: passwordHash });
    await updateMember(acme, ended.uniqueId, { isEnded: true });
    const withoutPassword = await createMember(acme);
    const responses = [
      await newBrowser().send('POST', '/session', { email: newEmail(), password: PASSWORD }),
      await newBrowser().send('POST', '/session', { email: ann.email, password: WRONG }),
      await newBrowser().send('POST', '/session', { email: ended.email, password: PASSWORD }),
      await newBrowser().send('POST', '/session', { email: withoutPassword.email, password: PASSWORD }),
    ];
    const error = 'The email or the password is wrong, or your company requires single sign-on.';
    for (const { status, headers, body } of responses) {
      expect({ status, code: headers['x-error-code'], body }).toEqual({
        status: 401,
        code: 'unauthorized',
        body: { error },
      });
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  test('runs the same queries for each of these errors', async () => {
    const ann = await createPerson();
    const ended = await createMember(acme, { role: 'editor', password: passwordHash });
    await updateMember(acme, ended.uniqueId, { isEnded: true });
    const run = vi.spyOn(database, 'run');
    const queriesOf = async (email: string, password: string) => {
      run.mockClear();
      expect(await newBrowser().signIn(email, password)).toEqual([401, 'unauthorized']);
      return run.mock.calls.map(([statement]) => statement.name);
    };
    try {
      const queries = ['person.by-email', 'person.companies', 'sign-in.add-failed'];
      expect(await queriesOf(newEmail(), PASSWORD)).toEqual(queries);
      expect(await queriesOf(ann.email, WRONG)).toEqual(queries);
      expect(await queriesOf(ended.email, PASSWORD)).toEqual(queries);
    } finally {
      run.mockRestore();
    }
  });

  test.each([
    [{}, 'email: required; password: required'],
    [{ email: 'ann', password: PASSWORD }, 'email: expected an email address'],
    [{ email: 'ann@example.com', password: 1 }, 'password: expected text'],
    [{ email: 'ann@example.com', password: 'x'.repeat(201) }, 'password: expected the password'],
    [{ email: 'ann@example.com', password: PASSWORD, code: 123456 }, 'code: expected text'],
    [{ email: 'ann@example.com', password: PASSWORD, remember: true }, 'remember: unknown field'],
  ])('rejects %j', async (body, error) => {
    expect(await newBrowser().send('POST', '/session', body)).toMatchObject({ status: 400, body: { error } });
  });

  test('acts for the company used last', async () => {
    const [umbrella, globex] = [await createCompany('Umbrella'), await createCompany('Globex')];
    const { email } = await createMember(umbrella, { password: passwordHash });
    await createMember(globex, { email });
    const [first, second] = [newBrowser(), newBrowser()];
    await first.signIn(email, PASSWORD);
    expect((await first.send('GET', '/session')).body).toMatchObject({ company: { id: globex.id } });
    await first.send('PATCH', '/session', { company: umbrella.id });
    await second.signIn(email, PASSWORD);
    expect((await second.send('GET', '/session')).body).toMatchObject({ company: { id: umbrella.id } });
  });

  test('ends the session that the browser had before, and its token works no more', async () => {
    const [ann, ben] = [await createPerson(), await createPerson()];
    const browser = newBrowser();
    await browser.signIn(ann.email, PASSWORD);
    const { cookie = '' } = browser;
    await browser.signIn(ben.email, PASSWORD);
    expect(browser.cookie).not.toBe(cookie);
    expect((await new Browser(app.url, { cookie }).send('GET', '/session')).status).toBe(401);
    expect((await browser.send('GET', '/session')).body).toMatchObject({ person: { email: ben.email } });
  });

  test('starts no session if the password is changed after it was verified', async () => {
    const ann = await createPerson();
    const transaction = database.transaction.bind(database);
    const spy = vi.spyOn(database, 'transaction').mockImplementationOnce(async (work, deadline) => {
      spy.mockRestore();
      await sql(`update person set password = password || 'A' where unique_id = $1`, ann.person);
      return transaction(work, deadline);
    });
    expect(await newBrowser().signIn(ann.email, PASSWORD)).toEqual([401, 'unauthorized']);
    expect(await sql('select 1 from web_session where person_id = $1', ann.person)).toHaveLength(1); // that of createMember
  });
});

describe('a second factor', () => {
  test('is required after the right password only, and a code works once', async () => {
    const ann = await createPerson();
    const code = await setUpTotp(ann.person);
    const browser = newBrowser();
    expect(await browser.signIn(ann.email, WRONG)).toEqual([401, 'unauthorized']);
    expect(await browser.signIn(ann.email, WRONG, code())).toEqual([401, 'unauthorized']);
    expect(await browser.signIn(ann.email, PASSWORD)).toEqual([401, 'second_factor_required']);
    expect(await browser.signIn(ann.email, PASSWORD, 'wrong')).toEqual([401, 'second_factor_required']);
    expect(browser.cookie).toBeUndefined();
    const used = code();
    expect(await browser.signIn(ann.email, PASSWORD, used)).toEqual([204]);
    expect(await newBrowser().signIn(ann.email, PASSWORD, used)).toEqual([401, 'second_factor_required']);
    expect(
      await sql('select 1 from web_session where person_id = $1 and second_factor_at is not null', ann.person),
    ).toHaveLength(1);
  });

  test('a missing code does not count as a failure, a wrong one does', async () => {
    const ann = await createPerson();
    const code = await setUpTotp(ann.person);
    const results = [];
    for (let attempt = 0; attempt <= MAX.account; attempt++)
      results.push(await newBrowser().signIn(ann.email, PASSWORD));
    expect(results).toEqual(results.map(() => [401, 'second_factor_required']));
    for (let attempt = 0; attempt < MAX.account; attempt++)
      expect(await newBrowser().signIn(ann.email, PASSWORD, '0')).toEqual([401, 'second_factor_required']);
    expect(await newBrowser().signIn(ann.email, PASSWORD, code())).toEqual([429, 'rate_limited']);
  });
});

describe('the limits of sign-in', () => {
  test('are 10 failures per account, from all addresses together, also for an unknown email', async () => {
    const { email } = await createPerson();
    for (const account of [email, newEmail()]) {
      const failures = await failTimes(
        MAX.account,
        () => newBrowser(),
        () => account,
      );
      expect(failures).toEqual(failures.map(() => [401, 'unauthorized']));
      const limited = await newBrowser().send('POST', '/session', { email: account.toUpperCase(), password: PASSWORD });
      expect(statusAndCode(limited)).toEqual([429, 'rate_limited']);
      expect(Number(limited.headers['retry-after'])).toSatisfy((seconds: number) => seconds >= 1 && seconds <= 60);
    }
    expect(await newBrowser().signIn((await createPerson()).email, PASSWORD)).toEqual([204]);
  });

  test('are 30 failures per address, which an IPv6 network shares', async () => {
    const { email } = await createPerson();
    let host = 0;
    const failures = await failTimes(MAX.address, () => newBrowser(app.url, `2001:db8:1:2::${(host += 1)}`), newEmail);
    expect(failures).toEqual(failures.map(() => [401, 'unauthorized']));
    expect(await newBrowser(app.url, '2001:db8:1:2:ffff::1').signIn(email, PASSWORD)).toEqual([429, 'rate_limited']);
    expect(await newBrowser(app.url, '2001:db8:1:3::1').signIn(email, PASSWORD)).toEqual([204]);
  });

  test('count unknown tokens of invitations and resets per address too', async () => {
    const browser = newBrowser();
    const statuses = [];
    for (let attempt = 0; attempt < MAX.address; attempt += 3) {
      const body = { token: newEmail(), password: PASSWORD };
      statuses.push((await browser.send('POST', '/session/invitation', body)).status);
      statuses.push((await browser.send('POST', '/session/invitation/look', { token: body.token })).status);
      statuses.push((await browser.send('POST', '/session/reset', body)).status);
    }
    expect(statuses).toEqual(statuses.map(() => 404));
    const { email, person } = await createPerson();
    expect(await browser.signIn(email, PASSWORD)).toEqual([429, 'rate_limited']);
    const token = await createResetLink(person);
    expect(statusAndCode(await browser.send('POST', '/session/reset', { token, password: PASSWORD }))).toEqual([
      429,
      'rate_limited',
    ]);
    const invitation = { token: await invite(acme, newEmail()) };
    const limited = await browser.send('POST', '/session/invitation/look', invitation);
    expect(statusAndCode(limited)).toEqual([429, 'rate_limited']);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('do not count looks at an invitation that can be accepted', async () => {
    const browser = newBrowser();
    const invitation = { token: await invite(acme, newEmail()) };
    for (let attempt = 0; attempt <= MAX.address; attempt++)
      expect((await browser.send('POST', '/session/invitation/look', invitation)).status).toBe(200);
  });

  test('count wrong passwords at invitations per account too', async () => {
    const { email } = await createMember(acme, { password: passwordHash, isProven: true });
    const token = await invite(await createCompany(), email);
    for (let attempt = 0; attempt < MAX.account; attempt++) {
      const response = await newBrowser().send('POST', '/session/invitation', { token, password: WRONG });
      expect(statusAndCode(response)).toEqual([422, 'unprocessable']);
    }
    expect(await newBrowser().signIn(email, PASSWORD)).toEqual([429, 'rate_limited']);
    const right = await newBrowser().send('POST', '/session/invitation', { token, password: PASSWORD });
    expect(statusAndCode(right)).toEqual([429, 'rate_limited']);
  });

  test('hold for concurrent attempts', async () => {
    const { email } = await createPerson();
    const results = await Promise.all(Array.from({ length: 25 }, () => newBrowser().signIn(email, WRONG)));
    expect(results.filter(([status]) => status === 401)).toHaveLength(MAX.account);
    expect(results.filter(([status]) => status === 429)).toHaveLength(25 - MAX.account);
  });

  test('do not count right passwords, nor what is rejected before a password is verified', async () => {
    const { email } = await createPerson();
    const browser = newBrowser();
    for (let attempt = 0; attempt <= MAX.address; attempt++) {
      expect((await browser.send('POST', '/session', { email })).status).toBe(400);
      expect(await browser.signIn(email, PASSWORD)).toEqual([204]);
    }
  });

  test('an account above its limit does not use up the limit of the address', async () => {
    const url = await startLimitedApp();
    const { email } = await createPerson();
    const browser = newBrowser(url);
    await failTimes(
      MAX.account + MAX.address,
      () => browser,
      () => email,
    );
    expect(await browser.signIn((await createPerson()).email, PASSWORD)).toEqual([204]);
  });

  test('leave existing sessions untouched, and the right password works again after the wait', async () => {
    const url = await startLimitedApp(3);
    const { email } = await createPerson();
    const signedIn = newBrowser(url);
    await signedIn.signIn(email, PASSWORD);
    const browser = newBrowser(url);
    const attempts = Array.from({ length: MAX.account + 5 }, () => browser.signIn(email, WRONG));
    expect((await Promise.all(attempts)).filter(([status]) => status === 429)).toHaveLength(5);
    expect((await signedIn.send('GET', '/session')).status).toBe(200);
    await vi.waitUntil(async () => (await browser.signIn(email, PASSWORD))[0] === 204, {
      timeout: 120_000,
      interval: 200,
    });
  });

  test('are independent of the limit of requests', async () => {
    const rateLimited = await startApp({ services, trustProxy: 1, rateLimits: await openTestRateLimits(1) });
    onTestFinished(rateLimited.stop);
    const email = newEmail();
    await failTimes(
      MAX.account,
      () => newBrowser(rateLimited.url),
      () => email,
    );
    expect(await newBrowser(rateLimited.url).signIn(email, WRONG)).toEqual([429, 'rate_limited']);
  });

  describe.skipIf(!hasRedis)('with Redis (skipped without a redis-server)', () => {
    test('two servers share them, Redis stores no email, and an outage does not disable them', async () => {
      const redis = await startRedis();
      onTestFinished(redis.remove);
      const urls = [await startLimitedApp(60, redis.url), await startLimitedApp(60, redis.url)];
      const email = newEmail();
      let turn = 0;
      const next = () => newBrowser(urls[(turn += 1) % 2]);
      const failures = await failTimes(MAX.account, next, () => email);
      expect(failures).toEqual(failures.map(() => [401, 'unauthorized']));
      expect([await next().signIn(email, WRONG), await next().signIn(email, WRONG)]).toEqual([
        [429, 'rate_limited'],
        [429, 'rate_limited'],
      ]);
      const { stdout: keys } = await redis.runCommand('keys', '*');
      expect(keys).toMatch(/^compliance-api:sign-in:account:[\w-]{43}$/m);
      expect(keys).not.toContain('@');
      expect(keys).not.toContain('198.51.');
      await redis.kill();
      const [url] = urls;
      const other = newEmail();
      const alone = await failTimes(
        MAX.account,
        () => newBrowser(url),
        () => other,
      );
      expect(alone).toEqual(alone.map(() => [401, 'unauthorized']));
      expect(await newBrowser(url).signIn(other, WRONG)).toEqual([429, 'rate_limited']);
    });
  });
});

test('sign-ins and failures are log lines and metrics without email, password or token', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const { url, stop } = await startApp({ services, log });
  onTestFinished(stop);
  const ann = await createPerson();
  const before = { ...processCounters.signIns };
  const browser = new Browser(url);
  await browser.signIn(newEmail(), WRONG);
  await browser.signIn(ann.email, WRONG);
  await browser.signIn(ann.email, PASSWORD);
  const token = browser.cookie?.split('=')[1] ?? 'no token';
  await browser.send('DELETE', '/session');
  const resetToken = await createResetLink(ann.person);
  await browser.send('POST', '/session/reset', { token: resetToken, password: `${PASSWORD}!` });
  const events = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg !== 'request');
  const person = ann.person;
  expect(events).toEqual([
    expect.objectContaining({
      msg: 'sign-in: failed',
      reason: 'unknown_email',
      address: '127.0.0.1',
      method: 'password',
    }),
    expect.objectContaining({ msg: 'sign-in: failed', reason: 'wrong_password', address: '127.0.0.1', person }),
    expect.objectContaining({ msg: 'sign-in: succeeded', method: 'password', person, company: acme.id }),
    expect.objectContaining({ msg: 'session: signed out', person }),
    expect.objectContaining({ msg: 'password: reset', person }),
  ]);
  for (const secret of [ann.email, '@example.com', PASSWORD, WRONG, token, resetToken])
    expect(lines.join('')).not.toContain(secret);
  expect(processCounters.signIns).toEqual({ ...before, failed: before.failed + 2, succeeded: before.succeeded + 1 });
  const ownEvents = (await acme.events()).filter(({ user_id: user }) => user === ann.uniqueId);
  expect(ownEvents.map(({ action }) => action)).toEqual(['member.create', 'member.passwordReset']); // the first by createMember
});
