import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { DEFECTS } from './defects.ts';
import type { Defect } from './defects.ts';

// Inserts each defect into a copy of the repository and runs the defect's tests there. At least one test must fail.
// Uses the embedded database, or PostgreSQL if DATABASE_URL is set.
// npm run program -- sabotage [--only <part of a description>] [--report <file>]

const execFileAsync = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const COPIED_FILES =
  /^(cli|database|entities|migrations|procedures|server|test|docs|bench)(\/|$)|^[\w.]+\.(ts|json|md|yaml)$/;
const RUN_TIMEOUT_MS = 300_000;
/** Well below that of the run, so that a test that hangs fails, and is reported. */
const TEST_TIMEOUT_MS = 100_000;
/** One more than the cores, because tests that wait leave a core idle. */
const COPIES = availableParallelism() + 1;

const Report = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

interface FailedTest {
  /** Path from the root of the repository. */
  file: string;
  name: string;
  messages: string[];
}

interface TestRun {
  passed: number;
  /** The first test that failed. */
  failed: FailedTest | undefined;
  output: string;
}

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, report: { type: 'string' } } });
const print = (line: string) => process.stdout.write(`${line}\n`);
const matching = DEFECTS.filter(({ description }) => description.includes(values.only));
const selected = matching.filter(
  ({ needsPostgreSql }) => needsPostgreSql !== true || process.env['DATABASE_URL'] !== undefined,
);
const skipped = matching.length - selected.length;
const skippedText = skipped > 0 ? `, ${skipped} skipped without DATABASE_URL` : '';

async function copyRepository(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sabotage-'));
  const { stdout } = await execFileAsync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 2 ** 24,
  });
  for (const file of stdout.split('\n').filter((name) => COPIED_FILES.test(name))) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await copyFile(join(root, file), join(folder, file)).catch((error: unknown) => {
      // Git still lists files whose deletion is not committed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    });
  }
  // The tests only read both: the packages, and the application that `npm install` built.
  await mkdir(join(folder, 'app'));
  for (const name of ['node_modules', join('app', 'dist')]) await symlink(join(root, name), join(folder, name));
  return folder;
}

/** Runs test files in a copy, in one worker and in the same order each time, until a test fails. @param name of the only test */
async function runTests(folder: string, files: readonly string[], name?: string): Promise<TestRun> {
  const report = join(folder, 'report.json');
  await rm(report, { force: true });
  const args = [
    join(folder, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    `--testTimeout=${TEST_TIMEOUT_MS}`,
    '--bail=1',
    '--maxWorkers=1',
    // The copy has its own cache of modules. That of results would change the order.
    `--fsModuleCachePath=${join(folder, 'module-cache')}`,
    '--cache=false',
    '--reporter=json',
    `--outputFile=${report}`,
    ...(name === undefined ? [] : [`--testNamePattern=^${RegExp.escape(name)}$`]),
    ...files,
  ];
  const options = { cwd: folder, timeout: RUN_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
  // Vitest exits with 1 when tests fail. The report has the results; there is none if the run does not end.
  const { stdout, stderr } = await execFileAsync(process.execPath, args, options).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) return { passed: 0, failed: undefined, output: `${stdout}${stderr}` };
  const { numPassedTests, testResults } = Report.parse(JSON.parse(text));
  const [failed] = testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName: test, failureMessages: messages }) => ({ file: relative(folder, path), name: test, messages })),
  );
  return { passed: numPassedTests, failed, output: testResults.map(({ message }) => message).join('\n') };
}

/** Tests that were run without a defect, by file and name. */
const undisturbed = new Map<string, Promise<void>>();

/** @throws Error unless the test passes without a defect, alone or after the others of its file */
function requirePassing(folder: string, { file, name }: FailedTest): Promise<void> {
  const run = async () => {
    const alone = await runTests(folder, [file], name);
    const { passed, failed, output } = alone.passed > 0 && !alone.failed ? alone : await runTests(folder, [file]);
    if (failed !== undefined || passed === 0)
      throw new Error(`without the defect: ${failed?.messages.join('\n') ?? `no test ran: ${output.slice(-1000)}`}`);
  };
  const key = `${file}: ${name}`;
  const known = undisturbed.get(key) ?? run();
  undisturbed.set(key, known);
  return known;
}

/**
 * Runs the tests of a defect with the defect in place.
 * @returns the test that fails, and passes without the defect; null if none fails
 * @throws Error if no test runs. A defect that prevents the modules from loading would be noticed without a test.
 */
async function findFailingTest({ file, search, replacement = '', tests }: Defect, folder: string) {
  const path = join(folder, file);
  const original = await readFile(path, 'utf8');
  if (original.split(search).length !== 2) throw new Error(`${file}: expected one occurrence of ${search}`);
  await writeFile(
    path,
    original.replace(search, () => replacement),
  );
  const files = tests.map((name) => `test/${name}.test.ts`);
  let run = await runTests(folder, files);
  // On a busy machine the database may not open in time.
  if (run.passed === 0 && run.failed === undefined) run = await runTests(folder, files);
  await writeFile(path, original);
  const { failed, passed, output } = run;
  if (failed === undefined && passed === 0) throw new Error(`no test ran: ${output.slice(-1000)}`);
  if (failed === undefined) return null;
  await requirePassing(folder, failed);
  return `${failed.file}: ${failed.name}`;
}

const results = new Map<string, string | null>();
const errors: string[] = [];

async function work(queue: Defect[]): Promise<void> {
  const folder = await copyRepository();
  try {
    for (let defect = queue.shift(); defect !== undefined; defect = queue.shift()) {
      const { description } = defect;
      const startedAt = performance.now();
      try {
        const failingTest = await findFailingTest(defect, folder);
        results.set(description, failingTest);
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
        print(`| ${description} | ${failingTest ?? '**none**'} | ${seconds} s |`);
      } catch (error) {
        errors.push(`${description}: ${error instanceof Error ? error.message : String(error)}`);
        print(`| ${description} | **error** | |`);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (selected.length === 0) {
  print(`--only: no defect to try${skippedText}`);
  process.exitCode = 2;
} else {
  print('| defect | failing test | time |\n|---|---|---:|');
  const queue = [...selected];
  await Promise.all(Array.from({ length: Math.min(COPIES, selected.length) }, () => work(queue)));
  const inOrder = selected.flatMap(({ description }) => {
    const result = results.get(description);
    return result === undefined ? [] : [[description, result] as const];
  });
  if (values.report !== undefined)
    await writeFile(values.report, `${JSON.stringify(Object.fromEntries(inOrder), undefined, 2)}\n`);
  const survived = inOrder.filter(([, failingTest]) => failingTest === null).length;
  print(`\n${inOrder.length - survived} found, ${survived} survived, ${errors.length} errors${skippedText}`);
  for (const error of errors) print(error);
  process.exitCode = survived + errors.length > 0 ? 1 : 0;
}
