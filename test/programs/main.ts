import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// npm run program -- <name> [options]. Runs a program of a folder beside this file, or lists the programs.

/** First paragraph of the README of a program. */
const summary = (name: string): string =>
  readFileSync(join(import.meta.dirname, name, 'README.md'), 'utf8')
    .split('\n\n')[1]
    ?.replaceAll('\n', ' ') ?? '';

const names = globSync('*/main.ts', { cwd: import.meta.dirname })
  .map((file) => dirname(file))
  .toSorted();
// The program finds its options where it expects them.
const [name] = process.argv.splice(2, 1);
if (name !== undefined && names.includes(name)) await import(`./${name}/main.ts`);
else {
  process.stderr.write(`npm run program -- <name> [options]\n\n`);
  for (const each of names) process.stderr.write(`${each.padEnd(12)}${summary(each)}\n`);
  process.exitCode = 2;
}
