import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { databaseUrl } from '../support/database/database.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
/** Maximum number of hand-written lines and files of each guide. */
const GUIDES = [
  { page: 'adding-a-field.md', maxEditedLines: 8, maxLines: 60, maxFiles: 4 },
  { page: 'adding-a-resource.md', maxEditedLines: 20, maxLines: 300, maxFiles: 8 },
];
const TIMEOUT_MS = 300_000;

/** Copies the tracked files of the project to a temporary folder. The copy shares the installed packages. */
async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'guides-'));
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: root });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await cp(join(root, file), join(copy, file));
  }
  for (const folder of ['node_modules', 'docs/clients/node_modules'])
    await symlink(join(root, folder), join(copy, folder));
  return copy;
}

// The copy uses the embedded database in any case, so one run is enough.
test.runIf(databaseUrl === undefined)('the guides work in a copy of the project', { timeout: TIMEOUT_MS }, async () => {
  const copy = await copyProject();
  try {
    // The copy uses the embedded database.
    const { DATABASE_URL: _databaseUrl, ...env } = process.env;
    const runInCopy = (command: string) =>
      run('bash', ['-ec', command], { cwd: copy, env }).catch((error: { stdout: string; stderr: string }) =>
        expect.fail(`${command}: ${error.stdout}${error.stderr}`),
      );
    const tests: string[] = [];
    for (const { page, maxEditedLines, maxLines, maxFiles } of GUIDES) {
      const text = await readFile(join(root, 'docs', page), 'utf8');
      const newFiles = [...text.matchAll(/^```ts title="(.+?)"\n(.*?)^```/gms)];
      const diffs = [...text.matchAll(/^```diff\n(.*?)^```/gms)].map(([, diff = '']) => diff);
      const [migration = ''] = text.match(/^npm run migration:create .*$/m) ?? [];
      for (const [, path = '', code = ''] of newFiles) {
        await mkdir(dirname(join(copy, path)), { recursive: true });
        await writeFile(join(copy, path), code);
        if (path.startsWith('test/')) tests.push(path);
      }
      await writeFile(join(copy, 'guide.diff'), diffs.join(''));
      await runInCopy(`git apply guide.diff && ${migration}`);
      const editedLines = diffs.join('').match(/^\+(?!\+\+)/gm)?.length ?? 0;
      const newLines = newFiles.reduce((sum, [, , code = '']) => sum + code.split('\n').length - 1, 0);
      const files = newFiles.length + (diffs.join('').match(/^diff --git /gm)?.length ?? 0);
      expect(editedLines).toBeLessThanOrEqual(maxEditedLines);
      expect(editedLines + newLines).toBeLessThanOrEqual(maxLines);
      expect(files).toBeLessThanOrEqual(maxFiles);
    }
    expect(tests).toHaveLength(2);
    await runInCopy('npx tsc --noEmit');
    await runInCopy(`npx vitest run ${tests.join(' ')}`);
  } finally {
    await rm(copy, { recursive: true });
  }
});
