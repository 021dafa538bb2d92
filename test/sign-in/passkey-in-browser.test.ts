import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { isWithoutChromium } from '../support/app/chromium.ts';
import { testInChromium } from '../support/app/shared-chromium.ts';
import { createCaller } from '../../procedures/index.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

const app = await startApp({ services: { ...services, appUrl: () => origin } });
/** Browsers allow passkeys for the host name `localhost`, and for no IP address. */
const origin = app.url.replace('127.0.0.1', 'localhost');
afterAll(() => app.stop());

/** Result of a request from the page. */
interface PageResponse {
  status: number;
  body: { result?: { data: unknown }; error?: { message: string } | string } | null;
}

/** Credential of the browser as JSON. */
interface Credential {
  id: string;
  response: Record<string, string>;
}

describe.skipIf(isWithoutChromium)('a browser with a virtual authenticator', () => {
  let browser: BrowserContext;
  let page: Page;
  let cdp: CDPSession;
  let authenticatorId: string;

  testInChromium.beforeAll(async ({ chromium }) => {
    browser = await chromium.newContext();
    page = await browser.newPage();
    await page.goto(`${origin}/healthz`);
    cdp = await browser.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
  });
  afterAll(() => browser.close());

  /** An authenticator that verifies its user at once. */
  const AUTHENTICATOR = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  beforeEach(async () => {
    if (authenticatorId !== undefined) await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    ({ authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR }));
    await browser.clearCookies();
  });

  /** Gives the browser the session of a member. */
  const useSession = ({ token }: Pick<TestMember, 'token'>) =>
    browser.addCookies([{ name: `session-${new URL(origin).port}`, value: token, url: origin }]);

  const send = (path: string, body: unknown, method = 'POST'): Promise<PageResponse> =>
    page.evaluate(
      async ([target, text, verb]) => {
        const response = await fetch(target, {
          method: verb,
          headers: { 'Content-Type': 'application/json' },
          ...(verb === 'POST' && { body: text }),
        });
        const content = await response.text();
        return { status: response.status, body: content === '' ? null : JSON.parse(content) };
      },
      [path, JSON.stringify(body), method] as const,
    );

  const callAccount = async () => await send('/trpc/account.get', undefined, 'GET');

  /** Asks the authenticator for a credential. */
  const createCredential = (options: unknown): Promise<Credential> =>
    page.evaluate(
      `navigator.credentials.create({publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)})})
          .then((credential) => credential.toJSON())`,
    );
  const getCredential = (options: unknown): Promise<Credential> =>
    page.evaluate(
      `navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)})})
          .then((credential) => credential.toJSON())`,
    );

  const begin = async () => (await send('/session/passkey/begin', {})).body;

  /** Registers a passkey of a member in the browser. */
  async function register(member: TestMember) {
    await useSession(member);
    const options = (await send('/trpc/account.passkey.begin', {})).body?.result?.data;
    const response = await createCredential(options);
    const confirmed = await send('/trpc/account.passkey.confirm', { response });
    expect(confirmed.status).toBe(200);
    return { options, response, passkey: confirmed.body?.result?.data as { uniqueId: string } };
  }

  test('a person registers a passkey and signs in with it, which counts as a second factor', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const { passkey } = await register(ann);
    expect(await ann.caller.account.get()).toMatchObject({
      passkeys: [{ uniqueId: passkey.uniqueId, createdAt: expect.any(String), lastUsedAt: null }],
    });
    await browser.clearCookies();
    expect((await callAccount()).status).toBe(401);
    const signedIn = await send('/session/passkey', { response: await getCredential(await begin()) });
    expect(signedIn).toEqual({ status: 204, body: null });
    const [cookie] = await browser.cookies(origin);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', name: `session-${new URL(origin).port}` });
    expect(await callAccount()).toMatchObject({
      status: 200,
      body: { result: { data: { uniqueId: ann.person, passkeys: [{ lastUsedAt: expect.any(String) }] } } },
    });
    const [row] = await asOwner((run) =>
      run(
        'select second_factor_at is not null as verified from web_session where person_id = $1 and unique_id <> $2',
        ann.person,
        ann.webSession.uniqueId,
      ),
    );
    expect(row).toEqual({ verified: true });
    const [entry] = (await company.manage.signIn.list({ member: ann.uniqueId })).items;
    expect(entry).toMatchObject({ event: 'signed_in', method: 'passkey', email: ann.email });
  });

  test('a challenge works once', async () => {
    const ann = await createMember(await createCompany());
    const { response } = await register(ann);
    expect(await send('/trpc/account.passkey.confirm', { response })).toMatchObject({ status: 422 });
    const credential = await getCredential(await begin());
    expect((await send('/session/passkey', { response: credential })).status).toBe(204);
    expect((await send('/session/passkey', { response: credential })).status).toBe(401);
  });

  test('of concurrent uses of one response, one signs in', async () => {
    await register(await createMember(await createCompany()));
    const credential = await getCredential(await begin());
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => http('POST', '/session/passkey', { baseUrl: app.url, body: { response: credential } })),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 401, 401, 401]);
  });

  test('an expired challenge is rejected', async () => {
    await register(await createMember(await createCompany()));
    const credential = await getCredential(await begin());
    const { challenge } = JSON.parse(
      Buffer.from(credential.response['clientDataJSON'] ?? '', 'base64url').toString(),
    ) as { challenge: string };
    const expired = await asOwner((run) =>
      run(
        'update sign_in_challenge set expires_at = now() where hash = sha256(convert_to($1, $2)) returning kind',
        challenge,
        'UTF8',
      ),
    );
    expect(expired).toEqual([{ kind: 'passkey_sign_in' }]);
    expect((await send('/session/passkey', { response: credential })).status).toBe(401);
  });

  test('the challenge of a registration signs nobody in, and registers only for its person', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    await register(ann);
    const creation = (await send('/trpc/account.passkey.begin', {})).body?.result?.data as { challenge: string };
    const request = { challenge: creation.challenge, rpId: 'localhost', userVerification: 'required' };
    const credential = await getCredential(request);
    expect((await send('/session/passkey', { response: credential })).status).toBe(401);

    await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    const response = await createCredential({ ...creation, excludeCredentials: [] });
    await useSession(await createMember(company));
    expect((await send('/trpc/account.passkey.confirm', { response })).status).toBe(422);
    await useSession(ann);
    expect((await send('/trpc/account.passkey.confirm', { response })).status).toBe(200);
  });

  test('a signature counter that does not grow is rejected', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    await register(ann);
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    const [copy] = credentials;
    if (copy === undefined) throw new Error('expected a credential');
    expect((await send('/session/passkey', { response: await getCredential(await begin()) })).status).toBe(204);
    expect((await send('/session/passkey', { response: await getCredential(await begin()) })).status).toBe(204);
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: copy });
    expect((await send('/session/passkey', { response: await getCredential(await begin()) })).status).toBe(401);
    const [entry] = (await company.manage.signIn.list({ member: ann.uniqueId })).items;
    expect(entry).toMatchObject({ event: 'failed', method: 'passkey', email: ann.email });
  });

  test('an authenticator that does not verify its user is rejected', async () => {
    const ann = await createMember(await createCompany());
    await register(ann);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    const options = { ...(await begin()), userVerification: 'discouraged' };
    expect((await send('/session/passkey', { response: await getCredential(options) })).status).toBe(401);
  });

  test('a changed signature, and a passkey with the id of another person, are rejected', async () => {
    await register(await createMember(await createCompany()));
    const credential = await getCredential(await begin());
    const { response } = credential;
    const signature = Buffer.from(response['signature'] ?? '', 'base64url');
    signature.writeUInt8(signature.readUInt8(signature.length - 1) ^ 1, signature.length - 1);
    for (const changes of [
      { signature: signature.toString('base64url') },
      { userHandle: Buffer.from(newUniqueId()).toString('base64url') },
    ]) {
      const changed = { ...credential, response: { ...response, ...changes } };
      expect((await send('/session/passkey', { response: changed })).status).toBe(401);
    }
    expect((await send('/session/passkey', { response: credential })).status).toBe(204);
  });

  test('a passkey that was removed signs nobody in, and only its person removes it', async () => {
    const company = await createCompany();
    const [ann, bob] = [await createMember(company), await createMember(company)];
    const { passkey } = await register(ann);
    const { uniqueId } = passkey;
    await expect(bob.caller.account.passkey.remove({ uniqueId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(bob.caller.account.passkey.remove({ uniqueId: 'x' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await send('/session/passkey', { response: await getCredential(await begin()) })).status).toBe(204);
    // The sign-in has ended the session that the browser had before.
    await expect(ann.caller.account.passkey.remove({ uniqueId })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    const [session] = await sql<{ id: string }>(
      'select unique_id as id from web_session where person_id = $1',
      ann.person,
    );
    const webSession = { ...ann.webSession, uniqueId: session?.id ?? '' };
    await createCaller({ ...ann.context, webSession }).account.passkey.remove({ uniqueId });
    expect((await send('/session/passkey', { response: await getCredential(await begin()) })).status).toBe(401);
    expect(await ann.caller.account.get()).toMatchObject({ passkeys: [] });
  });

  test('a person without a company cannot sign in', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { role: 'editor' });
    await register(ann);
    await asOwner((run) => run('update member set ended_at = now() where unique_id = $1', ann.uniqueId), {
      company: company.id,
      user: ann.uniqueId,
      request: 'test',
    });
    expect((await send('/session/passkey', { response: await getCredential(await begin()) })).status).toBe(401);
  });

  test('a person who is deleted during the sign-in is not signed in, and leaves no session', async () => {
    const company = await createCompany();
    await createMember(company);
    const ann = await createMember(company, { role: 'editor' });
    await register(ann);
    const credential = await getCredential(await begin());
    const runStatement = database.run.bind(database);
    const run = vi.spyOn(database, 'run');
    run.mockImplementation(async (statement, ...rest) => {
      const rows = await runStatement(statement, ...rest);
      // After the passkey was accepted, and before the session starts.
      if (statement.name === 'person.companies') {
        run.mockImplementation(runStatement);
        await ann.caller.account.endSession({ uniqueId: ann.webSession.uniqueId });
        await company.manage.member.end({ uniqueId: ann.uniqueId });
        await company.manage.member.forget({ uniqueId: ann.uniqueId });
      }
      return rows;
    });
    try {
      expect((await send('/session/passkey', { response: credential })).status).toBe(401);
    } finally {
      run.mockRestore();
    }
    expect(await asOwner((query) => query('select from person where unique_id = $1', ann.person))).toEqual([]);
    expect((await send('/session/passkey', { response: await getCredential(await begin()) })).status).toBe(401);
  });

  test('the browser does not register one authenticator twice for a person', async () => {
    await register(await createMember(await createCompany()));
    const options = (await send('/trpc/account.passkey.begin', {})).body?.result?.data;
    expect(options).toMatchObject({
      excludeCredentials: [{ id: expect.any(String), type: 'public-key', transports: ['internal'] }],
    });
    await expect(createCredential(options)).rejects.toThrow('InvalidStateError');
  });
});
