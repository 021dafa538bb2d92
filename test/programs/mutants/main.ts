import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { MUTATION_AREAS, mutatePatterns } from './areas.ts';

// Stryker mutates each area, one mutant at a time, and runs the tests of the area for each mutant. The run fails if the
// tests of any area kill too few mutants. stryker.config.json has the threshold and the other common options.
// npm run program -- mutants [--only <part of an area's name>]

const { values } = parseArgs({ options: { only: { type: 'string' } } });

const lines: string[] = [];
for (const area of MUTATION_AREAS.filter(({ name }) => name.includes(values.only ?? ''))) {
  const files = area.tests.map((test) => `test/${test}.test.ts`).join(' ');
  const command = `vitest run --config vitest.mutants.config.ts --bail=1 --reporter=dot ${files}`;
  const options = { mutate: mutatePatterns(area), commandRunner: { command } };
  const results = await new Stryker(options).runMutationTest();
  const killed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  lines.push(`${area.name}: ${killed} of ${results.length} killed, ${((100 * killed) / results.length).toFixed(1)} %`);
}
process.stdout.write(`${lines.join('\n')}\n`);
