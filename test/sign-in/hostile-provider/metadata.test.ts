import { setTimeout as wait } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';
import { OpenIdClient } from '../../../server/session/openid.ts';
import { startEvilProvider } from '../../support/servers/evil-provider.ts';
import type { Parts } from '../../support/servers/evil-provider.ts';
import {
  INVALID,
  SIGNED_IN,
  UNREACHABLE,
  createCompanyWithBob,
  resultOf,
  signIn,
  startUrl,
  useHostileProvider,
} from '../../support/sign-in/hostile-sign-in.ts';
import { CLIENT, createBrowser } from '../../support/sign-in/browser.ts';

const stage = useHostileProvider();
const countNothing = async () => {};
/** JSON of a length in bytes. */
const jsonOf = (document: object, bytes: number) => {
  const text = JSON.stringify({ ...document, more: '' });
  return text.replace('"more":""', `"more":"${'x'.repeat(bytes - text.length)}"`);
};
const without =
  (field: string) =>
  (document: Record<string, unknown>): object => ({ ...document, [field]: undefined });
const sendJson = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);

const start = async (email: string) => resultOf(await createBrowser().get(startUrl(email)));

describe('a start is 422 if', () => {
  test.each<[string, Parts]>([
    ['the metadata are of another issuer', { discovery: (document) => ({ ...document, issuer: 'https://a.example' }) }],
    ['the issuer has spaces', { discovery: (document) => ({ ...document, issuer: `${String(document['issuer'])} ` }) }],
    ['the issuer has NUL', { discovery: (document) => ({ ...document, issuer: `\0${String(document['issuer'])}` }) }],
    [
      'the issuer has more than 500 characters',
      { discovery: (document) => ({ ...document, issuer: `${String(document['issuer'])}${'/.'.repeat(250)}` }) },
    ],
    ['the metadata are a list', { discovery: (document) => [document] }],
    ['the metadata are null', { discovery: () => null }],
    ['the issuer is missing', { discovery: without('issuer') }],
    ['the authorization endpoint is missing', { discovery: without('authorization_endpoint') }],
    ['the token endpoint is missing', { discovery: without('token_endpoint') }],
    ['there are no keys', { discovery: without('jwks_uri') }],
    [
      'the issuer is an object with a length',
      { discovery: (document) => ({ ...document, issuer: { length: { toString: null } } }) },
    ],
    [
      'an endpoint is an object with a length',
      { discovery: (document) => ({ ...document, jwks_uri: { length: { toString: null } } }) },
    ],
    ['an endpoint is an object', { discovery: (document) => ({ ...document, token_endpoint: {} }) }],
    [
      'an endpoint is a script',
      { discovery: (document) => ({ ...document, authorization_endpoint: 'javascript:alert(1)' }) },
    ],
    ['a list is text', { discovery: (document) => ({ ...document, id_token_signing_alg_values_supported: 'none' }) }],
    [
      'the metadata are at another address',
      { raw: { discovery: (response) => response.writeHead(302, { Location: '/elsewhere' }).end() } },
    ],
    ['the metadata are not found', { raw: { discovery: (response) => response.writeHead(404).end() } }],
    ['the metadata are not JSON', { raw: { discovery: (response) => response.end('<html>') } }],
    ['the response has no content', { raw: { discovery: (response) => response.writeHead(204).end() } }],
  ])('%s', async (_, parts) => {
    const { email } = await createCompanyWithBob();
    stage.evil.parts = parts;
    expect(await start(email)).toEqual(INVALID);
    expect(stage.evil.requests).toEqual(['discovery']);
  });
});

describe('a response of more than 64 KiB is 422:', () => {
  const METADATA = 65_536;
  test('metadata', async () => {
    for (const [bytes, expected] of [
      [METADATA, SIGNED_IN],
      [METADATA + 1, INVALID],
    ] as const) {
      const { email } = await createCompanyWithBob();
      const { issuer } = stage.evil;
      const document = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      };
      stage.evil.parts = { raw: { discovery: (response) => sendJson(response, jsonOf(document, bytes)) } };
      expect(await signIn(email)).toEqual(expected);
    }
  });

  test('keys', async () => {
    for (const [bytes, expected] of [
      [METADATA, SIGNED_IN],
      [METADATA + 1, INVALID],
    ] as const) {
      const { email } = await createCompanyWithBob();
      const keys = { keys: [stage.evil.key.jwk] };
      stage.evil.parts = { raw: { keys: (response) => sendJson(response, jsonOf(keys, bytes)) } };
      expect(await signIn(email)).toEqual(expected);
    }
  });

  test('tokens', async () => {
    const { email } = await createCompanyWithBob();
    stage.evil.parts = { token: (tokens) => ({ ...tokens, more: 'x'.repeat(METADATA) }) };
    expect(await signIn(email)).toEqual(INVALID);
  });
});

