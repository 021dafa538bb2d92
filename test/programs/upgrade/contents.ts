import { isDeepStrictEqual } from 'node:util';
import { readSchema } from './catalog.ts';
import type { RunSql } from '../../support/database/client.ts';

type Row = Record<string, unknown>;

/** Everything that an upgrade leaves in a database. */
export interface Contents {
  schema: string[];
  /** Rows of each table. */
  tables: Map<string, Row[]>;
}

/** Tables of running processes, which are not data. */
const PROCESS_TABLES = new Set(['service_process']);

export async function readContents(run: RunSql): Promise<Contents> {
  const names = await run<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
  const tables = new Map<string, Row[]>();
  for (const { name } of names.filter((table) => !PROCESS_TABLES.has(table.name))) {
    const rows = await run<{ row: Row }>(`select to_jsonb(t) as row from "${name}" t`);
    tables.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  return { schema: await readSchema(run), tables };
}

/** After a crash a sequence skips numbers, so ids of migrations differ. */
const SKIPPING_COLUMN = 'mikro_orm_migrations.id';

/** Columns, as `table.column`, whose values depend on the time of the upgrade: they differ between two without a kill. */
export function volatileColumns(one: Contents, other: Contents): Set<string> {
  const values = (rows: readonly Row[], column: string) => rows.map((row) => JSON.stringify(row[column])).toSorted();
  const found = [...one.tables].flatMap(([table, rows]) =>
    Object.keys(rows[0] ?? {})
      .filter((column) => !isDeepStrictEqual(values(rows, column), values(other.tables.get(table) ?? [], column)))
      .map((column) => `${table}.${column}`),
  );
  return new Set([...found, SKIPPING_COLUMN]);
}

/** Describes the differences, without those of volatile columns. */
export function differences(expected: Contents, actual: Contents, ignored: ReadonlySet<string>): string[] {
  const schema = [
    ...expected.schema.filter((object) => !actual.schema.includes(object)).map((object) => `missing: ${object}`),
    ...actual.schema.filter((object) => !expected.schema.includes(object)).map((object) => `added: ${object}`),
  ];
  const text = (contents: Contents, table: string) =>
    (contents.tables.get(table) ?? [])
      .map((row) => JSON.stringify(Object.entries(row).filter(([column]) => !ignored.has(`${table}.${column}`))))
      .toSorted();
  const names = new Set([...expected.tables.keys(), ...actual.tables.keys()]);
  const tables = [...names].flatMap((table) => {
    const [before, after] = [text(expected, table), text(actual, table)];
    if (isDeepStrictEqual(before, after)) return [];
    const changed = after.find((row) => !before.includes(row)) ?? before.find((row) => !after.includes(row));
    return [`${table}: ${before.length} and ${after.length} rows, such as ${changed?.slice(0, 300)}`];
  });
  return [...schema, ...tables];
}

/** Describes the rows of the audit logs that an upgrade changed or lost. It may only add events. */
export function changedAuditRows(before: Contents, after: Contents): string[] {
  return ['audit_event', 'audit_seal'].flatMap((table) => {
    const rows = before.tables.get(table) ?? [];
    const columns = Object.keys(rows[0] ?? {});
    const text = (row: Row) => JSON.stringify(columns.map((column) => row[column]));
    const kept = new Set((after.tables.get(table) ?? []).map(text));
    const lost = rows.filter((row) => !kept.has(text(row)));
    return lost.length === 0 ? [] : [`${table}: ${lost.length} rows changed, such as ${JSON.stringify(lost[0])}`];
  });
}
