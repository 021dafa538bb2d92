import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { readCsv } from '../../app/src/pages/imports/file/csv.ts';
import { importFacts } from '../../procedures/import/facts.ts';
import { KINDS, knownColumns } from '../../procedures/import/kinds.ts';
import { readRows, readLayout } from '../../procedures/import/parsing/file-table.ts';

// The application reads a file, names its columns after fields and leaves columns out. The server must then find the same values
// on the same lines.

vi.stubGlobal('IMPORT_FACTS', importFacts());
const { countKnown, guessMapping, recognize } = await import('../../app/src/pages/imports/file/columns.ts');
const { answerKey, datesOf, guessHeading, selectRows, tableOf, writeTable } =
  await import('../../app/src/pages/imports/file/table.ts');

const countVendor = (names: readonly string[]) => countKnown(names, 'vendor');
const tableOfCsv = (content: string, heading = 0) => tableOf({ rows: readCsv(content, countVendor) }, heading);

/** Rows of a CSV file as the server reads them. */
async function serverRows(content: string, kind: 'vendor' | 'task' = 'vendor') {
  const bytes = Buffer.from(content);
  const file = { format: 'csv', bytes: bytes.length, chunkBytes: bytes.length, readChunk: async () => bytes } as const;
  const known = { ...knownColumns({ kind, framework: null, source: null, mode: 'merge' }), required: [] };
  const layout = await readLayout(file, known);
  const rows = [];
  for await (const { line, fields, error } of readRows(file, layout, layout)) rows.push({ line, fields, error });
  return { rows, isForPeople: layout.isForPeople };
}

const NO_ANSWERS: ReadonlyMap<string, string> = new Map();
const SENT = { kind: 'vendor', framework: undefined, isOnce: false } as const;

const cell = fc.string({ unit: fc.constantFrom('a', 'é', ',', ';', '"', '\n', '\r\n', '\r', ' ', "'"), maxLength: 6 });

const csvFile = fc
  .record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineBreak: fc.constantFrom('\n', '\r\n', '\r'),
    start: fc.constantFrom('', '\u{feff}', 'sep=', '\u{feff}"sep='),
    title: fc.boolean(),
    emptyLines: fc.nat(2),
    hasLastBreak: fc.boolean(),
    rows: fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
  })
  .map(({ delimiter, lineBreak, start, title, emptyLines, hasLastBreak, rows }) => {
    const quote = (text: string) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const separator = start.endsWith('=') ? delimiter + (start.includes('"') ? '"' : '') + lineBreak : '';
    const above = title ? [['Our register', '', '']] : [];
    const records = [...above, ['Vendor', 'Notes', 'State'], ...rows].map((cells) => cells.map(quote).join(delimiter));
    const body = records.join(lineBreak.repeat(emptyLines + 1)) + (hasLastBreak ? lineBreak : '');
    return { content: start + separator + body, rows };
  });

