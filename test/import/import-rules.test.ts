import { describe, expect } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import {
  NDJSON_HEADERS,
  VENDORS,
  importFile,
  readImport,
  runImports,
  tasksOf,
  upload,
} from '../support/tenants/imports.ts';

const acme = await createCompany();

const vendorsNamed = async (company: TestCompany) => (await company.vendor.list()).map(({ name }) => name);
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('a file that cannot be read makes a failed import', () => {
  test.for<[name: string, file: string | Buffer, reason: string]>([
    ['without a header', '', 'line 1: expected a header row'],
    ['with an empty header', '\r\nA\r\n', 'line 1: expected a header row'],
    ['without a required column', 'description\r\nx\r\n', 'line 1: column name: required'],
    ['with an unknown column', 'name,colour\r\nA,red\r\n', 'line 1: unknown column "colour"; known: name, '],
    ['with a duplicate column', 'name,status,name\r\nA,active,B\r\n', 'line 1: column name: expected only once'],
    ['with an unclosed quote', 'name\r\nA\r\n"B\r\nC\r\n', 'line 3: a quote is not closed'],
    ['with text after a quote', 'name\r\nA\r\n"B"C\r\n', 'line 3: expected a delimiter after a closing quote'],
    ['in Latin-1', latin1('name,description\r\nA,x\r\nB\xe4r,x\r\n'), 'line 3: column name: invalid UTF-8'],
    ['with a header in Latin-1', latin1('name,\xe4\r\nA,x\r\n'), 'line 1: invalid UTF-8'],
    ['in UTF-16', Buffer.from('\u{feff}name\r\nA\r\n', 'utf16le'), 'line 1: invalid UTF-8'],
    [
      'with a row without end',
      `name,description\r\nA,"${'x'.repeat(2_000_000)}`,
      'line 2: a record is longer than 1048576 bytes',
    ],
  ])('%s', async ([, file, reason], { company }) => {
    const item = await importFile(company, `${VENDORS}/import`, file);
    expect(item).toMatchObject({ state: 'failed', created: 0, failed: 0, errors: [] });
    expect(item.reason).toContain(reason);
    expect(await vendorsNamed(company)).toEqual([]);
    expect((await company.events()).filter(({ action }) => action === 'vendor.create')).toEqual([]);
  });

  test('NDJSON that is not UTF-8', async () => {
    const file = Buffer.concat([Buffer.from('{"name":"A"}\n'), latin1('{"name":"\xe4"}\n')]);
    const accepted = await importNdjson(file);
    expect(accepted).toMatchObject({ state: 'failed', created: 0, reason: 'line 2: invalid UTF-8' });
  });

  test('with more rows than allowed', async ({ company }) => {
    const item = await importFile(company, `${VENDORS}/import`, `name\n${'A\n'.repeat(100_001)}`);
    expect(item).toMatchObject({ state: 'failed', created: 0, reason: 'line 100002: expected at most 100000 rows' });
  });
});

/** Imports NDJSON bytes. */
async function importNdjson(file: Buffer) {
  const accepted = await upload(acme.key, `${VENDORS}/import`, file, NDJSON_HEADERS);
  await runImports(acme);
  return readImport(acme.key, accepted);
}

describe('the start of a file', () => {
  test.for<[name: string, file: string]>([
    ['a byte order mark', '\u{feff}name,active\r\nA,false\r\n'],
    ['semicolons', 'name;active\nA;false\n'],
    ['a sep= line', 'sep=;\r\nname;active\r\nA;false\r\n'],
    ['a byte order mark and a sep= line', '\u{feff}sep=\t\r\nname\tactive\r\nA\tFALSE'],
    ['read-only columns', 'uniqueId,version,createdBy,name,active\rx,y,z,A,false\r'],
    ['quotes', '"name","active"\r\n"A","false"\r\n'],
    ['empty lines', 'name,active\r\n\r\nA,false\r\n\r\n'],
  ])('may have %s', async ([, file], { company }) => {
    expect(await importFile(company, `${VENDORS}/import`, file)).toMatchObject({ state: 'done', rows: 1, created: 1 });
    expect(await company.vendor.list()).toEqual([expect.objectContaining({ name: 'A', status: 'inactive' })]);
  });

  test('decides the delimiter, not the rows', async ({ company }) => {
    await importFile(company, `${VENDORS}/import`, 'name;description\nA,B;x,y,z\n');
    expect(await vendorsNamed(company)).toEqual(['A,B']);
  });

  test('without rows makes an import without rows', async () => {
    expect(await importFile(acme, `${VENDORS}/import`, 'name\r\n')).toMatchObject({ state: 'done', rows: 0 });
    expect(await importFile(acme, `${VENDORS}/import`, [])).toMatchObject({ state: 'done', rows: 0 });
  });
});

