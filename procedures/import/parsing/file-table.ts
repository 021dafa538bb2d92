import type { ImportFormat, ImportLayout } from '../../../entities/import/import.ts';
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
  end: number;
  endLine: number;
  /** Undefined for a row with `error`. */
  fields?: RowFields;
  /** Error of a row that cannot be read, although the rows after it can. */
  error?: string;
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
  format: ImportFormat;
  bytes: number;
  chunkBytes: number;
  readChunk: ReadChunk;
}

/** A record of bytes; undefined `row` for an empty line. */
type ReadRecord = (
  buffer: Buffer,
  isLast: boolean,
  line: number,
) => { row: Pick<FileRow, 'fields' | 'error'> | undefined; end: number; lines: number } | undefined;

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
    const startLine = line;
    position += record.end;
    offset += record.end;
    line += record.lines;
    if (record.row !== undefined) yield { line: startLine, end: position, endLine: line, ...record.row };
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
    if (cells.length !== layout.columns.length) {
      for (const cell of cells) decodeUtf8(cell);
      const error = `expected ${layout.columns.length} cells, as in the header; found ${cells.length}`;
      return { row: { error }, end, lines };
    }
    const fields = cells.map((cell, index) => [layout.columns[index] ?? '', decodeCell(cell, layout.columns[index])]);
    return { row: { fields: Object.fromEntries(fields.filter(([name]) => name !== '')) }, end, lines };
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
  /** Columns that the header must have. */
  required: readonly string[];
}

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
    const isKnown = (name: string) => known.imported.includes(name) || known.readOnly.includes(name);
    const delimiter = separator ?? detectDelimiter(header, isWhole, isKnown);
    const { names, end, lines } = readNames(header, delimiter, isWhole);
    checkColumns(names, known);
    const columns = names.map((name) => (known.imported.includes(name) ? name : null));
    return { delimiter, columns, position: headerStart + end, line: line + lines };
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

function checkColumns(names: readonly string[], { imported, readOnly, required }: KnownColumns): void {
  if (names.every((name) => name === '')) throw new FileError('expected a header row');
  const unknown = names.find((name) => !imported.includes(name) && !readOnly.includes(name));
  if (unknown !== undefined)
    throw new FileError(`unknown column ${JSON.stringify(unknown.slice(0, 100))}; known: ${imported.join(', ')}`);
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate !== undefined) throw new FileError(`column ${duplicate}: expected only once`);
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined) throw new FileError(`column ${missing}: required`);
}
