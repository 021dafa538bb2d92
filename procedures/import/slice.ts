import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { FIRST_ID } from '../../entities/ids.ts';
import { findChunk } from '../../entities/import/progress.ts';
import type { ImportProgress, RowChange, RunnableImport } from '../../entities/import/progress.ts';
import { IMPORT_CHUNK_BYTES, MAX_IMPORT_ROWS } from '../../entities/import/import.ts';
import type { ImportKind, RowError } from '../../entities/import/import.ts';
import type { RowNote } from '../../entities/import/notes.ts';
import { findCurrentPrincipal } from '../jobs/current-principal.ts';
import { FileError } from './parsing/csv.ts';
import { knownColumns } from './kinds.ts';
import { readRows, readLayout } from './parsing/file-table.ts';
import type { StoredFile, FileRow } from './parsing/file-table.ts';
import { Rows } from './rows.ts';
import type { RowReport } from './rows.ts';
import { undoChanges } from './undo.ts';

/**
 * Bounds of a slice, which is one transaction. Its locks delay other writers, and the embedded database runs nothing else.
 * A slice takes at least a group of rows, however slow the machine is.
 */
const MAX_SLICE_ROWS = 500;
const MAX_SLICE_MS = 60;

/** Permission to import resources of a kind, and to cancel such imports. */
export const writePermission = (kind: ImportKind) => `${kind}:write` as const;

/** Permissions to undo such imports. */
export const undoPermissions = (kind: ImportKind) => [writePermission(kind), `${kind}:delete`] as const;

/** Result of a slice: the new progress, and the rows with errors. */
export interface Slice {
  progress: ImportProgress;
  errors: RowError[];
  notes: RowNote[];
  /** Objects that the rows created or changed. */
  changes: RowChange[];
  /** True if the rows must be rolled back. */
  isTrial: boolean;
}

/** Results of rows that the runner counts. */
export const ROW_RESULTS = ['created', 'updated', 'unchanged', 'failed', 'skipped'] as const;
export type RowResult = (typeof ROW_RESULTS)[number];
type Counters = Record<RowResult | 'warnings', number>;

const NO_ROWS: Counters = { created: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0, warnings: 0 };
const NOTHING_SAID = { errors: [], notes: [], changes: [] };

const failed = (item: RunnableImport, reason: string): Slice => ({
  progress: { ...item, state: 'failed', reason },
  ...NOTHING_SAID,
  isTrial: false,
});

/**
 * Runs the next part of an import. `session` belongs to the transaction of the slice.
 * @throws an error that is not the fault of the file, after which the slice must be rolled back and repeated
 */
export async function runSlice(session: Session, item: RunnableImport): Promise<Slice> {
  const { kind } = item;
  const work =
    item.undoOf === null
      ? { scopes: [writePermission(kind)], started: 'started the import', action: `create or change ${kind}s` }
      : { scopes: undoPermissions(kind), started: 'started the undo', action: `change and delete ${kind}s` };
  const principal = await findCurrentPrincipal(session, item, work).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'forbidden') return error;
    throw error;
  });
  if (principal instanceof ApiError) return failed(item, principal.message);
  if (item.undoOf !== null) return undo(session.actingAs(principal, item.requestId), item, item.undoOf);
  const file: StoredFile = {
    format: item.format,
    bytes: item.bytes,
    chunkBytes: IMPORT_CHUNK_BYTES,
    readChunk: async (index) => Buffer.from((await session.one(findChunk, { uniqueId: item.uniqueId, index })).bytes),
  };
  try {
    return item.phase === 'scan'
      ? await scan(item, file)
      : await applyRows(session.actingAs(principal, item.requestId), item, file);
  } catch (error) {
    if (error instanceof FileError) return failed(item, error.message);
    throw error;
  }
}

/** Maximum number of rows whose statements are in flight together. */
const GROUP_SIZE = 20;
/**
 * Maximum size of a group of several rows in the file. Rows of a group are validated together, in one iteration of the event loop: of
 * 3,700 patterns of tags in 20,000 characters, the slowest took 31 ms.
 */
