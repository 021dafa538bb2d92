import { randomBytes } from 'node:crypto';
import { createLog } from '../../../server/telemetry/log.ts';
import { startApp } from '../http/app.ts';
import { startIdentityProvider } from '../servers/identity-provider.ts';
import { mailServices } from '../tenants/member.ts';
import { createBrowser } from './browser.ts';
import { createSsoCompany } from './sso-company.ts';
import type { Settings } from './sso-company.ts';

interface Claims {
  sub?: string;
  email_verified?: boolean;
  name?: string;
}

export type Browser = ReturnType<typeof createBrowser>;

/** Starts a server and an identity provider, at which the account of `useAccount` signs in without a form. */
export async function startSingleSignOn(log = createLog('silent')) {
  let appUrl = '';
  const app = await startApp({ log, services: { ...mailServices, appUrl: () => appUrl }, trustProxy: 1 });
  appUrl = app.url;
  const idp = await startIdentityProvider({ redirectUri: `${appUrl}/session/sso/callback` });
  const startUrl = (email: string, path?: string) =>
    `${appUrl}/session/sso?${new URLSearchParams({ email, ...(path !== undefined && { return: path }) }).toString()}`;
  const isPage = (url: URL) => url.origin === appUrl && !url.pathname.startsWith('/session');

  /** Creates a company whose people sign in at the provider. */
  const createCompanyOfProvider = (settings: Partial<Settings> = {}) =>
    createSsoCompany({ issuer: idp.issuer, ...settings });

  /** Lets an account sign in at the provider. Returns its `sub`. */
  function useAccount(email: string, claims: Claims = {}): string {
    const sub = claims.sub ?? `account-${randomBytes(6).toString('hex')}`;
    idp.account = { email_verified: true, name: 'Bob Builder', email, ...claims, sub };
    return sub;
  }

  /** Signs the account of the provider in, from a page. */
  async function signIn(email: string, browser = createBrowser(), page?: string) {
    const { url, response } = await browser.follow(startUrl(email, page), isPage);
    const body: unknown = await response?.json();
    return { browser, url: url.href, path: url.pathname, status: response?.status, body };
  }

  const post = (browser: Browser, path: string, body: object) =>
    browser.get(`${appUrl}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify(body),
    });

  /** Status of `GET /session` with the cookies of a browser. */
  const sessionStatus = async (browser: Browser) =>
    (await browser.get(`${appUrl}/session`, { headers: { 'Sec-Fetch-Site': 'same-origin' } })).status;

  return {
    appUrl,
    idp,
    createSsoCompany: createCompanyOfProvider,
    useAccount,
    signIn,
    startUrl,
    sessionStatus,
    isCallback: (url: URL) => url.pathname === '/session/sso/callback',
    link: (browser: Browser, body: object) => post(browser, '/session/sso/link', body),
    stop: async () => {
      idp.close();
      await app.stop();
    },
  };
}
