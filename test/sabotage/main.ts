import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { DEFECTS } from './defects.ts';
import type { Defect } from './defects.ts';

// Each defect is put into a copy of the house, where some test must turn red: not because nothing can be loaded any more,
// but because a test fails. On the embedded database, or on that of DATABASE_URL.

const execFileAsync = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const COPIED_FILES =
  /^(cli|database|entities|migrations|procedures|server|test|docs|bench)(\/|$)|^[\w.]+\.(ts|json|md|yaml)$/;

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) })),
});

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const matching = DEFECTS.filter(({ description: what }) => what.includes(values.only ?? ''));
const selected = matching.filter(
  ({ needsPostgreSql: postgresql }) => postgresql !== true || process.env['DATABASE_URL'] !== undefined,
);

async function copyRepository(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sabotage-'));
  const { stdout } = await execFileAsync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  for (const file of stdout.split('\n').filter((name) => COPIED_FILES.test(name))) {
    await cp(join(root, file), join(folder, file)).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error; // removed, not committed yet
    });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function runTests(folder: string, names: readonly string[]) {
  const files = names.map((name) => `test/${name}.test.ts`);
  const report = join(folder, 'report.json');
  await rm(report, { force: true });
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--bail=1', '--reporter=json', `--outputFile=${report}`, ...files];
  await execFileAsync(process.execPath, args, { cwd: folder, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 }).catch(
    () => {},
  );
  return Report.parse(JSON.parse(await readFile(report, 'utf8')));
}

/**
 * @returns the name of a test that fails with the defect; undefined where none does, be it that nothing can be loaded with
 * it: then it is no defect that could slip in
 */
async function findFailingTest(
  { file, search: from, replacement: to, tests }: Defect,
  folder: string,
): Promise<string | undefined> {
  const path = join(folder, file);
  const original = await readFile(path, 'utf8');
  if (original.split(from).length !== 2) throw new Error(`${file}: not there once: ${from}`);
  await writeFile(
    path,
    original.replace(from, () => to),
  );
  try {
    const { testResults } = await runTests(folder, tests);
    return testResults.flatMap(({ assertionResults }) => assertionResults).find(({ status }) => status === 'failed')
      ?.fullName;
  } finally {
    await writeFile(path, original);
  }
}

const workCopies = await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, copyRepository));
const [first = ''] = workCopies;
let survived = 0;
try {
  const all = [...new Set(selected.flatMap(({ tests }) => tests))];
  const sound = await runTests(first, all);
  if (sound.numFailedTests > 0 || sound.numPassedTests === 0) throw new Error('the tests are red without a defect');
  process.stdout.write(`${sound.numPassedTests} tests pass without a defect\n\n| defect | turns red |\n|---|---|\n`);
  const left = [...selected];
  await Promise.all(
    workCopies.map(async (folder) => {
      for (let defect = left.shift(); defect !== undefined; defect = left.shift()) {
        const red = await findFailingTest(defect, folder);
        if (red === undefined) survived += 1;
        process.stdout.write(`| ${defect.description} | ${red ?? '**nothing**'} |\n`);
      }
    }),
  );
} finally {
  for (const folder of workCopies) await rm(folder, { recursive: true });
}
const skipped = matching.length - selected.length;
process.stdout.write(
  `\n${selected.length - survived} found, ${survived} survived${skipped > 0 ? `, ${skipped} need DATABASE_URL` : ''}\n`,
);
process.exitCode = survived > 0 ? 1 : 0;
