import { BOM, toFormulaText, writeCsvRecord } from '../../import/parsing/csv.ts';
import type { RegisterRow } from './registers.ts';

/** Byte order mark and header of a register as CSV. */
export const csvStart = (columns: readonly string[]): string => BOM + writeCsvRecord(columns);

/** A row of a register as CSV. People have their names, other objects and lists are JSON. */
export const csvRow = (columns: readonly string[], row: RegisterRow): string =>
  writeCsvRecord(columns.map((column) => cellOf(row[column])));

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'string') return toFormulaText(value);
  return toFormulaText(isPerson(value) ? value.name : JSON.stringify(value));
}

const isPerson = (value: object): value is { uniqueId: string; name: string; kind: string } =>
  'name' in value && 'kind' in value && 'uniqueId' in value && typeof value.name === 'string';
