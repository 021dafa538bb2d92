import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  MAX_PROVIDER_REQUESTS,
  MAX_SIGN_IN_FAILURES as MAX,
  openSignInLimits,
} from '../../../server/session/sign-in-limits.ts';
import { processCounters } from '../../../server/http/process-counters.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { sql } from '../../support/database/database.ts';
import { Browser } from '../../support/http/browser.ts';
import { hasRedis, startRedis } from '../../support/servers/redis.ts';
import { createBrowser } from '../../support/sign-in/browser.ts';
import {
  EXPIRED,
  SIGNED_IN,
  createCompanyWithBob,
  reachCallback,
  resultOf,
  signIn,
  startUrl,
  useHostileProvider,
} from '../../support/sign-in/hostile-sign-in.ts';

const stage = useHostileProvider();

let addressCount = 0;
let address = '';
beforeEach(() => {
  address = `203.0.113.${(addressCount += 1)}`;
});

/** Statuses of responses, with how often each occurs. */
const tally = (statuses: number[]) =>
  Object.fromEntries(
    Map.groupBy(statuses, String)
      .entries()
      .map(([status, all]) => [status, all.length]),
  );

const start = (email: string, from = address) => createBrowser(from).get(startUrl(email));
const repeat = async <T>(times: number, action: (index: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let index = 0; index < times; index += 1) results.push(await action(index));
  return results;
};
const callbackWithoutCookie = (from = address) =>
  createBrowser(from).get(`${stage.appUrl}/session/sso/callback?code=x&state=y`);