describe('a bad row', () => {
  test('is reported with its row, line and field, and the others are applied', async ({ company }) => {
    const file = [
      'sep=,\r\nname,description,active,status\r\n',
      'Two,"Two\r\nlines",,\r\n',
      ',no name,,\r\n',
      'A,,maybe,\r\n',
      'B,,true,archived\r\n',
      'C,,,\r\n',
      'too,many,,,cells\r\n',
      'D,,,unknown\r\n',
    ].join('');
    const item = await importFile(company, `${VENDORS}/import`, file);
    expect(item).toMatchObject({ state: 'done', rows: 7, created: 2, failed: 5, reason: null });
    expect(item.errors).toEqual([
      { row: 2, line: 5, field: 'name', value: null, error: 'name: required' },
      { row: 3, line: 6, field: 'active', value: 'maybe', error: 'active: expected true or false; found "maybe"' },
      { row: 4, line: 7, field: 'active', value: 'true', error: 'active: contradicts status archived; found "true"' },
      { row: 6, line: 9, field: null, value: null, error: 'expected 4 cells, as in the header; found 5' },
      {
        row: 7,
        line: 10,
        field: 'status',
        value: 'unknown',
        error: 'status: expected one of active, inactive, archived; found "unknown"',
      },
    ]);
    expect(await vendorsNamed(company)).toEqual(['C', 'Two']);
  });

  test('counts rows whose cells are all empty, which it ignores, and no empty lines', async ({ company }) => {
    const item = await importFile(company, `${VENDORS}/import`, 'name\r\n\r\nA\r\n""\r\n\r\nB\r\n""\r\n,,\r\na,b\r\n');
    expect(item).toMatchObject({ state: 'done', rows: 3, created: 2, failed: 1 });
    const error = 'expected 1 cells, as in the header; found 2';
    expect(item.errors).toEqual([{ row: 6, line: 9, field: null, value: null, error }]);
    expect(await vendorsNamed(company)).toEqual(['A', 'B']);
  });

  test('of NDJSON may be a malformed line, no object, or have unknown fields', async () => {
    const lines = [
      '{"name":"A"}',
      '{"name":',
      '[]',
      'null',
      '',
      '{"name":"B","colour":"red"}',
      '{"name":1}',
      '{"name":"A\\u0000"}',
      `{"name":"C","${'x'.repeat(99)}😀":1}`,
      `{"name":"C","${acme.key} \\u0000":1}`,
      '{"name":"C","":1}',
    ];
    const item = await importNdjson(Buffer.from(lines.join('\n')));
    expect(item).toMatchObject({ state: 'done', rows: 10, created: 1, failed: 9 });
    expect(item.errors.map(({ row, line, field }) => [row, line, field])).toEqual([
      [2, 2, null],
      [3, 3, null],
      [4, 4, null],
      [5, 6, 'colour'],
      [6, 7, 'name'],
      [7, 8, 'name'],
      [8, 9, `${'x'.repeat(99)} `],
      [9, 10, 'svc_sk_live_[redacted]  '],
      [10, 11, null],
    ]);
    expect(item.errors[3]?.error).toBe('colour: unknown field; found "red"');
    expect(item.errors[0]?.error).toBe('expected a JSON object on one line; found "{"name":"');
  });

  test('of tasks follows the rules of tasks, in order', async ({ company, other }) => {
    const { framework, gap, department } = company;
    const item = await importFile(company, `${tasksOf(company)}/import`, [
      { title: 'A', gaps: [gap], departmentId: department, status: 'done', labels: ['x', 'X'] },
      { title: 'B', gaps: [other.gap + 1000] },
      { title: 'C', departmentId: other.department },
      { title: 'D', startDate: '2026-02-01', dueDate: '2026-01-01' },
      { title: 'E', dueDate: '2026-02-30' },
      { title: 'F', priority: '3' },
      { title: 'G', priority: 9 },
      { title: 'H', framework: 12, uniqueId: 'x', version: 'y', createdBy: null },
    ]);
    expect(item).toMatchObject({ state: 'done', rows: 8, created: 2, failed: 6 });
    expect(item.errors.map(({ row, field }) => [row, field])).toEqual([
      [2, 'gaps'],
      [3, 'departmentId'],
      [4, 'dueDate'],
      [5, 'dueDate'],
      [6, 'priority'],
      [7, 'priority'],
    ]);
    const { items } = await company.task.list({ framework, limit: 10 });
    expect(items).toMatchObject([
      { title: 'H', framework },
      { title: 'A', status: 'done', labels: ['x'], gaps: [gap], departmentId: department },
    ]);
  });

  test('does not affect the others of its transaction, also for a framework that is archived', async ({ company }) => {
    const { id } = await company.manage.framework.create({ name: 'Old' });
    await company.manage.framework.archive({ id });
    const item = await importFile(company, `/external/task/framework/${id}/import`, [{ title: 'A' }, { title: '' }]);
    expect(item.errors).toEqual([
      { row: 1, line: 1, field: null, value: null, error: 'framework: is archived' },
      { row: 2, line: 2, field: 'title', value: null, error: 'title: expected text of 1 to 255 characters' },
    ]);
  });
});

