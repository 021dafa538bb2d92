import type { Logger } from 'pino';
import type { Database } from '../entities/database/database.ts';
import { asRefusal, isForbidden } from '../entities/database/failure.ts';
import { createApp } from './app.ts';
import { BadSetting } from './config.ts';
import type { Settings } from './config.ts';
import { databaseFolder, lockDataFolder, operatorToken, settleDataFolder } from './data-folder.ts';
import { createDemo } from './demo.ts';
import { startForgetting } from './forgetting.ts';
import { HttpServer } from './http.ts';
import { openLimits } from './limits.ts';
import type { Limits } from './limits.ts';
import { startSealing } from './sealing.ts';
import { Shedding } from './shedding.ts';

/** A running service. */
export interface Service {
  url: string;
  /** What was made of an empty embedded database: the key is shown here only. */
  demo: { key: string; framework: number } | undefined;
  /** Answers what is in flight, closes connections, the database and the folder. */
  stop(): Promise<void>;
}

/**
 * Starts the service: folder, token, database, migrations, demo data, socket.
 * @throws BadSetting when DATA_DIR is another process's
 */
export async function startService(settings: Settings, log: Logger): Promise<Service> {
  const token = await operatorToken(settings.operatorToken, settings.dataDir);
  const { database, unlock } = await openDatabase(settings);
  let limits: Limits | undefined;
  let shedding: Shedding | undefined;
  try {
    await bringUpToDate(database, settings);
    const lacks = await database.tooWeak();
    if (lacks !== undefined) throw new BadSetting(`DATABASE_URL: ${lacks}`);
    const why = await database.tooStrong();
    const warnings =
      why === undefined ? [] : [`DATABASE_URL: ${why}, so PostgreSQL itself does not keep companies apart.`];
    for (const warning of warnings) log.warn(warning);
    await database.attend();
    const demo = settings.databaseUrl === undefined ? await createDemo(database) : undefined;
    limits = await openLimits(settings, log);
    shedding = new Shedding(log, database.pool);
    const isStopping = () => server.isStopping;
    const options = { ...settings, limits, warnings, shedding, isStopping };
    const server = new HttpServer(createApp(database, token, log, options).callback());
    const url = await server.listen(settings);
    const stopSealing = startSealing(database, log);
    const stopForgetting = startForgetting(database, log);
    const stop = async () => {
      await Promise.all([server.stop(), stopSealing(), stopForgetting()]);
      shedding?.stop();
      limits?.close();
      await database.close();
      unlock();
    };
    return { url, demo, stop };
  } catch (error) {
    shedding?.stop();
    limits?.close();
    await database.close();
    unlock();
    throw error;
  }
}

/** @throws BadSetting when the schema is not what this version needs, and this process is not to change it or may not */
async function bringUpToDate(database: Database, { runMigrations, migrationDatabaseUrl }: Settings): Promise<void> {
  if (await database.isMigrated()) return;
  if (!runMigrations) throw new BadSetting('RUN_MIGRATIONS: is false, and migrations are still to be applied');
  await database.migrate().catch((cause: unknown) => {
    if (asRefusal(cause) === undefined && !isForbidden(cause)) throw cause;
    const name = migrationDatabaseUrl === undefined ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL';
    throw new BadSetting(`${name}: ${reasonOf(cause)}`, { cause });
  });
}

/** What a driver said of it first. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

/** Loads the driver of the database that is used: the other one's weight is its own. */
async function openDatabase({
  databaseUrl,
  migrationDatabaseUrl: ownerUrl,
  pooler,
  replicaUrls,
  dataDir,
}: Settings): Promise<{ database: Database; unlock: () => void }> {
  if (databaseUrl !== undefined) {
    const { openPostgreSql } = await import('../entities/database/postgresql.ts');
    return { database: await openPostgreSql(databaseUrl, { ownerUrl, pooler, replicaUrls }), unlock: () => {} };
  }
  const { openEmbedded } = await import('../entities/database/embedded.ts');
  const unlock = await lockDataFolder(dataDir);
  await settleDataFolder(dataDir);
  return { database: await openEmbedded(databaseFolder(dataDir)), unlock };
}
