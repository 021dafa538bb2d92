import { constants } from 'node:fs';
import { cp } from 'node:fs/promises';
import type { PGlite } from '@electric-sql/pglite';

/** What a database holds: two of which this is the same hold the same tables with as many rows. */
interface DatabaseContents {
  /** The major version of PostgreSQL, whose files no other reads. */
  postgresql: number;
  /** Those that were applied. */
  migrations: string[];
  /** How many rows each table has, of all companies. */
  rows: Record<string, number>;
}

/** The embedded database as files. */
export interface DatabaseFiles {
  contents(): Promise<DatabaseContents>;
  /** Copies them into a new folder, all of one moment. Meanwhile no statement runs. @returns what the copy holds */
  copyTo(folder: string): Promise<DatabaseContents>;
}

/** @param superuser whom PGlite's own user is called; the service goes by another role, which policies keep out */
export function databaseFiles(pglite: PGlite, folder: string, superuser: string): DatabaseFiles {
  const withSuperuser = <T>(work: (own: QueryConnection) => Promise<T>) =>
    pglite.transaction(async (own) => {
      await own.query(`set local role ${superuser}`);
      return work(own);
    });
  return {
    contents: () => withSuperuser(readContents),
    copyTo: (copy) =>
      withSuperuser(async (own) => {
        await own.query('checkpoint');
        const contents = await readContents(own);
        // Where the file system can share blocks between files, that takes next to no time and room.
        await cp(folder, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
        return contents;
      }),
  };
}

type QueryConnection = Pick<PGlite, 'query'>;

async function readContents(connection: QueryConnection): Promise<DatabaseContents> {
  const select = async <Row>(text: string) => (await connection.query<Row>(text)).rows;
  const tables = await select<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
  const countQueries = tables.map(({ name }) => `select '${name}' as name, count(*)::int as rows from "${name}"`);
  const counts = await select<{ name: string; rows: number }>(countQueries.join(' union all ') || 'select where false');
  const [version] = await select<{ major: number }>(
    `select current_setting('server_version_num')::int / 10000 as major`,
  );
  const hasMigrationsTable = tables.some(({ name }) => name === 'mikro_orm_migrations');
  const applied = hasMigrationsTable
    ? await select<{ name: string }>('select name from mikro_orm_migrations order by name')
    : [];
  return {
    postgresql: version?.major ?? 0,
    migrations: applied.map(({ name }) => name),
    rows: Object.fromEntries(counts.map(({ name, rows }) => [name, rows])),
  };
}
