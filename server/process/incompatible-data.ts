import { NewerDataError } from '../../database/upgrade/inspect.ts';
import type { IncompatibleDataError } from '../../database/upgrade/inspect.ts';
import { restorableBackup } from '../backup/upgrade.ts';
import { ConfigError } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';

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
