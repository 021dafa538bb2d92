import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { MUTATION_AREAS, mutatePatterns } from './areas.ts';

// Stryker mutates each area, one mutant at a time, and runs the tests of the area for each mutant. The run fails if the
// tests of any area kill too few mutants. stryker.config.json has the threshold and the other common options.
// npm run program -- mutants [--only <part of an area's name>] [--report <file>]

/** A mutant that the tests of its area did not notice. */
interface Survivor {
  file: string;
  line: number;
  mutator: string;
  replacement: string;
}

const root = join(import.meta.dirname, '..', '..', '..');
const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, report: { type: 'string' } } });
const print = (line: string) => process.stdout.write(`${line}\n`);

const areas = MUTATION_AREAS.filter(({ name }) => name.includes(values.only));
const lines: string[] = [];
const survivors: Survivor[] = [];
for (const area of areas) {
  const files = area.tests.map((test) => `test/${test}.test.ts`).join(' ');
  const command = `vitest run --config vitest.mutants.config.ts --bail=1 --reporter=dot ${files}`;
  const options = { mutate: mutatePatterns(area), commandRunner: { command } };
  const results = await new Stryker(options).runMutationTest();
  const survived = results.filter(({ status }) => status !== 'Killed' && status !== 'Timeout');
  for (const { fileName, location, mutatorName: mutator, replacement } of survived)
    survivors.push({ file: relative(root, fileName), line: location.start.line, mutator, replacement });
  const killed = results.length - survived.length;
  lines.push(`${area.name}: ${killed} of ${results.length} killed, ${((100 * killed) / results.length).toFixed(1)} %`);
}
for (const line of lines) print(line);
if (areas.length === 0) {
  print(`--only: expected part of ${MUTATION_AREAS.map(({ name }) => name).join(', ')}`);
  process.exitCode = 2;
} else if (values.report !== undefined) {
  const sorted = survivors.toSorted((one, other) => one.file.localeCompare(other.file) || one.line - other.line);
  // One survivor in a line, so that `diff` shows those that came or went.
  await writeFile(values.report, `[\n${sorted.map((survivor) => `  ${JSON.stringify(survivor)}`).join(',\n')}\n]\n`);
}
