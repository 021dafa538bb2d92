import { constants } from 'node:fs';
import { cp } from 'node:fs/promises';
import type { PGlite } from '@electric-sql/pglite';

/** Summary of a database, to compare a copy with its original. */
interface DatabaseContents {
  /** Major version of PostgreSQL. Other versions cannot read its files. */
  postgresql: number;
  /** Names of the applied migrations. */
  migrations: string[];
  /** Number of rows by table, over all companies. */
  rows: Record<string, number>;
}

/** Data directory of the embedded database. */
export interface DatabaseFiles {
  contents(): Promise<DatabaseContents>;
  /** Copies the files to a new folder while no statement runs. @returns contents of the copy */
  copyTo(folder: string): Promise<DatabaseContents>;
}

/** @param superuser PGlite's default role. The service runs as a role that is subject to row-level security. */
export function databaseFiles(pglite: PGlite, folder: string, superuser: string): DatabaseFiles {
  const withSuperuser = <T>(work: (transaction: QueryConnection) => Promise<T>) =>
    pglite.transaction(async (transaction) => {
      await transaction.query(`set local role ${superuser}`);
      return work(transaction);
    });
  return {
    contents: () => withSuperuser(readContents),
    copyTo: (copy) =>
      withSuperuser(async (transaction) => {
        await transaction.query('checkpoint');
        const contents = await readContents(transaction);
        // Copy-on-write file systems share the blocks, so the copy takes almost no time and space.
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
