import { expect, test } from 'vitest';
import { BoundedLimiter, MAX_COUNTERS } from '../../server/auth/bounded-limiter.ts';

test('beyond the maximum number of counters, those that have been unused longest are dropped', async () => {
  const limiter = new BoundedLimiter({ points: 5, duration: 60 });
  for (let key = 0; key < MAX_COUNTERS; key++) await limiter.consume(`key ${key}`);
  await limiter.consume('key 0');
  for (let key = 0; key < 1000; key++) await limiter.penalty(`other ${key}`);
  expect(limiter.count).toBe(MAX_COUNTERS);
  expect(limiter.dump().storage).toHaveLength(MAX_COUNTERS);
  expect(await limiter.get('key 0')).toMatchObject({ consumedPoints: 2 });
  expect(await limiter.get('key 1')).toBeNull();
  expect(await limiter.get('other 999')).toMatchObject({ consumedPoints: 1 });
  for (const { key } of limiter.dump().storage) await limiter.delete(key);
});
