import type { OwnerQuery } from '../driver.ts';
import { DescribedError } from '../errors.ts';
import type { CopiedFiles } from './copy-files.ts';
import { UNFINISHED_COPY } from './unfinished-copy.ts';

/** Rows of the first page of a table, and of the others at most. Few at first: each may have a chunk of a file. */
const PAGE_ROWS = { first: 50, max: 2000 };
/** Approximate number of characters of a page, estimated from the previous page. */
const PAGE_LENGTH = 4 * 1024 * 1024;

/** A table of both databases. */
interface Table {
  name: string;
  /** Columns with their types, in their order. */
  columns: { name: string; type: string }[];
  /** True if row-level security applies to the owner too. */
  isForced: boolean;
}

const TABLES = `select c.relname as name, c.relforcerowsecurity as "isForced",
    json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> '${UNFINISHED_COPY}'
  group by c.oid order by c.relname collate "C"`;

const FOREIGN_KEYS = `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
  from pg_constraint where connamespace = 'public'::regnamespace and contype = 'f' order by conrelid, conname`;

/** The embedded database keeps the bytes of files in a folder, and PostgreSQL in the table `file_chunk`. */
const FILE = 'file';
const STORE_IN_TARGET = `case when t.store = 'files' then 'database' else t.store end`;

/**
 * SQL of a row as text, which the same table reads again. Unlike JSON it keeps the difference between a null of SQL and one of JSON.
 * https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX
 * @param store SQL of the store of a file
 */
function rowText({ name, columns }: Table, store: string): string {
  if (name !== FILE) return 't::text';
  const values = columns.map((column) => (column.name === 'store' ? store : `t."${column.name}"`));
  return `row(${values.join(', ')})::text`;
}

interface Copy {
  /** Inside a transaction of the superuser of the embedded database. */
  source: OwnerQuery;
  /** Inside a transaction of the owner of the tables. */
  target: OwnerQuery;
  /** Puts the bytes of files into `file_chunk`, and verifies them. */
  copyFiles: () => Promise<CopiedFiles>;
  report: (line: string) => void;
}

/**
 * Replaces the rows of a database by those of another one with the same migrations, sets its sequences, and compares the rows. Triggers do
 * not run, because they would change and audit what is copied. Foreign keys are dropped and added again, as `pg_restore` does: so
 * tables may come in any order, and each key is verified at once.
 * @returns rows of each table
 * @throws DescribedError if the tables or their rows differ
 */
export async function copyRows({ source, target, copyFiles, report }: Copy): Promise<{
  rows: Record<string, number>;
  copied: CopiedFiles;
}> {
  const tables = await source<Table>(TABLES);
  if (JSON.stringify(tables) !== JSON.stringify(await target<Table>(TABLES)))
    throw new DescribedError('expected the tables of this version in both databases');
  const foreignKeys = await target<{ table: string; name: string; definition: string }>(FOREIGN_KEYS);
  for (const { table, name } of foreignKeys) await target(`alter table ${table} drop constraint "${name}"`);
  for (const { name } of tables)
    await target(`alter table "${name}" disable trigger user, no force row level security`);
  await target(`truncate ${tables.map(({ name }) => `"${name}"`).join(', ')}`);
  const rows: Record<string, number> = {};
  for (const table of tables) {
    const number = await copyTable(source, target, table);
    rows[table.name] = number;
    if (number > 0) report(`copied ${number} rows of ${table.name}`);
  }
  await copySequences(source, target);
  report('comparing rows');
  for (const table of tables) await requireSameRows(source, target, table);
  report('copying and reading files');
  const copied = await copyFiles();
  report('adding foreign keys');
  for (const { table, name, definition } of foreignKeys)
    await target(`alter table ${table} add constraint "${name}" ${definition}`);
  for (const { name, isForced } of tables)
    await target(`alter table "${name}" enable trigger user${isForced ? ', force row level security' : ''}`);
  await target(`analyze ${tables.map(({ name }) => `"${name}"`).join(', ')}`);
  return { rows, copied };
}

async function copyTable(source: OwnerQuery, target: OwnerQuery, table: Table): Promise<number> {
  const { name } = table;
  await source(`declare copied no scroll cursor for select ${rowText(table, STORE_IN_TARGET)} as row from "${name}" t`);
  const read = (rows: number) => source<{ row: string }>(`fetch ${rows} from copied`);
  const write = (rows: readonly string[]) =>
    target(
      `insert into "${name}" select (r).* from (
        select value::"${name}" as r from json_array_elements_text($1::json) offset 0) page`,
      [JSON.stringify(rows)],
    );
  let copied = 0;
  for (let page = await read(PAGE_ROWS.first); page.length > 0;) {
    const rows = page.map(({ row }) => row);
    copied += rows.length;
    const length = rows.reduce((sum, row) => sum + row.length, 0);
    const fitting = Math.ceil((PAGE_LENGTH * rows.length) / length);
    // PostgreSQL writes a page while the next one is read.
    [page] = await Promise.all([read(Math.min(PAGE_ROWS.max, fitting)), write(rows)]);
  }
  await source('close copied');
  return copied;
}

/** Sequences do not belong to a transaction: the next copy sets those of a copy that was killed again. */
async function copySequences(source: OwnerQuery, target: OwnerQuery): Promise<void> {
  const sequences = await source<{ name: string }>(
    `select sequencename as name from pg_sequences where schemaname = 'public' order by 1`,
  );
  for (const { name } of sequences) {
    const [state] = await source<{ last: string; isCalled: boolean }>(
      `select last_value as last, is_called as "isCalled" from "${name}"`,
    );
    await target('select setval($1::regclass, $2::bigint, $3::boolean)', [`"${name}"`, state?.last, state?.isCalled]);
  }
}

/**
 * Compares the number of rows, and the sum of their hashes, which does not depend on their order: everything but the store of files, whose
 * chunks are not there yet.
 */
async function requireSameRows(source: OwnerQuery, target: OwnerQuery, table: Table): Promise<void> {
  // MD5 only compares: https://www.postgresql.org/docs/current/functions-binarystring.html
  const text = `select count(*)::int as rows,
    coalesce(sum(('x' || left(md5(${rowText(table, 'null')}), 16))::bit(64)::bigint::numeric), 0)::text as digest
    from "${table.name}" t`;
  const sum = async (query: OwnerQuery) => {
    const [row] = await query<{ rows: number; digest: string }>(text);
    return row;
  };
  const [expected, copied] = await Promise.all([sum(source), sum(target)]);
  if (copied?.rows !== expected?.rows || copied?.digest !== expected?.digest)
    throw new DescribedError(
      `${table.name} has ${copied?.rows} rows, expected ${expected?.rows} with the same content`,
    );
}
