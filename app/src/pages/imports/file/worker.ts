import { formatValue } from 'hucre';
import type { Cell, CellValue, Sheet as ReadSheet } from 'hucre';
import { readOds } from 'hucre/ods';
import { readXlsx } from 'hucre/xlsx';
import { UnreadableFile } from './csv.ts';
import type { SourceRow } from './csv.ts';
import type { Sheet } from './table.ts';

// Reads a spreadsheet in a thread of its own. Its policy permits no request (page-headers.ts).

/** Message of the worker to the page: the sheets that have rows, or why there are none. */
export type SheetsMessage = { sheets: Sheet[] } | { error?: string };

/** Rows of an import. */
const MAX_ROWS = 100_000;
const MAX_COLUMNS = 200;
/** Bytes of the unpacked files in a spreadsheet. A small file can unpack to any size. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const DEFLATE = 8;

/**
 * Reads the names of the entries of a ZIP file, and checks what its table says of their sizes: the reader unpacks an entry to that
 * size at most; to any, if the size is 0.
 * @throws UnreadableFile
 */
function readEntries(bytes: Uint8Array): ReadonlySet<string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END_SIGNATURE) end -= 1;
  if (end < 0) throw new UnreadableFile('The file is damaged. Save it again, then choose it again.');
  let total = 0;
  const names = new Set<string>();
  const start = view.getUint32(end + 16, true);
  let at = start;
  for (; at + 46 <= bytes.length && view.getUint32(at, true) === ENTRY_SIGNATURE;) {
    const packed = view.getUint32(at + 20, true);
    const unpacked = view.getUint32(at + 24, true);
    const isHidden = view.getUint16(at + 10, true) === DEFLATE && unpacked === 0 && packed > 2;
    total += isHidden ? Infinity : unpacked;
    const nameEnd = at + 46 + view.getUint16(at + 28, true);
    names.add(new TextDecoder().decode(bytes.subarray(at + 46, nameEnd)));
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  // A ZIP64 file has its table elsewhere. It is for files over 4 GB.
  if (total > MAX_UNPACKED_BYTES || at === start)
    throw new UnreadableFile('The spreadsheet is too large when it is unpacked. Save the sheet as CSV.');
  return names;
}

const TIME_ONLY = /^[^dy]*h[^dy]*$/i;

/** A date or a time as an import takes it. The reader has it in UTC. */
function dateText(date: Date, format: string): string {
  // Excel keeps times as fractions of a day.
  const [day = '', time = ''] = new Date(Math.round(date.getTime() / 1000) * 1000).toISOString().split('T');
  const clock = time.slice(0, 5);
  if (TIME_ONLY.test(format)) return clock;
  return clock === '00:00' ? day : `${day} ${clock}`;
}

/** Significant digits that a spreadsheet has. */
const MAX_DIGITS = 15;

/** A value as the person sees it. */
function cellText(value: CellValue, cell: Cell | undefined): string {
  const format = cell?.style?.numFmt ?? 'General';
  if (value === null) return '';
  if (value instanceof Date) return dateText(value, format);
  if (typeof value !== 'number') return String(value);
  const isPlain = format === 'General' || format === '@';
  return isPlain ? String(Number(value.toPrecision(MAX_DIGITS))) : formatValue(value, format).trim();
}

/** @throws UnreadableFile */
function toSheet({ name, rows, cells }: ReadSheet): Sheet {
  const texts = rows.map((values, row): SourceRow => {
    const last = values.findLastIndex((value) => value !== null && value !== '');
    if (last >= MAX_COLUMNS)
      throw new UnreadableFile(
        `The sheet “${name}” has more than ${MAX_COLUMNS} columns. Remove those that are not needed.`,
      );
    return {
      line: row + 1,
      cells: values.slice(0, last + 1).map((value, column) => cellText(value, cells?.get(`${row},${column}`))),
    };
  });
  const filled = texts.filter((row) => row.cells.some((cell) => cell.trim() !== ''));
  if (filled.length > MAX_ROWS)
    throw new UnreadableFile(`The sheet “${name}” has more than ${MAX_ROWS.toLocaleString('en')} rows. Split it.`);
  return { name, rows: filled };
}

async function read(file: File): Promise<SheetsMessage> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const names = readEntries(bytes);
    const options = { readStyles: true, maxRows: MAX_ROWS + 1000 };
    const workbook = names.has('content.xml') ? await readOds(bytes, options) : await readXlsx(bytes, options);
    const visible = workbook.sheets.filter(({ hidden, veryHidden }) => hidden !== true && veryHidden !== true);
    const sheets = visible.map(toSheet).filter(({ rows }) => rows.length > 0);
    return sheets.length > 0 ? { sheets } : { error: 'The spreadsheet has no rows. Choose another one.' };
  } catch (error) {
    return error instanceof UnreadableFile ? { error: error.message } : {};
  }
}

addEventListener('message', ({ data, ports: [port] }: MessageEvent<File>) => {
  void read(data).then((message) => port?.postMessage(message));
});
