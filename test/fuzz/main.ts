import { parseArgs } from 'node:util';
import { provenance, writeReportSection } from '../support/reports/report-section.ts';
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

const USAGE = `npm run test:fuzz -- [--suite <name>] [--seed <n>] [--runs <n>] [--seconds <n>] [--long] [--path <n>] [--write]

  --suite    one suite alone
  --seed     what all cases are drawn from; printed, and random unless given
  --runs     cases of a suite at most
  --seconds  for all suites together: 180 unless told
  --long     half an hour
  --path     the case of a suite to begin with
  --write    puts the summary into docs/operations/fault-tests.md

On the embedded database, or with DATABASE_URL on PostgreSQL, in a database made beside that one.`;

const SUITES: readonly Suite[] = [documentSuite, coercionSuite, namesSuite, textSuite, wireSuite, modelSuite];
const DEFAULT_SECONDS = 180;
const LONG_RUN_SECONDS = 1800;

/** What the table shows, in words. */
const LEGEND = `
Each suite asks a service of its own, whose database role owns nothing, over HTTP. Before and after each request all that its
companies own is compared.

- document: every operation of the OpenAPI document, with inputs made from its schemas, right and with one thing wrong. coercion: each
  field with each value of a wrong type, over REST and tRPC. names: \`__proto__\` and its like wherever a name may stand, and JSON
  up to 40,000 deep. text: all scripts, HTML, what cannot be stored. wire: bytes that no client would send, flipped, doubled, lying,
  pipelined, broken off; there, requests counts those that were asked to see whether others are served.
- model: three companies by turns, each step predicted by a model of the contract: status, body, tags, lists, history, trail,
  answers given once; the ids, cursors and names of one company in the hands of another.
- 5xx: 503 among them. foreign markers: texts of another company in an answer. changed though refused: anything but the one change,
  with its one event, of the company and the user that were answered 2xx. anything else: answers that are not as documented, not as
  predicted, or do not come. A suite ends with what it finds first; \`--seed\` and \`--path\` find it again.
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
  const numberOf = (name: 'seed' | 'runs' | 'seconds', otherwise: number) => {
    const given = values[name] === undefined ? otherwise : Number(values[name]);
    if (!Number.isSafeInteger(given)) throw new Error(`--${name}: expected an integer`);
    return given;
  };
  const suites = SUITES.filter(({ name }) => values.suite === undefined || name === values.suite);
  if (suites.length === 0) throw new Error(`--suite: expected one of ${SUITES.map(({ name }) => name).join(', ')}`);
  return {
    help: values.help,
    long: values.long,
    write: values.write,
    path: values.path,
    suites,
    seed: numberOf('seed', Math.floor(Math.random() * 2 ** 31)),
    runs: numberOf('runs', 1_000_000),
    seconds: numberOf('seconds', values.long ? LONG_RUN_SECONDS : DEFAULT_SECONDS),
  };
}

/** The command that finds the same again. */
const reproduceCommand = ({ suite, seed, path }: SuiteResult) =>
  `npm run test:fuzz -- --suite ${suite} --seed ${seed}${path === undefined ? '' : ` --path ${path}`}`;

function summaryTable(rows: readonly SuiteResult[]): string {
  const zero = (row: SuiteResult, kind: SuiteResult['finding']) => (row.finding === kind ? '**1**' : '0');
  const others = (row: SuiteResult) =>
    row.finding === undefined || ['5xx', 'cross-tenant text', 'changed despite error'].includes(row.finding)
      ? '0'
      : `**${row.finding}**`;
  const lines = rows.map((row) =>
    [
      row.suite,
      row.cases,
      row.requests,
      zero(row, '5xx'),
      zero(row, 'cross-tenant text'),
      zero(row, 'changed despite error'),
      others(row),
      row.seed,
    ].join(' | '),
  );
  const head = 'suite | cases | requests | 5xx | foreign markers | changed though refused | anything else | seed';
  return [head, '--- | ---: | ---: | ---: | ---: | ---: | ---: | ---:', ...lines]
    .map((line) => `| ${line} |`)
    .join('\n');
}

async function databaseVersion({ database: on, sql }: Service): Promise<string> {
  const [row] = await sql<{ version: string }>(
    `select split_part(current_setting('server_version'), ' ', 1) as version`,
  );
  return `${on === 'PostgreSQL' ? 'PostgreSQL' : 'the embedded database, which is PostgreSQL'} ${row?.version}`;
}

/** @returns whether nothing was found */
async function runSuites(): Promise<boolean> {
  const { help, long, write, suites, seed, runs, seconds, path } = parseOptions();
  if (help) {
    print(USAGE);
    return true;
  }
  const service = await startService(process.env['DATABASE_URL']);
  const version = await databaseVersion(service);
  const rows: SuiteResult[] = [];
  try {
    print(`The input suite, on ${service.database}, seed ${seed}, ${seconds} s`);
    const shares = suites.reduce((sum, { timeShare: share }) => sum + share, 0);
    for (const suite of suites) {
      const time = (seconds * 1000 * suite.timeShare) / shares;
      const row = await runSuite(suite, service, { seed, maxRuns: runs, timeLimitMs: time, path });
      rows.push(row);
      print(`${suite.name}: ${row.cases} cases, ${row.finding ?? 'nothing found'}`);
      if (row.finding !== undefined) print(`${row.message?.slice(0, 3000)}\nAgain: ${reproduceCommand(row)}\n`);
    }
  } finally {
    closeConnections();
    await service.stop();
  }
  print(`\n${summaryTable(rows)}`);
  if (write) {
    const command = `npm run test:fuzz -- ${long ? '--long ' : ''}--seed ${seed}`;
    const isFirst = service.database === 'PostgreSQL';
    const name = isFirst ? 'PostgreSQL' : 'the embedded database';
    const words = isFirst ? LEGEND : 'To be read as the table before.';
    writeReportSection(`Input, on ${name}`, `${provenance(command, version)}\n\n${words}\n\n${summaryTable(rows)}`);
  }
  return rows.every(({ finding: found }) => found === undefined);
}

process.exitCode = (await runSuites()) ? 0 : 1;
