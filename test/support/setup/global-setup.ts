import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { openPostgreSql } from '../../../database/postgresql/open.ts';
import { createScratchDatabase } from '../database/scratch-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated PostgreSQL database for each test worker; undefined if the tests use the embedded database. */
    databases: WorkerDatabase[] | undefined;
  }
}

interface WorkerDatabase {
  /** URL for the role of the service. */
  url: string;
  /** URL for the owner of the tables. */
  ownerUrl: string;
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

/** Creates a migrated database, and a new role that owns nothing. */
async function createWorkerDatabase(server: string): Promise<WorkerDatabase & { drop: () => Promise<void> }> {
  const { url: ownerUrl, serviceUrl: url, drop } = await createScratchDatabase(server);
  const database = await openPostgreSql(url, { ownerUrl });
  await database.migrate();
  await database.close();
  return { url, ownerUrl, drop };
}

/**
 * Creates a database for each test worker if DATABASE_URL is set, so that jobs and servers of one test never meet the rows of a test
 * in another worker. Drops them after the run. The user of DATABASE_URL needs the privileges to create databases and roles.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const server = process.env['DATABASE_URL'];
  if (server === undefined) {
    await buildApplication();
    project.provide('databases', undefined);
    return undefined;
  }
  const workers = Array.from({ length: project.config.maxWorkers }, () => createWorkerDatabase(server));
  const databases = await Promise.all(workers);
  project.provide(
    'databases',
    databases.map(({ url, ownerUrl }) => ({ url, ownerUrl })),
  );
  return async () => {
    await Promise.all(databases.map(({ drop }) => drop()));
  };
}
