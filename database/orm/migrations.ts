import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { DatabaseError } from 'pg';

export const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Lists the names of all migrations of this version. */
export async function knownMigrations(): Promise<string[]> {
  const files = await readdir(MIGRATIONS_DIR);
  return files.flatMap((file) => /^(Migration\w+)\.ts$/.exec(file)?.[1] ?? []);
}

/** undefined_table and insufficient_privilege: no table exists yet, or the role may not read it. */
const NOT_MIGRATED_CODES = new Set(['42P01', '42501']);

type RunQuery = (name: string, text: string) => Promise<{ rows: Record<string, unknown>[] }>;

/** True if all migrations are applied. Most starts then need not load the ORM. */
export async function isMigrated(query: RunQuery): Promise<boolean> {
  const applied = await query('migrations', 'select name from mikro_orm_migrations').catch((error: unknown) => {
    if (error instanceof DatabaseError && NOT_MIGRATED_CODES.has(error.code ?? '')) return { rows: [] };
    throw error;
  });
  const names = new Set(applied.rows.map(({ name }) => name));
  return (await knownMigrations()).every((name) => names.has(name));
}
