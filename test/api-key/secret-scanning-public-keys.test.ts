import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PublicKeysUnavailableError, PublicKeyCache } from '../../server/secret-scanning/public-keys.ts';
import { loadSettings } from '../../server/config/settings.ts';
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

const unavailable = (): RequestListener => (_, response) => {
  response.statusCode = 500;
  response.end('{}');
};

describe('the list of public keys', () => {
  test('is asked for when it is first needed, and kept for an hour', async () => {
    expect(keyServer.asked()).toBe(0);
    expect((await keys.find(keyIdentifier))?.asymmetricKeyType).toBe('ec');
    nowMs += 59 * MINUTE_MS;
    await keys.find(keyIdentifier);
    expect(keyServer.asked()).toBe(1);
    nowMs += MINUTE_MS;
    await keys.find(keyIdentifier);
    expect(keyServer.asked()).toBe(2);
  });

  test('is asked for once by those who come together', async () => {
    await Promise.all(Array.from({ length: 20 }, () => keys.find(keyIdentifier)));
    expect(keyServer.asked()).toBe(1);
  });

  test('is asked for once a minute at most, whatever identifiers come', async () => {
    for (let call = 0; call < 100; call++) expect(await keys.find(`made up ${call}`)).toBeUndefined();
    expect(keyServer.asked()).toBe(1);
    nowMs += MINUTE_MS;
    for (let call = 0; call < 100; call++) await keys.find(`made up ${call}`);
    expect(keyServer.asked()).toBe(2);
  });

  test('has a new key found within that minute, and the one that went forgotten', async () => {
    await keys.find(keyIdentifier);
    respond = (_, response) => response.end(fixture.publicKeysJson.replace(keyIdentifier, 'renewed'));
    expect(await keys.find('renewed')).toBeUndefined();
    nowMs += MINUTE_MS;
    expect(await keys.find('renewed')).toBeDefined();
    expect(await keys.find(keyIdentifier)).toBeUndefined();
  });
});

describe('when it cannot be had', () => {
  const others: [string, RequestListener][] = [
    ['an error', unavailable()],
    ['no JSON', (_, response) => response.end('<html>')],
    ['another shape', (_, response) => response.end('{"public_keys":[{"key":5}]}')],
    ['no keys', (_, response) => response.end('{"public_keys":[]}')],
    [
      'keys of other kinds only',
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
      'the way to somebody else',
      (_, response) => {
        response.writeHead(302, { Location: 'http://127.0.0.1:1/keys' });
        response.end();
      },
    ],
    ['nothing at all', (request) => request.socket.destroy()],
  ];
  test.for(others)('because the answer is %s, that is said', async ([, listener]) => {
    respond = listener;
    await expect(keys.find(keyIdentifier)).rejects.toMatchObject({ name: 'Error', retryAfter: 10 });
  });

  test('it is not asked for again for ten seconds, and then it is', async () => {
    respond = unavailable();
    for (let call = 0; call < 20; call++)
      await expect(keys.find(keyIdentifier)).rejects.toThrow(PublicKeysUnavailableError);
    expect(keyServer.asked()).toBe(1);
    respond = (_, response) => response.end(fixture.publicKeysJson);
    nowMs += 9.5 * SECOND_MS;
    await expect(keys.find(keyIdentifier)).rejects.toMatchObject({ retryAfter: 1 });
    nowMs += 0.5 * SECOND_MS;
    expect(await keys.find(keyIdentifier)).toBeDefined();
  });

  test('a key that is known goes on for its hour; of others nothing can be said', async () => {
    await keys.find(keyIdentifier);
    respond = unavailable();
    nowMs += MINUTE_MS;
    await expect(keys.find('made up')).rejects.toThrow(PublicKeysUnavailableError);
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
  ])('may be %s', (url) => {
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
  ])('may not be %s, and is not shown', (url) => {
    expect(setting(url)).toThrow(
      /^SECRET_SCANNING_KEYS_URL: expected an https:\/\/ address, or one that begins with http:\/\/127\.0\.0\.1$/,
    );
  });

  test('may be left out', () => {
    expect(loadSettings({}).secretScanningKeysUrl).toBeUndefined();
  });
});
