import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const FOLDERS = ['app/src', 'bench', 'cli', 'clients', 'database', 'entities', 'procedures', 'server', 'test'];

test('every section of the contract that the code cites exists', async () => {
  const page = await readFile(join(root, 'docs/contract.md'), 'utf8');
  const sections = new Set([...page.matchAll(/^## (\d+)\. /gm)].map(([, number]) => Number(number)));
  const files = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true }))
        .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
        .map((file) => join(root, folder, file)),
    ),
  );
  const cited = new Set<number>();
  for (const file of files.flat()) {
    const code = await readFile(file, 'utf8');
    for (const [, numbers = ''] of code.matchAll(/contract, sections? (\d+(?:(?:, | and )\d+)*)/gi))
      for (const [number] of numbers.matchAll(/\d+/g)) cited.add(Number(number));
  }
  expect(cited.size).toBeGreaterThan(20);
  expect([...cited].filter((number) => !sections.has(number))).toEqual([]);
});
