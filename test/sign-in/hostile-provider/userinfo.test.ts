import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  INVALID,
  SIGNED_IN,
  UNREACHABLE,
  createCompanyWithBob,
  signIn,
  useHostileProvider,
} from '../../support/sign-in/hostile-sign-in.ts';

const stage = useHostileProvider();

const NOT_VERIFIED = { status: 403, error: 'email: the identity provider has not verified this email address' };

test('userinfo is requested only if the ID token lacks the email or its verification', async () => {
  for (const [claims, requests] of [
    [{}, 0],
    [{ email: undefined }, 1],
    [{ email_verified: undefined }, 1],
    [{ email: undefined, email_verified: undefined }, 1],
    [{ email: null, email_verified: null }, 1],
  ] as const) {
    const { email } = await createCompanyWithBob();
    stage.evil.parts = { claims };
    stage.evil.requests.length = 0;
    expect(await signIn(email)).toEqual(SIGNED_IN);
    expect(stage.evil.count('userinfo')).toBe(requests);
  }
});

describe('the verification of an email', () => {
  test('is that of userinfo if the ID token has only the email', async () => {
    const { email, members } = await createCompanyWithBob();
    stage.evil.parts = {
      claims: { email_verified: undefined },
      userinfo: (claims) => ({ ...claims, email_verified: false }),
    };
    expect(await signIn(email)).toEqual(NOT_VERIFIED);
    expect(await members()).toBe(0);
    stage.evil.parts = { claims: { email_verified: undefined } };
    expect(await signIn(email)).toEqual(SIGNED_IN);
  });

  test('is that of the ID token, whatever userinfo says', async () => {
    const { email } = await createCompanyWithBob();
    stage.evil.parts = { claims: { email_verified: false } };
    expect(await signIn(email)).toEqual(NOT_VERIFIED);
  });

  test('in an ID token without an email does not hold for the email of userinfo', async () => {
    const { email } = await createCompanyWithBob();
    stage.evil.parts = {
      claims: { email: undefined, email_verified: true },
      userinfo: (claims) => ({ ...claims, email_verified: false }),
    };
    expect(await signIn(email)).toEqual(NOT_VERIFIED);
  });
});

test('an email at neither place is 403, also without a userinfo endpoint', async () => {
  const noEmail = { status: 403, error: 'email: the identity provider sent no email address' };
  for (const hasEndpoint of [true, false]) {
    const { email } = await createCompanyWithBob();
    stage.evil.parts = {
      claims: { email: undefined },
      userinfo: ({ sub }) => ({ sub }),
      ...(!hasEndpoint && { discovery: (document) => ({ ...document, userinfo_endpoint: undefined }) }),
    };
    expect(await signIn(email)).toEqual(noEmail);
  }
});

describe('userinfo is 422 if', () => {
  test.each<[string, (claims: Record<string, unknown>) => unknown]>([
    ['it is of another subject', (claims) => ({ ...claims, sub: 'other' })],
    ['it has no subject', ({ email }) => ({ email })],
    ['it is a list', (claims) => [claims]],
    ['it is text', () => 'text'],
    ['it has more than 64 KiB', (claims) => ({ ...claims, more: 'x'.repeat(65_536) })],
  ])('%s', async (_, userinfo) => {
    const { email, members } = await createCompanyWithBob();
    stage.evil.parts = { claims: { email: undefined }, userinfo };
    expect(await signIn(email)).toEqual(INVALID);
    expect(await members()).toBe(0);
  });

  test('it is signed with another algorithm than the metadata name', async () => {
    const { email } = await createCompanyWithBob();
    stage.evil.parts = {
      claims: { email: undefined },
      raw: { userinfo: (response) => response.writeHead(200, { 'Content-Type': 'application/jwt' }).end('a.b.c') },
    };
    expect(await signIn(email)).toEqual(INVALID);
  });
});

test.each(['userinfo', 'token'] as const)('a redirect of the %s endpoint is not followed', async (endpoint) => {
  const { email } = await createCompanyWithBob();
  const redirect = (response: ServerResponse) =>
    response.writeHead(307, { Location: `${stage.evil.issuer}/${endpoint}` }).end();
  stage.evil.parts = { claims: { email: undefined }, raw: { [endpoint]: redirect } };
  expect(await signIn(email)).toEqual(INVALID);
  expect(stage.evil.count(endpoint)).toBe(1);
});

test('an access token that is not a valid header value is 422, and an error of userinfo 503', async () => {
  const { email } = await createCompanyWithBob();
  stage.evil.parts = {
    claims: { email: undefined },
    token: (tokens) => ({ ...tokens, access_token: 'a\r\nX-Injected: 1' }),
  };
  expect(await signIn(email)).toEqual(INVALID);
  stage.evil.parts = {
    claims: { email: undefined },
    raw: { userinfo: (response) => response.writeHead(500).end() },
  };
  expect(await signIn(email)).toEqual(UNREACHABLE);
});
