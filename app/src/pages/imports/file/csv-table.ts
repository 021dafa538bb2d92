import { quoteCell, UnreadableFile } from './table.ts';
import type { FileTable, Mapping } from './table.ts';

/** A record of CSV text. */
interface CsvRecord {
  cells: string[];
  /** Line break behind the record; empty at the end of the file. */
  lineBreak: string;
  /** Position behind the line break. */
  next: number;
}

const countLineBreaks = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

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
      return { cells, lineBreak, next: next + lineBreak.length };
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
const START = /^(\u{feff}?)((?:"?sep=([^"\r\n])"?(?:\r\n|\r|\n|$))?)/iu;
const DELIMITERS = [',', ';'];

/** A record with the line break and the empty lines behind it. */
interface Row {
  cells: readonly string[];
  end: string;
}

/**
 * Reads a CSV file as the server does.
 * @param isKnown returns true for the name of a column that has a field
 * @throws UnreadableFile
 */
export function readCsv(content: string, isKnown: (name: string) => boolean): FileTable {
  const [start = '', mark = '', separatorLine = '', separator] = START.exec(content) ?? [];
  const delimiter = separator ?? detectDelimiter(content, start.length, isKnown);
  const [header, ...rows] = readRows(content, start.length, delimiter);
  if (header === undefined || header.cells.every((name) => name.trim() === ''))
    throw new UnreadableFile('The file has no header row. Add a first line with the names of the columns.');
  const columns = header.cells.map((name) => name.trim());
  const writer = (mapping: Mapping) => {
    const kept = mapping.flatMap((field, index) => (field === null ? [] : [{ field, index }]));
    return ({ cells, end }: Row, isHeader: boolean) => {
      const hasWidth = cells.length === columns.length;
      // The server rejects a row with another number of cells than the header. It must not be the number of the columns that stay.
      const written = hasWidth
        ? kept.map(({ field, index }) => quoteCell(isHeader ? field : (cells[index] ?? '')))
        : Array.from({ length: kept.length + 1 }, () => (cells.every((cell) => cell === '') ? '""' : 'x'));
      const text = written.length === 1 && written[0] === '' ? '""' : written.join(',');
      const lost = cells.reduce((sum, cell) => sum + countLineBreaks(cell), 0) - countLineBreaks(text);
      return text + end + (end === '' ? '' : '\r\n'.repeat(lost));
    };
  };
  return {
    columns,
    rows: rows.map(({ cells }) => cells),
    write: (mapping) => {
      if (columns.every((name, index) => name === mapping[index])) return content;
      const write = writer(mapping);
      const first = mark + separatorLine.replace(/=./u, '=,') + write(header, true);
      return [first, ...rows.map((row) => write(row, false))].join('');
    },
    widthError: (row) => {
      const found = rows[row - 1]?.cells.length ?? columns.length;
      return found === columns.length
        ? undefined
        : `expected ${columns.length} cells, as in the header; found ${found}`;
    },
  };
}

/** Reads the records from a position. @throws UnreadableFile */
function readRows(content: string, start: number, delimiter: string): Row[] {
  const read = csvReader(content, delimiter);
  const rows: Row[] = [];
  for (let position = start; position < content.length;) {
    const record = read(position);
    if (typeof record === 'string') {
      const line = countLineBreaks(content.slice(0, position)) + 1;
      throw new UnreadableFile(`Line ${line} cannot be read: ${record}. Correct the file, then choose it again.`);
    }
    const previous = rows.at(-1);
    if (previous !== undefined && isEmptyLine(content, position, record)) previous.end += record.lineBreak;
    else rows.push({ cells: record.cells, end: record.lineBreak });
    position = record.next;
  }
  return rows;
}

/** Returns true for a line without any character. `""` is a row. */
const isEmptyLine = (content: string, position: number, { lineBreak, next }: CsvRecord): boolean =>
  lineBreak !== '' && position + lineBreak.length === next && content.startsWith(lineBreak, position);

/** The delimiter with which most names of the header are known; then the one with which it has most cells. */
function detectDelimiter(content: string, start: number, isKnown: (name: string) => boolean): string {
  const [best = ','] = DELIMITERS.map((delimiter) => {
    const header = csvReader(content, delimiter)(start);
    const names = typeof header === 'string' ? [] : header.cells;
    return { delimiter, known: names.filter(isKnown).length, cells: names.length };
  })
    .toSorted((one, other) => other.known - one.known || other.cells - one.cells)
    .map(({ delimiter }) => delimiter);
  return best;
}
