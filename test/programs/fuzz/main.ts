import { parseArgs } from 'node:util';
import { provenance, writeReportSection } from '../../support/reports/report-section.ts';
import { closeConnections } from './service/http-client.ts';
import { coercionSuite } from './suites/coercion.ts';
import { documentSuite } from './suites/document.ts';
import { modelSuite } from './suites/model.ts';
import { namesSuite } from './suites/names.ts';
import { startService } from './service/service.ts';
import type { Service } from './service/service.ts';
import { runSuite } from './runner/suite.ts';
import { textSuite } from './suites/text.ts';
import { wireSuite } from './suites/wire.ts';
import type { SuiteResult, Suite } from './runner/suite.ts';

const USAGE = `npm run program -- fuzz [--suite <name>] [--seed <n>] [--runs <n>] [--seconds <n>] [--long] [--path <n>] [--write]

  --suite    run only this suite
  --seed     seed of all generated cases; random by default, always printed
  --runs     maximum number of cases per suite
  --seconds  duration of all suites together; default 180
  --long     run for half an hour
  --path     first case of a suite, to repeat a finding
  --write    write the summary to docs/operations/fault-tests.md

Uses the embedded database, or PostgreSQL if DATABASE_URL is set: the suites then create a scratch database on that server.`;

const SUITES: readonly Suite[] = [documentSuite, coercionSuite, namesSuite, textSuite, wireSuite, modelSuite];
const DEFAULT_SECONDS = 180;
const LONG_RUN_SECONDS = 1800;

/** Explanation of the table. */
const LEGEND = `
Each suite sends requests to a service of its own, whose database role owns nothing, and compares all rows of its companies before and after each one.
\`document\` covers every operation of the OpenAPI document. \`model\` predicts each response from a model of the contract. The others send values of a
wrong type, names such as \`__proto__\`, all kinds of text, and invalid bytes ([suites](../../test/programs/fuzz/README.md)).

A finding is a 5xx (also a 503 that stays for 30 s), text of another company, any change but that of a successful request with its one event, or a
response that is missing or differs from the document or the model. A suite stops at its first finding, which \`--seed\` and \`--path\` repeat.
`.trim();

const print = (line: string) => process.stdout.write(`${line}\n`);

function parseOptions() {
  const options = {
    suite: { type: 'string' },
    seed: { type: 'string' },
    runs: { type: 'string' },
    seconds: { type: 'string' },
    path: { type: 'string' },
    long: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  const { values } = parseArgs({ options });
  const integerOption = (name: 'seed' | 'runs' | 'seconds', defaultValue: number) => {
    const value = values[name] === undefined ? defaultValue : Number(values[name]);
    if (!Number.isSafeInteger(value)) throw new Error(`--${name}: expected an integer`);
    return value;
  };
  const suites = SUITES.filter(({ name }) => values.suite === undefined || name === values.suite);
  if (suites.length === 0) throw new Error(`--suite: expected one of ${SUITES.map(({ name }) => name).join(', ')}`);
  return {
    help: values.help,
    long: values.long,
    write: values.write,
    path: values.path,
    suites,
    seed: integerOption('seed', Math.floor(Math.random() * 2 ** 31)),
    runs: integerOption('runs', 1_000_000),
    seconds: integerOption('seconds', values.long ? LONG_RUN_SECONDS : DEFAULT_SECONDS),
  };
}

/** The command that repeats a finding. */
const reproduceCommand = ({ suite, seed, path }: SuiteResult) =>
  `npm run program -- fuzz --suite ${suite} --seed ${seed}${path === undefined ? '' : ` --path ${path}`}`;

function summaryTable(rows: readonly SuiteResult[]): string {
  const lines = rows.map(({ suite, cases, requests, finding }) =>
    [suite, cases, requests, finding === undefined ? 'none' : `**${finding}**`].join(' | '),
  );
  return ['suite | cases | requests | finding', '--- | ---: | ---: | ---', ...lines]
    .map((line) => `| ${line} |`)
    .join('\n');
}

async function databaseVersion({ database, sql }: Service): Promise<string> {
  const [row] = await sql<{ version: string }>(
    `select split_part(current_setting('server_version'), ' ', 1) as version`,
  );
  return `${database === 'PostgreSQL' ? 'PostgreSQL' : 'embedded database, PostgreSQL'} ${row?.version}`;
}

/** @returns true if no suite has a finding */
async function runSuites(): Promise<boolean> {
  const { help, long, write, suites, seed, runs, seconds, path } = parseOptions();
  if (help) {
    print(USAGE);
    return true;
  }
  const service = await startService(process.env['DATABASE_URL']);
  let version = '';
  const rows: SuiteResult[] = [];
  try {
    version = await databaseVersion(service);
    print(`Fuzz tests on ${service.database}, seed ${seed}, ${seconds} s`);
    const totalShare = suites.reduce((sum, { timeShare }) => sum + timeShare, 0);
    for (const suite of suites) {
      const timeLimitMs = (seconds * 1000 * suite.timeShare) / totalShare;
      const row = await runSuite(suite, service, { seed, maxRuns: runs, timeLimitMs, path });
      rows.push(row);
      print(`${suite.name}: ${row.cases} cases, ${row.finding ?? 'no finding'}`);
      if (row.finding !== undefined) print(`${row.message?.slice(0, 3000)}\nRepeat with: ${reproduceCommand(row)}\n`);
    }
  } finally {
    closeConnections();
    await service.stop();
  }
  print(`\n${summaryTable(rows)}`);
  if (write) {
    const command = `npm run program -- fuzz ${long ? '--long ' : ''}--seed ${seed}`;
    const isFirst = service.database === 'PostgreSQL';
    const name = isFirst ? 'PostgreSQL' : 'the embedded database';
    const explanation = isFirst ? LEGEND : 'The previous section explains the suites.';
    writeReportSection(
      `Input, on ${name}`,
      `${provenance(command, version)}\n\n${explanation}\n\n${summaryTable(rows)}`,
    );
  }
  return rows.every(({ finding }) => finding === undefined);
}

process.exitCode = (await runSuites()) ? 0 : 1;
