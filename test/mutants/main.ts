import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { MUTATION_AREAS } from './areas.ts';

// Each area is changed by Stryker, one change at a time, and its tests are run for each. What too few of them notice fails
// the run, area by area: the bound and all that areas have in common stand in stryker.config.json.

const { values } = parseArgs({ options: { only: { type: 'string' } } });

const lines: string[] = [];
for (const { name, mutate, tests } of MUTATION_AREAS.filter((area) => area.name.includes(values.only ?? ''))) {
  const files = tests.map((test) => `test/${test}.test.ts`).join(' ');
  const command = `vitest run --config vitest.mutants.config.ts --bail=1 --reporter=dot ${files}`;
  const results = await new Stryker({ mutate, commandRunner: { command } }).runMutationTest();
  const noticed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  lines.push(`${name}: ${noticed} of ${results.length} noticed, ${((100 * noticed) / results.length).toFixed(1)} %`);
}
process.stdout.write(`${lines.join('\n')}\n`);
