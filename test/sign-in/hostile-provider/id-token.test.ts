import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sql } from '../../support/database/database.ts';
import { createSigningKey, signToken, signWithSecret, withoutSignature } from '../../support/servers/evil-provider.ts';
import type { Parts } from '../../support/servers/evil-provider.ts';
import {
  EXPIRED,
  INVALID,
  SIGNED_IN,
  createCompanyWithBob,
  reachCallback,
  resultOf,
  signIn,
  useHostileProvider,
} from '../../support/sign-in/hostile-sign-in.ts';
import { CLIENT, createBrowser } from '../../support/sign-in/browser.ts';

const stage = useHostileProvider();
const now = () => Math.floor(Date.now() / 1000);
const otherKey = createSigningKey('first');

const ALL_ALGORITHMS: Parts = {
  discovery: (document) => ({
    ...document,
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none', 'ES256'],
  }),
};

test('an honest provider signs a person in', async () => {
  const { email, members } = await createCompanyWithBob();
  expect(await signIn(email)).toEqual(SIGNED_IN);
  expect(await members()).toBe(1);
  expect(stage.evil.requests).toEqual(['discovery', 'authorize', 'token', 'keys']);
});

describe('a sign-in is 422 if', () => {
  const cases: [string, string, () => Parts][] = [
    [
      'the ID token is of another issuer',
      '"iss" (issuer) claim value',
      () => ({ claims: { iss: 'https://other.example' } }),
    ],
    ['the ID token is for another client', '"aud" (audience) claim value', () => ({ claims: { aud: 'other' } })],
    [
      'the ID token is for several clients and names none',
      'additional untrusted audiences',
      () => ({ claims: { aud: [CLIENT.clientId, 'other'] } }),
    ],
    [
      'the ID token is for several clients, and was requested by another one',
      '"azp" (authorized party) claim value',
      () => ({ claims: { aud: [CLIENT.clientId, 'other'], azp: 'other' } }),
    ],
    ['the ID token was requested by another client', 'azp: expected this client', () => ({ claims: { azp: 'other' } })],
    [
      'a list with this client was requested by another one',
      'azp: expected this client',
      () => ({ claims: { aud: [CLIENT.clientId], azp: 'other' } }),
    ],
    ['the authorized party is not text', 'azp: expected this client', () => ({ claims: { azp: [CLIENT.clientId] } })],
    ['the ID token has another nonce', '"nonce" claim value', () => ({ claims: { nonce: 'other' } })],
    ['the ID token has no nonce', '"nonce" (nonce) claim missing', () => ({ claims: { nonce: undefined } })],
    ['the ID token has expired', 'expiration is past', () => ({ claims: { exp: now() - 120 } })],
    [
      'the ID token was issued in the future',
      'iat: expected a time in the past',
      () => ({ claims: { iat: now() + 400 } }),
    ],
    [
      'the ID token was issued in the endless future',
      'iat: expected a time in the past',
      () => ({ claims: { iat: 1e300 } }),
    ],
    ['the ID token was issued at a text', '"iat" (issued at) claim type', () => ({ claims: { iat: String(now()) } })],
    ['the ID token is valid only later', '"nbf" (not before) claim value', () => ({ claims: { nbf: now() + 400 } })],
    ['the ID token has no subject', '"sub" (subject) claim missing', () => ({ claims: { sub: undefined } })],
    ['the subject is empty', 'sub: expected 1 to 255 characters', () => ({ claims: { sub: '' } })],
    ['the subject has NUL', 'sub: expected 1 to 255 characters', () => ({ claims: { sub: 'a\0b' } })],
    [
      'the subject has 256 characters',
      'sub: expected 1 to 255 characters',
      () => ({ claims: { sub: 'a'.repeat(256) } }),
    ],
    ['the subject has a lone surrogate', 'sub: expected 1 to 255 characters', () => ({ claims: { sub: '\ud800' } })],
    ['the subject is a number', '"sub" (subject) claim type', () => ({ claims: { sub: 1 } })],
    [
      'the ID token has no signature',
      'unsupported JWS "alg" identifier',
      () => ({ ...ALL_ALGORITHMS, idToken: withoutSignature }),
    ],
    [
      'the ID token has no signature and keeps the name of an algorithm',
      'signature verification failed',
      () => ({ idToken: (claims, header, key) => signToken(claims, header, key).replace(/[^.]*$/, '') }),
    ],
    [
      'the ID token is signed with the public key as a secret',
      'unsupported JWS algorithm',
      () => ({
        ...ALL_ALGORITHMS,
        idToken: (claims, header, { jwk }) => signWithSecret(claims, header, JSON.stringify(jwk)),
      }),
    ],
    [
      'the ID token is signed with the client secret',
      'unsupported JWS algorithm',
      () => ({
        ...ALL_ALGORITHMS,
        idToken: (claims, header) => signWithSecret(claims, header, CLIENT.clientSecret),
      }),
    ],
    [
      'another key signed',
      'signature verification failed',
      () => ({ idToken: (claims, header) => signToken(claims, header, otherKey) }),
    ],
    [
      'the key is in the header',
      'signature verification failed',
      () => ({ header: { jwk: otherKey.jwk }, idToken: (c, h) => signToken(c, h, otherKey) }),
    ],
    [
      'the header has a critical extension',
      '"crit" header parameter',
      () => ({ header: { crit: ['b64'], b64: false } }),
    ],
    ['the algorithm is not text', '"alg" header parameter', () => ({ header: { alg: ['RS256'] } })],
    ['the ID token is not a token', 'failed to parse JWT Header', () => ({ idToken: () => 'a.b.c' })],
    ['the ID token is encrypted', 'JWE decryption is not configured', () => ({ idToken: () => 'a.b.c.d.e' })],
    [
      'the ID token is missing',
      '"id_token" property must be a string',
      () => ({ token: (response) => ({ ...response, id_token: undefined }) }),
    ],
    [
      'the access token is an object',
      '"access_token" property must be a string',
      () => ({ token: (response) => ({ ...response, access_token: {} }) }),
    ],
    ['the token response is a list', 'body must be a top level object', () => ({ token: () => [] })],
    [
      'another code challenge was stored',
      '(invalid_grant)',
      () => ({ stored: { code_challenge: randomBytes(32).toString('base64url') } }),
    ],
    ['another nonce was stored', '"nonce" claim value', () => ({ stored: { nonce: 'other' } })],
    [
      'the redirect names another issuer',
      '"iss" (issuer) response parameter value',
      () => ({ redirect: { iss: 'https://other.example' } }),
    ],
    [
      'the redirect has another state',
      'began in another browser',
      () => ({ redirect: { state: randomBytes(32).toString('base64url') } }),
    ],
    ['the redirect has no state', 'began in another browser', () => ({ redirect: { state: undefined } })],
    ['the redirect has another code', '(invalid_grant)', () => ({ redirect: { code: 'other' } })],
    ['the redirect has no code', 'no authorization code', () => ({ redirect: { code: undefined } })],
  ];
  test.each(cases)('%s', async (_, reason, parts) => {
    const { email, members } = await createCompanyWithBob();
    stage.evil.parts = parts();
    stage.logged.length = 0;
    expect(await signIn(email)).toEqual(reason === 'began in another browser' ? EXPIRED : INVALID);
    const lines = stage.logged.map((line): unknown => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ reason: expect.stringContaining(reason) }));
    expect(await members()).toBe(0);
  });
});

