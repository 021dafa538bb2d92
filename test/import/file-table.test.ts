import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../../app/src/pages/imports/file/csv-table.ts';
import { guessMapping } from '../../app/src/pages/imports/file/guess.ts';
import { readNdjson } from '../../app/src/pages/imports/file/ndjson-table.ts';
import { readRows, readLayout } from '../../procedures/import/parsing/file-table.ts';

// The application reads a file, names its columns after fields and leaves columns out. The server must then find the same values
// on the same lines.

const FIELDS = ['name', 'description', 'active', 'status', 'externalId'];

const isKnown = (name: string) => guessMapping([name], FIELDS)[0] !== null;

/** Rows of a CSV file as the server reads them, with a layout of these columns. */
async function serverRows(content: string, columns: readonly string[]) {
  const bytes = Buffer.from(content);
  const file = { format: 'csv', bytes: bytes.length, chunkBytes: bytes.length, readChunk: async () => bytes } as const;
  const layout = await readLayout(file, {
    imported: columns,
    readOnly: [],
    headings: new Map(),
    required: [],
    isOptionalWithId: false,
  });
  const rows = [];
  for await (const { line, fields, error } of readRows(file, layout, layout)) rows.push({ line, fields, error });
  return rows;
}

const cell = fc.string({ unit: fc.constantFrom('a', 'é', ',', ';', '"', '\n', '\r\n', '\r', ' ', "'"), maxLength: 6 });

const csvFile = fc
  .record({
    delimiter: fc.constantFrom(',', ';'),
    lineBreak: fc.constantFrom('\n', '\r\n', '\r'),
    start: fc.constantFrom('', '\u{feff}', 'sep=', '\u{feff}"sep='),
    emptyLines: fc.nat(2),
    hasLastBreak: fc.boolean(),
    rows: fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
  })
  .map(({ delimiter, lineBreak, start, emptyLines, hasLastBreak, rows }) => {
    const quote = (text: string) => (/[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const separator = start.endsWith('=') ? delimiter + (start.includes('"') ? '"' : '') + lineBreak : '';
    const records = [['Vendor', 'Notes', 'State'], ...rows].map((cells) => cells.map(quote).join(delimiter));
    const body = records.join(lineBreak.repeat(emptyLines + 1)) + (hasLastBreak ? lineBreak : '');
    return { content: start + separator + body, rows };
  });

describe('a CSV file whose columns are named', () => {
  test('has the same values on the same lines', async () => {
    const property = fc.asyncProperty(
      csvFile,
      fc.subarray([0, 1, 2], { minLength: 1 }),
      async ({ content, rows }, kept) => {
        const table = readCsv(content, isKnown);
        expect(table.columns).toEqual(['Vendor', 'Notes', 'State']);
        expect(table.rows).toEqual(rows);
        const mapping = ['name', 'description', 'status'].map((field, index) => (kept.includes(index) ? field : null));
        const written = await serverRows(table.write(mapping), FIELDS);
        const original = await serverRows(content, ['Vendor', 'Notes', 'State']);
        expect(written).toEqual(
          original.map(({ line, fields = {}, error }) => {
            const named = [fields['Vendor'], fields['Notes'], fields['State']].map((value, index) => [
              mapping[index],
              value,
            ]);
            return { line, fields: Object.fromEntries(named.filter(([field]) => field !== null)), error };
          }),
        );
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test('is sent as it is if every column has the name of its field', () => {
    const content = '\u{feff}sep=;\r\nname;status\r\n\r\n"A";active\r\n';
    expect(readCsv(content, isKnown).write(['name', 'status'])).toBe(content);
  });

  test('keeps rows with another number of cells rejected, and says what the file has', async () => {
    const table = readCsv('Vendor,Notes\nA\nB,x\nC,"y\nz",1\nD,x\n', isKnown);
    const rows = await serverRows(table.write(['name', null]), FIELDS);
    expect(rows.map(({ line, fields }) => [line, fields])).toEqual([
      [2, undefined],
      [3, { name: 'B' }],
      [4, undefined],
      [6, { name: 'D' }],
    ]);
    expect([1, 2, 3].map(table.widthError)).toEqual([
      'expected 2 cells, as in the header; found 1',
      undefined,
      'expected 2 cells, as in the header; found 3',
    ]);
  });

  test('keeps a row with one empty cell', async () => {
    const rows = await serverRows(readCsv('Vendor,Notes\n,x\nB,y\n', isKnown).write(['name', null]), FIELDS);
    expect(rows.map(({ fields }) => fields)).toEqual([{ name: '' }, { name: 'B' }]);
  });

  test('that cannot be read names the line', () => {
    expect(() => readCsv('name\n"A\nB"\n"C\n', isKnown)).toThrow('Line 4 cannot be read: a quote is not closed.');
    expect(() => readCsv('name\n"A"B\n', isKnown)).toThrow('Line 2 cannot be read: text follows a closing quote.');
    expect(() => readCsv('\nname\n', isKnown)).toThrow('The file has no header row.');
  });
});

describe('an NDJSON file whose keys are named', () => {
  test('has its objects on the same lines, and keeps lines that the server rejects', () => {
    const table = readNdjson('{"Vendor":"A","Notes":1}\r\n\r\nbroken\n{"Vendor":null,"Other":{"x":[1]}}\n');
    expect([table.columns, table.rows]).toEqual([
      ['Vendor', 'Notes', 'Other'],
      [
        ['A', '1', ''],
        ['', '', ''],
        ['', '', '{"x":[1]}'],
      ],
    ]);
    expect(table.write(['name', null, null])).toBe('{"name":"A"}\n\r\nbroken\n{"name":null}\n');
  });

  test('is sent as it is if every key is the name of its field', () => {
    const content = '{"name":"A", "status":"active"}\n';
    expect(readNdjson(content).write(['name', 'status'])).toBe(content);
  });

  test('without objects cannot be read', () => {
    expect(() => readNdjson('[1]\n')).toThrow('The file has no JSON objects.');
  });
});

describe('the field of a column', () => {
  const TASK = ['title', 'description', 'startDate', 'dueDate', 'status', 'externalId'];

  test.each([
    ['Due_Date', 'dueDate'],
    ['Deadline', 'dueDate'],
    ['  due ', 'dueDate'],
    ['ID', 'externalId'],
    ['Key', 'externalId'],
    ['Title', 'title'],
    ['Désçription', 'description'],
    ['Owner', null],
    ['', null],
  ])('is guessed from its name: %j', (name, field) => {
    expect(guessMapping([name], TASK)).toEqual([field]);
  });

  test('is the one with exactly its name before another name, and each field has one column', () => {
    expect(guessMapping(['Vendor', 'Name', 'ID', 'Key', 'External ID'], FIELDS)).toEqual([
      null,
      'name',
      null,
      null,
      'externalId',
    ]);
    expect(guessMapping(['Vendor', 'Supplier'], FIELDS)).toEqual(['name', null]);
  });
});
