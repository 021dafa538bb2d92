import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { slowChain } from './test/support/setup/slow-tests.ts';

/** Tests of pages in Chromium. They do not depend on the kind of database, so they run on the embedded one. */
const BROWSER = ['test/app/**/*.test.ts', 'test/**/*in-browser.test.ts'];

/**
 * Tests that start, stop, kill, restore or upgrade services, those that check a copy of the whole project, and those that run programs:
 * examples, compilers and linters.
 */
const PROCESSES = [
  'test/client/package.test.ts',
  'test/client/served-packages.test.ts',
  'test/changes/shutdown.test.ts',
  'test/changes/two-way-sync.test.ts',
  'test/database/pglite/fairness.test.ts',
  'test/database/transaction-pooling.test.ts',
  'test/demo/demo-command.test.ts',
  'test/docs/ci-page.test.ts',
  'test/evidence/kills.test.ts',
  'test/import/import-crash.test.ts',
  'test/inbox/kills.test.ts',
  'test/mail/service-process.test.ts',
  'test/management/erase-kills.test.ts',
  'test/management/documented-commands.test.ts',
  'test/management/remote-commands.test.ts',
  'test/openapi/client-examples.test.ts',
  'test/openapi/openapi-lint.test.ts',
  'test/operations/backup.test.ts',
  'test/operations/backup-postgresql.test.ts',
  'test/operations/copy-database.test.ts',
  'test/operations/guides.test.ts',
  'test/operations/packaging.test.ts',
  'test/operations/process-lifecycle.test.ts',
  'test/operations/restore.test.ts',
  'test/operations/service-settings.test.ts',
  'test/operations/signing-key.test.ts',
  'test/operations/startup-errors.test.ts',
  'test/operations/tracing.test.ts',
  'test/operations/workers.test.ts',
  'test/outbound/timestamp-authority.test.ts',
  'test/personal-data/rewrite.test.ts',
  'test/regressions/data-directory.test.ts',
  'test/regressions/http-server.test.ts',
  'test/rest/idempotency-faults.test.ts',
  'test/programs/sabotage/test-oracles.test.ts',
  'test/search/service.test.ts',
  'test/storage/backup.test.ts',
  'test/trpc/types-package.test.ts',
  'test/upgrade/**/*.test.ts',
  'test/webhook/service-process.test.ts',
];

/**
 * Tests that need no database, that start only services with an embedded database of their own, those of commands, clients and
 * examples, whose procedures other tests call on both databases, and those about a peer: a slow client, a faulty network, a hostile
 * identity provider or mail server. With DATABASE_URL they would repeat the same, so the tiers have them only without it.
 */
const EMBEDDED_ONLY = [
  'test/api-key/secret-scanning-public-keys.test.ts',
  'test/changes/shutdown.test.ts',
  'test/changes/two-way-sync.test.ts',
  'test/client/package.test.ts',
  'test/client/retries.test.ts',
  'test/client/served-packages.test.ts',
  'test/database/migrations/safety.test.ts',
  'test/database/pglite/fairness.test.ts',
  'test/database/pglite/deadlines.test.ts',
  'test/database/pglite/thread.test.ts',
  'test/demo/demo-command.test.ts',
  'test/deploy/**',
  'test/docs/ci-page.test.ts',
  'test/programs/failover/compare.test.ts',
  'test/programs/failover/responses.test.ts',
  'test/http/slow-clients.test.ts',
  'test/import/csv.test.ts',
  'test/mail/mailer.test.ts',
  'test/mail/replies.test.ts',
  'test/mail/service-process.test.ts',
  'test/management/documented-commands.test.ts',
  'test/management/remote-commands.test.ts',
  'test/programs/mutants/areas.test.ts',
  'test/openapi/client-examples.test.ts',
  'test/openapi/openapi-lint.test.ts',
  'test/operations/guides.test.ts',
  'test/operations/process-lifecycle.test.ts',
  'test/operations/service-settings.test.ts',
  'test/operations/settings.test.ts',
  'test/operations/signing-key.test.ts',
  'test/operations/tracing.test.ts',
  'test/outbound/guarded-request.test.ts',
  'test/outbound/resolve-name.test.ts',
  'test/outbound/timestamp-authority.test.ts',
  'test/people/first-start.test.ts',
  'test/programs/sabotage/defects.test.ts',
  'test/personal-data/rewrite.test.ts',
  'test/proof/verify.test.ts',
  'test/sign-in/hostile-provider/metadata.test.ts',
  'test/sign-in/service-facts.test.ts',
  'test/storage/backup.test.ts',
  'test/storage/files.test.ts',
  'test/storage/s3-failures.test.ts',
  'test/storage/s3.test.ts',
  'test/storage/spool.test.ts',
  'test/trpc/client-types.test.ts',
  'test/trpc/types-package.test.ts',
  'test/upgrade/data-directory.test.ts',
  'test/upgrade/start.test.ts',
  'test/webhook/attempts.test.ts',
  'test/webhook/receiver.test.ts',
  'test/webhook/ssrf.test.ts',
  ...BROWSER,
];

