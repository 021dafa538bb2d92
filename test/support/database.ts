import { Pool } from 'pg';
import { inject } from 'vitest';
import { openEmbedded } from '../../entities/database/embedded.ts';
import { asText, openPostgreSql } from '../../entities/database/postgresql.ts';
import { statement } from '../../entities/database/statement.ts';
import type { SessionValues, Statement } from '../../entities/database/statement.ts';

/** URL of the PostgreSQL the tests run on, for the service's role, or undefined: embedded. */
export const databaseUrl = inject('databaseUrl');
/** The same for who owns the tables, whom no policy keeps out. */
export const ownerUrl = inject('ownerUrl');

/** The worker's database, migrated, which all its files share. */
export const database = databaseUrl === undefined ? await openEmbedded() : await openPostgreSql(databaseUrl);
if (databaseUrl === undefined) await database.migrate();

/** Waits longer than the service does, whose way of running statements it does not take: a busy machine is slow to seed. */
const PATIENCE = { statement_timeout: 60_000, query_timeout: 60_000 };
const FORMS = '-c datestyle=ISO -c timezone=UTC -c jit=off';

const owner =
  ownerUrl === undefined
    ? undefined
    : new Pool({ connectionString: ownerUrl, max: 4, types: asText(), options: FORMS, ...PATIENCE });
owner?.on('error', () => {});
const becomeOwner = statement('test.become-owner', 'set local role postgres');

let statements = 0;
const named = (text: string) => ({ name: `test.${(statements += 1)}`, text });

/** Runs SQL with its values in order. */
type Sql = <Row = Record<string, unknown>>(text: string, ...values: unknown[]) => Promise<Row[]>;

/**
 * Does work in one transaction as the owner, with no principal and no filter: what a test may and the service may not.
 * In the embedded database everything else waits for it.
 * @param told what its statements are told, if anything
 */
export function asOwner<T>(work: (run: Sql) => Promise<T>, told: SessionValues = {}): Promise<T> {
  if (owner !== undefined) return inTransaction(owner, work, told);
  return database.transaction(async (runner) => {
    await runner.run(becomeOwner, {}, {});
    return work((text, ...values) => runner.run({ ...named(text), values: () => values, reach: 'company' }, {}, told));
  });
}

async function inTransaction<T>(pool: Pool, work: (run: Sql) => Promise<T>, told: SessionValues): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const [name, value] of Object.entries(told)) {
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
export const sql: Sql = (text, ...values) => asOwner((run) => run(text, ...values));

/** What only a superuser can: writes with the triggers off, neither counted nor in the trail. */
export const tamper = (...changes: string[]): Promise<void> =>
  asOwner(async (run) => {
    await run('set local session_replication_role = replica');
    for (const change of changes) await run(change);
  });

/** Vacuums and analyzes tables, which no transaction may. */
export async function vacuum(...tables: string[]): Promise<void> {
  if (owner === undefined) await database.query('test.owner', 'reset role', []);
  for (const table of tables) {
    if (owner === undefined) await database.query(`test.vacuum-${table}`, `vacuum analyze ${table}`, []);
    else await owner.query(`vacuum analyze ${table}`);
  }
  if (owner === undefined) await database.query('test.service', 'set role compliance_app', []);
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
 * @param how options of `explain`
 */
export async function planOf<Input extends object>(
  planned: Statement<Input, unknown>,
  input: Input,
  session: SessionValues,
  how: 'format json' | 'analyze, format json' = 'format json',
): Promise<Plan> {
  const { values, reach } = planned;
  const explained: Statement<Input, { 'QUERY PLAN': [{ Plan: Plan }] }> = {
    ...named(`explain (${how}) ${planned.text}`),
    values,
    reach,
  };
  const [row] = await database.run(explained, input, session);
  if (row === undefined) throw new Error('no plan');
  return row['QUERY PLAN'][0].Plan;
}