const MAX_GROUP_BYTES = 12 * 1024;

/**
 * Groups rows that can be applied together. Rows with one identity are in different groups, so they keep their order.
 * @param start position of the first row in the file
 */
async function* groupRows(
  rows: AsyncIterable<FileRow> | Iterable<FileRow>,
  start: number,
  identityOf: (row: FileRow) => unknown,
): AsyncGenerator<FileRow[]> {
  let group: FileRow[] = [];
  let identities = new Set<unknown>();
  let groupStart = start;
  let end = start;
  for await (const row of rows) {
    const identity = identityOf(row);
    const isFull = group.length === GROUP_SIZE || (group.length > 0 && row.end - groupStart > MAX_GROUP_BYTES);
    if (isFull || (identity !== undefined && identities.has(identity))) {
      yield group;
      group = [];
      identities = new Set();
      groupStart = end;
    }
    group.push(row);
    identities.add(identity);
    ({ end } = row);
  }
  if (group.length > 0) yield group;
}

/** The rows that a slice may apply, at once, so that their names are looked up together. */
async function readAhead(rows: AsyncIterable<FileRow>): Promise<FileRow[]> {
  const read: FileRow[] = [];
  for await (const row of rows) {
    read.push(row);
    if (read.length === MAX_SLICE_ROWS || row.end - (read[0]?.end ?? 0) > IMPORT_CHUNK_BYTES) break;
  }
  return read;
}

/** Reads a part of the file, so that a file with an error is found before a row is applied. */
async function scan(item: RunnableImport, file: StoredFile): Promise<Slice> {
  const deadline = performance.now() + MAX_SLICE_MS;
  const isStart = item.layout === null;
  const layout = item.layout ?? (await readLayout(file, knownColumns(item)));
  let { position, line } = isStart ? layout : item;
  let { rowsRead } = item;
  let { emptyRows = 0 } = layout;
  for await (const row of readRows(file, layout, { position, line })) {
    ({ end: position, endLine: line } = row);
    rowsRead += 1;
    if (row.isEmpty === true) emptyRows += 1;
    if (rowsRead - emptyRows > MAX_IMPORT_ROWS)
      throw new FileError(`line ${row.line}: expected at most ${MAX_IMPORT_ROWS} rows`);
    if (rowsRead - item.rowsRead < GROUP_SIZE || performance.now() < deadline) continue;
    return next(item, { state: 'running', layout: { ...layout, emptyRows }, position, line, rowsRead });
  }
  const rows = rowsRead - emptyRows;
  if (rows === 0) return next(item, { state: 'done', layout });
  const phase = item.strict || item.dryRun ? 'check' : 'apply';
  return next(item, { state: 'running', phase, layout, ...startOf(layout), rows });
}

const startOf = ({ position, line }: { position: number; line: number }) => ({ position, line, rowsRead: 0 });

const next = (
  item: RunnableImport,
  changes: Partial<ImportProgress>,
  said: Pick<Slice, 'errors' | 'notes' | 'changes'> = NOTHING_SAID,
  isTrial = false,
): Slice => ({ progress: { ...item, ...changes }, ...said, isTrial });

