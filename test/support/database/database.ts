import { Pool } from 'pg';
import { inject } from 'vitest';
import type { Database } from '../../../database/database.ts';
import { grantStatements } from '../../../database/orm/privileges.ts';
import { SERVICE_ROLE } from '../../../database/pglite/service-role.ts';
import { datesAsText } from '../../../database/connection/connections.ts';
import { openPostgreSql } from '../../../database/postgresql/open.ts';
import { defineStatement } from '../../../entities/statements/define-statement.ts';
import type { SessionValues, Statement } from '../../../entities/statements/define-statement.ts';
import { sqlOn } from './client.ts';
import type { RunSql } from './client.ts';
import { openMigratedPglite } from './migrated-database.ts';
import { opened } from './opened.ts';

const databases = inject('databases');
/** The PostgreSQL database of this test worker. Vitest numbers workers from 1. */
const workerDatabase = databases?.[Number(process.env['VITEST_POOL_ID']) - 1];
if (databases !== undefined && workerDatabase === undefined) throw new Error('this test worker has no database');
/** URL of the PostgreSQL database for the role of the service; undefined if the tests use the embedded database. */
export const databaseUrl = workerDatabase?.url;
/** URL of the same database for the owner of the tables, who bypasses row-level security. */
export const ownerUrl = workerDatabase?.ownerUrl;

/** The migrated database of this test worker, shared by all its test files. */
export const database = databaseUrl === undefined ? await openMigratedPglite() : await openPostgreSql(databaseUrl);

/** Milliseconds. Longer than the timeouts of the service, because inserting test data on a busy machine is slow. */
const TIMEOUTS = { statement_timeout: 60_000, query_timeout: 60_000 };
const SESSION_OPTIONS = '-c datestyle=ISO -c timezone=UTC -c jit=off';

const owner =
  ownerUrl === undefined
    ? undefined
    : new Pool({ connectionString: ownerUrl, max: 4, types: datesAsText(), options: SESSION_OPTIONS, ...TIMEOUTS });
owner?.on('error', () => {});
const setRoleOwner = defineStatement('test.set-role-owner', 'set local role postgres');

let statementCount = 0;
const uniqueStatement = (text: string) => ({ name: `test.${(statementCount += 1)}`, text });

/**
 * Runs work in one transaction as the owner of the tables, without a principal and without row-level security.
 * In the embedded database, all other queries wait until it ends.
 * @param settings session settings of the transaction
 */
export function asOwner<T>(work: (run: RunSql) => Promise<T>, settings: SessionValues = {}): Promise<T> {
  if (owner !== undefined) return inTransaction(owner, work, settings);
  return database.transaction(
    async (runner) => {
      await runner.run(setRoleOwner, {}, {});
      return work((text, ...values) =>
        runner.run({ ...uniqueStatement(text), values: () => values, rowScope: 'company' }, {}, settings),
      );
    },
    { deadline: performance.now() + TIMEOUTS.query_timeout },
  );
}

opened.asOwner = asOwner;

async function inTransaction<T>(pool: Pool, work: (run: RunSql) => Promise<T>, settings: SessionValues): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const [name, value] of Object.entries(settings)) {
      await client.query('select set_config($1, $2, true)', [`app.${name}`, String(value)]);
    }
    const result = await work(sqlOn(client));
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Runs one SQL statement as the owner, in its own transaction. */
export const sql: RunSql = (text, ...values) => asOwner((run) => run(text, ...values));

// The entities of this moment decide the privileges of the service. The template has those of the time when it was made.
const grants = grantStatements(databaseUrl === undefined ? SERVICE_ROLE : new URL(databaseUrl).username);
await sql(`do $grants$ begin ${grants}; end $grants$`);

/** Runs statements with triggers disabled, which requires a superuser: no audit events, no updated counts. */
export const tamper = (...statements: string[]): Promise<void> =>
  asOwner(async (run) => {
    await run('set local session_replication_role = replica');
    for (const statement of statements) await run(statement);
  });

/** Vacuums and analyzes tables, outside a transaction because VACUUM requires it. */
export async function vacuum(...tables: string[]): Promise<void> {
  const deadline = performance.now() + TIMEOUTS.query_timeout;
  if (owner === undefined) await database.query('test.reset-role', 'reset role', []);
  for (const table of tables) {
    if (owner === undefined) await database.query(`test.vacuum-${table}`, `vacuum analyze ${table}`, [], deadline);
    else await owner.query(`vacuum analyze ${table}`);
  }
  if (owner === undefined) await database.query('test.set-role-service', 'set role compliance_app', []);
}

/** A node of a plan in JSON format. The actual values exist only with `analyze`. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** The nodes of a plan, the root first. */
export const planNodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(planNodes)];

/**
 * Returns the plan of a statement for the role of the service, including row-level security.
 * @param on another database than that of the worker
 */
export async function explain<Input extends object>(
  target: Statement<Input, unknown>,
  input: Input,
  session: SessionValues,
  explainOptions: 'format json' | 'analyze, format json' = 'format json',
  on: Pick<Database, 'run'> = database,
): Promise<Plan> {
  const { values, rowScope } = target;
  const explainStatement: Statement<Input, { 'QUERY PLAN': [{ Plan: Plan }] }> = {
    ...uniqueStatement(`explain (${explainOptions}) ${target.text}`),
    values,
    rowScope,
  };
  const [row] = await on.run(explainStatement, input, session);
  if (row === undefined) throw new Error('explain: no plan returned');
  return row['QUERY PLAN'][0].Plan;
}
