import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSettings } from '../../server/config/settings.ts';
import { PublicKeyCache, PublicKeysUnavailableError } from '../../server/secret-scanning/public-keys.ts';
import { fixture, keyIdentifier, startCountingServer } from '../support/servers/secret-scanner.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

let respond: RequestListener;
let keyServer: Awaited<ReturnType<typeof startCountingServer>>;
let nowMs: number;
let keys: PublicKeyCache;
beforeEach(async () => {
  respond = (_, response) => response.end(fixture.publicKeysJson);
  keyServer = await startCountingServer((request, response) => respond(request, response));
  nowMs = 0;
  keys = new PublicKeyCache(keyServer.url, () => nowMs);
});
afterEach(() => keyServer.close());

const respondWithError = (): RequestListener => (_, response) => {
  response.statusCode = 500;
  response.end('{}');
};

describe('the list of public keys', () => {
  test('is fetched at the first lookup, and cached for an hour', async () => {
    expect(keyServer.requestCount()).toBe(0);
    expect((await keys.find(keyIdentifier))?.asymmetricKeyType).toBe('ec');
    nowMs += 59 * MINUTE_MS;
    await keys.find(keyIdentifier);
    expect(keyServer.requestCount()).toBe(1);
    nowMs += MINUTE_MS;
    await keys.find(keyIdentifier);
    expect(keyServer.requestCount()).toBe(2);
  });

  test('is fetched once for concurrent lookups', async () => {
    await Promise.all(Array.from({ length: 20 }, () => keys.find(keyIdentifier)));
    expect(keyServer.requestCount()).toBe(1);
  });

  test('is fetched at most once per minute for unknown identifiers', async () => {
    for (let call = 0; call < 100; call++) expect(await keys.find(`unknown ${call}`)).toBeUndefined();
    expect(keyServer.requestCount()).toBe(1);
    nowMs += MINUTE_MS;
    for (let call = 0; call < 100; call++) await keys.find(`unknown ${call}`);
    expect(keyServer.requestCount()).toBe(2);
  });

  test('contains new keys and no removed keys a minute later', async () => {
    await keys.find(keyIdentifier);
    respond = (_, response) => response.end(fixture.publicKeysJson.replace(keyIdentifier, 'renewed'));
    expect(await keys.find('renewed')).toBeUndefined();
    nowMs += MINUTE_MS;
    expect(await keys.find('renewed')).toBeDefined();
    expect(await keys.find(keyIdentifier)).toBeUndefined();
  });
});

describe('if the list cannot be fetched', () => {
  const failures: [string, RequestListener][] = [
    ['an error', respondWithError()],
    ['not JSON', (_, response) => response.end('<html>')],
    ['another schema', (_, response) => response.end('{"public_keys":[{"key":5}]}')],
    ['an empty list', (_, response) => response.end('{"public_keys":[]}')],
    [
      'a list with only unsupported keys',
      (_, response) => {
        const { publicKey } = generateKeyPairSync('ed25519');
        const key = publicKey.export({ type: 'spki', format: 'pem' });
        response.end(
          JSON.stringify({
            public_keys: [
              { key_identifier: keyIdentifier, key },
              { key_identifier: 'x', key: 'y' },
            ],
          }),
        );
      },
    ],
    ['more than 64 KiB', (_, response) => response.end(fixture.publicKeysJson.padEnd(70_000))],
    [
      'a redirect',
      (_, response) => {
        response.writeHead(302, { Location: 'http://127.0.0.1:1/keys' });
        response.end();
      },
    ],
    ['a closed connection', (request) => request.socket.destroy()],
  ];
  test.for(failures)('because the response is %s, the lookup throws', async ([, listener]) => {
    respond = listener;
    await expect(keys.find(keyIdentifier)).rejects.toMatchObject({ name: 'Error', retryAfter: 10 });
  });

  test('the next fetch is at least ten seconds later', async () => {
    respond = respondWithError();
    for (let call = 0; call < 20; call++)
      await expect(keys.find(keyIdentifier)).rejects.toThrow(PublicKeysUnavailableError);
    expect(keyServer.requestCount()).toBe(1);
    respond = (_, response) => response.end(fixture.publicKeysJson);
    nowMs += 9.5 * SECOND_MS;
    await expect(keys.find(keyIdentifier)).rejects.toMatchObject({ retryAfter: 1 });
    nowMs += 0.5 * SECOND_MS;
    expect(await keys.find(keyIdentifier)).toBeDefined();
  });

  test('a cached key stays valid for its hour, and lookups of other keys throw', async () => {
    await keys.find(keyIdentifier);
    respond = respondWithError();
    nowMs += MINUTE_MS;
    await expect(keys.find('unknown')).rejects.toThrow(PublicKeysUnavailableError);
    expect(await keys.find(keyIdentifier)).toBeDefined();
    nowMs += 59 * MINUTE_MS;
    await expect(keys.find(keyIdentifier)).rejects.toThrow(PublicKeysUnavailableError);
  });
});

describe('SECRET_SCANNING_KEYS_URL', () => {
  const setting = (url: string) => () => loadSettings({ SECRET_SCANNING_KEYS_URL: url }).secretScanningKeysUrl;

  test.for([
    'https://api.github.com/meta/public_keys/secret_scanning',
    'http://127.0.0.1:9797/keys',
    'http://127.0.0.1/',
  ])('accepts %s', (url) => {
    expect(setting(url)()).toBe(url);
  });

  test.for([
    'http://api.github.com/keys',
    'http://localhost:9797/keys',
    'http://127.0.0.1@evil.example/keys',
    'http://127.0.0.1.evil.example/keys',
    'https://user:secret@api.github.com/keys',
    'file:///etc/passwd',
    'api.github.com',
  ])('rejects %s, and the error does not contain the value', (url) => {
    expect(setting(url)).toThrow(
      /^SECRET_SCANNING_KEYS_URL: expected an https:\/\/ address, or one that begins with http:\/\/127\.0\.0\.1$/,
    );
  });

  test('is optional', () => {
    expect(loadSettings({}).secretScanningKeysUrl).toBeUndefined();
  });
});
