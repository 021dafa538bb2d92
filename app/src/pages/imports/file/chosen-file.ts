import { readCsv } from './csv-table.ts';
import { readNdjson } from './ndjson-table.ts';
import { UnreadableFile } from './table.ts';
import type { FileTable } from './table.ts';

/** Maximum size of a request over tRPC. Larger files go over REST. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Space for the other parameters. */
const RESERVED_BYTES = 4096;

type Format = 'csv' | 'ndjson';

/** A file that can be imported. */
interface ReadableFile {
  name: string;
  format: Format;
  table: FileTable;
}

/** A chosen file, or the reason that it cannot be imported. */
export type ChosenFile = ReadableFile | { name: string; isTooLarge: true } | { name: string; error: string };

export const formatOf = (fileName: string): Format => (/\.(ndjson|jsonl)$/i.test(fileName) ? 'ndjson' : 'csv');

/**
 * Reads and checks a file.
 * @param isKnown returns true for the name of a column that has a field
 */
export async function readFile(file: File, isKnown: (name: string) => boolean): Promise<ChosenFile> {
  const { name } = file;
  if (file.size === 0) return { name, error: 'The file is empty. Choose another one.' };
  if (file.size > MAX_BODY_BYTES) return { name, isTooLarge: true };
  const content = decode(await file.arrayBuffer());
  if (content === undefined) return { name, error: 'The file is not UTF-8. Save it as “CSV UTF-8”.' };
  const bodyBytes = new Blob([JSON.stringify(content)]).size;
  if (bodyBytes > MAX_BODY_BYTES - RESERVED_BYTES) return { name, isTooLarge: true };
  const format = formatOf(name);
  try {
    return { name, format, table: format === 'csv' ? readCsv(content, isKnown) : readNdjson(content) };
  } catch (error) {
    if (error instanceof UnreadableFile) return { name, error: error.message };
    throw error;
  }
}

function decode(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
