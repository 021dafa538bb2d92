import { inject } from 'vitest';
import type { Database } from '../../../database/database.ts';
import { grantStatements } from '../../../database/orm/privileges.ts';
import { embeddedDatabase } from '../../../database/pglite/open.ts';
import { EmbeddedServer } from '../../../database/pglite/server.ts';
import { withClient } from './client.ts';
import { createScratchDatabase } from './scratch-database.ts';
import type { ScratchDatabase } from './scratch-database.ts';
import { templateArchive } from './template.ts';

/** Creates a migrated database on the server of a URL. */
export async function createMigratedDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const scratch = await createScratchDatabase(serverUrl, `template ${inject('postgreSqlTemplate')}`);
  await withClient(scratch.url, (owner) => owner.query(grantStatements(new URL(scratch.serviceUrl).username)));
  return scratch;
}

/** Opens a migrated embedded database in memory. */
export async function openMigratedPglite(): Promise<Database> {
  const server = new EmbeddedServer(undefined, templateArchive(inject('embeddedTemplate')));
  await server.open();
  return embeddedDatabase(server);
}
