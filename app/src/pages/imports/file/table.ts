/** The field of each column; null for a column that is left out. */
export type Mapping = readonly (string | null)[];

/** A file as columns and rows. */
export interface FileTable {
  /** Names in the file. */
  columns: readonly string[];
  /** Cells of each row as text, in the order of the columns. */
  rows: readonly (readonly string[])[];
  /** Writes the file with the names of the fields, without the columns that are left out. Each row stays on its line. */
  write: (mapping: Mapping) => string;
  /** Error of a row that has other cells than the header; undefined for the other rows. */
  widthError: (row: number) => string | undefined;
}

/** A file that cannot be read, with a text that says where and what to do. */
export class UnreadableFile extends Error {}

/** A cell of a CSV file. */
export const quoteCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