describe('the cache of providers', () => {
  const clientOf = (company: number, changes: object = {}) => ({
    company,
    issuer: stage.evil.issuer,
    ...CLIENT,
    ...changes,
  });

  test('has one entry for a company, which serves only the settings from which it was made', async () => {
    const client = new OpenIdClient(() => stage.appUrl);
    const open = (changes?: object) =>
      client.authorizationUrl(clientOf(1, changes), 'token', 'bob@a.example', countNothing);
    stage.evil.parts = { discovery: (document) => ({ ...document, more: 'x'.repeat(60_000) }) };
    for (let round = 0; round < 40; round += 1) {
      expect((await open({ clientId: `client-${round}` })).searchParams.get('client_id')).toBe(`client-${round}`);
      await open({ clientSecret: `secret-${round}` });
    }
    expect(client.providers.size).toBe(1);
    expect(stage.evil.count('discovery')).toBe(80);
    await open();
    await open();
    expect(stage.evil.count('discovery')).toBe(81);
    const elsewhere = `${stage.evil.issuer}/`;
    stage.evil.parts = {
      discovery: (document) => ({ ...document, issuer: elsewhere, authorization_endpoint: `${elsewhere}new` }),
    };
    expect((await open({ issuer: elsewhere })).pathname).toBe('/new');
    expect(client.providers.size).toBe(1);
  });

  test('has at most 500 companies: the one not used for the longest time leaves', async () => {
    const client = new OpenIdClient(() => stage.appUrl);
    const open = (company: number) =>
      client.authorizationUrl(clientOf(company), 'token', 'bob@a.example', countNothing);
    for (let company = 1; company <= 500; company += 1) await open(company);
    await open(1);
    await open(501);
    expect(client.providers.size).toBe(500);
    const before = stage.evil.count('discovery');
    await open(1);
    expect(stage.evil.count('discovery')).toBe(before);
    await open(2);
    expect(stage.evil.count('discovery')).toBe(before + 1);
  });

  test('follows the settings of a company at once', async () => {
    const { email, set } = await createCompanyWithBob();
    expect(await signIn(email)).toEqual(SIGNED_IN);
    await set({ clientSecret: 'wrong' });
    expect(await signIn(email)).toEqual(INVALID);
    await set({});
    expect(await signIn(email)).toEqual(SIGNED_IN);
  });
});

/** Each test waits for deadlines of the service, so they run at the same time, with a provider of their own. */
describe.concurrent('the deadlines of a provider', () => {
  async function startProvider({ onTestFinished }: TestContext) {
    const provider = await startEvilProvider();
    onTestFinished(provider.close);
    return provider;
  }

  test.for<[string, (response: ServerResponse) => unknown]>([
    [
      'switches protocols',
      (response) =>
        response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    ],
    ['never responds', () => {}],
    [
      'sends a body slowly',
      (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(timer));
      },
    ],
    ['closes the connection', (response) => response.socket?.destroy()],
  ])(
    'a provider that %s is 503 within its deadline, and works a few seconds after it is repaired',
    async ([, discovery], context) => {
      const provider = await startProvider(context);
      const { email } = await createCompanyWithBob(provider);
      provider.parts = { raw: { discovery } };
      const startedAt = performance.now();
      const response = await createBrowser().get(startUrl(email));
      expect(response.headers.get('Retry-After')).toBe('5');
      expect(await resultOf(response)).toEqual(UNREACHABLE);
      expect(performance.now() - startedAt).toBeLessThan(15_000);
      provider.parts = {};
      // The error is kept for five seconds, so that others do not wait for a provider that is down.
      await wait(5100);
      expect(await signIn(email)).toEqual(SIGNED_IN);
    },
  );

  test.for(['token', 'keys', 'userinfo'] as const)(
    'a callback is 503 within the deadline if the %s endpoint never responds',
    async (endpoint, context) => {
      const provider = await startProvider(context);
      const { email } = await createCompanyWithBob(provider);
      provider.parts = { claims: { email: undefined }, raw: { [endpoint]: () => {} } };
      const startedAt = performance.now();
      expect(await signIn(email)).toEqual(UNREACHABLE);
      expect(performance.now() - startedAt).toBeLessThan(15_000);
    },
  );
});

test('a body without end is 422, and its connection is closed', async () => {
  const { email } = await createCompanyWithBob();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  stage.evil.parts = {
    raw: {
      discovery: (response) => {
        response.on('close', resolve);
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const flood = (): void => {
          while (!response.destroyed && response.write('x'.repeat(10_000)));
        };
        response.on('drain', flood);
        flood();
      },
    },
  };
  expect(await start(email)).toEqual(INVALID);
  await closed;
});

/** Forms of addresses that are not public. */
const PRIVATE_HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '0',
  '0.0.0.0',
  '0x7f.1',
  '0x7f000001',
  '017700000001',
  '2130706433',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'localhost.',
  'a.localhost',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::7f00:1]',
  '[fc00::1]',
  '[fe80::1]',
  '[2002:7f00:1::]',
];

test.each(PRIVATE_HOSTS)('a server in production sends no request to https://%s', async (host) => {
  const client = new OpenIdClient(() => 'https://compliance.example.com');
  const { port } = new URL(stage.evil.issuer);
  const provider = { company: 1, issuer: `https://${host}:${port}`, ...CLIENT };
  const url = client.authorizationUrl(provider, 'token', 'bob@a.example', countNothing);
  await expect(url).rejects.toMatchObject({ code: 'unavailable' });
  expect(stage.evil.requests).toEqual([]);
});
