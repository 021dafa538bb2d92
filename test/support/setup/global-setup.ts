import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { createScratchDatabase } from '../database/scratch-database.ts';
import { embeddedTemplate, postgreSqlTemplate } from '../database/template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the migrated embedded database. */
    embeddedTemplate: string;
    /** Name of the migrated database on PostgreSQL; undefined if the tests use the embedded database. */
    postgreSqlTemplate: string | undefined;
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

/**
 * Makes the migrated databases of which tests use copies. If DATABASE_URL is set, creates a database for each test worker, so that
 * jobs and servers of one test never meet the rows of a test in another worker, and drops them after the run. The user of
 * DATABASE_URL needs the privileges to create databases and roles.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const server = process.env['DATABASE_URL'];
  project.provide('embeddedTemplate', await embeddedTemplate());
  if (server === undefined) {
    await buildApplication();
    project.provide('postgreSqlTemplate', undefined);
    project.provide('databases', undefined);
    return undefined;
  }
  const template = await postgreSqlTemplate(server);
  const databases = await Promise.all(
    Array.from({ length: project.config.maxWorkers }, () => createScratchDatabase(server, `template ${template}`)),
  );
  project.provide('postgreSqlTemplate', template);
  project.provide(
    'databases',
    databases.map(({ url, serviceUrl }) => ({ url: serviceUrl, ownerUrl: url })),
  );
  return async () => {
    await Promise.all(databases.map(({ drop }) => drop()));
  };
}
