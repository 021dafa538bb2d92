import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ALL_FAULTS } from './all-faults.ts';
import { provenance, writeReportSection } from '../../support/reports/report-section.ts';
import { LEGEND, markdownTable } from './runner/report.ts';
import type { FaultResult } from './runner/report.ts';
import { checkPrerequisites, postgresVersion } from './environment/prerequisites.ts';
import { runFaults } from './runner/run-faults.ts';

// Injects faults into the service, its database and the network while clients write. Then compares the responses that the
// clients received with the stored rows.
// npm run program -- faults [--long] [--only <part of a name>] [--seed <number>] [--write]

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    write: { type: 'boolean', default: false },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);

/** No round starts after this time. */
const MAX_DURATION_MS = values.long ? 3_600_000 : 570_000;

const selectedFaults = ALL_FAULTS.filter(({ name, environment }) =>
  `${name} ${environment.database}`.includes(values.only),
);
const seed = Number(values.seed);
if (!checkPrerequisites(print)) process.exitCode = 2;
else if (selectedFaults.length === 0 || !Number.isInteger(seed)) {
  print('--only: expected part of a fault name; --seed: expected an integer');
  process.exitCode = 2;
} else {
  print(`seed     ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  chmodSync(folder, 0o755); // PostgreSQL runs as another user and must enter it.
  const results: FaultResult[] = selectedFaults.map((fault) => ({ fault, roundResults: [] }));
  await runFaults(results, { seed, folder, maxDurationMs: MAX_DURATION_MS, repeat: values.long, print });
  const table = markdownTable(results.filter(({ roundResults }) => roundResults.length > 0));
  print(`\n${table}\n`);
  const skipped = results.filter(({ roundResults }) => roundResults.length === 0);
  for (const { fault } of skipped) print(`skipped, as the time was over: ${fault.name}`);
  const findings = results.flatMap(({ roundResults }) => roundResults.flatMap((result) => result.findings));
  if (findings.length > 0 || skipped.length > 0) {
    process.exitCode = 1;
    print(`${findings.length} findings; operation logs are in ${folder}; repeat with --seed ${seed}`);
  } else rmSync(folder, { recursive: true });
  const command = `npm run program -- faults ${values.long ? '--long ' : ''}--seed ${seed}`;
  if (values.write) writeReportSection('Faults', `${provenance(command, postgresVersion())}\n\n${LEGEND}\n\n${table}`);
}
