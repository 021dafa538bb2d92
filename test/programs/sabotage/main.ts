import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { DEFECTS } from './defects.ts';
import type { Defect } from './defects.ts';

// Inserts each defect into a copy of the repository and runs the defect's tests there. At least one test must fail.
// Uses the embedded database, or PostgreSQL if DATABASE_URL is set.
// npm run program -- sabotage [--only <part of a description>]

const execFileAsync = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const COPIED_FILES =
  /^(cli|database|entities|migrations|procedures|server|test|docs|bench)(\/|$)|^[\w.]+\.(ts|json|md|yaml)$/;
const RUN_TIMEOUT_MS = 300_000;
/** Well below that of the run, so that a test that hangs fails, and is reported. */
const TEST_TIMEOUT_MS = 100_000;

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) })),
});

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const matching = DEFECTS.filter(({ description }) => description.includes(values.only ?? ''));
const selected = matching.filter(
  ({ needsPostgreSql }) => needsPostgreSql !== true || process.env['DATABASE_URL'] !== undefined,
);
const skipped = matching.length - selected.length;
const skippedText = skipped > 0 ? `, ${skipped} skipped without DATABASE_URL` : '';
// Vitest would run all tests.
if (selected.length === 0) throw new Error(`no defect to try${skippedText}`);

async function copyRepository(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sabotage-'));
  const { stdout } = await execFileAsync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  for (const file of stdout.split('\n').filter((name) => COPIED_FILES.test(name))) {
    await cp(join(root, file), join(folder, file)).catch((error: unknown) => {
      // Git still lists files whose deletion is not committed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    });
  }
  // The tests only read both: the packages, and the application that `npm install` built.
  await mkdir(join(folder, 'app'));
  for (const name of ['node_modules', join('app', 'dist')]) await symlink(join(root, name), join(folder, name));
  return folder;
}

async function runTests(folder: string, names: readonly string[]) {
  const files = names.map((name) => `test/${name}.test.ts`);
  const report = join(folder, 'report.json');
  await rm(report, { force: true });
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
  const reporting = ['--bail=1', '--reporter=json', `--outputFile=${report}`];
  const args = [vitest, 'run', `--testTimeout=${TEST_TIMEOUT_MS}`, ...reporting, ...files];
  const options = { cwd: folder, timeout: RUN_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
  // Vitest exits with 1 when tests fail. The report has the results.
  await execFileAsync(process.execPath, args, options).catch(() => {});
  return Report.parse(JSON.parse(await readFile(report, 'utf8')));
}

const failedTest = ({ testResults }: z.infer<typeof Report>): string | undefined =>
  testResults.flatMap(({ assertionResults }) => assertionResults).find(({ status }) => status === 'failed')?.fullName;

/**
 * Runs the tests of a defect with the defect in place.
 * @returns the name of a test that fails; undefined if none does. A defect that prevents the modules from loading fails no
 * test: it would be noticed without one.
 */
async function findFailingTest(
  { file, search, replacement = '', tests }: Defect,
  folder: string,
): Promise<string | undefined> {
  const path = join(folder, file);
  const original = await readFile(path, 'utf8');
  if (original.split(search).length !== 2) throw new Error(`${file}: expected one occurrence of ${search}`);
  await writeFile(
    path,
    original.replace(search, () => replacement),
  );
  try {
    return failedTest(await runTests(folder, tests));
  } finally {
    await writeFile(path, original);
  }
}

const workCopies = await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, copyRepository));
const [firstCopy = ''] = workCopies;
let survived = 0;
try {
  const allTests = [...new Set(selected.flatMap(({ tests }) => tests))];
  const baseline = await runTests(firstCopy, allTests);
  if (baseline.numFailedTests > 0 || baseline.numPassedTests === 0)
    throw new Error(`tests fail without a defect: ${failedTest(baseline) ?? 'no test ran'}`);
  process.stdout.write(
    `${baseline.numPassedTests} tests pass without a defect\n\n| defect | failing test |\n|---|---|\n`,
  );
  const queue = [...selected];
  // A copy is deleted only after both have ended.
  const runs = await Promise.allSettled(
    workCopies.map(async (folder) => {
      for (let defect = queue.shift(); defect !== undefined; defect = queue.shift()) {
        const failingTest = await findFailingTest(defect, folder);
        if (failingTest === undefined) survived += 1;
        process.stdout.write(`| ${defect.description} | ${failingTest ?? '**none**'} |\n`);
      }
    }),
  );
  for (const run of runs) if (run.status === 'rejected') throw run.reason;
} finally {
  for (const folder of workCopies) await rm(folder, { recursive: true });
}
process.stdout.write(`\n${selected.length - survived} found, ${survived} survived${skippedText}\n`);
process.exitCode = survived > 0 ? 1 : 0;
