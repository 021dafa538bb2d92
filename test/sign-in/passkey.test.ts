import { afterAll, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { MAX_PASSKEYS } from '../../entities/person/passkey.ts';
import { asOwner } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { statusAndCode } from '../support/http/browser.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';

const app = await startApp({ services: { ...services, appUrl: () => origin } });
const origin = app.url.replace('127.0.0.1', 'localhost');
afterAll(() => app.stop());

const post = (path: string, body: unknown, headers: Record<string, string> = {}, baseUrl = app.url) =>
  http('POST', path, { baseUrl, body, headers });

/** A response of an authenticator that no person has registered. */
const part = Buffer.from('{}').toString('base64url');
const assertion = { clientDataJSON: part, authenticatorData: part, signature: part };
const UNKNOWN_PASSKEY = { response: { id: 'x', rawId: 'x', type: 'public-key', response: assertion } };

test('a sign-in begins with a new challenge, and names no passkey', async () => {
  const [first, second] = [await post('/session/passkey/begin', {}), await post('/session/passkey/begin', {})];
  expect(first.status).toBe(200);
  expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(first.body).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    rpId: 'localhost',
    timeout: expect.any(Number),
    userVerification: 'required',
  });
  expect(second.body).not.toMatchObject({ challenge: (first.body as { challenge: string }).challenge });
});

test.each([
  [{}, 'response: '],
  [{ response: null }, 'response: '],
  [{ response: { id: 'x' } }, 'response.'],
  [{ response: { id: '!', rawId: 'x', type: 'public-key', response: {} } }, 'response.id: expected base64url'],
])('%j is 400', async (body, message) => {
  const response = await post('/session/passkey', body);
  expect(response.status).toBe(400);
  expect(response.body).toEqual({ error: expect.stringContaining(message) });
});

test('an unknown passkey is 401, and sets no cookie', async () => {
  const response = await post('/session/passkey', UNKNOWN_PASSKEY);
  expect(statusAndCode(response)).toEqual([401, 'unauthorized']);
  expect(response.headers['set-cookie']).toBeUndefined();
});

test('sign-ins with unknown passkeys are limited by address', async () => {
  const limited = await startApp({ services: { ...services, appUrl: () => origin } });
  const guess = () => post('/session/passkey', UNKNOWN_PASSKEY, {}, limited.url);
  const responses = await Promise.all(Array.from({ length: 31 }, guess));
  await limited.stop();
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(30);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
});

test('pages of other origins cannot sign in, and other content types are 415', async () => {
  const crossSite = await post('/session/passkey/begin', {}, { 'Sec-Fetch-Site': 'cross-site' });
  expect(crossSite.status).toBe(403);
  const form = await post('/session/passkey/begin', '', { 'Content-Type': 'application/x-www-form-urlencoded' });
  expect(form.status).toBe(415);
});

test('a person has a maximum number of passkeys', async () => {
  const ann = await createMember(await createCompany());
  await asOwner(async (run) => {
    for (let count = 0; count < MAX_PASSKEYS; count += 1) {
      await run(
        `insert into passkey (unique_id, person_id, credential_id, public_key, transports) values ($1, $2, $3, '', '{}')`,
        newUniqueId(),
        ann.person,
        newUniqueId(),
      );
    }
  });
  await expect(ann.caller.account.passkey.begin()).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'passkeys: expected at most 20; remove one',
  });
});
