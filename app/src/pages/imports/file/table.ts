import { countKnown, fieldOf, FRAMEWORK, guessMapping, IMPORT_KINDS, requiredOf, UNIQUE_ID } from './columns.ts';
import type { Field, Kind, Mapping } from './columns.ts';
import { countLineBreaks, quoteCell } from './csv.ts';
import type { SourceRow } from './csv.ts';

/** A table of a file: a CSV file has one, a spreadsheet one for each sheet. */
export interface Sheet {
  /** Missing for a text file, in which a row with more cells than the heading is an error. */
  name?: string;
  /** Rows without those that are empty. */
  rows: readonly SourceRow[];
}

/** Rows below a heading. */
export interface Table {
  headings: readonly string[];
  rows: readonly SourceRow[];
  /** True if a row may have more cells than the heading. */
  isSheet: boolean;
}

const MAX_HEADING_ROWS = 20;

/** Rows that may be the heading. */
export const headingRows = ({ rows }: Sheet): readonly SourceRow[] => rows.slice(0, MAX_HEADING_ROWS);

/** Index of the row that looks most like a heading: the one with most known names, else the first with several cells. */
export function guessHeading(sheet: Sheet): number {
  const rows = headingRows(sheet);
  const known = rows.map(({ cells }) => Math.max(...IMPORT_KINDS.map((kind) => countKnown(cells, kind))));
  const most = Math.max(...known);
  if (most > 0) return known.indexOf(most);
  const firstWide = rows.findIndex(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 1);
  return Math.max(0, firstWide);
}

/** The rows below a heading. Columns at the end that have neither a heading nor a value are left out. */
export function tableOf({ name, rows }: Sheet, heading: number): Table {
  const [{ cells: names } = { cells: [] }, ...below] = rows.slice(heading);
  const isSheet = name !== undefined;
  const width = below.reduce(
    (most, { cells }) => Math.max(most, Math.min(widthOf(cells), isSheet ? Infinity : names.length)),
    widthOf(names),
  );
  return {
    headings: Array.from({ length: width }, (_, index) => (names[index] ?? '').replaceAll(/\s+/g, ' ').trim()),
    rows: below,
    isSheet,
  };
}

const widthOf = (cells: readonly string[]): number => cells.findLastIndex((cell) => cell.trim() !== '') + 1;

const SHOWN_VALUES = 3;

/** The first values of a column. */
export function firstValues({ rows }: Table, index: number): string[] {
  const values: string[] = [];
  for (const { cells } of rows) {
    const value = cells[index] ?? '';
    if (value.trim() !== '' && !values.includes(value)) values.push(value);
    if (values.length === SHOWN_VALUES) break;
  }
  return values;
}

export const guessFields = (table: Table, kind: Kind): Mapping =>
  guessMapping(table.headings, kind, (index) => firstValues(table, index));

/** The cells of the column of a field, one of each row. */
const cellsOf = ({ rows }: Table, mapping: Mapping, field: string): string[] => {
  const index = mapping.indexOf(field);
  return index === -1 ? [] : rows.map(({ cells }) => cells[index] ?? '');
};

export type Dates = 'dmy' | 'mdy';

const WRITTEN_DATE = /^\s*(\d{1,2})[./](\d{1,2})[./](?:\d{4}|\d{2})\s*$/;

/** Forms in which the dates of a file may be written. None if all of them are as `2026-12-31`. */
export function datesOf(kind: Kind, table: Table, mapping: Mapping): readonly Dates[] {
  const fields = mapping.filter((field) => field !== null && fieldOf(kind, field)?.isDate === true);
  const dates = fields
    .flatMap((field) => cellsOf(table, mapping, field ?? ''))
    .flatMap((cell) => {
      const [text, first, second] = WRITTEN_DATE.exec(cell) ?? [];
      return text === undefined
        ? []
        : [{ hasPoints: text.includes('.'), first: Number(first), second: Number(second) }];
    });
  if (dates.length === 0) return [];
  const mayBe: Record<Dates, boolean> = {
    dmy: dates.every(({ second }) => second <= 12),
    mdy: dates.every(({ hasPoints, first }) => !hasPoints && first <= 12),
  };
  const forms = (['dmy', 'mdy'] as const).filter((form) => mayBe[form]);
  return forms.length === 0 ? ['dmy', 'mdy'] : forms;
}

/** Number of rows by what the column of frameworks says. */
export function countFrameworks(table: Table, mapping: Mapping): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const cell of cellsOf(table, mapping, FRAMEWORK)) counts.set(cell.trim(), (counts.get(cell.trim()) ?? 0) + 1);
  return counts;
}

