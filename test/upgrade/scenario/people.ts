import { startIdentityProvider } from '../../support/servers/identity-provider.ts';
import { CLIENT, createBrowser } from '../../support/sign-in/browser.ts';
import { PASSWORD, codeOf, createPasskey } from './authenticator.ts';
import { asOperator, asPerson } from './client.ts';
import type { Client } from './client.ts';

/** People of the fixture, with what they need to sign in. */
export interface People {
  admin: { email: string; cookie: string; uniqueId: string };
  /** Signs in with a code of an authenticator app, or a recovery code. */
  withTotp: { email: string; secret: string; recoveryCodes: string[]; cookie: string };
  /** Member who signed in with single sign-on. */
  linked: { cookie: string };
  /** Token of an invitation that nobody has accepted. */
  invitation: string;
  /** Token of a link that sets a new password. */
  resetLink: string;
}

/** Creates members of each role with sessions, second factors, a passkey, invitations, a reset link and single sign-on. */
export async function createPeople(client: Client, company: number, framework: number): Promise<People> {
  const operator = asOperator(company);

  async function invite(email: string, role: string, frameworks?: number[]): Promise<string> {
    const { link } = await client.mutate(operator, 'management.member.invite', { email, role, frameworks });
    return link.slice(link.lastIndexOf('/') + 1);
  }

  async function join(email: string, name: string, role: string, frameworks?: number[]) {
    const token = await invite(email, role, frameworks);
    const cookie = await client.post('/session/invitation', { token, name, password: PASSWORD });
    const { uniqueId } = await client.query(asPerson(cookie), 'account.get');
    return { email, cookie, uniqueId };
  }

  const admin = await join('ann@acme.example', 'Ann Admin', 'admin');
  const editor = await join('bob@acme.example', 'Bob Editor', 'editor', [framework]);
  const auditor = await join('cleo@acme.example', 'Cleo Auditor', 'auditor');
  const former = await join('dan@acme.example', 'Dan Former', 'editor');
  const forgotten = await join('hal@acme.example', 'Hal Forgotten', 'editor');
  await client.mutate(asPerson(forgotten.cookie), 'account.update', { name: 'Hal Renamed' });

  const page = asPerson(editor.cookie);
  const { secret } = await client.mutate(page, 'account.totp.begin');
  const { recoveryCodes } = await client.mutate(page, 'account.totp.confirm', { code: codeOf(secret) });
  const withTotp = { email: editor.email, cookie: editor.cookie, secret, recoveryCodes };

  const origin = client.url.replace('127.0.0.1', 'localhost');
  const { challenge } = await client.mutate(asPerson(admin.cookie), 'account.passkey.begin');
  const response = createPasskey(String(challenge), origin);
  await client.mutate(asPerson(admin.cookie), 'account.passkey.confirm', { response });
  await client.post('/session/passkey/begin', {}); // a challenge that stays

  await client.post('/session', { email: admin.email, password: 'a wrong password' });
  await client.post('/session', { email: 'nobody@nowhere.example', password: 'a wrong password' });
  await client.fetch({ method: 'DELETE', path: '/session', headers: asPerson(auditor.cookie) });

  const members = (await client.query(operator, 'management.member.list')) as unknown as Member[];
  const memberOf = (email: string) => members.find((member) => member.email === email)?.uniqueId;
  await client.mutate(operator, 'management.member.update', { uniqueId: memberOf(auditor.email), role: 'editor' });
  for (const { email } of [former, forgotten])
    await client.mutate(operator, 'management.member.end', { uniqueId: memberOf(email) });
  await client.mutate(operator, 'management.member.forget', { uniqueId: memberOf(forgotten.email) });
  const reset = await client.mutate(operator, 'management.member.resetPassword', { uniqueId: memberOf(auditor.email) });

  const invitation = await invite('eve@acme.example', 'auditor');
  const revoked = await client.mutate(operator, 'management.member.invite', {
    email: 'gil@acme.example',
    role: 'admin',
  });
  await client.mutate(operator, 'management.invitation.revoke', { uniqueId: revoked.uniqueId });
  const linked = { cookie: await signInAtProvider(client, company) };
  return { admin, withTotp, linked, invitation, resetLink: reset.link.slice(reset.link.lastIndexOf('/') + 1) };
}

interface Member {
  uniqueId: string;
  email: string;
}

/** Sets up single sign-on, and signs in an account of the provider. Returns the cookie of its session. */
async function signInAtProvider(client: Client, company: number): Promise<string> {
  const origin = client.url.replace('127.0.0.1', 'localhost');
  const provider = await startIdentityProvider({ redirectUri: `${origin}/session/sso/callback` });
  try {
    const settings = { ...CLIENT, issuer: provider.issuer, domains: ['sso.example'], required: false, role: 'editor' };
    await client.mutate(asOperator(company), 'management.sso.set', settings);
    await client.mutate(asOperator(company), 'management.sso.confirm', { domain: 'sso.example' });
    provider.account = { sub: 'account-1', email: 'fay@sso.example', email_verified: true, name: 'Fay Linked' };
    const browser = createBrowser();
    const start = `${origin}/session/sso?${new URLSearchParams({ email: 'fay@sso.example', return: '/' }).toString()}`;
    await browser.follow(start, (url) => url.origin === origin && !url.pathname.startsWith('/session'));
    const [cookie] = Object.entries(browser.cookies(origin)).map(([name, value]) => `${name}=${value}`);
    if (cookie === undefined) throw new Error('single sign-on: expected a session');
    return cookie;
  } finally {
    provider.close();
  }
}
