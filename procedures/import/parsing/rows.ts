import { ZodError } from 'zod';
import type { Session } from '../../../database/session.ts';
import { ApiError } from '../../../entities/api-error.ts';
import type { RunnableImport } from '../../../entities/import/progress.ts';
import type { RowError } from '../../../entities/import/statements.ts';
import { firstFieldOf } from '../../core/errors.ts';
import { readCells } from './cells.ts';
import { EXTERNAL_ID, KINDS, applyFields, knownColumns } from '../kinds.ts';
import type { RowOutcome } from '../kinds.ts';
import type { FileRow } from './records.ts';

/** Maximum number of rows whose statements are in flight together. */
export const GROUP_SIZE = 20;

/** Groups rows that can be applied together. Rows with one external id are in different groups, so they keep their order. */
export async function* groupRows(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow[]> {
  let group: FileRow[] = [];
  let externalIds = new Set<unknown>();
  for await (const row of rows) {
    const externalId: unknown = row.fields && Reflect.get(row.fields, EXTERNAL_ID);
    if (group.length === GROUP_SIZE || (externalId !== undefined && externalIds.has(externalId))) {
      yield group;
      group = [];
      externalIds = new Set();
    }
    group.push(row);
    externalIds.add(externalId);
  }
  if (group.length > 0) yield group;
}

/**
 * Applies rows whose statements are in flight together on the connection of the transaction. Waits for all of them also
 * after an error that aborts the slice, because no statement may follow the rollback.
 */
export async function applyGroup(session: Session, item: RunnableImport, group: readonly FileRow[]) {
  const settled = await Promise.allSettled(group.map((row) => applyRow(session, item, row)));
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Errors of a row. All others abort the slice, which is repeated. */
const isRowError = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code !== 'unavailable' && error.code !== 'internal';

async function applyRow(session: Session, item: RunnableImport, row: FileRow): Promise<RowOutcome | ApiError> {
  if (row.fields === undefined) return new ApiError('invalid_request', row.error ?? 'expected a row');
  const isCsv = item.format === 'csv';
  const fields = isCsv ? readCells(KINDS[item.kind].types, row.fields) : withoutReadOnly(item, row.fields);
  // The header gives all rows of a CSV file the column. An empty cell is then an error, not a new item.
  const usesExternalId = Object.hasOwn(row.fields, EXTERNAL_ID);
  try {
    return await applyFields(session, fields, usesExternalId, item);
  } catch (error) {
    if (isRowError(error)) return error;
    throw error;
  }
}

/** Removes fields of the export that a row cannot set. */
function withoutReadOnly(item: RunnableImport, fields: object): Record<string, unknown> {
  const { readOnly } = knownColumns(item);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !readOnly.includes(name)));
}

/** The error of a row, with the field that its message names first: a column, or an unknown field. */
export function describeError(
  { kind }: RunnableImport,
  { message, cause }: ApiError,
): Pick<RowError, 'field' | 'error'> {
  if (cause instanceof ZodError) return { field: firstFieldOf(cause) || null, error: message };
  const name = /^(\w+): /.exec(message)?.[1];
  const isColumn = name !== undefined && (KINDS[kind].imported.includes(name) || name === EXTERNAL_ID);
  return { field: isColumn ? name : null, error: message };
}
