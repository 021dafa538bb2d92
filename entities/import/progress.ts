import { isUnfrozen, isWritable } from '../company/closing.ts';
import { IMPORT_RETENTION_DAYS, UPLOAD_RETENTION_MINUTES } from './import.ts';
import type {
  ImportFormat,
  ImportKind,
  ImportLayout,
  ImportPhase,
  ImportState,
  ImportParameters,
  RowError,
} from './import.ts';
import type { RowNote } from './notes.ts';
import { defineStatement, readStatement, retentionStatement } from '../statements/define-statement.ts';

/** Open companies with queued or running imports. */
export const findImportingCompanies = readStatement<object, { id: number }>(
  'import.companies',
  `select distinct company_id as id from import where state in ('queued', 'running') and ${isWritable('company_id')} order by 1`,
  'all companies',
);

/**
 * Tries to lock the imports of a company until the end of the transaction, so that one process at a time runs them. In this
 * transaction PostgreSQL plans no hash and merge joins: an import fills tables whose statistics show them as empty, and such
 * a plan, once cached, would read the whole table for each row.
 */
export const lockImports = defineStatement<object, { acquired: boolean }>(
  'import.lock',
  ({ company }) =>
    `select pg_try_advisory_xact_lock(hashtextextended('import run ' || (${company}::int)::text, 0)) as acquired,
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`,
);

/** Position in the file, and counters of the rows before it. */
export interface ImportProgress {
  state: ImportState;
  phase: ImportPhase;
  position: number;
  line: number;
  rowsRead: number;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  skipped: number;
  warnings: number;
  /** Objects that an undo deleted. */
  deleted: number;
  layout: ImportLayout | null;
  reason: string | null;
}

/** An import to run. */
export interface RunnableImport extends ImportProgress, ImportParameters {
  uniqueId: string;
  kind: ImportKind;
  framework: number | null;
  format: ImportFormat;
  bytes: number;
  /** The import that this one undoes. */
  undoOf: string | null;
  /** uniqueId of the API key; null for an import of a member. */
  apiKey: string | null;
  /** uniqueId of the user. A member has the same id. */
  createdBy: string;
  requestId: string;
  address: string | null;
}

/** Locks the running import of the company, or else the one that is queued longest. */
export const findNextImport = defineStatement<object, RunnableImport>(
  'import.next',
  ({
    company,
  }) => `select unique_id as "uniqueId", kind, framework_id as framework, format, source, mode, dry_run as "dryRun", strict,
    dates, lenient, duplicates, undo_of as "undoOf", skipped, warnings, deleted,
    state, phase, bytes, position, line, rows_read as "rowsRead", layout, rows, created, updated, unchanged, failed, reason,
    api_key_id as "apiKey", created_by_id as "createdBy", request_id as "requestId", address
  from import where company_id = ${company} and state in ('queued', 'running')
  order by state desc, queued_at, unique_id limit 1 for update`,
);

/** Reads a chunk of a file. */
export const findChunk = readStatement<{ uniqueId: string; index: number }, { bytes: Uint8Array }>(
  'import.chunk',
  ({ company, uniqueId, index }) =>
    `select bytes from import_chunk where company_id = ${company} and import_id = ${uniqueId} and index = ${index}`,
);

/** Deletes the chunks of a file, which others replace. */
export const deleteChunks = defineStatement<{ uniqueId: string }, never>(
  'import.delete-chunks',
  ({ company, uniqueId }) => `delete from import_chunk where company_id = ${company} and import_id = ${uniqueId}`,
);

/**
 * Saves the progress of an import from a known position. If it has ended, deletes its file and tells the member who started it, unless it was a check.
 * No row if it has another position or has ended.
 */
export const saveProgress = defineStatement<
  ImportProgress & { uniqueId: string; fromPhase: ImportPhase; fromPosition: number; fromPass: number },
  { uniqueId: string }
