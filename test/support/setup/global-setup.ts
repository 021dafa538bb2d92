import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

const root = join(import.meta.dirname, '..', '..', '..');

/** Time of the last change of the newest file; 0 without files. */
const newest = (pattern: string): number =>
  Math.max(0, ...globSync(pattern, { cwd: root }).map((file) => statSync(join(root, file)).mtimeMs));

/** Builds the application again if a file of it is newer than the build, for the tests in a browser. `npm install` built it first. */
async function buildApplication(): Promise<void> {
  const built = newest('app/dist/index.html');
  if (built > 0 && newest('app/{index.html,*.ts,src/**/*}') > built)
    // NODE_ENV is `test` here, with which React would be the version for development.
    await promisify(execFile)(process.execPath, ['app/build.ts'], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production' },
    });
}

/**
 * Creates the database of a test run if DATABASE_URL is set: a new database on that server, and a new role that owns nothing.
 * Drops both after the run. The user of DATABASE_URL needs the privileges to create databases and roles.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const server = process.env['DATABASE_URL'];
  if (server === undefined) {
    await buildApplication();
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
