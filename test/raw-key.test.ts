import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { keyRefusal } from '../entities/api-key.ts';
import { displayParts, generateRawKey, hashRawKey, isRawKey } from '../entities/raw-key.ts';

/** CRC-32 of "svc_sk_live_" and forty zeros is 0xd5e2f6c, by another implementation (Python's zlib). */
const KNOWN = 'svc_sk_live_00000000000000000000000000000000000000000FB2WC';

describe('a raw key', () => {
  test('is the prefix, forty characters and their checksum, never the same twice', () => {
    const keys = Array.from({ length: 500 }, generateRawKey);
    for (const key of keys) expect(key).toMatch(/^svc_sk_live_[0-9A-Za-z]{46}$/);
    expect(new Set(keys).size).toBe(500);
    expect(keys.every(isRawKey)).toBe(true);
  });

  test('has the checksum that any CRC-32 gives, in base 62 with digits first', () => {
    expect(isRawKey(KNOWN)).toBe(true);
  });

  test('with any one character changed is none', () => {
    const key = generateRawKey();
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === 'a' ? 'b' : 'a';
      expect(isRawKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }
  });

  test.for(['', 'svc_sk_live_', `${KNOWN} `, ` ${KNOWN}`, `${KNOWN}0`, KNOWN.slice(1), `${KNOWN}\n`])(
    'is not "%s"',
    (text) => {
      expect(isRawKey(text)).toBe(false);
    },
  );

  test('is stored as its SHA-256, its first sixteen characters and its last four', () => {
    expect(hashRawKey(KNOWN)).toBe(createHash('sha256').update(KNOWN).digest('hex'));
    expect(displayParts(KNOWN)).toEqual({ start: 'svc_sk_live_0000', last4: KNOWN.slice(-4) });
  });
});

describe('a key works', () => {
  const now = new Date('2026-11-21T12:00:00.000Z');
  const key = { enabled: true, expiresAt: null, revokedAt: null, supersededUntil: null };
  const at = (milliseconds: number) => new Date(now.getTime() + milliseconds);

  test('while now is before expiresAt, to the millisecond', () => {
    expect(keyRefusal(key, now)).toBeNull();
    expect(keyRefusal({ ...key, expiresAt: at(1) }, now)).toBeNull();
    expect(keyRefusal({ ...key, expiresAt: at(0) }, now)).toBe('key_expired');
    expect(keyRefusal({ ...key, expiresAt: at(-1) }, now)).toBe('key_expired');
  });

  test('unless it is disabled or revoked', () => {
    expect(keyRefusal({ ...key, enabled: false }, now)).toBe('key_disabled');
    expect(keyRefusal({ ...key, enabled: false, revokedAt: at(-1) }, now)).toBe('unauthorized');
  });
});