>(
  'import.save-progress',
  ({
    company,
    uniqueId,
    fromPhase,
    fromPosition,
    fromPass,
    state,
    phase,
    position,
    line,
    rowsRead,
    rows,
    created,
    updated,
    unchanged,
    failed,
    skipped,
    warnings,
    deleted,
    layout,
    reason,
  }) => `with saved as (
    update import set state = ${state}, phase = ${phase}, position = ${position}, line = ${line}, rows_read = ${rowsRead},
      rows = ${rows}, created = ${created}, updated = ${updated}, unchanged = ${unchanged}, failed = ${failed},
      skipped = ${skipped}, warnings = ${warnings}, deleted = ${deleted},
      layout = ${layout}::jsonb, reason = ${reason}, started_at = coalesce(started_at, now()),
      ended_at = case when ${state} in ('done', 'failed', 'canceled') then now() end
    where company_id = ${company} and unique_id = ${uniqueId} and state in ('queued', 'running')
      and phase = ${fromPhase} and position = ${fromPosition}
      and coalesce((layout ->> 'pass')::int, 0) = ${fromPass}::int
    returning company_id, unique_id, ended_at, created_by_id, dry_run),
  item as (
    insert into inbox_item (company_id, member_id, unique_id, at, reason, resource_type, resource_id, occasion)
    select s.company_id, m.unique_id, uuid_v7(), s.ended_at, 'import', 'import', s.unique_id, 'ended'
    from saved s join member m on m.company_id = s.company_id and m.unique_id = s.created_by_id and m.ended_at is null
    where ${state} in ('done', 'failed') and not s.dry_run),
  chunks as (delete from import_chunk c using saved
    where c.company_id = saved.company_id and c.import_id = saved.unique_id and saved.ended_at is not null)
  select unique_id as "uniqueId" from saved`,
);

/** Stores the errors of rows, given as one array for each column. */
export const insertErrors = defineStatement<
  { uniqueId: string } & Record<keyof RowError, (string | number | null)[]>,
  never
>(
  'import.insert-errors',
  ({
    company,
    uniqueId,
    row,
    line,
    field,
    value,
    error,
  }) => `insert into import_error (company_id, import_id, row, line, field, value, error)
  select ${company}, ${uniqueId}, e.row, e.line, e.field, e.value, e.error
  from unnest(${row}::int[], ${line}::int[], ${field}::text[], ${value}::text[], ${error}::text[]) as e (row, line, field, value, error)`,
);

/** Stores notes of rows, given as one array for each column. */
export const insertNotes = defineStatement<
  { uniqueId: string } & Record<keyof RowNote, (string | number | null)[]>,
  never
>(
  'import.insert-notes',
  ({
    company,
    uniqueId,
    kind,
    row,
    number,
    line,
    field,
    value,
    reason,
  }) => `insert into import_note (company_id, import_id, kind, row, number, line, field, value, reason)
  select ${company}, ${uniqueId}, n.kind, n.row, n.number, n.line, n.field, n.value, n.reason
  from unnest(${kind}::text[], ${row}::int[], ${number}::int[], ${line}::int[], ${field}::text[], ${value}::text[], ${reason}::text[])
    as n (kind, row, number, line, field, value, reason)`,
);

/** An object that a row created or changed, with its version after that. */
export interface RowChange {
  row: number;
  line: number;
  uniqueId: string;
  version: number;
}

/** Stores what rows changed, given as one array for each column. */
export const insertChanges = defineStatement<
  { importId: string } & Record<keyof RowChange, (string | number)[]>,
  never
>(
  'import.insert-changes',
  ({
    company,
    importId,
    row,
    line,
    uniqueId,
    version,
  }) => `insert into import_change (company_id, import_id, unique_id, row, line, version_before, version, changes)
  select ${company}::int, ${importId}::uuid, c.unique_id, min(c.row), min(c.line), min(c.version) - 1, max(c.version), count(*)
  from unnest(${row}::int[], ${line}::int[], ${uniqueId}::uuid[], ${version}::int[]) as c (row, line, unique_id, version)
  group by c.unique_id
  on conflict (company_id, import_id, unique_id) do update
    set version = excluded.version, changes = import_change.changes + excluded.changes`,
);

/** Maximum number of imports that one statement deletes, each with its file and its errors. */
const DELETE_BATCH_SIZE = 100;

/** Deletes imports that ended long ago, and uploads that did not end. */
export const deleteOldImports = retentionStatement(
  'import.delete-old',
  (limit) => [
    `delete from import a using (
      select company_id, unique_id from import
      where (state in ('done', 'failed', 'canceled') and ended_at <= now() - interval '${IMPORT_RETENTION_DAYS} days'
        or state = 'uploading' and created_at <= now() - interval '${UPLOAD_RETENTION_MINUTES} minutes')
        and ${isUnfrozen('company_id')} limit ${limit}) old
    where a.company_id = old.company_id and a.unique_id = old.unique_id`,
  ],
  DELETE_BATCH_SIZE,
);

/** Number of imports by state, for metrics. */
export const countOpenImports = readStatement<object, { queued: number; running: number }>(
  'import.count-open',
  `select count(*) filter (where state = 'queued')::int as queued, count(*) filter (where state = 'running')::int as running
  from import where state in ('queued', 'running')`,
  'all companies',
);
