import { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/postgresql';
import { PGliteDialect } from 'kysely';
import { compareFunctions } from './functions.ts';
import type { FunctionChanges } from './functions.ts';
import { ormOptions } from './options.ts';

let migrated: Promise<PGlite> | undefined;

/** An embedded database in memory with all migrations applied, so that the command line compares the sources with them. */
export const migratedPglite = (): Promise<PGlite> => (migrated ??= migrate());

async function migrate(): Promise<PGlite> {
  const pglite = new PGlite();
  // The URL names the database; the driver uses the one in memory.
  const clientUrl = 'postgresql://localhost/postgres';
  const orm = await MikroORM.init({ ...ormOptions, clientUrl, driverOptions: new PGliteDialect({ pglite }) });
  await orm.migrator.up();
  return pglite;
}

/** Compares the files of SQL functions with what all migrations make. */
export async function functionChanges(): Promise<FunctionChanges> {
  const pglite = await migratedPglite();
  return pglite.transaction((transaction) =>
    compareFunctions(async (sql) => (await transaction.exec(sql)).at(-1)?.rows ?? []),
  );
}
