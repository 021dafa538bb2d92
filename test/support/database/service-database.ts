import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { EmbeddedServer } from '../../../database/pglite/server.ts';
import { databaseDir } from '../../../server/config/data-dir.ts';
import { startService, stopServiceProcess } from '../servers/service-process.ts';
import type { ServiceProcess } from '../servers/service-process.ts';
import { sqlOn, withClient } from './client.ts';
import type { RunSql } from './client.ts';
import { ownerUrl } from './database.ts';
import { createScratchDatabase } from './scratch-database.ts';

/** Settings of services with a database, files and temporary files of their own. */
export type ServiceSettings = Record<string, string>;

/**
 * Creates an empty database for services of a test: on the PostgreSQL of the tests, or an embedded one. It exists until the end of
 * the test.
 */
export async function createServiceDatabase(settings: ServiceSettings = {}): Promise<ServiceSettings> {
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const own = { LOG_LEVEL: 'fatal', TMPDIR: folder, DATA_DIR: join(folder, 'data'), ...settings };
  if (ownerUrl === undefined) return own;
  const scratch = await createScratchDatabase(ownerUrl);
  onTestFinished(scratch.drop);
  return { ...own, DATABASE_URL: scratch.serviceUrl, MIGRATION_DATABASE_URL: scratch.url };
}

/** Starts a service, which is killed at the end of the test if it still runs. */
export async function startUntilEnd(...args: Parameters<typeof startService>): Promise<ServiceProcess> {
  const service = await startService(...args);
  onTestFinished(async () => void (await stopServiceProcess(service, 'SIGKILL')));
  return service;
}

/** Runs SQL as the owner of the tables in the database of services. No process has an embedded one open then. */
export async function inServiceDatabase<T>(
  { MIGRATION_DATABASE_URL: connectionString, DATA_DIR: dataDir = '' }: ServiceSettings,
  work: (run: RunSql) => Promise<T>,
): Promise<T> {
  if (connectionString !== undefined) return withClient(connectionString, (client) => work(sqlOn(client)));
  const server = new EmbeddedServer(databaseDir(dataDir));
  try {
    return await withClient({ stream: server.stream, user: 'postgres', database: 'postgres' }, async (client) => {
      await client.query('reset role');
      return work(sqlOn(client));
    });
  } finally {
    await server.close();
  }
}
