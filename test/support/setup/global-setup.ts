import { execFile } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
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

/** Folder of a file system in memory, and the bytes that it needs for the temporary files of a run. */
const MEMORY = { folder: '/dev/shm', minBytes: 8 * 1024 ** 3 };

/**
 * Puts temporary files of the tests and of the programs that they start into memory, if it has room. Each embedded database has a
 * thousand files, and creating them on a disk took half of the system time of the tests of restores and upgrades.
 * @returns a function that deletes them
 */
async function useMemory(): Promise<() => Promise<void>> {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY.folder)) return async () => {};
  const { bavail, bsize } = await statfs(MEMORY.folder);
  if (bavail * bsize < MEMORY.minBytes) return async () => {};
  const folder = await mkdtemp(join(MEMORY.folder, 'compliance-tests-'));
  process.env['TMPDIR'] = folder;
  return () => rm(folder, { recursive: true, force: true });
}

/**
 * Makes the migrated databases of which tests use copies. If DATABASE_URL is set, creates a database for each test worker, so that
 * jobs and servers of one test never meet the rows of a test in another worker, and drops them after the run. The user of
 * DATABASE_URL needs the privileges to create databases and roles.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const deleteFiles = await useMemory();
  const server = process.env['DATABASE_URL'];
  project.provide('embeddedTemplate', await embeddedTemplate());
  if (server === undefined) {
    await buildApplication();
    project.provide('postgreSqlTemplate', undefined);
    project.provide('databases', undefined);
    return deleteFiles;
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
    await Promise.all([deleteFiles(), ...databases.map(({ drop }) => drop())]);
  };
}
