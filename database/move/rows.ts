import { bookkeepingWrite } from '../../entities/statements/define-statement.ts';
import type { Placeholders, Statement } from '../../entities/statements/define-statement.ts';
import type { MovedTable } from './plan.ts';

/** Rows whose hashes a statement adds up. */
export const DIGEST_ROWS = 1000;

/** Reads begin after a row, whose key is a JSON object; null begins at the first one. */
interface PageStart {
  after: string | null;
}
export interface RowPage {
  /** A JSON array as text: numbers keep all their digits. */
  rows: string;
  count: number;
  /** Key of the last row; null for an empty page. */
  last: string | null;
  /** True if there may be rows after the last one. */
  more: boolean;
}
export interface DigestPage {
  count: number;
  /** Sum of the hashes of the rows, in decimal digits. It does not depend on their order. */
  digest: string;
  last: string | null;
}

type ReadInput = PageStart & { maxBytes: number; rows: number };

/** Statements for the first page and for the others. */
interface TableStatements {
  read: [Statement<ReadInput, RowPage>, Statement<ReadInput, RowPage>];
  digest: [Statement<PageStart, DigestPage>, Statement<PageStart, DigestPage>];
}

const statements = new Map<string, TableStatements>();

/** Statements that read the rows of a table, in the primary database: a replica may be behind the freeze. */
function statementsOf(table: MovedTable): TableStatements {
  const known = statements.get(table.name);
  if (known !== undefined) return known;
  const { name } = table;
  const made: TableStatements = {
    read: [
      bookkeepingWrite(`move.read-first.${name}`, (values) => readSql(table, values, null)),
      bookkeepingWrite(`move.read.${name}`, (values) => readSql(table, values, values.after)),
    ],
    digest: [
      bookkeepingWrite(`move.digest-first.${name}`, ({ company }) => digestSql(table, company, null)),
      bookkeepingWrite(`move.digest.${name}`, ({ company, after }) => digestSql(table, company, after)),
    ],
  };
  statements.set(name, made);
  return made;
}

/** The statement for a page, with its input. */
export function readRows(table: MovedTable, input: ReadInput): [Statement<ReadInput, RowPage>, ReadInput] {
  const [first, next] = statementsOf(table).read;
  return [input.after === null ? first : next, input];
}

/** The same for the hashes of rows. */
export function digestRows(table: MovedTable, input: PageStart): [Statement<PageStart, DigestPage>, PageStart] {
  const [first, next] = statementsOf(table).digest;
  return [input.after === null ? first : next, input];
}

const quoted = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');

/** SQL of a page of rows in the order of their keys, as `page` with the key of each. */
function pageSql({ name, keyColumns }: MovedTable, company: string, after: string | null, limit: string): string {
  const keys = quoted(keyColumns);
  const key = keyColumns.flatMap((column) => [`'${column}'`, `t."${column}"`]).join(', ');
  const isAfter =
    after === null
      ? ''
      : keyColumns.length === 0
        ? ' and false'
        : ` and (${keys}) > (select ${keys} from json_populate_record(null::"${name}", ${after}::text::json))`;
  const order = keyColumns.length === 0 ? '' : ` order by ${keys}`;
  return `page as materialized (
    select row_number() over () as position, to_jsonb(t) as content, json_build_object(${key})::text as key
    from (select * from "${name}" where company_id = ${company}${isAfter}${order} limit ${limit}) t)`;
}

const readSql = (table: MovedTable, { company, maxBytes, rows }: Placeholders<ReadInput>, after: string | null) =>
  `with ${pageSql(table, company, after, `${rows}::int`)},
  sized as (select position, content::text as row, key, sum(octet_length(content::text)) over (order by position) as bytes from page),
  fitting as (select * from sized where position = 1 or bytes <= ${maxBytes}::int)
  select count(*)::int as count, '[' || coalesce(string_agg(row, ',' order by position), '') || ']' as rows,
    (array_agg(key order by position desc))[1] as last,
    count(*) < (select count(*) from page) or count(*) = ${rows}::int as more from fitting`;

// MD5 only compares: https://www.postgresql.org/docs/current/functions-binarystring.html
const digestSql = (table: MovedTable, company: string, after: string | null) =>
  `with ${pageSql(table, company, after, String(DIGEST_ROWS))}
  select count(*)::int as count, (array_agg(key order by position desc))[1] as last,
    coalesce(sum(('x' || left(md5((content - '{${table.differing.join(',')}}'::text[])::text), 16))::bit(64)::bigint::numeric), 0)::text as digest from page`;
