import { afterAll, expect } from 'vitest';
import { opened } from '../database/opened.ts';
import { findStoredSecrets } from '../database/stored-secrets.ts';

// Checks after each test file that no table contains a raw key, and that the audit log contains no hash.
afterAll(async () => {
  if (opened.asOwner !== undefined) expect(await opened.asOwner(findStoredSecrets)).toEqual([]);
});
