import { inject } from 'vitest';
import type { Database } from '../../../database/database.ts';
import { grantStatements } from '../../../database/orm/privileges.ts';
import { openPglite } from '../../../database/pglite/open.ts';
import { SERVICE_ROLE } from '../../../database/pglite/service-role.ts';
import { withClient } from './client.ts';
import { createScratchDatabase } from './scratch-database.ts';
import type { ScratchDatabase } from './scratch-database.ts';
import { copyTemplate, templateArchive } from './template.ts';

/** The statements that give the role of the service its privileges, which the entities of this moment decide. */
export const grantsTo = (role: string): string[] => grantStatements(role).split(';\n');

/** Creates a migrated database on the server of a URL. */
export async function createMigratedDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const scratch = await createScratchDatabase(serverUrl, `template ${inject('postgreSqlTemplate')}`);
  await withClient(scratch.url, (owner) => owner.query(grantStatements(new URL(scratch.serviceUrl).username)));
  return scratch;
}

/** Opens a migrated embedded database in memory. */
export async function openMigratedPglite(): Promise<Database> {
  const database = await openPglite(undefined, templateArchive(inject('embeddedTemplate')));
  await database.query('test.reset-role', 'reset role', []);
  for (const [index, grant] of grantsTo(SERVICE_ROLE).entries()) await database.query(`test.grant-${index}`, grant, []);
  await database.query('test.set-role-service', `set role ${SERVICE_ROLE}`, []);
  return database;
}

/** Makes a data directory whose database is migrated, before a service starts on it. @param dataDir DATA_DIR of the service */
export const prepareDataDir = (dataDir: string): Promise<void> =>
  copyTemplate(inject('embeddedTemplate'), `${dataDir}/pglite`);
