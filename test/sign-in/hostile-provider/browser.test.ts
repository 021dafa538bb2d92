import { describe, expect, test } from 'vitest';
import { MAX_SIGN_INS } from '../../../server/session/single-sign-on.ts';
import { sql } from '../../support/database/database.ts';
import { createBrowser } from '../../support/sign-in/browser.ts';
import {
  EXPIRED,
  INVALID,
  SIGNED_IN,
  createCompanyWithBob,
  reachCallback,
  resultOf,
  startUrl,
  useHostileProvider,
} from '../../support/sign-in/hostile-sign-in.ts';

const stage = useHostileProvider();

const signInCookies = (browser: ReturnType<typeof createBrowser>) =>
  Object.keys(browser.cookies(stage.appUrl)).filter((name) => name.startsWith('sso-'));

test('sign-ins that began in two tabs both work, in either order', async () => {
  const { email } = await createCompanyWithBob();
  const browser = createBrowser();
  const first = await reachCallback(email, browser);
  const second = await reachCallback(email, browser);
  expect(signInCookies(browser)).toHaveLength(2);
  expect(await resultOf(await browser.get(second.url.href))).toEqual(SIGNED_IN);
  expect(signInCookies(browser)).toHaveLength(1);
  expect(await resultOf(await browser.get(first.url.href))).toEqual(SIGNED_IN);
  expect(signInCookies(browser)).toEqual([]);
});

test('a browser keeps the cookies of the last five starts', async () => {
  const { email } = await createCompanyWithBob();
  const browser = createBrowser();
  const starts = [];
  for (let tab = 0; tab < MAX_SIGN_INS + 2; tab += 1) starts.push(await reachCallback(email, browser));
  expect(signInCookies(browser)).toHaveLength(MAX_SIGN_INS);
  const results = [];
  for (const { url } of starts) results.push(await resultOf(await browser.get(url.href)));
  expect(results).toEqual([EXPIRED, EXPIRED, ...Array.from({ length: MAX_SIGN_INS }, () => SIGNED_IN)]);
});

test('a callback that fails at the provider clears its cookie, as it cannot be repeated', async () => {
  const { email } = await createCompanyWithBob();
  const { browser, url } = await reachCallback(email);
  stage.evil.parts = { claims: { aud: 'other' } };
  expect(await resultOf(await browser.get(url.href))).toEqual(INVALID);
  expect(signInCookies(browser)).toEqual([]);
});

describe('HEAD', () => {
  test('is 405 at the start, which stores nothing', async () => {
    const { company, email } = await createCompanyWithBob();
    const response = await fetch(startUrl(email), { method: 'HEAD', redirect: 'manual' });
    expect({ status: response.status, allow: response.headers.get('Allow') }).toEqual({ status: 405, allow: 'GET' });
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await sql('select 1 from sign_in_challenge where company_id = $1', company.id)).toEqual([]);
    expect(stage.evil.requests).toEqual([]);
  });

  test('is 405 at the callback, which a GET can still use', async () => {
    const { email } = await createCompanyWithBob();
    const { browser, url } = await reachCallback(email);
    const cookie = Object.entries(browser.cookies(stage.appUrl))
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', headers: { cookie } });
    expect({ status: response.status, allow: response.headers.get('Allow') }).toEqual({ status: 405, allow: 'GET' });
    expect(await resultOf(await browser.get(url.href))).toEqual(SIGNED_IN);
  });

  test('is served where a GET only reads', async () => {
    expect((await fetch(`${stage.appUrl}/session`, { method: 'HEAD' })).status).toBe(401);
    const { headers } = await fetch(`${stage.appUrl}/session`, { method: 'PUT' });
    expect(headers.get('Allow')).toContain('GET, HEAD');
  });
});
