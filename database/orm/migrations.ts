import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The folder of the migrations. */
export const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations', import.meta.url));

/** The names of all migrations that this version comes with. */
export async function knownMigrations(): Promise<string[]> {
  const files = await readdir(MIGRATIONS_DIR);
  return files.flatMap((file) => /^(Migration\w+)\.ts$/.exec(file)?.[1] ?? []);
}
