import { UnreadableFile } from './table.ts';
import type { FileTable, Mapping } from './table.ts';

/** Objects whose keys are the columns. */
const HEADER_OBJECTS = 100;

/** A line of the file; `fields` is undefined if it has no JSON object. */
interface Line {
  text: string;
  fields: Readonly<Record<string, unknown>> | undefined;
}

/** Reads a file with one JSON object on each line. @throws UnreadableFile */
export function readNdjson(content: string): FileTable {
  const mark = content.startsWith('\u{feff}') ? '\u{feff}' : '';
  const lines = content
    .slice(mark.length)
    .split('\n')
    .map((text): Line => ({ text, fields: parseObject(text) }));
  const rows = lines.filter(({ text }) => text.trim() !== '');
  const columns = [...new Set(rows.slice(0, HEADER_OBJECTS).flatMap(({ fields = {} }) => Object.keys(fields)))];
  if (columns.length === 0)
    throw new UnreadableFile('The file has no JSON objects. Write one on each line, then choose it again.');
  return {
    columns,
    rows: rows.map(({ fields = {} }) => columns.map((name) => cellText(Object.hasOwn(fields, name), fields[name]))),
    write: (mapping) => {
      if (columns.every((name, index) => name === mapping[index])) return content;
      return mark + lines.map((line) => writeLine(line, columns, mapping)).join('\n');
    },
    widthError: () => undefined,
  };
}

function parseObject(text: string): Line['fields'] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function cellText(isPresent: boolean, value: unknown): string {
  if (!isPresent || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Names the fields of an object. Keys that occur in no first object stay, and the server rejects them. */
function writeLine({ text, fields }: Line, columns: readonly string[], mapping: Mapping): string {
  if (fields === undefined) return text;
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    const index = columns.indexOf(name);
    const field = index === -1 ? name : (mapping[index] ?? null);
    return field === null ? [] : [[field, value] as const];
  });
  return JSON.stringify(Object.fromEntries(entries));
}
