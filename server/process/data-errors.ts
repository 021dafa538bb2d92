import { access, constants, readdir } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { NewerDataError } from '../../database/upgrade/inspect.ts';
import type { IncompatibleDataError } from '../../database/upgrade/inspect.ts';
import { DescribedError, asApiError, errorLine } from '../../database/errors.ts';
import { restorableBackup } from '../backup/upgrade.ts';
import { ConfigError } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import { databaseDir } from '../config/data-dir.ts';

/** Converts the error to one line that names the setting and the remedy. */
export async function incompatibleData(
  error: IncompatibleDataError,
  { databaseUrl, dataDir }: Partial<Pick<Settings, 'databaseUrl'>> & Pick<Settings, 'dataDir'>,
): Promise<ConfigError> {
  const line =
    databaseUrl === undefined ? `DATA_DIR: ${dataDir} ${error.message}` : `DATABASE_URL: the database ${error.message}`;
  const remedy =
    error instanceof NewerDataError ? `; start a newer version${await backupHint(dataDir, databaseUrl)}` : '';
  return new ConfigError(`${line}${remedy}`, { cause: error });
}

async function backupHint(dataDir: string, databaseUrl: string | undefined): Promise<string> {
  if (databaseUrl !== undefined) return ', or restore a backup (docs/upgrading.md)';
  const file = await restorableBackup(dataDir);
  return file === undefined ? '' : `, or restore the backup: npx --no compliance backup restore ${file} --replace`;
}

/**
 * Converts an error of the files in DATA_DIR, or of the embedded database there, to one line that names them.
 * @returns undefined for any other error
 */
export async function dataDirError(
  error: unknown,
  { databaseUrl, dataDir }: Partial<Pick<Settings, 'databaseUrl'>> & Pick<Settings, 'dataDir'>,
): Promise<ConfigError | undefined> {
  if (isFileError(error, dataDir)) return new ConfigError(`DATA_DIR: ${error.message}`, { cause: error });
  if (databaseUrl !== undefined || (!(error instanceof DescribedError) && asApiError(error) === undefined))
    return undefined;
  const line = (await unreadableEntry(databaseDir(dataDir))) ?? `${databaseDir(dataDir)}: ${errorLine(error)}`;
  return new ConfigError(`DATA_DIR: ${line}`, { cause: error });
}

/** The message of such an error names the file. */
const isFileError = (error: unknown, dataDir: string): error is Error =>
  error instanceof Error &&
  'path' in error &&
  typeof error.path === 'string' &&
  `${resolve(error.path)}${sep}`.startsWith(`${resolve(dataDir)}${sep}`);

/** Describes the first file or folder below a folder that this process may not read and write; undefined if there is none. */
async function unreadableEntry(folder: string): Promise<string | undefined> {
  try {
    const entries = await readdir(folder, { recursive: true });
    for (const path of entries) await access(join(folder, path), constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return errorLine(error);
  }
}