test('30 starts of one address in a minute are permitted, and the next one is 429 before anything is stored or sent', async () => {
  const { company, email } = await createCompanyWithBob();
  const responses = await Promise.all(Array.from({ length: 40 }, (_, index) => start(`${index}${email}`)));
  expect(tally(responses.map(({ status }) => status))).toEqual({ 302: MAX.address, 429: 10 });
  const limited = responses.find(({ status }) => status === 429);
  expect(limited?.headers.get('X-Error-Code')).toBe('rate_limited');
  expect(Number(limited?.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(Number(limited?.headers.get('Retry-After'))).toBeLessThanOrEqual(60);
  expect(limited?.headers.getSetCookie()).toEqual([]);
  const challenges = await sql('select 1 from sign_in_challenge where company_id = $1', company.id);
  expect(challenges).toHaveLength(MAX.address);
  expect(stage.evil.requests).not.toContain('token');
  expect((await start(email, '203.0.113.250')).status).toBe(302);
});

test('starts of addresses of one IPv6 network are counted together', async () => {
  const { email } = await createCompanyWithBob();
  const statuses = await repeat(
    MAX.address + 1,
    async (index) => (await start(email, `2001:db8:1:1::${index}`)).status,
  );
  expect(tally(statuses)).toEqual({ 302: MAX.address, 429: 1 });
});

test('a sign-in that succeeds gives its start back', async () => {
  const { email } = await createCompanyWithBob();
  expect(await repeat(25, () => signIn(email, createBrowser(address)))).toEqual(
    Array.from({ length: 25 }, () => SIGNED_IN),
  );
  const statuses = await repeat(MAX.address + 1, async () => (await start(email)).status);
  expect(tally(statuses)).toEqual({ 302: MAX.address, 429: 1 });
});

test('the last starts that the limit permits can all be completed', async () => {
  const { email } = await createCompanyWithBob();
  const started = await repeat(MAX.address, () => reachCallback(email, createBrowser(address)));
  expect((await start(email)).status).toBe(429);
  const results = await Promise.all(
    started.slice(0, 5).map(async ({ browser, url }) => resultOf(await browser.get(url.href))),
  );
  expect(results).toEqual(Array.from({ length: 5 }, () => SIGNED_IN));
});

test('callbacks that fail count for their address, and then starts from there are 429 too', async () => {
  const { email } = await createCompanyWithBob();
  const { browser, url } = await reachCallback(email);
  const limitedBefore = processCounters.signIns.rate_limited;
  const responses = await Promise.all(Array.from({ length: MAX.address + 5 }, () => callbackWithoutCookie()));
  expect(tally(responses.map(({ status }) => status))).toEqual({ 422: MAX.address, 429: 5 });
  expect(processCounters.signIns.rate_limited).toBe(limitedBefore + 5);
  expect((await start(email)).status).toBe(429);
  expect(await resultOf(await browser.get(url.href))).toEqual(SIGNED_IN);
  expect(await resultOf(await callbackWithoutCookie('203.0.113.251'))).toEqual(EXPIRED);
});

test('a callback with wrong claims counts once, beside its start', async () => {
  const { email } = await createCompanyWithBob();
  stage.evil.parts = { claims: { email_verified: false } };
  const statuses = await repeat(16, async () => (await signIn(email, createBrowser(address))).status);
  expect(statuses).toEqual([...Array.from({ length: 15 }, () => 403), 429]);
});

test('starts that fail count for the account too, from every address', async () => {
  const { email } = await createCompanyWithBob();
  const unknown = `${email}.example`;
  const from = (index: number) => `198.51.100.${addressCount * 20 + index}`;
  const statuses = await repeat(MAX.account + 1, async (index) => (await start(unknown, from(index))).status);
  expect(tally(statuses)).toEqual({ 422: MAX.account, 429: 1 });
  const browser = new Browser(stage.appUrl, { 'X-Forwarded-For': '203.0.113.252' });
  expect(await browser.signIn(unknown, 'wrong password')).toEqual([429, 'rate_limited']);
  expect(tally(await repeat(MAX.account + 5, async (index) => (await start(email, from(index))).status))).toEqual({
    302: MAX.account + 5,
  });
});

test('a start whose provider cannot be reached counts for the account', async () => {
  const { email } = await createCompanyWithBob();
  stage.evil.parts = { raw: { discovery: (response) => response.writeHead(500).end() } };
  const statuses = await repeat(MAX.account + 1, async (index) => (await start(email, `192.0.2.${index}`)).status);
  expect(tally(statuses)).toEqual({ 503: MAX.account, 429: 1 });
  expect(stage.evil.requests).toEqual(['discovery']);
});

test('one address causes at most 30 requests to a provider in a minute, and the next one is 429 and not sent', async () => {
  const { email } = await createCompanyWithBob();
  const results = await repeat(MAX_PROVIDER_REQUESTS, () => signIn(email, createBrowser(address)));
  // The metadata and the keys are two of the requests.
  expect(tally(results.map(({ status }) => status))).toEqual({ 302: MAX_PROVIDER_REQUESTS - 2, 429: 2 });
  expect(stage.evil.count('discovery') + stage.evil.count('keys') + stage.evil.count('token')).toBe(
    MAX_PROVIDER_REQUESTS,
  );
  const other = await createCompanyWithBob();
  const response = await start(other.email);
  expect({ status: response.status, code: response.headers.get('X-Error-Code') }).toEqual({
    status: 429,
    code: 'rate_limited',
  });
  // The limit of one address is not an error of the provider for others.
  expect(await signIn(other.email)).toEqual(SIGNED_IN);
});

describe.skipIf(!hasRedis)('with Redis', () => {
  test('processes share the limits', async () => {
    const redis = await startRedis();
    onTestFinished(redis.remove);
    const open = () => {
      const limits = openSignInLimits({ redisUrl: redis.url }, createLog('silent'));
      onTestFinished(() => limits.close());
      return limits;
    };
    const [one, other] = [open(), open()];
    const subject = { address, email: 'bob@a.example' };
    for (let count = 0; count < MAX.address / 2; count += 1) {
      await one.limitStart(subject, async () => {});
      await other.limitStart(subject, async () => {});
    }
    await expect(one.limitStart(subject, async () => {})).rejects.toMatchObject({ code: 'rate_limited' });
    await other.limitCallback({ address, isStarted: true }, async () => {});
    await one.limitStart(subject, async () => {});
    await expect(other.limitStart(subject, async () => {})).rejects.toMatchObject({ code: 'rate_limited' });
    const provider = { address, issuer: 'https://a.example/tenant' };
    for (let count = 0; count < MAX_PROVIDER_REQUESTS; count += 1) await one.countProviderRequest(provider);
    await expect(other.countProviderRequest({ ...provider, issuer: 'https://a.example/other' })).rejects.toMatchObject({
      code: 'rate_limited',
    });
    await other.countProviderRequest({ ...provider, issuer: 'https://b.example' });
  });
});