/** Parts of a list, as the service separates them. */
function partsOf(cell: string): string[] {
  const separator = cell.includes(';') ? ';' : ',';
  return cell
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

const MAX_VALUE_LENGTH = 255;

/** A value as the service says it. */
export const asSaid = (value: string): string =>
  value
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .slice(0, MAX_VALUE_LENGTH)
    .trim();

/** What values become, by field and value. */
export type Answers = ReadonlyMap<string, string>;

export const answerKey = (field: string, value: string): string => `${field} ${asSaid(value)}`;

/** The number of rows that have a value, as a whole or in a list. */
export function countRows(table: Table, mapping: Mapping, field: Field): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const cell of cellsOf(table, mapping, field.name)) {
    const values = new Set([cell, ...(field.isList ? partsOf(cell) : [])].map(asSaid));
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

/** A cell with the answers to its values. */
function answered(field: Field, cell: string, answers: Answers): string {
  const answer = (value: string) => answers.get(answerKey(field.name, value)) || undefined;
  const whole = answer(cell);
  if (!field.isList) return whole ?? cell;
  const parts = whole === undefined ? partsOf(cell) : [cell];
  const replaced = parts.map((part) => answer(part) ?? part);
  if (replaced.every((part, index) => part === parts[index])) return cell;
  // Ids of gaps are numbers.
  return JSON.stringify(replaced.map((part) => (field.refersTo === 'gap' && /^\d+$/.test(part) ? Number(part) : part)));
}

interface Selection {
  kind: Kind;
  mapping: Mapping;
  /** Names of the framework whose rows are sent; undefined if it is not the column that decides. */
  framework: readonly string[] | undefined;
  /** True if a row with the name of an earlier one is not sent. A check does not know what the rows before its parts would make. */
  isOnce: boolean;
}

/** The text of a cell by which rows are compared. */
const textOf = ({ cells }: SourceRow, index: number): string => (cells[index] ?? '').trim().toLowerCase().normalize();

/** The rows that are sent, and those with the name of an earlier one. */
export function selectRows(table: Table, { kind, mapping, framework, isOnce }: Selection) {
  const of = framework && new Set(framework.map((name) => name.toLowerCase()));
  const indexOf = {
    framework: mapping.indexOf(FRAMEWORK),
    name: mapping.indexOf(requiredOf(kind)),
    id: mapping.indexOf(UNIQUE_ID),
  };
  const isChosen = (row: SourceRow) =>
    of === undefined || indexOf.framework === -1 || of.has(textOf(row, indexOf.framework));
  const names = new Set<string>();
  const rows: SourceRow[] = [];
  const doubles: SourceRow[] = [];
  for (const row of table.rows.filter(isChosen)) {
    const name = textOf(row, indexOf.name);
    const isDouble = name !== '' && textOf(row, indexOf.id) === '' && names.has(name);
    names.add(name);
    if (isDouble) doubles.push(row);
    if (!isDouble || !isOnce) rows.push(row);
  }
  return { rows, doubles };
}

const isOfApplication = (heading: string, field: Field): boolean =>
  heading.toLowerCase() === field.heading.toLowerCase();

/**
 * Writes the rows as CSV, each on its line of the file. A heading of the application stays as it is: then a cell that equals the export of
 * its object is no change.
 */
export function writeTable(table: Table, selection: Selection, answers: Answers): string {
  const { kind, mapping } = selection;
  const columns = mapping.flatMap((name, index) => {
    const field = name === null || name === FRAMEWORK ? undefined : fieldOf(kind, name);
    return field === undefined ? [] : [{ field, index }];
  });
  const names = columns.map(({ field, index }) => {
    const heading = table.headings[index] ?? '';
    return isOfApplication(heading, field) ? heading : field.name;
  });
  const lines = [names.map(quoteCell).join(',')];
  let line = 2;
  for (const row of selectRows(table, selection).rows) {
    for (; line < row.line; line++) lines.push('');
    const cells = columns.map(({ field, index }) => quoteCell(answered(field, row.cells[index] ?? '', answers)));
    // A line without a character is no row.
    const record = cells.length === 1 && cells[0] === '' ? '""' : cells.join(',');
    // The service rejects a row with more cells than the heading.
    lines.push(!table.isSheet && widthOf(row.cells) > table.headings.length ? `${record},x` : record);
    line += 1 + countLineBreaks(record);
  }
  return lines.map((text) => `${text}\r\n`).join('');
}
