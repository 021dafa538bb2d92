import { setImmediate as nextTurn } from 'node:timers/promises';
import { ZodError } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { findChunk } from '../../entities/import/progress.ts';
import type { ImportProgress, RunnableImport } from '../../entities/import/progress.ts';
import { IMPORT_CHUNK_BYTES, MAX_IMPORT_ROWS, MAX_REASON_LENGTH } from '../../entities/import/import.ts';
import type { ImportKind, RowError } from '../../entities/import/import.ts';
import { redactSecrets } from '../../entities/api-key/raw-key.ts';
import { findCurrentPrincipal } from '../jobs/current-principal.ts';
import { firstFieldOf, formatIssues, oneLine } from '../core/errors.ts';
import { FileError } from './parsing/csv.ts';
import { KINDS, knownColumns, applyFields, identityOf, EXTERNAL_ID } from './kinds.ts';
import type { RowOutcome } from './kinds.ts';
import { readRows, quote, readLayout } from './parsing/file-table.ts';
import type { StoredFile, FileRow, RowFields } from './parsing/file-table.ts';
import { Words } from './words.ts';
import { readCells } from './parsing/cells.ts';

/**
 * Bounds of a slice, which is one transaction. Its locks delay other writers, and the embedded database runs nothing else.
 * A slice takes at least a group of rows, however slow the machine is.
 */
const MAX_SLICE_ROWS = 500;
const MAX_SLICE_MS = 60;

/** Permission to import resources of a kind, and to cancel such imports. */
export const writePermission = (kind: ImportKind) => `${kind}:write` as const;

/** Result of a slice: the new progress, and the rows with errors. */
export interface Slice {
  progress: ImportProgress;
  errors: RowError[];
  /** True if the rows must be rolled back. */
  isTrial: boolean;
}

/** Results of rows that the runner counts. */
export const ROW_RESULTS = ['created', 'updated', 'unchanged', 'failed'] as const;
export type RowResult = (typeof ROW_RESULTS)[number];
type Counters = Record<RowResult, number>;

const NO_ROWS: Counters = { created: 0, updated: 0, unchanged: 0, failed: 0 };

const failed = (item: RunnableImport, reason: string): Slice => ({
  progress: { ...item, state: 'failed', reason },
  errors: [],
  isTrial: false,
});

/**
 * Runs the next part of an import. `session` belongs to the transaction of the slice.
 * @throws an error that is not the fault of the file, after which the slice must be rolled back and repeated
 */
export async function runSlice(session: Session, item: RunnableImport): Promise<Slice> {
  const { kind } = item;
  const work = { scopes: [writePermission(kind)], started: 'started the import', action: `create or change ${kind}s` };
  const principal = await findCurrentPrincipal(session, item, work).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'forbidden') return error;
    throw error;
  });
  if (principal instanceof ApiError) return failed(item, principal.message);
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
 * Maximum size of a group of several rows in the file. Rows of a group are validated together, in one iteration of the event loop: the
 * most expensive HTML of this size takes 40 ms.
 */
const MAX_GROUP_BYTES = 12 * 1024;

/**
 * Groups rows that can be applied together. Rows with one identity are in different groups, so they keep their order.
 * @param start position of the first row in the file
 */
