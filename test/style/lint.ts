import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { projectFiles } from './files.ts';

/**
 * `npm run check:lint`. The type-aware rules cost as much as a check of all types, and oxlint keeps no result between runs. So this
 * lints only the files that changed since the last run without a finding, and the files that import them. A changed type can
 * also cause a finding in a file that imports the changed one through others, so CI lints everything.
 */

/** Hashes of the files of the last run without a finding. Its paths are relative, so that a copy of the project can use it. */
const STATE_FILE = 'node_modules/.cache/lint.json';
const SOURCE = /\.[cm]?[jt]sx?$/;
/** Every result depends on them: the rules, and the versions of oxlint and of all types. */
const CONFIGURATION = /(?:^|\/)(?:\.oxlintrc\.json|tsconfig\.json|package-lock\.json)$/;
const relativePath = /'(\.{1,2}\/[^'\n]+)'/g;

type Hashes = Readonly<Record<string, string>>;

const files = projectFiles().filter((file) => SOURCE.test(file) || CONFIGURATION.test(file));
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const current: Hashes = Object.fromEntries([...texts].map(([file, text]) => [file, hash('sha1', text)]));
const former: Hashes = existsSync(STATE_FILE) ? JSON.parse(readFileSync(STATE_FILE, 'utf8')) : {};
const sources = files.filter((file) => SOURCE.test(file));
const changed = new Set(
  Object.keys({ ...former, ...current }).filter((file) => current[file] !== former[file]), // also removed files
);
const isComplete = process.env['CI'] !== undefined || [...changed].some((file) => CONFIGURATION.test(file));
const linted = isComplete ? sources : sources.filter((file) => changed.has(file) || importsChange(file));

process.stdout.write(
  isComplete
    ? `Lint: all ${sources.length} files\n`
    : `Lint: ${linted.length} of ${sources.length} files: those that changed since the last run, and those that import them\n`,
);
process.exitCode = linted.length === 0 ? 0 : lint(isComplete ? [] : linted);
if (process.exitCode === 0) {
  mkdirSync(dirname(STATE_FILE), { recursive: true });
  writeFileSync(STATE_FILE, JSON.stringify(current));
}

function importsChange(file: string): boolean {
  const paths = texts.get(file)?.matchAll(relativePath) ?? [];
  return [...paths].some(([, path = '']) => changed.has(join(dirname(file), path)));
}

function lint(paths: readonly string[]): number {
  // Each thread of the rules has its own types, so that two threads take a third more time of processors. `npm run check` runs the
  // compiler beside this.
  const threads = Math.max(1, Math.floor(availableParallelism() / 2));
  const { status, error } = spawnSync(join('node_modules', '.bin', 'oxlint'), ['--type-aware', ...paths], {
    stdio: 'inherit',
    env: { GOMAXPROCS: `${threads}`, ...process.env },
  });
  if (error) throw error;
  return status ?? 1;
}
