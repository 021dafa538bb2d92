import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { FIRST_ID } from '../../entities/ids.ts';
import { insertChunk } from '../../entities/import/import.ts';
import { pageWaiting } from '../../entities/import/notes.ts';
import { deleteChunks, findChunk } from '../../entities/import/progress.ts';
import type { ImportProgress, RowChange, RunnableImport } from '../../entities/import/progress.ts';
import { IMPORT_CHUNK_BYTES, MAX_IMPORT_ROWS } from '../../entities/import/import.ts';
import type { ImportKind, ImportLayout, RowError } from '../../entities/import/import.ts';
import type { RowNote } from '../../entities/import/notes.ts';
import { findCurrentPrincipal } from '../jobs/current-principal.ts';
import { catalogToRows } from './catalog/convert.ts';
import { MAX_PASSES, Outline, nextPassOf } from './outline.ts';
import type { NumberedRow } from './outline.ts';
import { FileError, decodeUtf8 } from './parsing/csv.ts';
import { KINDS, knownColumns } from './kinds.ts';
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

/** Permission of members to read such imports. */
export const readPermission = (kind: ImportKind) => (kind === 'vendor' ? 'vendor:read' : 'task:read');

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
  const readChunk = async (index: number) =>
    Buffer.from((await session.one(findChunk, { uniqueId: item.uniqueId, index })).bytes);
  const file: StoredFile = {
    format: item.format === 'csv' ? 'csv' : 'ndjson',
    bytes: item.layout?.rowBytes ?? item.bytes,
    chunkBytes: IMPORT_CHUNK_BYTES,
    readChunk,
  };
  try {
    if (item.format === 'oscal' && item.layout === null) return await replaceCatalog(session, item, file);
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
 * Groups rows that can be applied together. Rows with one identity are in different groups, so they keep their order, and so is a row
 * whose parent is in the group.
 */
async function* groupRows(
  rows: AsyncIterable<NumberedRow> | Iterable<NumberedRow>,
  { identityOf, parentOf }: Pick<Rows, 'identityOf' | 'parentOf'>,
): AsyncGenerator<NumberedRow[]> {
  let group: NumberedRow[] = [];
  let identities = new Set<unknown>();
  let bytes = 0;
  for await (const row of rows) {
    const identity = identityOf(row);
    bytes += row.end - row.start;
    const isFull = group.length === GROUP_SIZE || (group.length > 0 && bytes > MAX_GROUP_BYTES);
    if (isFull || [identity, parentOf(row)].some((one) => one !== undefined && identities.has(one))) {
      yield group;
      group = [];
      identities = new Set();
      bytes = row.end - row.start;
    }
    group.push(row);
    identities.add(identity);
  }
  if (group.length > 0) yield group;
}

/** Rows with their numbers, in a later pass only those that waited for it. */
async function* numbered(
  rows: AsyncIterable<FileRow>,
  rowsRead: number,
  waiting: ReadonlyMap<number, string> | undefined,
): AsyncGenerator<NumberedRow> {
  let number = rowsRead;
  for await (const row of rows) {
    number += 1;
    if (waiting === undefined || waiting.has(number)) yield { ...row, number };
  }
}

/** The rows that a slice may apply, at once, so that their names are looked up together. */
async function readAhead(rows: AsyncIterable<NumberedRow>, maxRows: number): Promise<NumberedRow[]> {
  const read: NumberedRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    read.push(row);
    bytes += row.end - row.start;
    if (read.length >= maxRows || bytes > IMPORT_CHUNK_BYTES) break;
  }
  return read;
}

