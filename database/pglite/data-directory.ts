import { copyFile, constants, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectionPool } from '../connection/connection-pool.ts';
import type { DatabaseContents, DatabaseFiles } from '../driver.ts';
import { FILES_FOLDER, linkStoredFiles } from './files-folder.ts';
import { superuserQuery } from './superuser.ts';
import type { SuperuserQuery } from './superuser.ts';

/** Pages of a table whose rows one statement counts, so that no statement keeps others waiting. */
const COUNTED_PAGES = 2000;
/**
 * Files that a copy does not need: PostgreSQL makes them at its start. The log since the start of the copy is copied at its end.
 * https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP-DATA
 */
const SKIPPED =
  /^(?:postmaster\.(?:pid|opts)|(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/.+|(?:.*\/)?pgsql_tmp.*)$/;

/** Returns the data directory of the database that `pool` connects to. */
export function databaseFiles(pool: ConnectionPool, folder: string): DatabaseFiles {
  const query = superuserQuery(pool);
  return {
    contents: () => pool.withoutWrites(() => readContents(query)),
    copyTo: (copy) => copyOnline(pool, query, { folder, copy }),
  };
}

/**
 * Copies the files while PostgreSQL changes them, with its interface for backups: the copy is consistent after PostgreSQL has
 * replayed the log of that time. https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
async function copyOnline(
  pool: ConnectionPool,
  query: SuperuserQuery,
  { folder, copy }: { folder: string; copy: string },
): Promise<DatabaseContents> {
  const [start] = await query<{ segment: string }>(
    `select pg_walfile_name(pg_backup_start('backup', true)) as segment`,
  );
  let isRunning = true;
  try {
    // First the stored files: there may be many, and they never change.
    await linkStoredFiles(folder, copy);
    await copyFiles(folder, copy, (path) => path !== FILES_FOLDER && !SKIPPED.test(path));
    return await pool.withoutWrites(async () => {
      const contents = await readContents(query);
      const [end] = await query<{ segment: string; label: string }>(
        'select pg_walfile_name(lsn) as segment, labelfile as label from pg_backup_stop(false)',
      );
      isRunning = false;
      if (start === undefined || end === undefined) throw new Error('backup: expected a row');
      await copyFiles(
        join(folder, 'pg_wal'),
        join(copy, 'pg_wal'),
        (name) => name >= start.segment && name <= end.segment,
      );
      await linkStoredFiles(folder, copy); // those that came and went meanwhile
      await writeFile(join(copy, 'backup_label'), end.label, { mode: 0o600 });
      return contents;
    });
  } finally {
    if (isRunning) await query('select from pg_backup_stop(false)');
  }
}

/** Copies the files and folders for which `includes` returns true. A file that PostgreSQL deletes meanwhile is left out. */
async function copyFiles(from: string, to: string, includes: (path: string) => boolean, folder = ''): Promise<void> {
  await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
  for (const entry of await readdir(join(from, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!includes(path)) continue;
    if (entry.isDirectory()) await copyFiles(from, to, includes, path);
    // Copy-on-write file systems share the blocks, so the copy takes almost no time and space.
    else await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE).catch(ignoreMissing);
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

async function readContents(query: SuperuserQuery): Promise<DatabaseContents> {
  const tables = await query<{ name: string; pages: number }>(
    `select relname as name, (pg_relation_size(oid) / current_setting('block_size')::int)::int as pages
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
  const rows: Record<string, number> = {};
  for (const { name, pages } of tables) {
    rows[name] = 0;
    for (let page = 0; page < pages; page += COUNTED_PAGES) {
      const range = `ctid >= '(${page},0)' and ctid < '(${page + COUNTED_PAGES},0)'`;
      const [counted] = await query<{ rows: number }>(`select count(*)::int as rows from "${name}" where ${range}`);
      rows[name] += counted?.rows ?? 0;
    }
  }
  const [version] = await query<{ major: number }>(
    `select current_setting('server_version_num')::int / 10000 as major`,
  );
  const applied =
    rows['mikro_orm_migrations'] === undefined
      ? []
      : await query<{ name: string }>('select name from mikro_orm_migrations order by name');
  return { postgresql: version?.major ?? 0, migrations: applied.map(({ name }) => name), rows };
}
