import type { ImportLayout } from '../../../entities/import/import.ts';
import { BOM, FileError, decodeUtf8, readCsvRecord } from './csv.ts';
import { MAX_RECORD_BYTES, atLine } from './records.ts';
import type { StoredFile } from './records.ts';

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
