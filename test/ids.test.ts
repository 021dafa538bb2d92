import { expect, test } from 'vitest';
import { isUniqueId, newUniqueId } from '../entities/ids.ts';

test('a new id is a UUIDv7 of this moment, and no other is like it', () => {
  const before = Date.now();
  const ids = Array.from({ length: 1000 }, newUniqueId);
  const after = Date.now();
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) {
    expect(isUniqueId(id)).toBe(true);
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const made = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
    expect(made).toBeGreaterThanOrEqual(before);
    expect(made).toBeLessThanOrEqual(after);
  }
});
