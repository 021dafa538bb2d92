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

/** Runs a statement without parameters. */
export type RunQuery = (name: string, text: string) => Promise<{ rows: Record<string, unknown>[] }>;

/** Returns the names of the applied migrations, which may include those of a newer version. */
export async function appliedMigrations(query: RunQuery): Promise<ReadonlySet<string>> {
  const { rows } = await query('migrations', 'select name from mikro_orm_migrations').catch((error: unknown) => {
    if (error instanceof DatabaseError && NOT_MIGRATED_CODES.has(error.code ?? '')) return { rows: [] };
    throw error;
  });
  return new Set(rows.map(({ name }) => String(name)));
}

/** True if all migrations are applied. Most starts then need not load the ORM. */
export async function isMigrated(query: RunQuery): Promise<boolean> {
  const applied = await appliedMigrations(query);
  return (await knownMigrations()).every((name) => applied.has(name));
}
