import { ApiKey } from '../entities/api-key/api-key.ts';
import { ApiKeyRequest } from '../entities/api-key/request.ts';
import { ApiKeyUsage } from '../entities/api-key/usage.ts';
import { AuditWatermark } from '../entities/audit/seal.ts';
import { FileChunk } from '../entities/file/file-chunk.ts';
import { File } from '../entities/file/file.ts';
import { SummaryMail } from '../entities/inbox/summary.ts';
import { SearchDocument, SearchReader } from '../entities/search/document.ts';
import { tableName } from '../entities/schema/table.ts';
import { SignIn } from '../entities/sign-in/sign-in.ts';
import { bookkeepingWrite } from '../entities/statements/define-statement.ts';
import type { Placeholders, Statement } from '../entities/statements/define-statement.ts';
import { erasePlan } from './erase/plan.ts';
import { onceSuccessful } from './retry.ts';

/** A table whose rows move with their company. */
export interface MovedTable {
  name: string;
  /** Columns of the primary key, without that of the company. */
  keyColumns: string[];
  /** Columns that may differ between the cells before the switch. All others must be equal. */
  differing: readonly string[];
  /**
   * True if rows are added or removed while the company is frozen. They are not compared. New ones are copied again after the switch;
   * counts of a day of usage that has arrived stay as they were.
   */
  grows: boolean;
}

/**
 * Bytes of files move as files: each cell has its own store. The requests of keys are those that a cell has had, of one day. The other
 * cell builds the documents of the search itself.
 */
const LEFT_OUT = new Set([FileChunk, ApiKeyRequest, SearchDocument, SearchReader].map(tableName));
/** Rows that the service adds or removes while a company is frozen. */
const GROWING = new Set([tableName(SignIn), tableName(ApiKeyUsage), tableName(SummaryMail)]);
/** Columns that it changes then, or that have another value in the other cell, by table. */
const DIFFERING = new Map<string, readonly string[]>([
  [tableName(ApiKey), ['last_used_at']],
  [tableName(AuditWatermark), ['watermark', 'candidate', 'candidate_xid', 'vendors', 'vendors_seq']],
  [tableName(File), ['store', 'place']],
]);

/**
 * Derives the tables that a move copies from the entities, parents before their children. Sessions, and what belongs to a person
 * rather than to a company, are not among them (`procedures/management/move/receiving.ts`).
 */
export const movePlan = onceSuccessful(async (): Promise<MovedTable[]> => {
  const { tables } = await erasePlan();
  return tables
    .filter(({ name, isCompanyScoped }) => isCompanyScoped && !LEFT_OUT.has(name))
    .toReversed()
    .map(({ name, keyColumns }) => ({
      name,
      keyColumns,
      differing: DIFFERING.get(name) ?? [],
      grows: GROWING.has(name),
    }));
});

/** @throws Error for a table that no move copies */
export async function movedTable(name: string): Promise<MovedTable> {
  const table = (await movePlan()).find((moved) => moved.name === name);
  if (table === undefined) throw new Error(`${name}: expected a table with rows of companies`);
  return table;
}

/** Rows whose hashes a statement adds up. */
export const DIGEST_ROWS = 1000;

/** Reads begin after a row, whose key is a JSON object; null begins at the first one. */
interface PageStart {
  after: string | null;
}
interface RowPage {
  /** A JSON array as text: numbers keep all their digits. */
  rows: string;
  count: number;
  /** Key of the last row; null for an empty page. */
  last: string | null;
  /** True if there may be rows after the last one. */
  more: boolean;
}
interface DigestPage {
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
