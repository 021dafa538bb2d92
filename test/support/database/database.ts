import { Pool } from 'pg';
import { inject } from 'vitest';
import { openPglite } from '../../../database/pglite/open.ts';
import { datesAsText, openPostgreSql } from '../../../database/postgresql/open.ts';
import { defineStatement } from '../../../entities/statements/define-statement.ts';
import type { SessionValues, Statement } from '../../../entities/statements/define-statement.ts';

/** URL of the PostgreSQL the tests run on, for the service's role, or undefined: embedded. */
export const databaseUrl = inject('databaseUrl');
/** The same for who owns the tables, whom no policy keeps out. */
export const ownerUrl = inject('ownerUrl');

/** The worker's database, migrated, which all its files share. */
export const database = databaseUrl === undefined ? await openPglite() : await openPostgreSql(databaseUrl);
if (databaseUrl === undefined) await database.migrate();

/** Waits longer than the service does, whose way of running statements it does not take: a busy machine is slow to seed. */
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

/** Runs SQL with its values in order. */
type RunSql = <Row = Record<string, unknown>>(text: string, ...values: unknown[]) => Promise<Row[]>;

/**
 * Does work in one transaction as the owner, with no principal and no filter: what a test may and the service may not.
 * In the embedded database everything else waits for it.
 * @param settings what its statements are told, if anything
 */
export function asOwner<T>(work: (run: RunSql) => Promise<T>, settings: SessionValues = {}): Promise<T> {
  if (owner !== undefined) return inTransaction(owner, work, settings);
  return database.transaction(async (runner) => {
    await runner.run(setRoleOwner, {}, {});
    return work((text, ...values) =>
      runner.run({ ...uniqueStatement(text), values: () => values, rowScope: 'company' }, {}, settings),
    );
  });
}

async function inTransaction<T>(pool: Pool, work: (run: RunSql) => Promise<T>, settings: SessionValues): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const [name, value] of Object.entries(settings)) {
      await client.query('select set_config($1, $2, true)', [`app.${name}`, String(value)]);
    }
    const result = await work(async <Row>(text: string, ...values: unknown[]) => {
      const { rows } = await client.query(text, values);
      return rows as Row[];
    });
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Runs SQL as the owner, in a transaction of its own. */
export const sql: RunSql = (text, ...values) => asOwner((run) => run(text, ...values));

/** What only a superuser can: writes with the triggers off, neither counted nor in the trail. */
export const tamper = (...changes: string[]): Promise<void> =>
  asOwner(async (run) => {
    await run('set local session_replication_role = replica');
    for (const change of changes) await run(change);
  });

/** Vacuums and analyzes tables, which no transaction may. */
export async function vacuum(...tables: string[]): Promise<void> {
  if (owner === undefined) await database.query('test.reset-role', 'reset role', []);
  for (const table of tables) {
    if (owner === undefined) await database.query(`test.vacuum-${table}`, `vacuum analyze ${table}`, []);
    else await owner.query(`vacuum analyze ${table}`);
  }
  if (owner === undefined) await database.query('test.set-role-service', 'set role compliance_app', []);
}

/** A step of a plan, as PostgreSQL tells of it; what it really did only where it was run. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/**
 * The plan of a statement as the service runs it: by its role, under the policies.
 * @param explainOptions options of `explain`
 */
export async function explain<Input extends object>(
  target: Statement<Input, unknown>,
  input: Input,
  session: SessionValues,
  explainOptions: 'format json' | 'analyze, format json' = 'format json',
): Promise<Plan> {
  const { values, rowScope: reach } = target;
  const explainStatement: Statement<Input, { 'QUERY PLAN': [{ Plan: Plan }] }> = {
    ...uniqueStatement(`explain (${explainOptions}) ${target.text}`),
    values,
    rowScope: reach,
  };
  const [row] = await database.run(explainStatement, input, session);
  if (row === undefined) throw new Error('no plan');
  return row['QUERY PLAN'][0].Plan;
}
