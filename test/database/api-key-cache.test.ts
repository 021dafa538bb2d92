import { expect, test } from 'vitest';
import { ApiKeyCache } from '../../database/api-key/cache.ts';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import { newUniqueId } from '../../entities/ids.ts';

/** A cache whose every lookup finds a key with these address ranges. */
function cacheOf(cidrs: readonly string[] | null): ApiKeyCache {
  const row = {
    company_id: 1,
    unique_id: newUniqueId(),
    enabled: true,
    expires_at: null,
    revoked_at: null,
    scopes: ['task:read'],
    frameworks: null,
    cidrs,
    user_id: newUniqueId(),
    user_name: 'Key',
    previous_hash_expires_at: null,
  };
  return new ApiKeyCache({ run: async () => JSON.parse(JSON.stringify([row])) }, TIMEOUTS_MS.lookup);
}

const hashOf = (index: number) => index.toString(16).padStart(64, '0');

test('the cache keeps the newest 10,000 keys', async () => {
  const cache = cacheOf(null);
  for (let index = 0; index < 10_100; index++) await cache.find(hashOf(index));
  expect(cache.size).toEqual({ keys: 10_000, bytes: 10_000 * 1024 });
  expect([0, 99, 100, 10_099].map((index) => cache.hasSeen(hashOf(index)))).toEqual([false, false, true, true]);
});

test('the cache keeps at most 16 MiB of keys with many address ranges', async () => {
  const cache = cacheOf(Array.from({ length: 100 }, (_, index) => `2001:db8:${index}::/48`));
  for (let index = 0; index < 3000; index++) await cache.find(hashOf(index));
  expect(cache.size.bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
  expect(cache.size.keys).toBe(1859);
  expect([1140, 1141, 2999].map((index) => cache.hasSeen(hashOf(index)))).toEqual([false, true, true]);
});