async function* groupRows(rows: AsyncIterable<FileRow>, start: number): AsyncGenerator<FileRow[]> {
  let group: FileRow[] = [];
  let identities = new Set<unknown>();
  let groupStart = start;
  let end = start;
  for await (const row of rows) {
    const identity = row.fields && identityOf(row.fields);
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

/**
 * Applies rows whose statements are in flight together on the connection of the transaction. Waits for all of them also
 * after an error that aborts the slice, because no statement may follow the rollback.
 */
async function applyGroup(session: Session, item: RunnableImport, words: Words, group: readonly FileRow[]) {
  const rows = group.map((row) => ({ ...row, values: row.fields && readFields(item, row.fields) }));
  const readable = rows.map(({ values }) => values).filter((values) => values !== undefined);
  await words.find(session, readable);
  const settled = await Promise.allSettled(rows.map((row) => applyRow(session, item, words, row)));
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Errors of a row. All others abort the slice, which is repeated. */
const isRowError = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code !== 'unavailable' && error.code !== 'internal';

async function applyRow(
  session: Session,
  item: RunnableImport,
  words: Words,
  { values, error: unreadable }: FileRow & { values: RowFields | undefined },
): Promise<RowOutcome | ApiError> {
  if (values === undefined) return new ApiError('invalid_request', unreadable ?? 'expected a row');
  try {
    return await applyFields(session, words.replace(values), item);
  } catch (error) {
    if (isRowError(error)) return error;
    throw error;
  }
}

/** Values of the fields of a row, without those that a row cannot set. */
function readFields(item: RunnableImport, fields: RowFields): RowFields {
  if (item.format === 'csv') return readCells(KINDS[item.kind].types, fields, item.mode);
  const { readOnly } = knownColumns(item);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !readOnly.includes(name)));
}

/** Reads a part of the file, so that a file with an error is found before a row is applied. */
async function scan(item: RunnableImport, file: StoredFile): Promise<Slice> {
  const deadline = performance.now() + MAX_SLICE_MS;
  const isStart = item.layout === null;
  const layout = item.layout ?? (await readLayout(file, knownColumns(item)));
  let { position, line } = isStart ? layout : item;
  let { rowsRead } = item;
  for await (const row of readRows(file, layout, { position, line })) {
    ({ end: position, endLine: line } = row);
    rowsRead += 1;
    if (rowsRead > MAX_IMPORT_ROWS) throw new FileError(`line ${row.line}: expected at most ${MAX_IMPORT_ROWS} rows`);
    if (rowsRead - item.rowsRead < GROUP_SIZE || performance.now() < deadline) continue;
    return next(item, { state: 'running', layout, position, line, rowsRead });
  }
  if (rowsRead === 0) return next(item, { state: 'done', layout });
  const phase = item.strict || item.dryRun ? 'check' : 'apply';
  return next(item, { state: 'running', phase, layout, ...startOf(layout), rows: rowsRead });
}

const startOf = ({ position, line }: { position: number; line: number }) => ({ position, line, rowsRead: 0 });

const next = (item: RunnableImport, changes: Partial<ImportProgress>, errors: RowError[] = [], isTrial = false) => ({
  progress: { ...item, ...changes },
  errors,
  isTrial,
});

/** The error of a row, with the value in the file, and the field that its message names first: a column, or an unknown field. */
function describeError(
  item: Pick<RunnableImport, 'kind' | 'format' | 'mode'>,
  { fields = {} }: Pick<FileRow, 'fields'>,
  { message, cause }: ApiError,
): Pick<RowError, 'field' | 'error'> {
  const found = (path: readonly PropertyKey[]) => {
    const value = valueAt(item, fields, path);
    return value === undefined || value === '' ? '' : `; found ${quote(value)}`;
  };
  if (cause instanceof ZodError)
    return { field: firstFieldOf(cause) || null, error: toError(formatIssues(cause, found)) };
  const name = /^(\w+): /.exec(message)?.[1];
  const isColumn = name !== undefined && (KINDS[item.kind].imported.includes(name) || name === EXTERNAL_ID);
  return isColumn ? { field: name, error: toError(message + found([name])) } : { field: null, error: message };
}

/** A message in one line, without secrets. */
const toError = (text: string) => oneLine(redactSecrets(text), MAX_REASON_LENGTH);

/** The value that a path leads to: the text of a cell, or a part of the JSON in it. */
function valueAt(
  { kind, format, mode }: Pick<RunnableImport, 'kind' | 'format' | 'mode'>,
  fields: RowFields,
  [column = '', ...rest]: readonly PropertyKey[],
): unknown {
  const isJsonCell = format === 'csv' && rest.length > 0;
  const row = isJsonCell ? readCells(KINDS[kind].types, fields, mode) : fields;
  return [column, ...rest].reduce<unknown>(
    (at, name) => (Object.hasOwn(Object(at), name) ? Reflect.get(Object(at), name) : undefined),
    row,
  );
}

/** Applies the next rows. A row with an error writes nothing, so that the others can be committed. */
async function applyRows(session: Session, item: RunnableImport, file: StoredFile): Promise<Slice> {
  const { layout } = item;
  if (layout === null) throw new Error('import: the header was not read');
  const deadline = performance.now() + MAX_SLICE_MS;
  const isTrial = item.phase === 'check';
  const { created, updated, unchanged, failed: failedRows } = item;
  const counters: Counters = { created, updated, unchanged, failed: failedRows };
  const errors: RowError[] = [];
  const words = new Words(KINDS[item.kind].words);
  let { position, line, rowsRead } = item;
  for await (const group of groupRows(readRows(file, layout, { position, line }), position)) {
    await nextTurn(); // rows that all fail wait for no statement
    const outcomes = await applyGroup(session, item, words, group);
    for (const [index, row] of group.entries()) {
      const outcome = outcomes[index];
      rowsRead += 1;
      if (outcome instanceof ApiError) {
        counters.failed += 1;
        errors.push({ row: rowsRead, line: row.line, ...describeError(item, row, outcome) });
      } else if (outcome !== undefined) counters[outcome] += 1;
    }
    ({ end: position, endLine: line } = group.at(-1) ?? { end: position, endLine: line });
    // Another group must fit.
    const isFull = rowsRead - item.rowsRead > MAX_SLICE_ROWS - GROUP_SIZE || performance.now() >= deadline;
    if (isFull && rowsRead < item.rows)
      return next(item, { state: 'running', position, line, rowsRead, ...counters }, errors, isTrial);
  }
  return next(item, { position, line, rowsRead, ...endOf(item, counters) }, errors, isTrial);
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
