import { describe, expect, test } from 'vitest';
import { checksumErrors, currentChecksums, recordedChecksums } from '../../database/orm/migration-checksums.ts';

test('every migration file matches its checksum in migrations/checksums.json', async () => {
  const recorded = await recordedChecksums();
  expect(checksumErrors(recorded, await currentChecksums())).toEqual([]);
  expect(Object.keys(recorded).length).toBeGreaterThanOrEqual(3);
  for (const checksum of Object.values(recorded)) expect(checksum).toMatch(/^[\da-f]{64}$/);
});

describe('a migration', () => {
  test('that changes is an error that asks for a new migration', () => {
    expect(checksumErrors({ one: 'a', two: 'b' }, { one: 'a', two: 'c' })).toEqual([
      'two: must not be changed after its release; add a new migration instead (npm run migration:create)',
    ]);
  });

  test('that is deleted is an error', () => {
    expect(checksumErrors({ one: 'a', two: 'b' }, { one: 'a' })).toEqual([
      'two: must not be deleted after its release; add a new migration instead (npm run migration:create)',
    ]);
  });

  test('without a checksum is an error that names the command', () => {
    expect(checksumErrors({ one: 'a' }, { one: 'a', two: 'b' })).toEqual([
      'two: expected a checksum in migrations/checksums.json; run npm run migration:checksum',
    ]);
  });
});
