import type { RunSql } from './client.ts';

/**
 * Runs SQL as the owner in the database of this test worker; undefined until a test file opens it. Whatever concerns all test files
 * imports this module, because a test that needs no database opens none.
 */
export const opened: { asOwner?: <T>(work: (run: RunSql) => Promise<T>) => Promise<T> } = {};
