import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/setup/global-setup.ts',
    setupFiles: 'test/support/setup/redaction.ts',
    // Files share a worker and its database: tests keep apart by company, as customers do.
    isolate: false,
    maxWorkers: 2,
    pool: 'threads',
    // They end what hangs: a machine that is busy may take many times as long as a quiet one.
    testTimeout: 60_000,
    hookTimeout: 180_000,
  },
});
