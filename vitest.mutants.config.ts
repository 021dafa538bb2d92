import { defineConfig } from 'vitest/config';

/** Unit tests that need no database, fast enough to run once per mutant. `test/programs/mutants/areas.ts` selects them. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    // One worker loads each module once for all files. Loading modules takes most of the time of a run.
    isolate: false,
    maxWorkers: 1,
  },
});
