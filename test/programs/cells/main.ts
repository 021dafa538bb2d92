import { parseArgs } from 'node:util';
import { Cleanup } from '../failover/environment/cleanup.ts';
import { haproxyVersion, install, missingHaproxy } from '../failover/prerequisites.ts';
import { sqlOn, withClient } from '../../support/database/client.ts';
import { provenance, writeReportSection } from '../../support/reports/report-section.ts';
import { markdownReport as killReport, violationsOf as killViolations } from './kills/report.ts';
import { runKills } from './kills/run.ts';
import { markdownReport as loadReport, violationsOf as loadViolations } from './load/report.ts';
import { runMoves } from './load/run.ts';
import type { RunResult } from './load/run.ts';

// Load: moves a company there and back between two cells behind HAProxy, while 20 clients work with it and with two other companies.
// Then compares what the clients saw with what is stored. Kills: kills the command and each cell at each call of a move. Runs on the
// server of DATABASE_URL, in databases that it drops at the end.
// npm run program -- cells [--only load|kills] [--rows <numbers> --returns <numbers>] [--seed <number>] [--install] [--write]

const { values } = parseArgs({
  options: {
    /** Rows of the moved company in each run, separated by commas. */
    rows: { type: 'string', default: '2000,500000' },
    /** Moves there and back in each run. */
    returns: { type: 'string', default: '5,1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Part to run: `load` or `kills`; both if undefined. */
    only: { type: 'string' },
    /** Installs HAProxy first if it is missing, as root. */
    install: { type: 'boolean', default: false },
    /** Writes the results into docs/cells.md. */
    write: { type: 'boolean', default: false },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
/** Violations of a run that are printed; the table counts all. */
const MAX_PRINTED = 20;
const serverUrl = process.env['DATABASE_URL'] ?? 'postgresql://postgres@127.0.0.1:5432/postgres';

const integers = (text: string) => text.split(',').map(Number);
const [rows, returns, [seed = 0]] = [integers(values.rows), integers(values.returns), integers(values.seed)];
const { only } = values;
const missing = only === 'kills' ? [] : missingHaproxy();
if (values.install && missing.length > 0) install(missing);
if (
  rows.length !== returns.length ||
  [...rows, ...returns, seed].some((value) => !Number.isInteger(value) || value < 0) ||
  returns.includes(0) ||
  (only !== undefined && only !== 'load' && only !== 'kills')
) {
  print(
    '--rows, --returns: expected as many integers, separated by commas, --returns from 1; --seed: expected an integer; --only: expected load or kills',
  );
  process.exitCode = 2;
} else if (!values.install && missing.length > 0) {
  print(`missing programs; run as root, or with --install: ${missing.join(' && ')}`);
  process.exitCode = 2;
} else {
  const postgresql = await postgresqlVersion();
  if (only !== 'kills') await measureLoad(postgresql);
  if (only !== 'load') await measureKills(postgresql);
}

/** Name and version of the server, for the report. @throws Error if there is none */
async function postgresqlVersion(): Promise<string> {
  const [setting] = await withClient(serverUrl, (client) =>
    sqlOn(client)<{ server_version: string }>('show server_version'),
  );
  return `PostgreSQL ${setting?.server_version.split(' ')[0] ?? '?'}`;
}

async function measureLoad(postgresql: string): Promise<void> {
  const results: RunResult[] = [];
  for (const [index, count] of rows.entries()) {
    const options = { seed: seed + index, rows: count, returns: returns[index] ?? 0 };
    const result = await withCleanup((cleanup) => runMoves(cleanup, serverUrl, options));
    results.push(result);
    printViolations(
      `${count} rows, ${result.moves.length} moves: ${result.acknowledged} writes`,
      loadViolations(result),
    );
  }
  const command = `npm run program -- cells --only load --rows ${values.rows} --returns ${values.returns} --seed ${seed}`;
  report('Measured', `${provenance(command, `${postgresql}, ${haproxyVersion()}`)}\n\n${loadReport(results)}`);
}

async function measureKills(postgresql: string): Promise<void> {
  const results = await withCleanup((cleanup) =>
    runKills(cleanup, serverUrl, ({ side, call, kill, writable, violations }) =>
      print(`${call} of the ${side}, ${kill}: writable is ${writable}, ${violations.length} violations`),
    ),
  );
  printViolations(`${results.length} kills`, results.flatMap(killViolations));
  const table = killReport(results);
  report('Killed at each call', `${provenance('npm run program -- cells --only kills', postgresql)}\n\n${table}`);
}

/** Runs `work`, and ends all programs after it, also at a signal. */
async function withCleanup<T>(work: (cleanup: Cleanup) => Promise<T>): Promise<T> {
  const cleanup = await Cleanup.begin('cells');
  const handleSignal = (signal: NodeJS.Signals) => {
    print(`${signal}: ending all programs`);
    void cleanup.run().finally(() => process.exit(130));
  };
  process.once('SIGINT', handleSignal).once('SIGTERM', handleSignal);
  try {
    return await work(cleanup);
  } finally {
    await cleanup.run();
    process.off('SIGINT', handleSignal).off('SIGTERM', handleSignal);
  }
}

function printViolations(subject: string, violations: readonly string[]): void {
  if (violations.length > 0) process.exitCode = 1;
  print(`${subject}, ${violations.length} violations`);
  for (const text of violations.slice(0, MAX_PRINTED)) print(`  ${text}`);
}

function report(title: string, text: string): void {
  print(`\n${text}`);
  if (values.write) writeReportSection(title, text, 'cells.md');
}
