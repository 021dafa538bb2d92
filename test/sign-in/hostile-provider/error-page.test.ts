import { describe, expect, test } from 'vitest';
import { createBrowser } from '../../support/sign-in/browser.ts';
import {
  createCompanyWithBob,
  reachCallback,
  startUrl,
  useHostileProvider,
} from '../../support/sign-in/hostile-sign-in.ts';

const stage = useHostileProvider();
const NAVIGATION = { 'Sec-Fetch-Dest': 'document' };

/** Opens an address as a browser that navigates. */
const navigate = (url: string, browser = createBrowser()) => browser.get(url, { headers: NAVIGATION });

describe('an error of single sign-on is a page for a browser', () => {
  test('with the sentence of the error, and a link to sign in again', async () => {
    const response = await navigate(startUrl('bob@unknown.example'));
    const text = await response.text();
    expect(response.status).toBe(422);
    expect(text).toContain('<p>Email: this domain has no single sign-on.</p>');
    expect(text).toContain('<a href="/sign-in">Sign in again</a>');
    expect(text).not.toContain('<script');
    const nonce = /<style nonce="([^"]{24})">/.exec(text)?.[1] ?? '';
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'x-error-code': 'unprocessable',
    });
    expect(await (await navigate(startUrl('bob@unknown.example'))).text()).not.toContain(nonce);
  });

  test('and JSON for other clients', async () => {
    for (const headers of [{}, { Accept: 'application/json' }, { 'Sec-Fetch-Dest': 'empty', Accept: 'text/html' }]) {
      const response = await fetch(startUrl('bob@unknown.example'), { headers });
      expect(await response.json()).toEqual({ error: 'email: this domain has no single sign-on' });
      expect(response.headers.get('Content-Security-Policy')).toBeNull();
    }
  });

  test('also without Sec-Fetch-Dest, which browsers do not send over http', async () => {
    const response = await fetch(startUrl('bob@unknown.example'), { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect(await response.text()).toContain('<p>Email: this domain has no single sign-on.</p>');
  });

  test('at the callback: expired, canceled at the provider, wrong claims, invalid and unreachable', async () => {
    const expired = await navigate(`${stage.appUrl}/session/sso/callback?code=x&state=y`);
    expect([expired.status, await expired.text()]).toEqual([422, expect.stringContaining('Start again.</p>')]);
    for (const [parts, status, text] of [
      [{ redirect: { code: undefined, error: 'access_denied' } }, 403, 'did not sign you in.'],
      [{ claims: { email: 'eve@other.example' } }, 403, 'Email: its domain is not one of this company.'],
      [{ claims: { aud: 'other' } }, 422, 'did not send a valid response.'],
      [{ raw: { token: (response: { destroy: () => unknown }) => response.destroy() } }, 503, 'cannot be reached.'],
    ] as const) {
      const { email } = await createCompanyWithBob();
      stage.evil.parts = parts;
      const { browser, url } = await reachCallback(email);
      const response = await navigate(url.href, browser);
      expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)]);
      expect(response.headers.get('Retry-After')).toBe(status === 503 ? '5' : null);
    }
  });

  test('above a limit, with the seconds to wait', async () => {
    const browser = createBrowser();
    let response = await navigate(startUrl('bob@limited.example'), browser);
    for (let attempt = 0; attempt < 10; attempt += 1)
      response = await navigate(startUrl('bob@limited.example'), browser);
    expect(response.status).toBe(429);
    const seconds = response.headers.get('Retry-After') ?? '';
    expect(await response.text()).toContain(`Too many failed sign-ins of this account. Try again in ${seconds} s.`);
  });

  test('for a start by another site and for other methods', async () => {
    const foreign = await createBrowser().get(startUrl('bob@a.example'), {
      headers: { ...NAVIGATION, 'Sec-Fetch-Site': 'cross-site' },
    });
    expect([foreign.status, await foreign.text()]).toEqual([403, expect.stringContaining('Sign in again')]);
    const post = await fetch(`${stage.appUrl}/session/sso/callback`, { method: 'POST', headers: NAVIGATION });
    expect([post.status, post.headers.get('Allow'), await post.text()]).toEqual([
      405,
      'GET',
      expect.stringContaining('Sign in again'),
    ]);
  });

  test('without markup of the request', async () => {
    const markup = `"><script>alert('1')</script>&`;
    const unknown = await navigate(`${startUrl('bob@a.example')}&${encodeURIComponent(markup)}=1`);
    const text = await unknown.text();
    expect(unknown.status).toBe(400);
    expect(text).toContain('script');
    expect(text).not.toContain('<script');
    const denied = new URLSearchParams({ error: markup, error_description: markup, state: markup });
    expect(await (await navigate(`${stage.appUrl}/session/sso/callback?${denied.toString()}`)).text()).not.toContain(
      'alert',
    );
  });
});
