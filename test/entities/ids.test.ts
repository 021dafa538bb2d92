import { expect, test } from 'vitest';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';

test('new ids are UUIDv7 of this moment, each after those before it', () => {
  const before = Date.now();
  const ids = Array.from({ length: 100_000 }, newUniqueId);
  const after = Date.now();
  expect(ids).toEqual([...new Set(ids)].toSorted());
  const form = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  expect(ids.filter((id) => !isUniqueId(id) || !form.test(id))).toEqual([]);
  const moments = ids.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16));
  expect(moments[0]).toBeGreaterThanOrEqual(before);
  // More than are made in a millisecond borrow from the next.
  expect(moments.at(-1)).toBeLessThanOrEqual(after + 1);
});
