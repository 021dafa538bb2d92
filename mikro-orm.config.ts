import { MikroORM, defineConfig as definePgliteConfig } from '@mikro-orm/pglite';
import { defineConfig } from '@mikro-orm/postgresql';
import { PGlite } from '@electric-sql/pglite';
import { PGliteDialect } from 'kysely';
import { OnlineMigrationGenerator } from './database/orm/migration-generator.ts';
import { ormOptions } from './database/orm/options.ts';
import { loadSettings } from './server/config/settings.ts';

const options = { ...ormOptions, migrations: { ...ormOptions.migrations, generator: OnlineMigrationGenerator } };

/**
 * Options for the ORM's command line. `npm run migration:create -- --name add_vendor_url` writes a migration for the current
 * entities; `npm run migration -- migration:check` fails if one is missing. Both work without PostgreSQL.
 */
export default async function config() {
  const { databaseUrl } = loadSettings();
  return databaseUrl === undefined ? embedded() : defineConfig({ ...options, clientUrl: databaseUrl });
}

/** Uses an in-memory PGlite with all migrations applied, so that the command line compares entities with them. */
async function embedded() {
  const driverOptions = new PGliteDialect({ pglite: new PGlite() });
  const orm = await MikroORM.init({ ...options, driverOptions });
  await orm.migrator.up();
  return definePgliteConfig({ ...options, driverOptions });
}
