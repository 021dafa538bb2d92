import type { TestProject } from 'vitest/node';
import { openPostgreSql } from '../../../database/postgresql/open.ts';
import { createScratchDatabase } from '../database/scratch-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated PostgreSQL made for this run; undefined when the tests use the embedded database. */
    databaseUrl: string | undefined;
    /** The same database for its owner. */
    ownerUrl: string | undefined;
  }
}

/**
 * With DATABASE_URL set, the tests run in a database made beside the one it names, by a role made for them that owns
 * nothing; both are dropped when the tests end. Its user must be one who may make them.
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
