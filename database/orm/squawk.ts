import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SET_LOCK_TIMEOUT } from './migrator.ts';

const SQUAWK = fileURLToPath(new URL('../../node_modules/.bin/squawk', import.meta.url));
/** The oldest PostgreSQL that the service supports. */
const POSTGRESQL_VERSION = '15.0';
/** Rules of squawk that do not apply here, each with the reason. https://squawkhq.com/docs/rules */
const EXCLUDED_RULES = [
  'prefer-bigint-over-int', // ids of companies, frameworks and departments are int by contract
  'prefer-text-field', // the length of a column is a limit of the contract, and it only grows
  'prefer-identity', // the ORM declares the sequences of events as bigserial
  'require-statement-timeout', // a migration may take long; only waits for locks are limited
  'prefer-robust-stmts', // a transaction, or the statements before it, make a statement repeatable; tests run them twice
];

/** A statement that may block requests or break the previous version. */
export interface Finding {
  rule: string;
  message: string;
  /** First line of the statement. */
  statement: string;
}

/** Checks the statements of a migration, which is transactional or commits after each statement. */
export function findingsOf(statements: readonly string[], transactional: boolean): Finding[] {
  // The runner sets the timeout.
  const sql = [SET_LOCK_TIMEOUT, ...statements].map((statement) => `${statement.trim().replace(/;$/, '')};`).join('\n');
  const lines = sql.split('\n');
  const args = [
    `--pg-version=${POSTGRESQL_VERSION}`,
    '--reporter=json',
    '--stdin-filepath=migration.sql',
    `--exclude=${EXCLUDED_RULES.join(',')}`,
    ...(transactional ? ['--assume-in-transaction'] : []),
  ];
  const { stdout, stderr, error } = spawnSync(SQUAWK, args, { input: sql, encoding: 'utf8' });
  if (!stdout?.startsWith('[')) throw new Error(`squawk: ${error?.message ?? stderr}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the format of squawk's JSON reporter
  const reported = JSON.parse(stdout) as { rule_name: string; message: string; line: number }[];
  const message = 'expected the reason in a comment on the line before';
  const unexplained = lines.flatMap((text, line) =>
    /squawk-ignore/.test(text) && !/^\s*-- (?!squawk-ignore)/.test(lines[line - 1] ?? '')
      ? [{ rule_name: 'exception-without-reason', message, line }]
      : [],
  );
  return [...reported, ...unexplained].map(({ rule_name: rule, line, ...finding }) => ({
    rule,
    message: finding.message,
    statement: lines[line]?.trim() ?? '',
  }));
}