describe('with a source and the column externalId', () => {
  const read = (externalId: string) => acme.vendor.getByExternalId({ source: 'erp', externalId });

  test('a row creates, updates or leaves the item unchanged', async () => {
    const path = `${VENDORS}/import?source=erp`;
    const rows = 'externalId,name,status\r\n1,One,active\r\n2,Two,archived\r\n';
    expect(await importFile(acme, path, rows)).toMatchObject({ created: 2, updated: 0, unchanged: 0, failed: 0 });
    const { uniqueId } = await read('2');
    const changed = rows.replace('Two', 'Zwei');
    expect(await importFile(acme, path, changed)).toMatchObject({ created: 0, updated: 1, unchanged: 1, failed: 0 });
    expect(await read('2')).toMatchObject({ uniqueId, name: 'Zwei', status: 'archived', version: 2 });
    expect(await importFile(acme, path, changed)).toMatchObject({ unchanged: 2 });
    expect(await acme.events(uniqueId)).toHaveLength(2);
  });

  test('an empty cell and a missing column change nothing, and mean the default with replace', async () => {
    const path = `${VENDORS}/import?source=erp`;
    const put = () =>
      acme.vendor.putByExternalId({
        source: 'erp',
        externalId: '3',
        name: 'Three',
        description: 'x',
        status: 'archived',
      });
    await put();
    await importFile(acme, path, 'externalId,name,description,status\r\n3,Drei,,\r\n');
    expect(await read('3')).toMatchObject({ name: 'Drei', description: 'x', status: 'archived' });
    await importFile(acme, path, 'externalId,description\r\n3,y\r\n');
    expect(await read('3')).toMatchObject({ name: 'Drei', description: 'y' });
    await put();
    await importFile(acme, `${path}&mode=replace`, 'externalId,name,description,status\r\n3,Drei,,\r\n');
    expect(await read('3')).toMatchObject({ name: 'Drei', description: '', status: 'active' });
  });

  test('a row with the external id of a deleted item, or without a name for a new item, is an error', async () => {
    const { item } = await acme.vendor.putByExternalId({ source: 'erp', externalId: 'gone', name: 'Gone' });
    await acme.vendor.delete({ vendor: item.uniqueId });
    const file = 'externalId,name\r\ngone,Again\r\nnew,\r\n';
    const result = await importFile(acme, `${VENDORS}/import?source=erp`, file);
    expect(result).toMatchObject({ created: 0, failed: 2 });
    expect(result.errors.map(({ field, error }) => [field, error])).toEqual([
      ['externalId', expect.stringContaining('reserved for a deleted vendor')],
      ['name', 'name: required'],
    ]);
  });

  test('a row without an external id changes the vendor with its uniqueId, and creates one if there is none', async ({
    company,
  }) => {
    const other = await createCompany();
    const [foreign, own] = [
      await other.vendor.create({ name: 'Foreign' }),
      await company.vendor.create({ name: 'Own' }),
    ];
    const { item: linked } = await company.vendor.putByExternalId({ source: 'erp', externalId: '1', name: 'One' });
    const rows = [
      `${own.uniqueId},,Renamed`,
      `${own.uniqueId},,Renamed again`,
      `${own.uniqueId},1,The external id decides`,
      `${foreign.uniqueId},,New`,
      ',,Newer',
      'V-1,,Newest',
    ];
    const file = `uniqueId,externalId,name\r\n${rows.join('\r\n')}`;
    expect(await importFile(company, `${VENDORS}/import?source=erp`, file)).toMatchObject({
      created: 3,
      updated: 3,
      failed: 0,
    });
    expect(await company.vendor.get({ vendor: own.uniqueId })).toMatchObject({ name: 'Renamed again', version: 3 });
    expect(await company.vendor.get({ vendor: linked.uniqueId })).toMatchObject({ name: 'The external id decides' });
    expect(await other.vendor.list()).toMatchObject([{ name: 'Foreign' }]);
    expect(await importFile(company, `${VENDORS}/import`, file)).toMatchObject({ created: 6 });
  });

  test('a row without an external id changes no task of another framework', async ({ company }) => {
    const { id } = await company.manage.framework.create({ name: 'Other' });
    const { uniqueId } = await company.newTask({ title: 'Own' });
    const rows = [{ uniqueId, externalId: null, title: 'Copied', priority: 1 }];
    const importInto = (framework: number) =>
      importFile(company, `/external/task/framework/${framework}/import?source=erp`, rows);
    expect(await importInto(id)).toMatchObject({ created: 1, updated: 0 });
    expect(await importInto(company.framework)).toMatchObject({ created: 0, updated: 1 });
    expect(await company.task.get({ taskUniqueId: uniqueId })).toMatchObject({ title: 'Copied', priority: 1 });
  });

  test('a file without the column, or without a source, creates items', async ({ company }) => {
    expect(await importFile(company, `${VENDORS}/import?source=erp`, 'name\r\nA\r\n')).toMatchObject({ created: 1 });
    expect(await importFile(company, `${VENDORS}/import`, 'name,externalId\r\nA,1\r\n')).toMatchObject({ created: 1 });
    expect((await company.vendor.list()).length).toBe(2);
  });

  test('a closed task cannot change to another closed status', async () => {
    const path = `${tasksOf(acme)}/import?source=erp`;
    await importFile(acme, path, [{ externalId: 'T', title: 'A', status: 'done' }]);
    const item = await importFile(acme, path, [{ externalId: 'T', title: 'B', status: 'canceled' }]);
    expect(item.errors).toEqual([
      {
        row: 1,
        line: 1,
        field: 'status',
        value: 'canceled',
        error: expect.stringContaining('done cannot become canceled'),
      },
    ]);
    expect(
      await acme.task.getByExternalId({ framework: acme.framework, source: 'erp', externalId: 'T' }),
    ).toMatchObject({
      title: 'A',
      version: 1,
    });
  });
});

