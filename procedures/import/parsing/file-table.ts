import type { ImportLayout, ROW_FORMATS } from '../../../entities/import/import.ts';
import { foldCase } from '../../../entities/fold-case.ts';
import { oneLine } from '../../core/errors.ts';
import { FileError, decodeUtf8, isLineBreak, readCsvRecord, BOM } from './csv.ts';

/** Maximum size of a record. A valid record is far smaller, even if all its text is escaped. */
const MAX_RECORD_BYTES = 1024 * 1024;

const LF = 0x0a;

/** Fields of a row by name, before validation: text from CSV, any JSON value from NDJSON. */
export type RowFields = Record<string, unknown>;

/** A row of a file. `end` and `endLine` are the position and the line after it. */
export interface FileRow {
  line: number;
  start: number;
  end: number;
  endLine: number;
  /** Undefined for a row with `error`. */
  fields?: RowFields;
  /** Error of a row that cannot be read, although the rows after it can. */
  error?: string;
  /** True for a row whose cells are all empty. It counts, and nothing is done for it. */
  isEmpty?: true;
}

/** Position in a file at the start of a record. */
export interface FilePosition {
  position: number;
  line: number;
}

/** Returns the bytes of a chunk of the file. */
type ReadChunk = (index: number) => Promise<Buffer>;

/** A stored file. */
export interface StoredFile {
  format: (typeof ROW_FORMATS)[number];
  bytes: number;
  chunkBytes: number;
  readChunk: ReadChunk;
}

/** A record of bytes; undefined `row` for an empty line. */
type ReadRecord = (
  buffer: Buffer,
  isLast: boolean,
  line: number,
) => { row: Pick<FileRow, 'fields' | 'error' | 'isEmpty'> | undefined; end: number; lines: number } | undefined;

/**
 * Yields the rows of a file from a position. At most a chunk and a record are in memory.
 * @throws FileError that names the line
 */
export async function* readRows(
  { format, bytes, chunkBytes, readChunk }: StoredFile,
  layout: ImportLayout | null,
  from: FilePosition,
): AsyncGenerator<FileRow> {
  const readRecord = format === 'csv' ? csvReader(layout) : readNdjsonRecord;
  let { position, line } = from;
  let buffer = Buffer.alloc(0);
  let bufferEnd = position;
  let offset = 0;
  while (position < bytes) {
    const record = atLine(line, () => readRecord(buffer.subarray(offset), bufferEnd === bytes, line));
    if (record === undefined) {
      const rest = buffer.subarray(offset);
      if (rest.length > MAX_RECORD_BYTES)
        throw new FileError(`line ${line}: a record is longer than ${MAX_RECORD_BYTES} bytes; is a quote not closed?`);
      const index = Math.floor(bufferEnd / chunkBytes);
      const chunk = (await readChunk(index)).subarray(bufferEnd - index * chunkBytes);
      if (chunk.length === 0) throw new Error(`import: chunk ${index} is missing`);
      buffer = Buffer.concat([rest, chunk]);
      offset = 0;
      bufferEnd += chunk.length;
      continue;
    }
    const [start, startLine] = [position, line];
    position += record.end;
    offset += record.end;
    line += record.lines;
    if (record.row !== undefined) yield { line: startLine, start, end: position, endLine: line, ...record.row };
  }
}

/** Adds the line to a FileError. */
function atLine<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FileError) throw new FileError(`line ${line}: ${error.message}`);
    throw error;
  }
}

const csvReader =
  (layout: ImportLayout | null): ReadRecord =>
  (buffer, isLast) => {
    if (layout === null) throw new Error('import: the header was not read');
    const record = buffer.length === 0 ? undefined : readCsvRecord(buffer, 0, layout.delimiter.charCodeAt(0), isLast);
    if (record === undefined) return undefined;
    const { cells, end, lines } = record;
    if (isLineBreak(buffer[0])) return { row: undefined, end, lines };
    const isEmpty = cells.every((cell) => cell.length === 0);
    if (isEmpty && cells.length !== layout.columns.length) return { row: { isEmpty }, end, lines };
    if (cells.length !== layout.columns.length) {
      for (const cell of cells) decodeUtf8(cell);
      const error = `expected ${layout.columns.length} cells, as in the header; found ${cells.length}`;
      return { row: { error }, end, lines };
    }
    const texts = cells.map((cell, index) => decodeCell(cell, layout.columns[index]));
    const stray = texts.find((text, index) => text !== '' && layout.columns[index] === '');
    if (stray !== undefined) {
      const error = `expected no value in a column without a heading; found ${quote(stray)}`;
      return { row: { error }, end, lines };
    }
    const fields = texts.map((text, index) => [layout.columns[index] ?? '', text] as const);
    const named = Object.fromEntries(fields.filter(([name]) => name !== ''));
    return { row: { fields: named, ...(isEmpty && { isEmpty }) }, end, lines };
  };

/** @throws FileError that names the column */
function decodeCell(cell: Buffer, column: string | null | undefined): string {
  try {
    return decodeUtf8(cell);
  } catch (error) {
    if (error instanceof FileError) throw new FileError(`column ${column ?? ''}: ${error.message}`);
    throw error;
  }
}

const readNdjsonRecord: ReadRecord = (buffer, isLast) => {
  const lineEnd = buffer.indexOf(LF);
  if (lineEnd === -1 && !isLast) return undefined;
  const bytes = lineEnd === -1 ? buffer : buffer.subarray(0, lineEnd);
  const text = decodeUtf8(bytes).trim();
  const end = lineEnd === -1 ? buffer.length : lineEnd + 1;
  const lines = 1;
  return { row: text === '' ? undefined : parseJsonRow(text), end, lines };
};

