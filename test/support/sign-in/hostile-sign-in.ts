import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { openSignInLimits } from '../../../server/session/sign-in-limits.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { startApp } from '../http/app.ts';
import { mailServices } from '../tenants/member.ts';
import { startEvilProvider } from '../servers/evil-provider.ts';
import { createBrowser } from './browser.ts';
import { createSsoCompany, membersOf } from './sso-company.ts';

type TestBrowser = ReturnType<typeof createBrowser>;

type EvilProvider = Awaited<ReturnType<typeof startEvilProvider>>;

let evil: EvilProvider | undefined;

/** The server under test, and a provider of each test, which is honest until the test changes it. */
const stage = {
  appUrl: '',
  /** Log lines. */
  logged: [] as string[],
  get evil() {
    if (evil === undefined) throw new Error('call useHostileProvider first');
    return evil;
  },
};

/** Starts a server for the tests of a file, and a provider for each test. Call it as the first line of the file. */
export function useHostileProvider(): typeof stage {
  let app: Awaited<ReturnType<typeof startApp>>;
  beforeAll(async () => {
    const logged: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) });
    const options = { services: { ...mailServices, appUrl: () => stage.appUrl }, trustProxy: 1 };
    const signInLimits = openSignInLimits({ redisUrl: undefined }, createLog('silent'));
    app = await startApp({ log, ...options, signInLimits });
    stage.appUrl = app.url;
    stage.logged = logged;
  });
  beforeEach(async () => {
    const { close } = (evil = await startEvilProvider());
    return close;
  });
  afterAll(() => app.stop());
  return stage;
}

/** Creates a company whose people sign in at a provider, and lets `bob` of its domain sign in there. */
export async function createCompanyWithBob(provider: EvilProvider = stage.evil) {
  const { company, admin, domain, settings } = await createSsoCompany({ issuer: provider.issuer });
  const email = `bob@${domain}`;
  provider.account = { sub: randomBytes(8).toString('hex'), email, email_verified: true, name: 'Bob' };
  return {
    company,
    email,
    domain,
    set: (changes: Partial<typeof settings>) => admin.caller.management.sso.set({ ...settings, ...changes }),
    /** Number of members with this email. */
    members: async (ofEmail = email) => (await membersOf(company.id, ofEmail)).length,
  };
}

export const startUrl = (email: string): string =>
  `${stage.appUrl}/session/sso?${new URLSearchParams({ email }).toString()}`;

const isCallback = (url: URL) => url.pathname === '/session/sso/callback';

/** Follows a sign-in up to the callback, which is not opened. */
export async function reachCallback(email: string, browser: TestBrowser = createBrowser()) {
  const { url, response } = await browser.follow(startUrl(email), isCallback);
  if (response !== undefined) throw new Error(`start: ${response.status} ${await response.text()}`);
  return { browser, url };
}

/** Status and body of a response. */
export async function resultOf(response: Response): Promise<{ status: number; error: unknown }> {
  const body: unknown = response.status === 302 ? undefined : await response.json();
  return { status: response.status, error: typeof body === 'object' && body !== null && 'error' in body && body.error };
}

/** Signs in with a new browser. @returns the result of the callback, or that of the start if it fails */
export async function signIn(email: string, browser: TestBrowser = createBrowser()) {
  const { url, response } = await browser.follow(startUrl(email), isCallback);
  return resultOf(response ?? (await browser.get(url.href)));
}

export const SIGNED_IN = { status: 302, error: false };
export const INVALID = {
  status: 422,
  error: 'The identity provider did not send a valid response. Ask an admin to check the settings of single sign-on.',
};
export const UNREACHABLE = {
  status: 503,
  error: 'The identity provider of your company cannot be reached. Try again shortly.',
};
export const EXPIRED = {
  status: 422,
  error: 'This sign-in has expired, was used before, or began in another browser. Start again.',
};
