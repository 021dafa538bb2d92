import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FAULTS } from './faults.ts';
import { madeBy, writeSection } from '../support/section.ts';
import { MEANING, tableOf } from './report.ts';
import type { Result } from './report.ts';
import { checkPrograms, postgresVersion } from './stage/programs.ts';
import { runFaults } from './stage/run.ts';

// Breaks everything below and around the service while clients write, and compares what they saw with what is stored.
// npm run test:faults [-- --long] [--only <part of a name>] [--seed <number>] [--write]

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    write: { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Milliseconds after which no further round begins. */
const BOUND = values.long ? 3_600_000 : 570_000;

const chosen = FAULTS.filter(({ name, on }) => `${name} ${on.database}`.includes(values.only));
const seed = Number(values.seed);
if (!checkPrograms(say)) process.exitCode = 2;
else if (chosen.length === 0 || !Number.isInteger(seed)) {
  say('--only names no fault, or --seed is no number');
  process.exitCode = 2;
} else {
  say(`seed     ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  chmodSync(folder, 0o755); // PostgreSQL runs as another user
  const results: Result[] = chosen.map((fault) => ({ fault, outcomes: [] }));
  await runFaults(results, { seed, folder, bound: BOUND, again: values.long, say });
  const table = tableOf(results.filter(({ outcomes }) => outcomes.length > 0));
  say(`\n${table}\n`);
  const left = results.filter(({ outcomes }) => outcomes.length === 0);
  for (const { fault } of left) say(`no time was left for: ${fault.name}`);
  const findings = results.flatMap(({ outcomes }) => outcomes.flatMap((outcome) => outcome.findings));
  if (findings.length > 0 || left.length > 0) {
    process.exitCode = 1;
    say(`${findings.length} findings; witnesses are in ${folder}; again with --seed ${seed}`);
  } else rmSync(folder, { recursive: true });
  const command = `npm run test:faults -- ${values.long ? '--long ' : ''}--seed ${seed}`;
  if (values.write) writeSection('Faults', `${madeBy(command, postgresVersion())}\n\n${MEANING}\n\n${table}`);
}
