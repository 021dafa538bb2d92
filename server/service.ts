import type { Logger } from 'pino';
import type { Database } from '../entities/database/database.ts';
import { openEmbedded } from '../entities/database/embedded.ts';
import { openPostgreSql } from '../entities/database/postgresql.ts';
import { createApp } from './app.ts';
import type { Settings } from './config.ts';
import { databaseFolder, lockDataFolder, operatorToken } from './data-folder.ts';
import { createDemo } from './demo.ts';
import { HttpServer } from './http.ts';
import { startSealing } from './sealing.ts';

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
  try {
    if (settings.runMigrations) await database.migrate();
    await database.attend();
    const demo = settings.databaseUrl === undefined ? await createDemo(database) : undefined;
    const server = new HttpServer(createApp(database, token, log, settings).callback());
    const url = await server.listen(settings);
    const stopSealing = startSealing(database, log);
    const stop = async () => {
      await Promise.all([server.stop(), stopSealing()]);
      await database.close();
      unlock();
    };
    return { url, demo, stop };
  } catch (error) {
    await database.close();
    unlock();
    throw error;
  }
}

async function openDatabase({ databaseUrl, dataDir }: Settings): Promise<{ database: Database; unlock: () => void }> {
  if (databaseUrl !== undefined) return { database: await openPostgreSql(databaseUrl), unlock: () => {} };
  const unlock = await lockDataFolder(dataDir);
  return { database: await openEmbedded(databaseFolder(dataDir)), unlock };
}
