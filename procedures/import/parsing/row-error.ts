import { ZodError } from 'zod';
import type { ApiError } from '../../../entities/api-error.ts';
import { redactSecrets } from '../../../entities/api-key/raw-key.ts';
import { MAX_REASON_LENGTH } from '../../../entities/import/import.ts';
import type { RunnableImport } from '../../../entities/import/progress.ts';
import type { RowError } from '../../../entities/import/statements.ts';
import { firstFieldOf, formatIssues, oneLine } from '../../core/errors.ts';
import { EXTERNAL_ID, KINDS } from '../kinds.ts';
import { readCells } from './cells.ts';
import { quote } from './quote.ts';
import type { FileRow, RowFields } from './records.ts';

/** The error of a row, with the value in the file, and the field that its message names first: a column, or an unknown field. */
export function describeError(
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
