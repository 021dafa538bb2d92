import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { databaseUrl } from '../support/database/database.ts';
import { copyProject } from '../support/setup/project-copy.ts';

const root = join(import.meta.dirname, '../..');
/** Maximum number of hand-written lines and files of each guide. */
const GUIDES = [
  { page: 'adding-a-field.md', maxEditedLines: 8, maxLines: 60, maxFiles: 4 },
  { page: 'adding-a-resource.md', maxEditedLines: 15, maxLines: 256, maxFiles: 10 },
];
const TIMEOUT_MS = 1_200_000;

// The copy uses the embedded database in any case, so one run is enough.
test.runIf(databaseUrl === undefined)('the guides work in a copy of the project', { timeout: TIMEOUT_MS }, async () => {
  const { folder: copy, run: runInCopy } = await copyProject();
  await runInCopy('git init --quiet && git add --all && npm run build:client');
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
    for (const [, commands = ''] of text.matchAll(/^```sh\n(.*?)^```/gms)) await runInCopy(commands);
    const editedLines = diffs.join('').match(/^\+(?!\+\+)/gm)?.length ?? 0;
    const newLines = newFiles.reduce((sum, [, , code = '']) => sum + code.split('\n').length - 1, 0);
    const files = newFiles.length + (diffs.join('').match(/^diff --git /gm)?.length ?? 0);
    expect(editedLines).toBeLessThanOrEqual(maxEditedLines);
    expect(editedLines + newLines).toBeLessThanOrEqual(maxLines);
    expect(files).toBeLessThanOrEqual(maxFiles);
  }
});
