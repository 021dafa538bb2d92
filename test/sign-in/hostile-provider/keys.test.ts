import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OpenIdClient, stateOf } from '../../../server/session/openid.ts';
import { createSigningKey, signToken } from '../../support/servers/evil-provider.ts';
import {
  INVALID,
  SIGNED_IN,
  createCompanyWithBob,
  signIn,
  useHostileProvider,
} from '../../support/sign-in/hostile-sign-in.ts';
import { CLIENT } from '../../support/sign-in/browser.ts';

const stage = useHostileProvider();
const first = createSigningKey('first');
const second = createSigningKey('second');
const withKid = (kid: string) => ({ header: { kid } });

test('a new key works at once, and a token of the old one is rejected from then on', async () => {
  const { email } = await createCompanyWithBob();
  stage.evil.key = first;
  expect(await signIn(email)).toEqual(SIGNED_IN);
  expect(await signIn(email)).toEqual(SIGNED_IN);
  expect(stage.evil.count('keys')).toBe(1);
  stage.evil.key = second;
  expect(await signIn(email)).toEqual(SIGNED_IN);
  expect(stage.evil.count('keys')).toBe(2);
  stage.evil.key = first;
  stage.evil.parts = { keys: () => ({ keys: [second.jwk] }) };
  expect(await signIn(email)).toEqual(INVALID);
});

test('tokens with unknown keys cause at most one request for keys in five seconds', async () => {
  const { email } = await createCompanyWithBob();
  stage.evil.key = first;
  expect(await signIn(email)).toEqual(SIGNED_IN);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    stage.evil.parts = withKid(`forged-${attempt}`);
    expect(await signIn(email)).toEqual(INVALID);
  }
  expect(stage.evil.count('keys')).toBe(2);
  stage.evil.parts = {};
  expect(await signIn(email)).toEqual(SIGNED_IN);
  expect(stage.evil.count('keys')).toBe(2);
});

test('a key that left the key set of the provider is rejected when the keys are too old', async () => {
  const { company, email } = await createCompanyWithBob();
  stage.evil.key = first;
  const client = new OpenIdClient(() => stage.appUrl, 1);
  const provider = { company: company.id, issuer: stage.evil.issuer, ...CLIENT };
  const claims = async (token: string) => {
    const url = await client.authorizationUrl(provider, token, email, async () => {});
    const redirect = await fetch(url, { redirect: 'manual' });
    const { search, searchParams } = new URL(redirect.headers.get('Location') ?? '');
    expect(searchParams.get('state')).toBe(stateOf(token));
    return client.claims(provider, token, search, async () => {});
  };
  expect(await claims('one')).toMatchObject({ email });
  stage.evil.parts = { keys: () => ({ keys: [second.jwk] }) };
  expect(await claims('two')).toMatchObject({ email });
  expect(stage.evil.count('keys')).toBe(1);
  await wait(1100);
  await expect(claims('three')).rejects.toMatchObject({ code: 'unprocessable' });
});

test('of many keys only the public members of the first fifty that sign are used', async () => {
  stage.evil.key = first;
  const { jwk } = first;
  const others = Array.from({ length: 49 }, (_, index) => ({ ...second.jwk, kid: `other-${index}` }));
  for (const [keys, expected] of [
    [[...others, jwk], SIGNED_IN],
    [[...others, second.jwk, jwk], INVALID],
    [[...others, { ...second.jwk, use: 'enc' }, jwk], SIGNED_IN],
    [[{ ...jwk, x5c: ['a'], key_ops: ['verify'] }], SIGNED_IN],
    [[{ ...jwk, key_ops: ['encrypt'] }], INVALID],
    [[{ ...jwk, use: 'enc' }], INVALID],
    [[{ ...jwk, n: 1 }], INVALID],
    [[jwk, jwk], INVALID],
    [[], INVALID],
  ] as const) {
    const { email } = await createCompanyWithBob();
    stage.evil.parts = { keys: () => ({ keys }) };
    expect(await signIn(email)).toEqual(expected);
  }
});

test.each([
  ['a number', 1],
  ['null', null],
  ['a list', []],
  ['keys that are text', { keys: 'text' }],
  ['keys that are not objects', { keys: [1] }],
])('a key set that is %s is 422', async (_, keys) => {
  const { email } = await createCompanyWithBob();
  stage.evil.parts = { keys: () => keys };
  expect(await signIn(email)).toEqual(INVALID);
});

test.each([
  ['a private key', { d: 'private' }],
  ['a private key for another use', { d: 'private', use: 'enc' }],
  ['a symmetric key', { kty: 'oct', k: 'c2VjcmV0' }],
])('a key set with %s is an error that says so', async (_, members) => {
  const { email } = await createCompanyWithBob();
  stage.evil.key = first;
  stage.evil.parts = { keys: () => ({ keys: [first.jwk, { ...second.jwk, ...members }] }) };
  expect(await signIn(email)).toEqual({
    status: 422,
    error: 'The identity provider publishes a private key in its set of keys. Ask an admin to replace the key.',
  });
});

test('a redirect of the keys is not followed', async () => {
  const { email } = await createCompanyWithBob();
  stage.evil.key = first;
  stage.evil.parts = {
    idToken: (claims, header) => signToken(claims, header, second),
    raw: { keys: (response) => response.writeHead(302, { Location: `${stage.evil.issuer}/keys` }).end() },
  };
  expect(await signIn(email)).toEqual(INVALID);
  expect(stage.evil.count('keys')).toBe(1);
});
