import { parseArgs } from 'node:util';
import { provenance, writeReportSection } from '../../support/reports/report-section.ts';
import { install, missingPrograms, programVersions } from './prerequisites.ts';
import { FAULTS } from './faults.ts';
import { verifyChain } from './checks/chains.ts';
import { Cleanup } from './environment/cleanup.ts';
import { openEnvironment } from './environment/environment.ts';
import { markdownReport, violationsOf } from './report.ts';
import type { FaultResult } from './report.ts';
import { runRound } from './round.ts';

// Breaks a cluster of three PostgreSQL servers, and the programs in front of it, while clients write through two processes of the
// service. Then compares what the clients saw with what is stored.
// npm run program -- failover [--rounds <number>] [--only <part of a name>] [--seed <number>] [--install] [--write]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Installs missing programs first, as root. */
    install: { type: 'boolean', default: false },
    /** Writes the result into docs/operations.md. */
    write: { type: 'boolean', default: false },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
/** Violations of a round that are printed; the table counts all. */
const MAX_PRINTED = 20;

const rounds = Number(values.rounds);
const seed = Number(values.seed);
const faults = FAULTS.filter(({ name }) => name.includes(values.only));
const missing = missingPrograms();
if (values.install && missing.length > 0) install(missing);
if (!values.install && missing.length > 0) {
  print(`missing programs; run as root, or with --install: ${missing.join(' && ')}`);
  process.exitCode = 2;
} else if (faults.length === 0 || !Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) {
  print('--only: expected part of a fault name; --rounds: expected an integer from 1; --seed: expected an integer');
  process.exitCode = 2;
} else await run();

async function run(): Promise<void> {
  const cleanup = await Cleanup.begin('failover');
  const handleSignal = (signal: NodeJS.Signals) => {
    print(`${signal}: ending all programs`);
    void cleanup.run().finally(() => process.exit(130));
  };
  process.once('SIGINT', handleSignal).once('SIGTERM', handleSignal);
  const results: FaultResult[] = [];
  let violations = 0;
  try {
    print('starting etcd, three PostgreSQL servers, HAProxy, PgBouncer, Redis and two processes of the service');
    const environment = await openEnvironment(cleanup);
    for (const fault of faults) {
      const result: FaultResult = { name: fault.name, rounds: [] };
      results.push(result);
      for (let number = 1; number <= rounds; number++) {
        const name = `f${results.length}r${number}`;
        const round = await runRound(environment, fault, { name, seed: seed + 1000 * results.length + number });
        result.rounds.push(round);
        const found = violationsOf(round);
        violations += found.length;
        const recovered = round.recoveryMs === undefined ? 'never' : `after ${round.recoveryMs / 1000} s`;
        print(
          `${fault.name}, ${number} of ${rounds}: ${round.acknowledged} writes, 99 % ${recovered}, ${found.length} violations`,
        );
        for (const text of found.slice(0, MAX_PRINTED)) print(`  ${text}`);
      }
    }
    violations += await verifyAll(environment.services[0]?.process.url ?? '', results);
    if (violations > 0) {
      cleanup.keepsFolder = true;
      print(`${violations} violations; logs of the programs: ${cleanup.folder}; repeat with --seed ${seed}`);
    }
  } finally {
    await cleanup.run();
    process.off('SIGINT', handleSignal).off('SIGTERM', handleSignal);
  }
  const options = `--rounds ${rounds} ${values.only === '' ? '' : `--only '${values.only}' `}--seed ${seed}`;
  const report = `${provenance(`npm run program -- failover ${options}`, programVersions())}\n\n${markdownReport(results)}`;
  print(`\n${report}`);
  if (values.write) writeReportSection('Failover results', report, 'operations.md');
  if (violations > 0) process.exitCode = 1;
}

/** After all faults the checkpoints of every round must still hold. @returns the number of those that do not */
async function verifyAll(url: string, results: readonly FaultResult[]): Promise<number> {
  const checkpoints = results.flatMap((result) => result.rounds.flatMap((round) => round.checkpoints));
  let broken = 0;
  for (const checkpoint of checkpoints) {
    const reason = await verifyChain(url, checkpoint);
    if (reason === null) continue;
    broken += 1;
    print(`after all faults, company ${checkpoint.company}: ${reason}`);
  }
  print(`after all faults ${checkpoints.length - broken} of ${checkpoints.length} checkpoints hold`);
  return broken;
}
