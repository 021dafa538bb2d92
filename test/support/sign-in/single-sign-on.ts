import { randomBytes } from 'node:crypto';
import { sql } from '../database/database.ts';
import { startApp } from '../http/app.ts';
import { startIdentityProvider } from '../servers/identity-provider.ts';
import { createCompany } from '../tenants/company.ts';
import { createMember, services } from '../tenants/member.ts';
import { CLIENT, createBrowser } from './browser.ts';

interface Settings {
  issuer?: string;
  clientId?: string;
  required?: boolean;
  trustEmail?: boolean;
  role?: 'admin' | 'editor' | 'auditor';
  domains?: string[];
}

interface Claims {
  sub?: string;
  email_verified?: boolean;
  name?: string;
}

export type Browser = ReturnType<typeof createBrowser>;

export const newDomain = () => `d${randomBytes(6).toString('hex')}.example`;

/** Starts a server and an identity provider, at which the account of `useAccount` signs in without a form. */
export async function startSingleSignOn() {
  let appUrl = '';
  const app = await startApp({ services: { ...services, appUrl: () => appUrl }, trustProxy: 1 });
  appUrl = app.url;
  const idp = await startIdentityProvider({ redirectUri: `${appUrl}/session/sso/callback` });
  const startUrl = (email: string, path = '/') =>
    `${appUrl}/session/sso?${new URLSearchParams({ email, return: path }).toString()}`;
  const isPage = (url: URL) => url.origin === appUrl && !url.pathname.startsWith('/session');

  /** Creates a company with an admin, and with single sign-on from confirmed domains. */
  async function createSsoCompany({ domains = [newDomain()], ...given }: Settings = {}) {
    const company = await createCompany();
    const admin = await createMember(company, { role: 'admin' });
    const role = 'editor' as const;
    const settings = { issuer: idp.issuer, ...CLIENT, domains, required: false, role, ...given };
    await admin.caller.management.sso.set(settings);
    for (const domain of domains) await company.manage.sso.confirm({ domain });
    return { company, admin, domain: domains[0] ?? '', settings };
  }

  /** Lets an account sign in at the provider. Returns its `sub`. */
  function useAccount(email: string, claims: Claims = {}): string {
    const sub = claims.sub ?? `account-${randomBytes(6).toString('hex')}`;
    idp.account = { email_verified: true, name: 'Bob Builder', email, ...claims, sub };
    return sub;
  }

  /** Signs the account of the provider in. */
  async function signIn(email: string, browser = createBrowser()) {
    const { url, response } = await browser.follow(startUrl(email), isPage);
    const body: unknown = await response?.json();
    return { browser, path: url.pathname, status: response?.status, body };
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
    createSsoCompany,
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

/** Members of a company with an email. */
export const membersOf = (company: number, email: string) =>
  sql<{ unique_id: string; person_id: string; role: string; name: string; single_sign_on: string | null }>(
    `select m.unique_id, m.person_id, m.role, p.name, m.single_sign_on from member m join person p on p.unique_id = m.person_id
     where m.company_id = $1 and p.email = $2`,
    company,
    email,
  );
