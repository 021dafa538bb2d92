import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/setup/global-setup.ts',
    setupFiles: 'test/support/setup/redaction.ts',
    // Test files share a worker and its database. Each creates its own companies, which tenant isolation separates.
    isolate: false,
    maxWorkers: 2,
    pool: 'threads',
    // Long enough for a busy machine; only a test that hangs reaches them.
    testTimeout: 60_000,
    hookTimeout: 180_000,
  },
});
