import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MigrationError } from '../../database/errors.ts';
import { openPglite } from '../../database/pglite/open.ts';
import { IncompatibleDataError } from '../../database/upgrade/inspect.ts';
import { createDemoData } from '../../procedures/demo/demo-data.ts';
import { backUpBeforeUpgrade } from '../backup/upgrade.ts';
import { databaseDir, lockDataDir, recordPreparation } from '../config/data-dir.ts';
import { ConfigError } from '../config/settings.ts';
import { createWebhookClient } from '../outbound/webhook-client.ts';
import { incompatibleData, dataDirError } from './data-errors.ts';
import type { Preparation, PreparationRequest } from './database.ts';

// The process that prepares the embedded database in DATA_DIR for this version: it loads the files of an empty one, or inspects
// the data and backs them up, applies the migrations and creates the demo data. It also rewrites tables from which people or
// companies were deleted. The service would keep the memory of that,
// more than 100 MiB, until it ends.

// Without the service, nobody would see the demo data. The next start completes the preparation.
process.on('disconnect', () => process.exit(1));
// A terminal signals the whole process group. The service stops after this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends it
const request = (await once(process, 'message'))[0] as PreparationRequest;

/** Rewrites the tables that a deletion has asked for. */
async function rewrite({ dataDir }: PreparationRequest): Promise<Preparation> {
  await using stack = new AsyncDisposableStack();
  stack.defer(await lockDataDir(dataDir));
  const database = stack.adopt(await openPglite(databaseDir(dataDir)), (opened) => opened.close());
  return { rewritten: (await database.embedded?.rewriter.run()) ?? 0 };
}

async function prepare({
  dataDir,
  demoApiKey,
  upgradeBackup,
  companyIdStart,
}: PreparationRequest): Promise<Preparation> {
  await using stack = new AsyncDisposableStack();
  stack.defer(await lockDataDir(dataDir));
  const folder = databaseDir(dataDir);
  if (upgradeBackup && existsSync(join(folder, 'PG_VERSION'))) await backUpBeforeUpgrade(dataDir, openPglite);
  const database = stack.adopt(await openPglite(folder), (opened) => opened.close());
  await database.migrate();
  database.installation.configure({ companyIdStart });
  const { requirePublicUrl } = createWebhookClient(false);
  const demo = await createDemoData(database, { encryption: undefined, requirePublicUrl }, demoApiKey);
  await recordPreparation(dataDir);
  return { demo, rewritten: 0 };
}

/** Returns an error in one line if the operator can fix it. */
async function describe(error: unknown): Promise<Preparation> {
  const { dataDir } = request;
  if (error instanceof MigrationError) return { configError: `DATA_DIR: ${dataDir}: ${error.message}` };
  const cause =
    error instanceof IncompatibleDataError
      ? await incompatibleData(error, { dataDir })
      : ((await dataDirError(error, { dataDir })) ?? error);
  return cause instanceof ConfigError ? { configError: cause.message } : { error: String(error) };
}

const result = await (request.rewriteOnly ? rewrite : prepare)(request).catch(describe);
process.send?.(result, () => process.exit());
