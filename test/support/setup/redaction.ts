import { afterAll, expect } from 'vitest';
import { asOwner } from '../database/database.ts';
import { findStoredSecrets } from '../database/stored-secrets.ts';

// Checks after each test file that no table contains a raw key, and that the audit log contains no hash.
afterAll(async () => {
  expect(await asOwner(findStoredSecrets)).toEqual([]);
});
