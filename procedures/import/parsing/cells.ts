import { z } from 'zod';
import { fromFormulaText, toFormulaText } from './csv.ts';
import type { RowFields } from './records.ts';

/** Converts the values of a column to the text of a cell and back. */
interface CellType {
  readonly write: (value: unknown) => string;
  /** Returns text that it cannot convert unchanged, so that the input schema names the expected type. */
  readonly read: (text: string) => unknown;
}

const text: CellType = { write: (value) => toFormulaText(String(value)), read: (cell) => cell };
const number: CellType = { write: String, read: (cell) => (/^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell) };
/** Spreadsheets write booleans in upper case. */
const boolean: CellType = {
  write: String,
  read: (cell) => (/^(true|false)$/i.test(cell) ? cell.toLowerCase() === 'true' : cell),
};
const json: CellType = { write: (value) => toFormulaText(JSON.stringify(value)), read: parseJson };
/** A user, by name. Files cannot set users. */
const actor: CellType = {
  write: (value) => toFormulaText(String(Reflect.get(Object(value), 'name'))),
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
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return cellTypeOf(schema.unwrap());
  if (schema instanceof z.ZodNumber) return number;
  if (schema instanceof z.ZodBoolean) return boolean;
  if (schema instanceof z.ZodArray) return json;
  if (schema instanceof z.ZodObject) return actor;
  return text;
}

/** Writes the cells of an item. Null is an empty cell. */
export const writeCells = (types: CellTypes, item: object): string[] =>
  [...types].map(([name, { write }]) => {
    const value: unknown = Reflect.get(item, name);
    return value === null || value === undefined ? '' : write(value);
  });

/** Reads the cells of a row. Empty cells are omitted. */
export const readCells = (types: CellTypes, cells: RowFields): RowFields =>
  Object.fromEntries(
    Object.entries(cells).flatMap(([name, cell]) =>
      cell === '' || typeof cell !== 'string' ? [] : [[name, (types.get(name) ?? text).read(fromFormulaText(cell))]],
    ),
  );
