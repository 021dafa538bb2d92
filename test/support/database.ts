import { inject } from 'vitest';
import { openEmbedded } from '../../entities/database/embedded.ts';
import { openPostgreSql } from '../../entities/database/postgresql.ts';

/** URL of the PostgreSQL the tests run on, or undefined: embedded. */
export const databaseUrl = inject('databaseUrl');

/** The worker's database, migrated, which all its files share. */
export const database = databaseUrl === undefined ? await openEmbedded() : await openPostgreSql(databaseUrl);
if (databaseUrl === undefined) await database.migrate();

let statements = 0;

/** Runs SQL with no principal and no filter: what a test may and the service may not. */
export function sql<Row = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<Row[]> {
  return database.query<Row>(`test.${(statements += 1)}`, text, values);
}
