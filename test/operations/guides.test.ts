import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { databaseUrl } from '../support/database/database.ts';
import { copyProject } from '../support/setup/project-copy.ts';

const root = join(import.meta.dirname, '../..');
/** Maximum number of hand-written lines and files of each guide. */
const GUIDES = [
  { page: 'adding-a-field.md', maxEditedLines: 2, maxLines: 21, maxFiles: 2 },
  { page: 'adding-a-resource.md', maxEditedLines: 6, maxLines: 244, maxFiles: 8 },
];
/** The last command of both guides. */
const CHECK = 'npm run check\n';
/** One worker, because each loads the whole service, and the tests of the project run beside. Without CI, as for a reader. */
const ENVIRONMENT = 'export VITEST_MAX_WORKERS=1; unset CI';
/** The files that passed the lint are known to the copy, so that it checks only those that the guides change. */
const LINT_STATE = 'node_modules/.cache/lint.json';
const TIMEOUT_MS = 600_000;

// The copy uses the embedded database in any case, so one run is enough.
test.runIf(databaseUrl === undefined)('the guides work in a copy of the project', { timeout: TIMEOUT_MS }, async () => {
  const { folder: copy, run } = await copyProject();
  const runInCopy = (commands: string) => run(`${ENVIRONMENT}; ${commands}`);
  await mkdir(join(copy, dirname(LINT_STATE)));
  await copyFile(join(root, LINT_STATE), join(copy, LINT_STATE)).catch(() => undefined); // the check did not run here
  await runInCopy('git init --quiet && git add --all && npm run build:client && npm run build:app');
  for (const { page, maxEditedLines, maxLines, maxFiles } of GUIDES) {
    const text = await readFile(join(root, 'docs', page), 'utf8');
    const newFiles = [...text.matchAll(/^```tsx? title="(.+?)"\n(.*?)^```/gms)];
    const diffs = [...text.matchAll(/^```diff\n(.*?)^```/gms)].map(([, diff = '']) => diff);
    for (const [, path = '', code = ''] of newFiles) {
      await mkdir(dirname(join(copy, path)), { recursive: true });
      await writeFile(join(copy, path), code);
    }
    await writeFile(join(copy, 'guide.diff'), diffs.join(''));
    await runInCopy('git apply guide.diff && rm guide.diff && git add --all');
    // Every command that the reader runs.
    const commands = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block).join('');
    expect(commands.endsWith(CHECK)).toBe(true);
    await runInCopy(commands.slice(0, -CHECK.length));
    const editedLines = diffs.join('').match(/^\+(?!\+\+)/gm)?.length ?? 0;
    const newLines = newFiles.reduce((sum, [, , code = '']) => sum + code.split('\n').length - 1, 0);
    const files = newFiles.length + (diffs.join('').match(/^diff --git /gm)?.length ?? 0);
    expect(editedLines).toBeLessThanOrEqual(maxEditedLines);
    expect(editedLines + newLines).toBeLessThanOrEqual(maxLines);
    expect(files).toBeLessThanOrEqual(maxFiles);
  }
  await runInCopy(CHECK); // once for both, because it checks what both changed
});
