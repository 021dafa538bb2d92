/** A row of a file. */
export interface SourceRow {
  /** Number of its line, or of the row of a sheet. */
  line: number;
  cells: readonly string[];
}

/** A file that cannot be read, with a text that says where and what to do. */
export class UnreadableFile extends Error {}

/** A cell of a CSV file. */
export const quoteCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const countLineBreaks = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

/** A record of CSV text. */
interface CsvRecord {
  cells: string[];
  /** Position behind the line break. */
  next: number;
}

/**
 * Makes a reader of the record at a position, with the rules of the server.
 * @returns a text that says what is wrong with a record that cannot be read
 */
function csvReader(text: string, delimiter: string) {
  const code = delimiter.charCodeAt(0).toString(16).padStart(4, '0');
  const cellEnd = new RegExp(`[\\r\\n\\u${code}]`, 'g');

  return (start: number): CsvRecord | string => {
    const cells: string[] = [];
    for (let position = start; ;) {
      const isQuoted = text[position] === '"';
      const end = isQuoted ? closingQuote(text, position) : indexOf(cellEnd, position);
      if (end === undefined) return 'a quote is not closed';
      cells.push(isQuoted ? text.slice(position + 1, end).replaceAll('""', '"') : text.slice(position, end));
      const next = isQuoted ? end + 1 : end;
      if (text[next] === delimiter) {
        position = next + 1;
        continue;
      }
      const lineBreak = lineBreakAt(next);
      if (lineBreak === '' && next < text.length) return 'text follows a closing quote';
      return { cells, next: next + lineBreak.length };
    }
  };

  function indexOf(pattern: RegExp, position: number): number {
    pattern.lastIndex = position;
    return pattern.exec(text)?.index ?? text.length;
  }

  function lineBreakAt(position: number): string {
    if (text.startsWith('\r\n', position)) return '\r\n';
    const character = text[position];
    return character === '\n' || character === '\r' ? character : '';
  }
}

/** Position of the quote that closes the one at `position`. Two quotes are an escaped one. */
function closingQuote(text: string, position: number): number | undefined {
  for (let quote = text.indexOf('"', position + 1); quote !== -1; quote = text.indexOf('"', quote + 2))
    if (text[quote + 1] !== '"') return quote;
  return undefined;
}

/** Byte order mark, and the line with which a file announces its delimiter to Excel. */
const START = /^\u{feff}?(?:"?sep=([^"\r\n])"?(?:\r\n|\r|\n|$))?/iu;
const DELIMITERS = [',', ';', '\t'];
/** Records by which the delimiter is found. */
const FIRST_RECORDS = 20;

/**
 * Reads a CSV file. Empty rows are left out.
 * @param countKnown returns the number of known names in a heading
 * @throws UnreadableFile
 */
export function readCsv(content: string, countKnown: (names: readonly string[]) => number): SourceRow[] {
  const [start = '', separator] = START.exec(content) ?? [];
  const delimiter = separator ?? detectDelimiter(content, start.length, countKnown);
  const read = csvReader(content, delimiter);
  const rows: SourceRow[] = [];
  let line = 1 + countLineBreaks(start);
  for (let position = start.length; position < content.length;) {
    const record = read(position);
    if (typeof record === 'string')
      throw new UnreadableFile(`Line ${line} cannot be read: ${record}. Correct the file, then choose it again.`);
    if (record.cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells: record.cells });
    line += countLineBreaks(content.slice(position, record.next));
    position = record.next;
  }
  return rows;
}

/** The delimiter with which a heading has most known names; then the one with which a record has most cells. */
function detectDelimiter(content: string, start: number, countKnown: (names: readonly string[]) => number): string {
  const [best = ','] = DELIMITERS.map((delimiter) => {
    const read = csvReader(content, delimiter);
    const records: string[][] = [];
    for (let position = start; position < content.length && records.length < FIRST_RECORDS;) {
      const record = read(position);
      if (typeof record === 'string') break;
      records.push(record.cells);
      position = record.next;
    }
    return {
      delimiter,
      known: Math.max(0, ...records.map(countKnown)),
      cells: Math.max(0, ...records.map((cells) => cells.length)),
    };
  })
    .toSorted((one, other) => other.known - one.known || other.cells - one.cells)
    .map(({ delimiter }) => delimiter);
  return best;
}