describe('strict and dryRun', () => {
  const file = 'externalId,name\r\n1,A\r\n2,B\r\n3,\r\n';

  test('strict rejects the whole file for one bad row', async ({ company }) => {
    const item = await importFile(company, `${VENDORS}/import?source=erp&strict=true`, file);
    expect(item).toMatchObject({
      state: 'failed',
      reason: 'strict: nothing was written, because 1 of 3 rows have an error',
      rows: 3,
      created: 0,
      failed: 1,
      errors: [{ row: 3, line: 4, field: 'name', error: 'name: required' }],
    });
    expect(await vendorsNamed(company)).toEqual([]);
    const good = file.replace('3,', '3,C');
    expect(await importFile(company, `${VENDORS}/import?source=erp&strict=true`, good)).toMatchObject({
      state: 'done',
      created: 3,
    });
  });

  test('a dry run counts and writes nothing', async ({ company }) => {
    await company.vendor.putByExternalId({ source: 'erp', externalId: '2', name: 'B' });
    const events = await company.events();
    const item = await importFile(company, `${VENDORS}/import?source=erp&dryRun=true`, file);
    expect(item).toMatchObject({ state: 'done', rows: 3, created: 1, updated: 0, unchanged: 1, failed: 1 });
    expect(await company.events()).toEqual(events);
    expect(await vendorsNamed(company)).toEqual(['B']);
  });
});