test.each([
  ['an authorized party that is this client', { azp: CLIENT.clientId }],
  ['several audiences that this client requested', { aud: ['other', CLIENT.clientId], azp: CLIENT.clientId }],
  ['a clock that is four minutes ahead', { iat: now() + 240 }],
  ['a subject of 255 characters', { sub: 'ü'.repeat(255) }],
])('an ID token with %s is accepted', async (_, claims) => {
  const { email } = await createCompanyWithBob();
  const sub = `${'ü'.repeat(239)}${randomBytes(8).toString('hex')}`;
  stage.evil.parts = { claims: 'sub' in claims ? { sub } : claims };
  expect(await signIn(email)).toEqual(SIGNED_IN);
});

describe('claims of the wrong form are 403, and sign nobody in:', () => {
  const values = [
    1,
    true,
    {},
    [],
    ['bob@a.example'],
    { email: 'bob@a.example' },
    '',
    'bob',
    'bob@a.example\0',
    '\ud800@a.example',
    `${'b'.repeat(30_000)}@a.example`,
  ];
  test.each(values.map((value) => [JSON.stringify(value).slice(0, 30), value]))('the email %s', async (_, value) => {
    const { email } = await createCompanyWithBob();
    stage.evil.parts = { claims: { email: value } };
    expect(await signIn(email)).toMatchObject({ status: 403, error: expect.stringContaining('email: ') });
  });
  test.each([[0], [{}], [[]], ['yes'], ['false'], [[true]]])('the verification %j', async (value) => {
    const { email, members } = await createCompanyWithBob();
    stage.evil.parts = { claims: { email_verified: value } };
    expect(await signIn(email)).toMatchObject({ status: 403, error: expect.stringContaining('not verified') });
    expect(await members()).toBe(0);
  });
});

test.each([
  ['a number', 1, 'bob'],
  ['an object', { first: { second: 'Bob' } }, 'bob'],
  ['NUL', 'B\0b', 'B b'],
  ['a lone surrogate', 'Bob\ud800', 'Bob\ufffd'],
  ['a long text', 'x'.repeat(40_000), expect.stringMatching(/^x+$/)],
])('a name that has %s becomes text', async (_, name, stored) => {
  const { email } = await createCompanyWithBob();
  stage.evil.parts = { claims: { name } };
  expect(await signIn(email)).toEqual(SIGNED_IN);
  expect(await sql('select name from person where email = $1', email)).toEqual([{ name: stored }]);
});

test('two subjects that differ only in a lone surrogate are never one account', async () => {
  const { email } = await createCompanyWithBob();
  for (const sub of ['\ud800', '\udbff']) {
    stage.evil.parts = { claims: { sub } };
    expect(await signIn(email)).toEqual(INVALID);
  }
});

test('a callback that was used, or of another browser, is rejected', async () => {
  const { email } = await createCompanyWithBob();
  const { browser, url } = await reachCallback(email);
  expect(await resultOf(await createBrowser().get(url.href))).toEqual(EXPIRED);
  expect(await resultOf(await browser.get(url.href))).toEqual(SIGNED_IN);
  expect(await resultOf(await browser.get(url.href))).toEqual(EXPIRED);
});

test('the log has no part of a token', async () => {
  const { email } = await createCompanyWithBob();
  stage.logged.length = 0;
  stage.evil.parts = {
    raw: { token: (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('secret-token') },
  };
  expect(await signIn(email)).toEqual(INVALID);
  expect(stage.logged.join('')).toContain('single sign-on failed');
  expect(stage.logged.join('')).not.toContain('secret');
});
