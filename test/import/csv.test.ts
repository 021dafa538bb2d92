import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromFormulaText, readCsvRecord, toFormulaText, writeCsvRecord } from '../../procedures/import/parsing/csv.ts';
import { readRows } from '../../procedures/import/parsing/file-table.ts';
import type { FileRow } from '../../procedures/import/parsing/file-table.ts';

const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;
/** Text of characters that are special in CSV or in formulas, mixed with other text. */
const specialText = fc
  .array(
    fc.constantFrom(
      "'",
      '"',
      '""',
      '=',
      '+',
      '-',
      '@',
      '\t',
      '\r',
      '\n',
      '\r\n',
      '＝',
      '＠',
      ',',
      ';',
      ' ',
      'ä',
      '😀',
      'a',
      '\u{feff}',
    ),
  )
  .map((parts) => parts.join(''));
const anyText = fc.oneof(specialText, fc.string({ unit: 'binary' }));

/** Reads all rows of a CSV file with a header of the columns `0`, `1`, …, from chunks of this size. */
async function rowsOf(text: string, columns: number, chunkBytes: number): Promise<FileRow[]> {
  const bytes = Buffer.from(text);
  const file = {
    format: 'csv' as const,
    bytes: bytes.length,
    chunkBytes,
    readChunk: async (index: number) => bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  };
  const names = Array.from({ length: columns }, (_, index) => String(index));
  const layout = { delimiter: ',', columns: names, position: 0, line: 1 };
  const rows: FileRow[] = [];
  // Each row is read from the position after the previous one, as if the import continued there.
  for (let from = { position: 0, line: 1 }; ;) {
    const { value, done } = await readRows(file, layout, from).next();
    if (done === true) return rows;
    rows.push(value);
    from = { position: value.end, line: value.endLine };
  }
}

describe('a cell', () => {
  test('never starts a formula, and comes back unchanged', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const cell = toFormulaText(text);
        expect(/^[=+\-@\t\r＝＋－＠]/.test(cell)).toBe(false);
        expect(cell.startsWith("'") && cell !== text).toBe(
          FORMULA.test(text) || (text.startsWith("'") && cell !== text),
        );
        expect(fromFormulaText(cell)).toBe(text);
      }),
      { numRuns: 3000 },
    );
  });

  test.for([',', ';'])('has no part that starts a formula for a reader with another delimiter than %s', (delimiter) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const cell = toFormulaText(text, delimiter);
        const parts = cell.split(delimiter === ';' ? /\r\n|[;,\t\r\n]/ : /\r\n|[;\t\r\n]/);
        expect(parts.filter((part) => /^ *[=+\-@＝＋－＠]/.test(part))).toEqual(
          /^ +[=+\-@＝＋－＠]/.test(cell) ? parts.slice(0, 1) : [],
        );
        expect(fromFormulaText(cell, delimiter)).toBe(text);
      }),
      { numRuns: 3000 },
    );
  });

  test('has an apostrophe behind what may end a cell, also behind spaces, and none in a line break', () => {
    expect(toFormulaText('a; =1\t@x\r\n-2\n\r+3,+4')).toBe("a; '=1\t'@x\r\n'-2\n'\r'+3,+4");
    expect(toFormulaText('a, =1;\r\nb', ';')).toBe("a, '=1;\r\nb");
  });

  test.for([
    ["'=1", '=1'],
    ["''=1", "'=1"],
    ["'text", "'text"],
    ["'", "'"],
    ["''", "''"],
    ["'-5", '-5'],
    ['=1', '=1'],
  ])('%s is read as %s', ([cell = '', text]) => {
    expect(fromFormulaText(cell)).toBe(text);
  });
});

describe('a CSV file', () => {
  test('is read by another parser as it was written', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyText, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (rows) => {
        const text = rows.map((cells) => writeCsvRecord(cells)).join('');
        expect(parse(text, { record_delimiter: '\r\n' })).toEqual(rows);
      }),
    );
  });

  test('is read as it was written, from any chunk and any row', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.array(
            fc.string({ unit: 'grapheme' }).chain((text) => fc.constantFrom(text, `${text}"\r\n,`)),
            { minLength: 2, maxLength: 2 },
          ),
        ),
        fc.integer({ min: 1, max: 40 }),
        async (rows, chunkBytes) => {
          const read = await rowsOf(rows.map((cells) => writeCsvRecord(cells)).join(''), 2, chunkBytes);
          expect(read.map(({ fields }) => [fields?.['0'], fields?.['1']])).toEqual(rows);
        },
      ),
    );
  });

  test('of another program is read as another parser reads it', async () => {
    const cell = fc.oneof(
      fc.stringMatching(/^[a-zä' ;=]*$/),
      fc.stringMatching(/^[a-zä ,;\r\n"]*$/).map((text) => `"${text.replaceAll('"', '""')}"`),
    );
    const file = fc.constantFrom(1, 2).chain((columns) =>
      fc.record({
        columns: fc.constant(columns),
        lines: fc.array(fc.array(cell, { minLength: columns, maxLength: columns }).map((cells) => cells.join(','))),
        end: fc.constantFrom('\n', '\r\n', '\r'),
        ends: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(file, async ({ columns, lines, end, ends }) => {
        const text = lines.join(end) + (ends ? end : '');
        const read = await rowsOf(text, columns, 7);
        expect(read.map(({ fields }) => Object.values(fields ?? {}))).toEqual(
          parse(text, { record_delimiter: end, bom: false, skip_empty_lines: true }),
        );
      }),
    );
  });

  test('has the first line of each row, also after rows with line breaks and empty lines', async () => {
    const text = 'a,1\r\n\r\n"b\nc\rd\r\ne",2\nf,3\rg,4';
    const rows = await rowsOf(text, 2, 5);
    expect(rows.map(({ line, endLine }) => [line, endLine])).toEqual([
      [1, 2],
      [3, 7],
      [7, 8],
      [8, 8],
    ]);
  });

  test('continues after the buffer only if it must', () => {
    const read = (text: string, isLast: boolean) => readCsvRecord(Buffer.from(text), 0, 0x2c, isLast);
    expect(read('a,"b', false)).toBeUndefined();
    expect(read('a,"b"', false)).toBeUndefined();
    expect(read('a,b\r', false)).toBeUndefined();
    expect(read('a,b\n', false)).toMatchObject({ end: 4, lines: 1 });
    expect(read('a,"b"', true)).toMatchObject({ end: 5, lines: 0 });
    expect(() => read('a,"b', true)).toThrow('a quote is not closed');
    expect(() => read('a,"b"c\n', true)).toThrow('expected a delimiter after a closing quote');
  });
});
