/** A record of CSV text. */
export interface CsvRecord {
  cells: string[];
  /** Line break behind the record; empty at the end of the file. */
  lineBreak: string;
  /** Position behind the line break. */
  next: number;
}

export const countLineBreaks = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

/**
 * Makes a reader of the record at a position, with the rules of the server.
 * @returns a text that says what is wrong with a record that cannot be read
 */
export function csvReader(text: string, delimiter: string) {
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
