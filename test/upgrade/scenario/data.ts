import { createReadStream, createWriteStream } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { pgDump } from '@electric-sql/pglite-tools/pg_dump';
import { create, extract } from 'tar';
import { databaseDir } from '../../../server/config/data-dir.ts';

/** Tables that may be empty, with the reason. */
const EMPTY_TABLES: Record<string, string> = {
  company_move: 'companies move between cells, which need PostgreSQL',
  rewrite_request: 'the next start rewrites the tables and deletes the request',
  summary_mail: 'a summary waits only from 07:00 until it was sent',
  former_place: 'it has places in S3 from which files were moved',
  file_chunk: 'the embedded database keeps files in a folder',
};

/** Lines that not every supported PostgreSQL or driver knows: commands of psql, and a setting since 17. */
const UNSUPPORTED_LINES = /^(?:\\.*|SET transaction_timeout = .*)\n/gm;

/**
 * Dumps a copy of the database in DATA_DIR. Returns SQL for both databases.
 * @throws Error if a table is empty
 */
export async function dumpDatabase(dataDir: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'fixture-'));
  try {
    await cp(databaseDir(dataDir), copy, { recursive: true });
    const pg = await PGlite.create(copy);
    await requireRows(pg);
    const args = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-comments'];
    const dump = (await (await pgDump({ pg, args })).text()).replaceAll(UNSUPPORTED_LINES, '');
    await pg.close();
    return dump;
  } finally {
    await rm(copy, { recursive: true });
  }
}

async function requireRows(pg: PGlite): Promise<void> {
  const { rows } = await pg.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
  const empty: string[] = [];
  for (const { name } of rows) {
    const found = await pg.query(`select 1 from "${name}" limit 1`);
    if (found.rows.length === 0 && EMPTY_TABLES[name] === undefined) empty.push(name);
  }
  if (empty.length > 0) throw new Error(`scenario: expected rows in ${empty.join(', ')}`);
}

/** Packs DATA_DIR, without the lock. */
export async function packDataDir(dataDir: string, file: string): Promise<void> {
  const archive = create({ cwd: dataDir, portable: true, filter: (path) => !/^(?:\.\/)?(?:lock|holder)/.test(path) }, [
    '.',
  ]);
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 19 } });
  await pipeline(archive, compress, createWriteStream(file));
}

/** Unpacks DATA_DIR into a folder. */
export async function unpackDataDir(file: string, dataDir: string): Promise<void> {
  await pipeline(createReadStream(file), createZstdDecompress(), extract({ cwd: dataDir }));
}
