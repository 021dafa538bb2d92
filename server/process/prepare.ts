import { openPglite } from '../../database/pglite/open.ts';
import { databaseDir, lockDataDir } from '../config/data-dir.ts';
import { createWebhookClient } from '../outbound/webhook-client.ts';
import { createDemoData } from './demo-data.ts';
import type { Preparation } from './database.ts';

// The process that prepares the embedded database in the DATA_DIR of its argument: it loads the files of an empty one, applies the
// migrations and creates the demo data. The service would keep the memory of that, more than 100 MiB, until it ends.

const [dataDir = ''] = process.argv.slice(2);
// Without the service, nobody would see the demo data. The next start completes the preparation.
process.on('disconnect', () => process.exit(1));
// A terminal signals the whole process group. The service stops after this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

async function prepare(): Promise<Preparation> {
  const unlock = await lockDataDir(dataDir);
  const database = await openPglite(databaseDir(dataDir));
  try {
    await database.migrate();
    const { requirePublicUrl } = createWebhookClient(false);
    return { demo: await createDemoData(database, { encryption: undefined, requirePublicUrl }) };
  } finally {
    await database.close();
    unlock();
  }
}

const result = await prepare().catch((error: unknown): Preparation => ({ error: String(error) }));
process.send?.(result, () => process.exit());
