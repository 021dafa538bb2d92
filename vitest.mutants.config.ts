import { defineConfig } from 'vitest/config';

/** Tests of rules that need no database, as test/mutants names them: quick enough to be run once for each mutant. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    // One worker for all files, which loads each module once: that is most of what they cost.
    isolate: false,
    maxWorkers: 1,
  },
});
