/** Maximum size of a request over tRPC. Larger files go over REST. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Space for the other parameters. */
const RESERVED_BYTES = 4096;
const PREVIEW_ROWS = 5;
const PREVIEW_CHARACTERS = 64 * 1024;

type Format = 'csv' | 'ndjson';

/** A file that can be imported, or the reason that it cannot. */
export type ChosenFile =
  | { name: string; content: string; format: Format; preview: Preview }
  | { name: string; error: 'too large' | 'not UTF-8' | 'empty' };

export type Preview = { columns: string[]; rows: string[][] } | { lines: string[] };

/** Reads and checks a file. */
export async function readFile(file: File): Promise<ChosenFile> {
  const { name } = file;
  if (file.size === 0) return { name, error: 'empty' };
  if (file.size > MAX_BODY_BYTES) return { name, error: 'too large' };
  const content = decode(await file.arrayBuffer());
  if (content === undefined) return { name, error: 'not UTF-8' };
  const bodyBytes = new Blob([JSON.stringify(content)]).size;
  if (bodyBytes > MAX_BODY_BYTES - RESERVED_BYTES) return { name, error: 'too large' };
  const format = /\.(ndjson|jsonl)$/i.test(name) ? 'ndjson' : 'csv';
  return { name, content, format, preview: format === 'csv' ? previewCsv(content) : { lines: firstLines(content) } };
}

function decode(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const firstLines = (text: string): string[] =>
  text
    .slice(0, PREVIEW_CHARACTERS)
    .split(/\r\n|\n|\r/)
    .slice(0, PREVIEW_ROWS + 1);

/** The header and the first rows. The lines as they are if it is uncertain how the server will read them. */
function previewCsv(content: string): Preview {
  const text = content
    .slice(0, PREVIEW_CHARACTERS)
    .replace(/^\u{feff}/u, '')
    .replace(/^sep=(.)\r?\n/i, '');
  const [header = ''] = text.split(/\r\n|\n|\r/, 1);
  const delimiter = header.split(';').length > header.split(',').length ? ';' : ',';
  const records = readRecords(text, delimiter);
  const [columns = [], ...rows] = records;
  const isCertain = columns.length > 0 && rows.every((row) => row.length === columns.length);
  return isCertain ? { columns, rows } : { lines: firstLines(content) };
}

/** Reads the first records of CSV text. Ends at the first one that is not complete. */
function readRecords(text: string, delimiter: string): string[][] {
  const cell = new RegExp(
    `("(?:[^"]|"")*"|[^"\\r\\n${delimiter}][^\\r\\n${delimiter}]*|)(${delimiter}|\\r\\n|\\n|\\r|$)`,
    'y',
  );
  const records: string[][] = [];
  let record: string[] = [];
  while (records.length <= PREVIEW_ROWS && cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) break;
    const [, raw = '', end] = match;
    record.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    if (end === delimiter) continue;
    const isEmptyLine = record.length === 1 && raw === '';
    if (!isEmptyLine) records.push(record);
    record = [];
  }
  return records;
}
