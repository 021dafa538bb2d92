import { expect, test } from 'vitest';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';

test('newUniqueId returns ascending UUIDv7 ids with the current timestamp', () => {
  const before = Date.now();
  const ids = Array.from({ length: 100_000 }, newUniqueId);
  const after = Date.now();
  expect(ids).toEqual([...new Set(ids)].toSorted());
  const uuidV7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  expect(ids.filter((id) => !isUniqueId(id) || !uuidV7.test(id))).toEqual([]);
  const timestamps = ids.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16));
  expect(timestamps[0]).toBeGreaterThanOrEqual(before);
  // If one millisecond has no ids left, the generator uses the next timestamp (RFC 9562, 6.2).
  expect(timestamps.at(-1)).toBeLessThanOrEqual(after + 1);
});
