import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { keyError } from '../../entities/api-key/api-key.ts';
import { keyPreview, generateRawKey, hashRawKey, isRawKey } from '../../entities/api-key/raw-key.ts';

/** Key with checksum 0xd5e2f6c: the CRC-32 of "svc_sk_live_" and forty zeros, computed with Python's zlib. */
const KNOWN_KEY = 'svc_sk_live_00000000000000000000000000000000000000000FB2WC';

describe('a raw key', () => {
  test('is unique, and consists of the prefix, forty characters and their checksum', () => {
    const keys = Array.from({ length: 500 }, generateRawKey);
    for (const key of keys) expect(key).toMatch(/^svc_sk_live_[0-9A-Za-z]{46}$/);
    expect(new Set(keys).size).toBe(500);
    expect(keys.every(isRawKey)).toBe(true);
  });

  test('ends with a standard CRC-32 in base 62, digits first', () => {
    expect(isRawKey(KNOWN_KEY)).toBe(true);
  });

  test('is invalid after a change of any one character', () => {
    const key = generateRawKey();
    for (let index = 0; index < key.length; index++) {
      const other = key[index] === 'a' ? 'b' : 'a';
      expect(isRawKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false);
    }
  });

  test.for([
    '',
    'svc_sk_live_',
    `${KNOWN_KEY} `,
    ` ${KNOWN_KEY}`,
    `${KNOWN_KEY}0`,
    KNOWN_KEY.slice(1),
    `${KNOWN_KEY}\n`,
  ])('cannot be "%s"', (text) => {
    expect(isRawKey(text)).toBe(false);
  });

  test('is stored as its SHA-256, its first sixteen and its last four characters', () => {
    expect(hashRawKey(KNOWN_KEY)).toBe(createHash('sha256').update(KNOWN_KEY).digest('hex'));
    expect(keyPreview(KNOWN_KEY)).toEqual({ start: 'svc_sk_live_0000', last4: KNOWN_KEY.slice(-4) });
  });
});

describe('an API key', () => {
  const now = new Date('2026-11-21T12:00:00.000Z');
  const key = { enabled: true, expiresAt: null, revokedAt: null, previousHashExpiresAt: null };
  const after = (milliseconds: number) => new Date(now.getTime() + milliseconds);

  test('is valid until the millisecond before expiresAt', () => {
    expect(keyError(key, now)).toBeNull();
    expect(keyError({ ...key, expiresAt: after(1) }, now)).toBeNull();
    expect(keyError({ ...key, expiresAt: after(0) }, now)).toBe('key_expired');
    expect(keyError({ ...key, expiresAt: after(-1) }, now)).toBe('key_expired');
  });

  test('is invalid when it is disabled or revoked', () => {
    expect(keyError({ ...key, enabled: false }, now)).toBe('key_disabled');
    expect(keyError({ ...key, enabled: false, revokedAt: after(-1) }, now)).toBe('unauthorized');
  });
});