/** Replaces a catalog by its rows. */
async function replaceCatalog(
  session: Session,
  item: RunnableImport,
  { bytes, readChunk }: StoredFile,
): Promise<Slice> {
  const { uniqueId } = item;
  const chunks: Buffer[] = [];
  // oxlint-disable-next-line no-await-in-loop -- the statements of a transaction follow each other
  for (let index = 0; index * IMPORT_CHUNK_BYTES < bytes; index++) chunks.push(await readChunk(index));
  const rows = await catalogToRows(decodeUtf8(Buffer.concat(chunks)));
  await session.run(deleteChunks, { uniqueId });
  for (let index = 0; index * IMPORT_CHUNK_BYTES < rows.length; index++) {
    const chunk = rows.subarray(index * IMPORT_CHUNK_BYTES, (index + 1) * IMPORT_CHUNK_BYTES);
    // oxlint-disable-next-line no-await-in-loop -- the statements of a transaction follow each other
    await session.run(insertChunk, { uniqueId, index, bytes: chunk });
  }
  const layout = { delimiter: '', columns: [], position: 0, line: 1, rowBytes: rows.length };
  return next(item, { state: 'running', layout });
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
  const isTrial = item.phase === 'check';
  const counters = countersOf(item);
  const slice = { errors: [] as RowError[], notes: [] as RowNote[], changes: [] as RowChange[] };
  let { position, line, rowsRead } = item;
  const waiting = await readWaiting(session, item);
  const outline = await openOutline(session, item, waiting);
  const rows = new Rows(session, item, outline);
  const remaining = numbered(readRows(file, layout, { position, line }), rowsRead, waiting);
  const maxRows = waiting === undefined ? MAX_SLICE_ROWS : waiting.size;
  const ahead = item.duplicates === 'create' ? remaining : maxRows === 0 ? [] : await readAhead(remaining, maxRows);
  if (Array.isArray(ahead)) await rows.findNames(ahead);
  // Counted from here, so that a slice applies more than one group for names that took long to find.
  const deadline = performance.now() + MAX_SLICE_MS;
  let applied = 0;
  let seen = 0;
  /** The progress after the rows so far. */
  const soFar = (): Partial<ImportProgress> => {
    const progress = { state: 'running' as const, position, line, rowsRead, ...counters };
    if (outline === undefined) return progress;
    const { nextPosition } = outline;
    return { ...progress, layout: { ...layout, nextPosition, applied: (layout.applied ?? 0) + applied } };
  };
  for await (const group of groupRows(ahead, rows)) {
    await nextTurn(); // rows that all fail wait for no statement
    const reports = await rows.apply(group);
    for (const [index, row] of group.entries()) {
      seen += 1;
      const report = reports[index];
      if (report === undefined) continue;
      add({ row: row.number, line: row.line }, report, counters, slice, isTrial && !item.dryRun);
      if (report.result !== 'waiting') applied += 1;
    }
    ({
      end: position,
      endLine: line,
      number: rowsRead,
    } = group.at(-1) ?? { end: position, endLine: line, number: rowsRead });
    // Another group must fit.
    const isFull = seen > MAX_SLICE_ROWS - GROUP_SIZE || performance.now() >= deadline;
    if (isFull && position < file.bytes) return next(item, soFar(), slice, isTrial);
  }
  if (position < file.bytes && Array.isArray(ahead) && ahead.length > 0) return next(item, soFar(), slice, isTrial);
  const progress = soFar();
  const later = outline && (await nextPass(session, { ...item, layout: progress.layout ?? layout }, slice.notes));
  return next(item, { ...progress, ...(later ?? endOf(item, counters)) }, slice, isTrial);
}

/** The rows that waited for this pass, with their notes; undefined in the first pass, which applies all rows. */
async function readWaiting(session: Session, item: RunnableImport): Promise<ReadonlyMap<number, string> | undefined> {
  const { uniqueId, rowsRead: afterRow, layout } = item;
  if ((layout?.pass ?? 0) === 0) return undefined;
  const pass = nextPassOf(item) - 1;
  const rows = await session.run(pageWaiting, { uniqueId, pass, afterRow, limit: MAX_SLICE_ROWS });
  return new Map(rows.map(({ row, reason }) => [row, reason]));
}

async function openOutline(session: Session, item: RunnableImport, positions: ReadonlyMap<number, string> = new Map()) {
  const { kind, framework } = item;
  return kind === 'requirement' && framework !== null
    ? Outline.open(session, { ...item, framework }, KINDS[kind], positions)
    : undefined;
}

/** Progress at the start of the next pass, if rows wait for it. The pass after one that applied nothing is the last. */
async function nextPass(
  session: Session,
  item: RunnableImport & { layout: ImportLayout },
  notes: readonly RowNote[],
): Promise<Partial<ImportProgress> | undefined> {
  const { uniqueId, layout } = item;
  const isWaiting =
    notes.some(({ kind }) => kind === 'waiting') ||
    (await session.run(pageWaiting, { uniqueId, pass: nextPassOf(item), afterRow: 0, limit: 1 })).length > 0;
  if (!isWaiting) return undefined;
  const { pass: passed = 0, applied } = layout;
  const pass = passed + 1;
  const isLastPass = applied === 0 || pass === MAX_PASSES - 1;
  return { state: 'running', ...startOf(layout), layout: { ...layout, pass, isLastPass, applied: 0 } };
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

/** Adds the result of a row. */
function add(
  place: { row: number; line: number },
  { result, item, error, notes }: RowReport,
  counters: Counters,
  slice: { errors: RowError[]; notes: RowNote[]; changes: RowChange[] },
  isRepeated: boolean,
): void {
  if (result !== 'empty' && result !== 'waiting') counters[result] += 1;
  if (error !== undefined) slice.errors.push({ ...place, ...error });
  // With `strict` the rows are applied after their check, and would report the same again.
  const said = isRepeated ? notes.filter(({ kind }) => kind === 'made' || kind === 'waiting') : notes;
  for (const note of said) slice.notes.push({ ...place, ...note });
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
    const outcomes = await undoChanges(session, item, { undoOf, after, offset: counters.rowsRead, limit: GROUP_SIZE });
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
  const { pass: _, isLastPass: __, applied: ___, nextPosition: ____, ...layout } = item.layout;
  return { state: 'running', phase: 'apply', layout, ...startOf(layout), ...NO_ROWS };
}
