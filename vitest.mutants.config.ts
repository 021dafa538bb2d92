import { defineConfig } from 'vitest/config';

/** Unit tests without a database, selected by test/mutants. They run once for each mutant, so they must be fast. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    // One worker for all files loads each module once. Loading is most of the cost.
    isolate: false,
    maxWorkers: 1,
  },
});
