import { CatalogError, readCatalog } from '../../../../../procedures/import/catalog/catalog.ts';
import type { CatalogRow } from '../../../../../procedures/import/catalog/catalog.ts';
import { countKnown, IMPORT_KINDS } from './columns.ts';
import { readCsv, UnreadableFile } from './csv.ts';
import type { SourceRow } from './csv.ts';
import type { Sheet } from './table.ts';
import type { SheetsMessage } from './worker.ts';

/** Maximum size of a catalog. */
const MAX_CATALOG_BYTES = 16 * 1024 * 1024;
/** Maximum size of a request over tRPC. Larger files go over REST. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Space for the other parameters. */
const RESERVED_BYTES = 4096;
/** Maximum size of a spreadsheet, which has pictures and formats too. */
const MAX_SPREADSHEET_BYTES = 32 * 1024 * 1024;
/** Milliseconds. 10,000 rows take less than one second. */
const TIMEOUT_MS = 60_000;

interface ReadableFile {
  name: string;
  sheets: readonly Sheet[];
  /** Something that the person should check. */
  notice?: string | undefined;
}

/** A catalog of requirements: its rows, which are shown, and the document without blanks, which is sent. */
interface Catalog {
  rows: readonly CatalogRow[];
  content: string;
}

/** A chosen file, or the reason that it cannot be imported. */
export type ChosenFile =
  | ReadableFile
  | { name: string; catalog: Catalog }
  | { name: string; isTooLarge: true }
  | { name: string; error: string };

export const isNdjson = (fileName: string): boolean => /\.(ndjson|jsonl)$/i.test(fileName);

export const isJson = (fileName: string): boolean => /\.json$/i.test(fileName);

/** True if a request can have the rows. */
export const isSendable = (content: string): boolean =>
  new Blob([JSON.stringify(content)]).size <= MAX_BODY_BYTES - RESERVED_BYTES;

const countKnownOfAny = (names: readonly string[]) => Math.max(...IMPORT_KINDS.map((kind) => countKnown(names, kind)));

/** Reads and checks a file. */
export async function readFile(file: File): Promise<ChosenFile> {
  const { name } = file;
  if (file.size === 0) return { name, error: 'The file is empty. Choose another one.' };
  const start = new Uint8Array(await file.slice(0, SIGNATURE_BYTES).arrayBuffer());
  try {
    if (startsWith(start, ZIP)) return { name, sheets: await readSpreadsheet(file) };
    if (startsWith(start, OLD_OFFICE)) throw new UnreadableFile(OLD_FILE);
    if (isBinary(start)) throw new UnreadableFile(NO_TABLE);
    if (file.size > (isJson(name) ? MAX_CATALOG_BYTES : MAX_BODY_BYTES)) return { name, isTooLarge: true };
    const { content, notice } = decode(new Uint8Array(await file.arrayBuffer()));
    if (isJson(name)) return readCatalogFile(name, content);
    if (!isSendable(content)) return { name, isTooLarge: true };
    const rows = isNdjson(name) ? readNdjson(content) : readCsv(content, countKnownOfAny);
    if (rows.length === 0) throw new UnreadableFile('The file has no rows. Choose another one.');
    return { name, sheets: [{ rows }], notice };
  } catch (error) {
    if (error instanceof UnreadableFile) return { name, error: error.message };
    throw error;
  }
}

/** Reads an OSCAL catalog as the service does. @throws UnreadableFile */
function readCatalogFile(name: string, text: string): ChosenFile {
  try {
    const rows = readCatalog(text);
    const content = JSON.stringify(JSON.parse(text));
    return isSendable(content) ? { name, catalog: { rows, content } } : { name, isTooLarge: true };
  } catch (error) {
    if (error instanceof CatalogError)
      throw new UnreadableFile(`The file is not an OSCAL catalog that can be imported. ${error.message}`);
    throw error;
  }
}

const SIGNATURE_BYTES = 1024;
const ZIP = [0x50, 0x4b, 0x03, 0x04];
/** Workbooks of Excel before 2007, and those with a password. */
const OLD_OFFICE = [0xd0, 0xcf, 0x11, 0xe0];
const UTF_16 = [
  { mark: [0xff, 0xfe], charset: 'utf-16le' },
  { mark: [0xfe, 0xff], charset: 'utf-16be' },
];

const NO_TABLE = 'The file is not a spreadsheet. Choose a CSV, XLSX or ODS file.';
const OLD_FILE = 'The file is an old Excel workbook, or it has a password. Save it as XLSX without a password.';

const startsWith = (bytes: Uint8Array, signature: readonly number[]): boolean =>
  signature.every((byte, index) => bytes[index] === byte);

const isBinary = (start: Uint8Array): boolean =>
  start.includes(0) && !UTF_16.some(({ mark }) => startsWith(start, mark));

/** The text of a file: UTF-8 or UTF-16, else what Excel on Windows writes. */
function decode(bytes: Uint8Array): { content: string; notice?: string } {
  const utf16 = UTF_16.find(({ mark }) => startsWith(bytes, mark));
  if (utf16 !== undefined) return { content: new TextDecoder(utf16.charset).decode(bytes) };
  try {
    return { content: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const notice =
      'The file is not in UTF-8, so it was read as Windows-1252. Check that accents and umlauts are right.';
    return { content: new TextDecoder('windows-1252').decode(bytes), notice };
  }
}

/** Reads a file with one JSON object on each line: the keys are the heading. @throws UnreadableFile */
function readNdjson(content: string): SourceRow[] {
  const objects = content.split('\n').flatMap((text, index) => {
    if (text.trim() === '') return [];
    const value = parseObject(text);
    if (value === undefined)
      throw new UnreadableFile(
        `Line ${index + 1} is not a JSON object. Write one object on each line, then choose the file again.`,
      );
    return [{ line: index + 1, value }];
  });
  const keys = [...new Set(objects.flatMap(({ value }) => Object.keys(value)))];
  const rows = objects.map(({ line, value }) => ({ line, cells: keys.map((key) => cellText(value[key])) }));
  return keys.length === 0 ? [] : [{ line: 0, cells: keys }, ...rows];
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Reads the sheets of a spreadsheet in a worker, which may send no request. @throws UnreadableFile */
async function readSpreadsheet(file: File): Promise<Sheet[]> {
  if (file.size > MAX_SPREADSHEET_BYTES)
    throw new UnreadableFile('The spreadsheet is larger than 32 MiB. Split it, or save the sheet as CSV.');
  const worker = new Worker(new URL('worker.ts', import.meta.url), { type: 'module' });
  const { port1: port, port2 } = new MessageChannel();
  const { promise, resolve, reject } = Promise.withResolvers<Sheet[]>();
  const timer = setTimeout(
    () => reject(new UnreadableFile('The spreadsheet takes too long to read. Save the sheet as CSV.')),
    TIMEOUT_MS,
  );
  port.addEventListener('message', ({ data }: MessageEvent<SheetsMessage>) => {
    if ('sheets' in data) resolve(data.sheets);
    else reject(new UnreadableFile(data.error ?? NO_TABLE));
  });
  port.start();
  worker.addEventListener('error', () =>
    reject(new UnreadableFile('This browser cannot read spreadsheets. Use a newer one, or save the sheet as CSV.')),
  );
  worker.postMessage(file, [port2]);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.terminate();
    port.close();
  }
}