/** Plans of statements on large tables. Both databases plan in the same way, so these tests run with DATABASE_URL only. */
const POSTGRESQL_ONLY = ['test/**/*plans.test.ts'];

const ALL = 'test/**/*.test.ts';

const hasPostgresql = process.env['DATABASE_URL'] !== undefined;
const unless = (condition: boolean, files: readonly string[]) => (condition ? [] : files);

/** The tests of each `vitest run --mode`. Without a mode a file of any tier can be named. */
const TIERS: Record<string, () => { include: string[]; exclude: string[] }> = {
  test: () => ({ include: [ALL], exclude: [] }),
  /** `npm test` */
  inside: () => ({ include: [ALL], exclude: [...BROWSER, ...PROCESSES, ...unless(hasPostgresql, POSTGRESQL_ONLY)] }),
  /** `npm run test:quick`: those of `npm test` that need only this process and its database. */
  quick: () => ({
    include: [ALL],
    exclude: [...BROWSER, ...PROCESSES, ...globSync(ALL).filter((file) => slowChain(file) !== undefined)],
  }),
  /** `npm run test:browser` */
  browser: () => ({ include: BROWSER, exclude: [] }),
  /** `npm run test:processes` */
  processes: () => ({ include: PROCESSES, exclude: [] }),
};

/**
 * Small files with long tests. Vitest starts large files first if it does not know how long each took, and would start these last:
 * one worker would run them alone, for minutes.
 */
const STARTED_FIRST = new Set([
  'test/evidence/kills.test.ts',
  'test/operations/guides.test.ts',
  'test/upgrade/fixtures.test.ts',
  'test/webhook/service-process.test.ts',
]);

const isLong = ({ moduleId }: TestSpecification) => STARTED_FIRST.has(relative(import.meta.dirname, moduleId));

class LongTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of the sequencer
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig(({ mode }) => {
  const tier = TIERS[mode];
  if (tier === undefined) throw new Error(`--mode: expected one of ${Object.keys(TIERS).join(', ')}`);
  const { include, exclude } = tier();
  return {
    test: {
      include,
      exclude: [...exclude, ...unless(!hasPostgresql || mode === 'test', EMBEDDED_ONLY)],
      globalSetup: 'test/support/setup/global-setup.ts',
      setupFiles: 'test/support/setup/redaction.ts',
      // Test files share a worker and its database. Each creates its own companies, which tenant isolation separates.
      isolate: false,
      sequence: { sequencer: LongTestsFirst },
      // More than the two cores of the machines that run the tests, because a test that waits leaves a core idle. A fourth one saves
      // 7 % of the time, but on a busy machine services then miss their deadlines.
      maxWorkers: 3,
      pool: 'threads',
      // Long enough for a busy machine; only a test that hangs reaches them.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
    },
  };
});
