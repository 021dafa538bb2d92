import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeysUnavailable, PublicKeys } from '../server/public-keys.ts';
import { settings } from '../server/config.ts';
import { fixture, identifier, serve } from './support/scanner.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

let answer: RequestListener;
let list: Awaited<ReturnType<typeof serve>>;
let now: number;
let keys: PublicKeys;
beforeEach(async () => {
  answer = (_, response) => response.end(fixture.list);
  list = await serve((request, response) => answer(request, response));
  now = 0;
  keys = new PublicKeys(list.url, () => now);
});
afterEach(() => list.close());

const unavailable = (): RequestListener => (_, response) => {
  response.statusCode = 500;
  response.end('{}');
};

describe('the list of public keys', () => {
  test('is asked for when it is first needed, and kept for an hour', async () => {
    expect(list.asked()).toBe(0);
    expect((await keys.find(identifier))?.asymmetricKeyType).toBe('ec');
    now += 59 * MINUTE;
    await keys.find(identifier);
    expect(list.asked()).toBe(1);
    now += MINUTE;
    await keys.find(identifier);
    expect(list.asked()).toBe(2);
  });

  test('is asked for once by those who come together', async () => {
    await Promise.all(Array.from({ length: 20 }, () => keys.find(identifier)));
    expect(list.asked()).toBe(1);
  });

  test('is asked for once a minute at most, whatever identifiers come', async () => {
    for (let call = 0; call < 100; call++) expect(await keys.find(`made up ${call}`)).toBeUndefined();
    expect(list.asked()).toBe(1);
    now += MINUTE;
    for (let call = 0; call < 100; call++) await keys.find(`made up ${call}`);
    expect(list.asked()).toBe(2);
  });

  test('has a new key found within that minute, and the one that went forgotten', async () => {
    await keys.find(identifier);
    answer = (_, response) => response.end(fixture.list.replace(identifier, 'renewed'));
    expect(await keys.find('renewed')).toBeUndefined();
    now += MINUTE;
    expect(await keys.find('renewed')).toBeDefined();
    expect(await keys.find(identifier)).toBeUndefined();
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
              { key_identifier: identifier, key },
              { key_identifier: 'x', key: 'y' },
            ],
          }),
        );
      },
    ],
    ['more than 64 KiB', (_, response) => response.end(fixture.list.padEnd(70_000))],
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
    answer = listener;
    await expect(keys.find(identifier)).rejects.toMatchObject({ name: 'Error', retrySeconds: 10 });
  });

  test('it is not asked for again for ten seconds, and then it is', async () => {
    answer = unavailable();
    for (let call = 0; call < 20; call++) await expect(keys.find(identifier)).rejects.toThrow(KeysUnavailable);
    expect(list.asked()).toBe(1);
    answer = (_, response) => response.end(fixture.list);
    now += 9.5 * SECOND;
    await expect(keys.find(identifier)).rejects.toMatchObject({ retrySeconds: 1 });
    now += 0.5 * SECOND;
    expect(await keys.find(identifier)).toBeDefined();
  });

  test('a key that is known goes on for its hour; of others nothing can be said', async () => {
    await keys.find(identifier);
    answer = unavailable();
    now += MINUTE;
    await expect(keys.find('made up')).rejects.toThrow(KeysUnavailable);
    expect(await keys.find(identifier)).toBeDefined();
    now += 59 * MINUTE;
    await expect(keys.find(identifier)).rejects.toThrow(KeysUnavailable);
  });
});

describe('SECRET_SCANNING_KEYS_URL', () => {
  const setting = (url: string) => () => settings({ SECRET_SCANNING_KEYS_URL: url }).secretScanningKeysUrl;

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
    expect(settings({}).secretScanningKeysUrl).toBeUndefined();
  });
});
