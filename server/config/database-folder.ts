import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { POSTGRESQL_MAJOR } from '../../database/pglite/postgresql-major.ts';
import { VERSION } from '../../database/version.ts';
import { databaseDir } from './data-dir.ts';
import { ConfigError } from './settings.ts';

/** File that names the version that prepared the database last. It is part of a backup. */
const preparationFile = (dataDir: string) => join(databaseDir(dataDir), 'prepared-by');

const readText = (file: string) => readFile(file, 'utf8').catch(() => undefined);

/** True if this version was the last one that prepared the database, so that it needs no inspection before it is opened. */
export const isPrepared = async (dataDir: string): Promise<boolean> =>
  (await readText(preparationFile(dataDir))) === VERSION;

/** Records that this version has prepared the database. */
export const recordPreparation = (dataDir: string): Promise<void> => writeFile(preparationFile(dataDir), VERSION);

/**
 * Reads the version of PostgreSQL that wrote the files, which another one can neither read nor convert.
 * @throws ConfigError if the package of the embedded database brings another one (docs/decisions, 0049)
 */
export async function requireSamePostgreSql(dataDir: string): Promise<void> {
  const major = (await readText(join(databaseDir(dataDir), 'PG_VERSION')))?.trim();
  if (major !== undefined && major !== String(POSTGRESQL_MAJOR))
    throw new ConfigError(
      `DATA_DIR: ${dataDir} has files of PostgreSQL ${major}, and this version brings PostgreSQL ${POSTGRESQL_MAJOR}; start the version that wrote them`,
    );
}