/** Maximum number of characters of a value in a message. */
const MAX_QUOTED_LENGTH = 100;

/** Quotes a value from a file in a message: text in quotes, other values as JSON, both in one line, and cut. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const start = oneLine(text.slice(0, MAX_QUOTED_LENGTH), MAX_QUOTED_LENGTH);
  const shown = text.length > MAX_QUOTED_LENGTH ? `${start}…` : start;
  return typeof value === 'string' ? `"${shown}"` : shown;
}

const NO_OBJECT = 'expected a JSON object on one line; found ';

function parseJsonRow(text: string): Pick<FileRow, 'fields' | 'error'> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { error: NO_OBJECT + quote(text) };
  }
  if (!isObject(value)) return { error: NO_OBJECT + quote(text) };
  return { fields: value };
}

const isObject = (value: unknown): value is RowFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Columns that a file may have. */
export interface KnownColumns {
  /** Columns that rows set. */
  imported: readonly string[];
  /** Columns of the export that rows cannot set. */
  readOnly: readonly string[];
  /** Columns by the heading that the application has for them, with its case folded; null for those that rows cannot set. */
  headings: ReadonlyMap<string, string | null>;
  /** Columns that the header must have. */
  required: readonly string[];
  /** True if a row that updates an object by its id may leave these out. */
  isOptionalWithId: boolean;
}

/** Column with the id of an object of this service. */
export const UNIQUE_ID = 'uniqueId';

const BOM_BYTES = Buffer.from(BOM);
const DELIMITERS = [',', ';'];
/** First line with which a file announces its delimiter to Excel. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?(?:\r\n|\r|\n|$)/i;

/**
 * Reads the start of a file: byte order mark, `sep=` line and header.
 * @throws FileError that names the line and the column
 */
export async function readLayout(file: StoredFile, known: KnownColumns): Promise<ImportLayout> {
  const start = await readStart(file);
  const position = start.subarray(0, BOM_BYTES.length).equals(BOM_BYTES) ? BOM_BYTES.length : 0;
  if (file.format === 'ndjson') return { delimiter: '', columns: [], position, line: 1 };
  const isWhole = start.length === file.bytes;
  const [separatorLine = '', separator] = SEPARATOR_LINE.exec(start.toString('latin1', position, position + 20)) ?? [];
  const headerStart = position + separatorLine.length;
  const line = separatorLine === '' ? 1 : 2;
  return atLine(line, () => {
    const header = start.subarray(headerStart);
    if (header.length === 0) throw new FileError('expected a header row');
    const isKnown = (name: string) => columnOf(known, name) !== undefined;
    const delimiter = separator ?? detectDelimiter(header, isWhole, isKnown);
    const { names, end, lines } = readNames(header, delimiter, isWhole);
    const columns = readColumns(names, known);
    const isForPeople = names.some((name, index) => name !== columns[index] && !known.readOnly.includes(name));
    return { delimiter, columns, isForPeople, position: headerStart + end, line: line + lines };
  });
}

/** Reads the chunks that may contain the header. */
async function readStart({ bytes, chunkBytes, readChunk }: StoredFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const size = Math.min(bytes, MAX_RECORD_BYTES);
  for (let index = 0; index * chunkBytes < size; index++) chunks.push(await readChunk(index));
  return Buffer.concat(chunks);
}

function readNames(bytes: Buffer, delimiter: string, isWhole: boolean) {
  const record = readCsvRecord(bytes, 0, delimiter.charCodeAt(0), isWhole);
  if (record === undefined) throw new FileError(`expected a header row of at most ${MAX_RECORD_BYTES} bytes`);
  const { cells, ...position } = record;
  return { names: cells.map((cell) => decodeUtf8(cell).trim()), ...position };
}

/** Returns the delimiter with which the header has most known columns. */
function detectDelimiter(header: Buffer, isWhole: boolean, isKnown: (name: string) => boolean): string {
  const knownNames = DELIMITERS.map((delimiter) => {
    try {
      return readNames(header, delimiter, isWhole).names.filter(isKnown).length;
    } catch (error) {
      if (error instanceof FileError) return -1; // text after a closing quote, for example
      throw error;
    }
  });
  return DELIMITERS[knownNames.indexOf(Math.max(...knownNames))] ?? ',';
}

/** The column that a header names; null for one that rows cannot set, undefined for an unknown one. */
function columnOf({ imported, readOnly, headings }: KnownColumns, name: string): string | null | undefined {
  if (imported.includes(name)) return name;
  return readOnly.includes(name) ? null : headings.get(foldCase(name));
}

/** The columns of a header. One without a heading is the empty text. */
function readColumns(names: readonly string[], known: KnownColumns): (string | null)[] {
  if (names.every((name) => name === '')) throw new FileError('expected a header row');
  const columns = names.map((name) => {
    const column = name === '' ? '' : columnOf(known, name);
    if (column !== undefined) return column;
    const shown = JSON.stringify(name.slice(0, 100));
    throw new FileError(`unknown column ${shown}; known: ${known.imported.join(', ')}`);
  });
  const isRepeated = (index: number) =>
    names.indexOf(names[index] ?? '') < index ||
    (columns[index] !== null && columns.indexOf(columns[index] ?? '') < index);
  const duplicate = names.find((name, index) => name !== '' && isRepeated(index));
  if (duplicate !== undefined) throw new FileError(`column ${duplicate}: expected only once`);
  const mayLack = known.isOptionalWithId && columns.includes(UNIQUE_ID);
  const missing = mayLack ? undefined : known.required.find((name) => !columns.includes(name));
  if (missing !== undefined) throw new FileError(`column ${missing}: required`);
  return columns;
}
