import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { keyError } from '../../entities/api-key/api-key.ts';
import { keyPreview, generateRawKey, hashRawKey, isRawKey } from '../../entities/api-key/raw-key.ts';

/** CRC-32 of "svc_sk_live_" and forty zeros is 0xd5e2f6c, by another implementation (Python's zlib). */
const KNOWN_KEY = 'svc_sk_live_00000000000000000000000000000000000000000FB2WC';

describe('a raw key', () => {
  test('is the prefix, forty characters and their checksum, never the same twice', () => {
    const keys = Array.from({ length: 500 }, generateRawKey);
    for (const key of keys) expect(key).toMatch(/^svc_sk_live_[0-9A-Za-z]{46}$/);
    expect(new Set(keys).size).toBe(500);
    expect(keys.every(isRawKey)).toBe(true);
  });

  test('has the checksum that any CRC-32 gives, in base 62 with digits first', () => {
    expect(isRawKey(KNOWN_KEY)).toBe(true);
  });

  test('with any one character changed is none', () => {
    const key = generateRawKey();
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === 'a' ? 'b' : 'a';
      expect(isRawKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
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
  ])('is not "%s"', (text) => {
    expect(isRawKey(text)).toBe(false);
  });

  test('is stored as its SHA-256, its first sixteen characters and its last four', () => {
    expect(hashRawKey(KNOWN_KEY)).toBe(createHash('sha256').update(KNOWN_KEY).digest('hex'));
    expect(keyPreview(KNOWN_KEY)).toEqual({ start: 'svc_sk_live_0000', last4: KNOWN_KEY.slice(-4) });
  });
});

describe('a key works', () => {
  const now = new Date('2026-11-21T12:00:00.000Z');
  const key = { enabled: true, expiresAt: null, revokedAt: null, previousHashExpiresAt: null };
  const at = (milliseconds: number) => new Date(now.getTime() + milliseconds);

  test('while now is before expiresAt, to the millisecond', () => {
    expect(keyError(key, now)).toBeNull();
    expect(keyError({ ...key, expiresAt: at(1) }, now)).toBeNull();
    expect(keyError({ ...key, expiresAt: at(0) }, now)).toBe('key_expired');
    expect(keyError({ ...key, expiresAt: at(-1) }, now)).toBe('key_expired');
  });

  test('unless it is disabled or revoked', () => {
    expect(keyError({ ...key, enabled: false }, now)).toBe('key_disabled');
    expect(keyError({ ...key, enabled: false, revokedAt: at(-1) }, now)).toBe('unauthorized');
  });
});
