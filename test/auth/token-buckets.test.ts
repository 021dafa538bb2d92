import { expect, test } from 'vitest';
import { MAX_BUCKETS, MemoryBuckets } from '../../server/auth/token-buckets.ts';

const KEY = { key: 'key', limit: 6 };
const COMPANY = { key: 'company', limit: 12 };

function openBuckets() {
  const clock = { now: 1000 };
  return { clock, buckets: new MemoryBuckets(60_000, () => clock.now) };
}

test('a bucket gives its whole limit at once, and refills evenly', async () => {
  const { clock, buckets } = openBuckets();
  expect(await buckets.take([KEY], 6, 0)).toEqual({ isAccepted: true, fullInMs: [60_000] });
  clock.now += 9999;
  expect(await buckets.take([KEY], 1, 0)).toEqual({ isAccepted: false, fullInMs: [50_001] });
  clock.now += 1;
  expect(await buckets.take([KEY], 1, 0)).toEqual({ isAccepted: true, fullInMs: [60_000] });
});

test('what one of the buckets refuses, the others keep', async () => {
  const { buckets } = openBuckets();
  await buckets.take([KEY, COMPANY], 6, 0);
  expect(await buckets.take([KEY, COMPANY], 1, 0)).toEqual({ isAccepted: false, fullInMs: [60_000, 30_000] });
  expect(await buckets.take([COMPANY], 6, 0)).toMatchObject({ isAccepted: true });
});

test('a refusal gives back what was counted before', async () => {
  const { buckets } = openBuckets();
  await buckets.take([KEY, COMPANY], 1, 0);
  expect(await buckets.take([KEY, COMPANY], 6, 1)).toEqual({ isAccepted: false, fullInMs: [0, 0] });
});

test.for([7, 11, 600, 999_983, 1_000_000])('a limit of %i is neither less nor more', async (limit) => {
  const { buckets } = openBuckets();
  for (let taken = 0; taken < Math.min(limit, 1000); taken++)
    expect((await buckets.take([{ key: 'one', limit }], 1, 0)).isAccepted).toBe(true);
  const rest = Math.max(0, limit - 1000);
  expect((await buckets.take([{ key: 'one', limit }], rest, 0)).isAccepted).toBe(true);
  expect((await buckets.take([{ key: 'one', limit }], 1, 0)).isAccepted).toBe(false);
});

test('beyond the maximum number of buckets, those that have been unused longest are dropped', async () => {
  const { buckets } = openBuckets();
  for (let key = 0; key < MAX_BUCKETS; key++) await buckets.take([{ key: `key ${key}`, limit: 1 }], 1, 0);
  await buckets.take([{ key: 'key 0', limit: 1 }], 1, 0);
  await buckets.take([{ key: 'another', limit: 1 }], 1, 0);
  expect(buckets.count).toBe(MAX_BUCKETS);
  expect(await buckets.take([{ key: 'key 0', limit: 1 }], 1, 0)).toMatchObject({ isAccepted: false });
  expect(await buckets.take([{ key: 'key 1', limit: 1 }], 1, 0)).toMatchObject({ isAccepted: true });
});