/** Applies the next rows. A row with an error writes nothing, so that the others can be committed. */
async function applyRows(session: Session, item: RunnableImport, file: StoredFile): Promise<Slice> {
  const { layout } = item;
  if (layout === null) throw new Error('import: the header was not read');
  const deadline = performance.now() + MAX_SLICE_MS;
  const isTrial = item.phase === 'check';
  const counters = countersOf(item);
  const slice = { errors: [] as RowError[], notes: [] as RowNote[], changes: [] as RowChange[] };
  const rows = new Rows(session, item);
  let { position, line, rowsRead } = item;
  const remaining = readRows(file, layout, { position, line });
  const ahead = item.duplicates === 'create' ? remaining : await readAhead(remaining);
  if (Array.isArray(ahead)) await rows.findNames(ahead);
  for await (const group of groupRows(ahead, position, (row) => rows.identityOf(row))) {
    await nextTurn(); // rows that all fail wait for no statement
    const reports = await rows.apply(group);
    for (const [index, row] of group.entries()) {
      rowsRead += 1;
      const report = reports[index];
      if (report !== undefined) add({ row: rowsRead, line: row.line }, report, counters, slice);
    }
    ({ end: position, endLine: line } = group.at(-1) ?? { end: position, endLine: line });
    // Another group must fit.
    const isFull = rowsRead - item.rowsRead > MAX_SLICE_ROWS - GROUP_SIZE || performance.now() >= deadline;
    if (isFull && position < item.bytes)
      return next(item, { state: 'running', position, line, rowsRead, ...counters }, slice, isTrial);
  }
  if (position < item.bytes && Array.isArray(ahead) && ahead.length > 0)
    return next(item, { state: 'running', position, line, rowsRead, ...counters }, slice, isTrial);
  // With `strict` the rows are applied after their check, and say the same again.
  const isRepeated = isTrial && !item.dryRun;
  const said = isRepeated ? { ...slice, notes: [] } : slice;
  return next(item, { position, line, rowsRead, ...endOf(item, counters) }, said, isTrial);
}

const countersOf = ({
  created,
  updated,
  unchanged,
  failed: failedRows,
  skipped,
  warnings,
}: RunnableImport): Counters => ({
  created,
  updated,
  unchanged,
  failed: failedRows,
  skipped,
  warnings,
});

/** Adds what became of a row. */
function add(
  place: { row: number; line: number },
  { result, item, error, notes }: RowReport,
  counters: Counters,
  slice: { errors: RowError[]; notes: RowNote[]; changes: RowChange[] },
): void {
  if (result !== 'empty') counters[result] += 1;
  if (error !== undefined) slice.errors.push({ ...place, ...error });
  slice.notes.push(...notes.map((note, number) => ({ ...place, number, ...note })));
  counters.warnings += notes.filter(({ kind }) => kind === 'warning').length;
  if (item === undefined || (result !== 'created' && result !== 'updated')) return;
  const { uniqueId, version } = item;
  slice.changes.push({ ...place, uniqueId, version });
}

/** Undoes the next changes of an import. */
async function undo(session: Session, item: RunnableImport, undoOf: string): Promise<Slice> {
  const deadline = performance.now() + MAX_SLICE_MS;
  const { rowsRead, updated, deleted, skipped } = item;
  const counters = { rowsRead, position: rowsRead, updated, deleted, skipped };
  const notes: RowNote[] = [];
  let { after = FIRST_ID } = item.layout ?? {};
  const said = { ...NOTHING_SAID, notes };
  for (;;) {
    await nextTurn();
    const outcomes = await undoChanges(session, item, { undoOf, after, limit: GROUP_SIZE });
    for (const { result, note } of outcomes) {
      counters[result] += 1;
      if (note !== undefined) notes.push(note);
    }
    after = outcomes.at(-1)?.uniqueId ?? after;
    counters.rowsRead += outcomes.length;
    counters.position = counters.rowsRead;
    if (outcomes.length < GROUP_SIZE) return next(item, { ...counters, state: 'done' }, said, item.dryRun);
    const layout = { delimiter: '', columns: [], position: 0, line: 1, after };
    const isFull = counters.rowsRead - rowsRead > MAX_SLICE_ROWS - GROUP_SIZE || performance.now() >= deadline;
    if (isFull) return next(item, { ...counters, state: 'running', layout }, said, item.dryRun);
  }
}

/** Progress after the last row of a phase. */
function endOf(item: RunnableImport, counters: Counters): Partial<ImportProgress> {
  if (item.phase === 'apply') return { state: 'done', ...counters };
  if (item.strict && counters.failed > 0) {
    const reason = `strict: nothing was written, because ${counters.failed} of ${item.rows} rows have an error`;
    return { state: 'failed', reason, ...NO_ROWS, failed: counters.failed };
  }
  if (item.dryRun || item.layout === null) return { state: 'done', ...counters };
  return { state: 'running', phase: 'apply', ...startOf(item.layout), ...NO_ROWS };
}
