import type { TestProject } from 'vitest/node';
import { openPostgreSql } from '../../../database/postgresql/open.ts';
import { createScratchDatabase } from '../database/scratch-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a migrated PostgreSQL database for this run; undefined if the tests use the embedded database. */
    databaseUrl: string | undefined;
    /** URL of the same database for its owner. */
    ownerUrl: string | undefined;
  }
}

/**
 * Creates the database of a test run if DATABASE_URL is set: a new database on that server, and a new role that owns nothing.
 * Drops both after the run. The user of DATABASE_URL needs the privileges to create databases and roles.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const server = process.env['DATABASE_URL'];
  if (server === undefined) {
    project.provide('databaseUrl', undefined);
    project.provide('ownerUrl', undefined);
    return undefined;
  }
  const { url: ownerUrl, serviceUrl, drop } = await createScratchDatabase(server);
  const database = await openPostgreSql(serviceUrl, { ownerUrl });
  await database.migrate();
  await database.close();
  project.provide('databaseUrl', serviceUrl);
  project.provide('ownerUrl', ownerUrl);
  return drop;
}
