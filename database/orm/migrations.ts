import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Lists the names of all migrations of this version. */
export async function knownMigrations(): Promise<string[]> {
  const files = await readdir(MIGRATIONS_DIR);
  return files.flatMap((file) => /^(Migration\w+)\.ts$/.exec(file)?.[1] ?? []);
}
