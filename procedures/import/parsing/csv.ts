import { isUtf8 } from 'node:buffer';

// Comma-separated values as in RFC 4180, with any delimiter. The reader works on bytes, so that a slice of an import can
// start at any record. All special characters are ASCII, which never occurs inside a longer UTF-8 sequence.

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/** UTF-8 byte order mark. Excel needs it to detect UTF-8. */
export const BOM = '\u{feff}';

/** Text that a spreadsheet would run as a formula, also behind apostrophes. */
export const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;

/** Such text inside a cell, after a character that a reader with another delimiter takes for the end of the cell. The CR of a line break is not one. */
const FORMULA_AHEAD = String.raw`(?='*(?:[=+\-@\t＝＋－＠]|\r(?!\n)))`;
export const FORMULA_INSIDE = String.raw`([;\t\r\n] *)${FORMULA_AHEAD}`;
const INSIDE = new RegExp(FORMULA_INSIDE, 'g');
const APOSTROPHE_INSIDE = new RegExp(String.raw`([;\t\r\n] *)'${FORMULA_AHEAD}`, 'g');
/** In a file with semicolons, a comma ends a cell for such a reader. */
const INSIDE_SEMICOLONS = new RegExp(String.raw`([;,\t\r\n] *)${FORMULA_AHEAD}`, 'g');
const APOSTROPHE_INSIDE_SEMICOLONS = new RegExp(String.raw`([;,\t\r\n] *)'${FORMULA_AHEAD}`, 'g');

/** Protects a cell from being run as a formula: an apostrophe makes it text. `fromFormulaText` reverses it exactly. */
export function toFormulaText(text: string, delimiter = ','): string {
  const inside = text.replace(delimiter === ';' ? INSIDE_SEMICOLONS : INSIDE, "$1'");
  return FORMULA.test(text) ? `'${inside}` : inside;
}

/** Removes the apostrophes of `toFormulaText`. */
export function fromFormulaText(text: string, delimiter = ','): string {
  if (!text.includes("'")) return text;
  const start = text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
  return start.replace(delimiter === ';' ? APOSTROPHE_INSIDE_SEMICOLONS : APOSTROPHE_INSIDE, '$1');
}

/** Writes one record with its line break. */
export const writeCsvRecord = (cells: readonly string[], delimiter = ','): string =>
  `${cells.map((text) => quoteCell(text, delimiter)).join(delimiter)}\r\n`;

const quoteCell = (text: string, delimiter: string) =>
  text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The file breaks off or has invalid syntax, so that its records are uncertain from here on. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/** A record, with the position and the number of lines up to the next one. */
export interface CsvRecord {
  cells: Buffer[];
  end: number;
  lines: number;
}

/**
 * Reads the record that starts at a position.
 * @param isLast true if no bytes follow the buffer
 * @returns undefined if the record continues after the buffer
 * @throws FileError for a quote that is not closed, or for text after a closing quote
 */
export function readCsvRecord(
  buffer: Buffer,
  start: number,
  delimiter: number,
  isLast: boolean,
): CsvRecord | undefined {
  const cells: Buffer[] = [];
  let lines = 0;
  for (let position = start; ;) {
    const isQuoted = buffer[position] === QUOTE;
    const cellEnd = isQuoted ? findClosingQuote(buffer, position) : findCellEnd(buffer, position, delimiter);
    if (cellEnd === undefined) {
      if (isLast) throw new FileError('a quote is not closed');
      return undefined;
    }
    const next = isQuoted ? cellEnd + 1 : cellEnd;
    if (!isLast && next >= buffer.length) return undefined;
    const cell = isQuoted ? unquote(buffer.subarray(position + 1, cellEnd)) : buffer.subarray(position, cellEnd);
    cells.push(cell);
    if (isQuoted) lines += countLines(cell);
    const separator = buffer[next];
    if (separator === delimiter) {
      position = next + 1;
      continue;
    }
    if (separator === undefined) return { cells, end: next, lines };
    if (separator === LF) return { cells, end: next + 1, lines: lines + 1 };
    if (separator !== CR) throw new FileError('expected a delimiter after a closing quote');
    if (!isLast && next + 1 >= buffer.length) return undefined;
    return { cells, end: buffer[next + 1] === LF ? next + 2 : next + 1, lines: lines + 1 };
  }
}

/** Position of the quote that closes the one at `position`; undefined if there is none. Two quotes are an escaped one. */
function findClosingQuote(buffer: Buffer, position: number): number | undefined {
  for (let quote = buffer.indexOf(QUOTE, position + 1); quote !== -1; quote = buffer.indexOf(QUOTE, quote + 2))
    if (buffer[quote + 1] !== QUOTE) return quote;
  return undefined;
}

/** Returns true for the first byte of a line break. A record that starts with it is an empty line; `""` is not one. */
export const isLineBreak = (byte: number | undefined): boolean => byte === LF || byte === CR;

function findCellEnd(buffer: Buffer, position: number, delimiter: number): number {
  let end = position;
  for (; end < buffer.length; end++) {
    const byte = buffer[end];
    if (byte === delimiter || isLineBreak(byte)) break;
  }
  return end;
}

/** Replaces escaped quotes. The bytes are not decoded yet, so that invalid UTF-8 is detected later. */
const unquote = (bytes: Buffer): Buffer =>
  bytes.includes(QUOTE) ? Buffer.from(bytes.toString('latin1').replaceAll('""', '"'), 'latin1') : bytes;

/** Number of line breaks: CR LF, LF or CR. */
function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === LF || (byte === CR && bytes[index + 1] !== LF)) lines += 1;
  }
  return lines;
}

/** @throws FileError for bytes that are not UTF-8 */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new FileError('invalid UTF-8');
  return bytes.toString('utf8');
}
