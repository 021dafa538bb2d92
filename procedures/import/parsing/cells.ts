import { z } from 'zod';
import { ActorOutput } from '../../../entities/fields/schemas.ts';
import type { ImportLayout, ImportMode } from '../../../entities/import/import.ts';
import { fromFormulaText } from './csv.ts';
import type { RowFields } from './file-table.ts';

/** Converts the values of a column to the text of a cell and back. */
interface CellType {
  readonly write: (value: unknown) => string;
  /** Returns text that it cannot convert unchanged, so that the input schema names the expected type. */
  readonly read: (text: string) => unknown;
  /** Value of an empty cell that clears the field; undefined if it cannot be cleared. */
  readonly empty?: unknown;
}

const text: CellType = { write: String, read: (cell) => cell };
const number: CellType = {
  write: String,
  read: (cell) => (/^-?\d+(\.\d+)?$/.test(cell.trim()) ? Number(cell) : cell),
};

const BOOLEANS = new Map([
  ...['true', 'yes', '1', 'x'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
]);

const boolean: CellType = { write: String, read: (cell) => BOOLEANS.get(cell.trim().toLowerCase()) ?? cell };
const json: CellType = { write: (value) => JSON.stringify(value), read: parseJson };
/** A list as JSON. Another text stays, and is split later. */
const list: CellType = {
  ...json,
  read: (cell) => {
    const value = parseJson(cell);
    return Array.isArray(value) ? value : cell;
  },
  empty: [],
};
/** A user, by name. Files cannot set users. */
const actor: CellType = {
  write: (value) => String(Reflect.get(Object(value), 'name')),
  read: (cell) => cell,
};

function parseJson(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** Columns of a CSV file, in the order of the fields of an output schema. */
export type CellTypes = ReadonlyMap<string, CellType>;

/** Derives the columns from the fields of an output schema. */
export const cellTypes = (shape: Readonly<Record<string, z.core.$ZodType>>): CellTypes =>
  new Map(Object.entries(shape).map(([name, schema]) => [name, cellTypeOf(schema)]));

function cellTypeOf(schema: z.core.$ZodType): CellType {
  if (schema instanceof z.ZodOptional) return cellTypeOf(schema.unwrap());
  if (schema instanceof z.ZodNullable) return { ...cellTypeOf(schema.unwrap()), empty: null };
  if (schema instanceof z.ZodNumber) return number;
  if (schema instanceof z.ZodBoolean) return boolean;
  if (schema instanceof z.ZodArray) return list;
  if (schema instanceof z.ZodObject) return isActor(schema) ? actor : json;
  return text;
}

const isActor = ({ shape }: z.ZodObject) => Object.keys(ActorOutput.shape).every((name) => name in shape);

/** Writes the cells of an item. Null is an empty cell. */
export const writeCells = (types: CellTypes, item: object): string[] =>
  [...types].map(([name, { write }]) => {
    const value: unknown = Reflect.get(item, name);
    return value === null || value === undefined ? '' : write(value);
  });

/** Reads the cells of a row. An empty cell clears the field with `replace`, if it can be cleared; else it is omitted. */
export const readCells = (
  types: CellTypes,
  cells: RowFields,
  mode: ImportMode,
  delimiter?: ImportLayout['delimiter'],
): RowFields =>
  Object.fromEntries(
    Object.entries(cells).flatMap(([name, cell]) => {
      if (typeof cell !== 'string') return [];
      const { read, empty } = types.get(name) ?? text;
      if (cell !== '') return [[name, read(fromFormulaText(cell, delimiter))]];
      return mode === 'replace' && empty !== undefined ? [[name, empty]] : [];
    }),
  );
