import { defineConfig } from 'vitest/config';

/** Tests of rules that need no database: quick enough to be run once for each mutant. */
export default defineConfig({
  test: { include: ['test/errors.test.ts', 'test/key-rights.test.ts', 'test/raw-key.test.ts'], pool: 'threads' },
});
