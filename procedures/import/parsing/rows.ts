import type { Session } from '../../../database/session.ts';
import { ApiError } from '../../../entities/api-error.ts';
import type { RunnableImport } from '../../../entities/import/progress.ts';
import { readCells } from './cells.ts';
import { KINDS, applyFields, identityOf, knownColumns } from '../kinds.ts';
import type { RowOutcome } from '../kinds.ts';
import type { Words } from '../words.ts';
import type { FileRow, RowFields } from './records.ts';

/** Maximum number of rows whose statements are in flight together. */
export const GROUP_SIZE = 20;

/** Groups rows that can be applied together. Rows with one identity are in different groups, so they keep their order. */
export async function* groupRows(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow[]> {
  let group: FileRow[] = [];
  let identities = new Set<unknown>();
  for await (const row of rows) {
    const identity = row.fields && identityOf(row.fields);
    if (group.length === GROUP_SIZE || (identity !== undefined && identities.has(identity))) {
      yield group;
      group = [];
      identities = new Set();
    }
    group.push(row);
    identities.add(identity);
  }
  if (group.length > 0) yield group;
}

/**
 * Applies rows whose statements are in flight together on the connection of the transaction. Waits for all of them also
 * after an error that aborts the slice, because no statement may follow the rollback.
 */
export async function applyGroup(session: Session, item: RunnableImport, words: Words, group: readonly FileRow[]) {
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