describe('a CSV file whose columns are named', () => {
  test('has the same values on the same lines', async () => {
    const property = fc.asyncProperty(
      csvFile,
      fc.subarray([0, 1, 2], { minLength: 1 }),
      async ({ content, rows }, kept) => {
        const source = readCsv(content, countVendor);
        const table = tableOf({ rows: source }, guessHeading({ rows: source }));
        expect(table.headings).toEqual(['Vendor', 'Notes', 'State']);
        const filled = rows.filter((cells) => cells.some((text) => text.trim() !== ''));
        expect(table.rows.map(({ cells }) => cells)).toEqual(filled);
        const fields = ['name', 'description', 'status'];
        const mapping = fields.map((field, index) => (kept.includes(index) ? field : null));
        const { rows: written } = await serverRows(writeTable(table, { ...SENT, mapping }, NO_ANSWERS));
        expect(written).toEqual(
          table.rows.map(({ line, cells }) => ({
            line,
            fields: Object.fromEntries(kept.map((index) => [fields[index], cells[index]])),
            error: undefined,
          })),
        );
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test('keeps the headings of the application, so that an unchanged export changes nothing', async () => {
    const content = writeTable(
      tableOfCsv('Name,owner,Id\nA,Bo,x\n'),
      { ...SENT, mapping: ['name', null, 'uniqueId'] },
      NO_ANSWERS,
    );
    expect(content).toBe('Name,Id\r\nA,x\r\n');
    expect((await serverRows(content)).isForPeople).toBe(true);
  });

  test('keeps rows with more cells than the heading rejected, and fills the others', async () => {
    const table = tableOfCsv('Vendor,Notes\nA\nB,x\nC,"y\nz",1\nD,x,\n');
    const { rows } = await serverRows(writeTable(table, { ...SENT, mapping: ['name', 'description'] }, NO_ANSWERS));
    expect(rows.map(({ line, fields }) => [line, fields])).toEqual([
      [2, { name: 'A', description: '' }],
      [3, { name: 'B', description: 'x' }],
      [4, undefined],
      [6, { name: 'D', description: 'x' }],
    ]);
  });

  test('keeps a row with one empty cell', async () => {
    const content = writeTable(tableOfCsv('Vendor,Notes\n,x\nB,y\n'), { ...SENT, mapping: ['name', null] }, NO_ANSWERS);
    expect((await serverRows(content)).rows.map(({ fields }) => fields)).toEqual([{ name: '' }, { name: 'B' }]);
  });

  test('that cannot be read names the line', () => {
    expect(() => tableOfCsv('name\n"A\nB"\n"C\n')).toThrow('Line 4 cannot be read: a quote is not closed.');
    expect(() => tableOfCsv('name\n"A"B\n')).toThrow('Line 2 cannot be read: text follows a closing quote.');
  });

  test('has the answers to its values, also in lists', () => {
    const table = tableOfCsv('Vendor,Owner,Labels\nA, Bo ,"eu, usa"\nB,Cy,us\nC,Bo,eu\n');
    const answers = new Map([
      [answerKey('ownerId', 'Bo'), 'bo@example.com'],
      [answerKey('labels', 'usa'), 'us'],
    ]);
    const content = writeTable(table, { ...SENT, mapping: ['name', 'ownerId', 'labels'] }, answers);
    expect(content.split('\r\n').slice(1)).toEqual([
      'A,bo@example.com,"[""eu"",""us""]"',
      'B,Cy,us',
      'C,bo@example.com,eu',
      '',
    ]);
  });

  test('has only the tasks of the framework, on their lines', async () => {
    const table = tableOfCsv('Title,Framework\nA,ISO 27001\nB,SOC 2\nC,iso 27001\n');
    const sent = { ...SENT, kind: 'task', mapping: ['title', 'framework'], framework: ['ISO 27001', '1', ''] } as const;
    const { rows } = await serverRows(writeTable(table, sent, NO_ANSWERS), 'task');
    expect(rows.map(({ line, fields }) => [line, fields])).toEqual([
      [2, { title: 'A' }],
      [4, { title: 'C' }],
    ]);
  });

  test('has the row of a name once, if the others are skipped', async () => {
    const table = tableOfCsv('Name,Notes\nA,1\n a ,2\n,3\n,4\nB,5\n');
    const selection = { ...SENT, mapping: ['name', 'description'], isOnce: true };
    expect(selectRows(table, selection).doubles.map(({ line }) => line)).toEqual([3]);
    const { rows } = await serverRows(writeTable(table, selection, NO_ANSWERS));
    expect(rows.map(({ line }) => line)).toEqual([2, 4, 5, 6]);
  });

  test.each([
    ['31.12.2026', ['dmy']],
    ['1/2/2026', ['dmy', 'mdy']],
    ['12/31/2026', ['mdy']],
    ['2026-12-31', []],
  ])('says in which forms its dates may be written: %s', (date, forms) => {
    const table = tableOfCsv(`Vendor,Contract end\nA,${date}\n`);
    expect(datesOf('vendor', table, ['name', 'contractEnd'])).toEqual(forms);
  });
});

describe('the field of a column', () => {
  test.each([
    ['Due_Date', 'dueDate'],
    ['Deadline', 'dueDate'],
    ['  due ', 'dueDate'],
    ['ID', 'externalId'],
    ['Key', 'externalId'],
    ['Title', 'title'],
    ['Désçription', 'description'],
    ['Assignee', 'assigneeId'],
    ['Owner', null],
    ['', null],
  ])('is guessed from its name: %j', (name, field) => {
    expect(guessMapping([name], 'task')).toEqual([field]);
  });

  test('is the one with exactly its name before another name, and each field has one column', () => {
    expect(guessMapping(['Vendor', 'Name', 'ID', 'Key', 'External ID'], 'vendor')).toEqual([
      null,
      'name',
      null,
      null,
      'externalId',
    ]);
    expect(guessMapping(['Vendor', 'Supplier'], 'vendor')).toEqual(['name', null]);
  });

  test('is the id of this service if the values are', () => {
    const ids = ['019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071'];
    expect(guessMapping(['Name', 'Id'], 'vendor', (index) => (index === 1 ? ids : []))).toEqual(['name', 'uniqueId']);
  });

  test('is known to the server by its heading', () => {
    const { kinds } = importFacts();
    for (const kind of ['vendor', 'task'] as const)
      for (const { name, heading } of kinds[kind].columns) {
        const { headings, imported } = knownColumns({ kind, framework: null, source: null, mode: 'merge' });
        expect(imported.includes(heading) ? heading : headings.get(heading.toLowerCase())).toBe(name);
        expect(KINDS[kind].required).toBe(kinds[kind].required);
      }
  });
});

test.each([
  [['Title', 'Due date'], 'task'],
  [['Name', 'Website'], 'vendor'],
  [['Ref', 'Title', 'Text'], 'requirement'],
  [['Supplier', 'Owner', 'Criticality'], 'vendor'],
  [['Who', 'Where'], undefined],
])('what rows are is recognized by their headings: %j', (headings, kind) => {
  expect(recognize(headings)).toBe(kind);
});
