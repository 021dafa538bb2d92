import { defineConfig as definePgliteConfig } from '@mikro-orm/pglite';
import { defineConfig } from '@mikro-orm/postgresql';
import { PGliteDialect } from 'kysely';
import { MigrationCreator, OnlineMigrationGenerator, migratedPglite } from './database/orm/migration-generator.ts';
import { ormOptions } from './database/orm/options.ts';
import { loadSettings } from './server/config/settings.ts';

const options = {
  ...ormOptions,
  extensions: [MigrationCreator],
  migrations: { ...ormOptions.migrations, generator: OnlineMigrationGenerator },
};

/**
 * Options for the ORM's command line. `npm run migration:create -- --name add_vendor_url` writes a migration for the current
 * entities and SQL functions; `npm run migration -- migration:check` fails if one is missing. Both work without PostgreSQL.
 */
export default async function config() {
  const { databaseUrl } = loadSettings();
  if (databaseUrl !== undefined) return defineConfig({ ...options, clientUrl: databaseUrl });
  return definePgliteConfig({ ...options, driverOptions: new PGliteDialect({ pglite: await migratedPglite() }) });
}
