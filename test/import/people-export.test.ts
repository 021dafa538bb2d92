import { parse } from 'csv-parse/sync';
import { array, constant, constantFrom, integer, option, record, sample, subarray } from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { VENDORS, download, importFile, tasksOf } from '../support/tenants/imports.ts';
import { createMember } from '../support/tenants/member.ts';

let acme: TestCompany;
let vendors: string[];
let gaps: number[];
let members: string[];

beforeAll(async () => {
  acme = await createCompany();
  const named = ['Cloud', 'Comma, Inc.', 'Semi; Ltd', '=1+1', 'Same', 'Same', '["x"]'];
  vendors = await Promise.all(named.map(async (name) => (await acme.vendor.create({ name })).uniqueId));
  const titles = ['Logs', 'Logs, alerts', '7'];
  gaps = await Promise.all(
    titles.map(async (title) => (await acme.manage.gap.create({ framework: acme.framework, title })).id),
  );
  members = await Promise.all(
    ['Ann', 'Twin', 'Twin'].map(async (name) => (await createMember(acme, { role: 'editor', name })).uniqueId),
  );
});

const people = (list: string, query = '') => download(acme.key, `${list}?format=people${query}`, 'text/csv');
const recordsIn = (text: string, delimiter = ','): Record<string, string>[] =>
  parse(text, { bom: true, columns: true, delimiter, record_delimiter: '\r\n' });

/** Cells of a CSV file, and what they are for a reader with another delimiter. */
const partsIn = (text: string, delimiter: string): string[] =>
  parse(text, { bom: true, delimiter, record_delimiter: '\r\n' })
    .flat()
    .flatMap((cell: string) => cell.split(delimiter === ';' ? /\r\n|[;,\t\r\n]/ : /\r\n|[;\t\r\n]/));

const dangerous = array(
  constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '\r\n', ';', ',', ' ', "'", '"', 'a', '<', '&', '＝', 'é'),
  {
    minLength: 1,
    maxLength: 12,
  },
).map((parts) => parts.join(''));
const name = dangerous.map((text) => `${text.replaceAll(/[\t\r\n]/g, ' ')}x`);
const label = dangerous.map((text) => `${text}l`);
const optional = <Value>(value: Arbitrary<Value>) => option(value, { nil: undefined });

describe('an export for people', () => {
  test('has headings and words of the application, and the Id last', async () => {
    await acme.vendor.putByExternalId({
      source: 'erp',
      externalId: 'V-1',
      name: 'Words Ltd',
      criticality: 1,
      description: '<p>One</p><p>Two &lt; 3</p>',
      ownerId: members[0] ?? '',
      labels: ['a', 'b'],
      dataCategories: ['a,b'],
      contacts: [{ name: 'Ada', email: 'ada@x.example', role: 'Sales' }, { name: 'Bob' }],
      reviewEveryMonths: 12,
    });
    const { text } = await people(`${VENDORS}/list`, '&q=words&source=erp');
    const [written] = recordsIn(text);
    expect(written).toMatchObject({
      Name: 'Words Ltd',
      Status: 'Active',
      Criticality: 'Critical',
      Description: 'One\nTwo < 3',
      Owner: 'Ann',
      Labels: 'a, b',
      'Data categories': '["a,b"]',
      Contacts: 'Ada <ada@x.example> (Sales); Bob',
      'Months between reviews': '12',
      'External id': 'V-1',
    });
    expect(Object.keys(written ?? {}).slice(-2)).toEqual(['External id', 'Id']);
    const task = await acme.newTask({
      title: 'Words',
      priority: 2,
      gaps: gaps.slice(0, 2),
      vendors: vendors.slice(0, 2),
      departmentId: acme.department,
      assigneeId: members[1] ?? '',
      dueDate: '2026-12-31',
      recurrence: 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1',
    });
    const listed = await people(`${tasksOf(acme)}/list`, '&delimiter=semicolon');
    expect(recordsIn(listed.text, ';')).toEqual([
      {
        Title: 'Words',
        Framework: 'ISO 27001',
        Description: '',
        Priority: 'High',
        Labels: '',
        'Start date': '',
        'Due date': '2026-12-31',
        Department: 'Security',
        Gaps: 'Logs; Logs, alerts',
        Status: 'Todo',
        Assignee: 'Twin',
        Vendors: 'Cloud; Comma, Inc.',
        Recurrence: 'Every 3 months on the last day',
        Requirements: '',
        Reviewer: '',
        'Needs evidence': 'No',
        'Closed at': '',
        'Closed by': '',
        Id: task.uniqueId,
      },
    ]);
  });

  test('comes back without a change, and no cell of it begins with a formula', async () => {
    const vendor = record({
      name,
      status: constantFrom('active' as const, 'inactive' as const, 'archived' as const),
      description: dangerous,
      labels: array(label, { maxLength: 3 }),
      contacts: array(record({ name, role: option(label) }), { maxLength: 2 }),
      ownerId: optional(constantFrom(...members)),
      criticality: optional(integer({ min: 1, max: 4 })),
    });
    const task = record({
      title: name,
      description: dangerous,
      labels: array(label, { maxLength: 3 }),
      gaps: subarray(gaps),
      vendors: subarray(vendors),
      assigneeId: optional(constantFrom(...members)),
      recurrence: optional(constantFrom('FREQ=DAILY', 'FREQ=YEARLY;BYDAY=20MO', 'FREQ=WEEKLY;BYDAY=MO,FR;COUNT=3')),
      dueDate: constant('2027-01-31'),
    });
    const run = async () => {
      for (const fields of sample(vendor, 30)) {
        const { status, ...created } = fields;
        const { uniqueId } = await acme.vendor.create(created);
        await acme.vendor.update({ vendor: uniqueId, status });
      }
      for (const fields of sample(task, 30)) await acme.newTask(fields);
    };
    await run();
    for (const [list, path] of [
      [`${VENDORS}/list`, `${VENDORS}/import`],
      [`${tasksOf(acme)}/list`, `${tasksOf(acme)}/import`],
    ] as const)
      for (const [query, delimiter] of [
        ['', ','],
        ['&delimiter=semicolon', ';'],
      ] as const) {
        const plain = await download(acme.key, `${list}?${query.slice(1)}`, 'text/csv');
        const file = await people(list, query);
        for (const { text } of [plain, file])
          expect(partsIn(text, delimiter).filter((part) => /^[=+\-@＝＋－＠]/.test(part))).toEqual([]);
        for (const mode of ['merge', 'replace']) {
          const item = await importFile(acme, `${path}?mode=${mode}`, file.text);
          expect(item).toMatchObject({ state: 'done', created: 0, updated: 0, failed: 0, errors: [] });
          expect(item.unchanged).toBe(recordsIn(file.text, delimiter).length);
        }
      }
  });

  test('is imported with what somebody has edited in it', async () => {
    const { uniqueId } = await acme.vendor.create({ name: 'Edited', description: '<b>bold</b>', labels: ['a'] });
    const { text } = await people(`${VENDORS}/list`, '&q=edited');
    const edited = text.replace(',Active,', ',Archived,').replace(',a,', ',"a, b",');
    expect(await importFile(acme, `${VENDORS}/import`, edited)).toMatchObject({ updated: 1, errors: [] });
    expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject({
      status: 'archived',
      labels: ['a', 'b'],
      description: '<b>bold</b>',
    });
  });

  test.for(['format=people', 'delimiter=semicolon'])('with %s is for CSV only', async (query) => {
    for (const accept of ['application/json', 'application/x-ndjson'])
      for (const path of [`${VENDORS}/list`, '/external/task/list', '/external/audit/list']) {
        const { status } = await http('GET', `${path}?${query}`, { key: acme.key, headers: { Accept: accept } });
        expect(status).toBe(400);
      }
  });
});

describe('the audit log as CSV', () => {
  test('has one row for each field, in words with format=people', async () => {
    const company = await createCompany('Log');
    const { uniqueId } = await company.newTask({ title: '=Formula', priority: 2 });
    await company.task.update({ taskUniqueId: uniqueId, status: 'in_progress', departmentId: company.department });
    await company.task.delete({ taskUniqueId: uniqueId });
    const read = async (query: string) => {
      const { text, headers } = await download(company.key, `/external/audit/list${query}`, 'text/csv');
      expect(headers['content-disposition']).toContain('audit.csv');
      expect(partsIn(text, ',').filter((part) => /^[=+\-@]/.test(part))).toEqual([]);
      return recordsIn(text);
    };
    const rows = await read('?action=task.update');
    expect(rows).toContainEqual({
      time: expect.stringMatching(/Z$/),
      person: 'Integration of Log',
      action: 'task.update',
      resource: 'task',
      name: "'=Formula",
      field: 'status',
      from: 'todo',
      to: 'in_progress',
    });
    const words = await read('?action=task.update&format=people');
    expect(words.map(({ Action, Resource, Field, From, To }) => [Action, Resource, Field, From, To])).toEqual(
      expect.arrayContaining([
        ['Changed', 'Task', 'Status', 'Todo', 'In progress'],
        ['Changed', 'Task', 'Department', '', 'Security'],
      ]),
    );
    const deleted = await read('?action=task.delete&format=people');
    expect(deleted).toContainEqual(
      expect.objectContaining({ Action: 'Deleted', Field: 'Priority', From: 'High', To: '' }),
    );
  });
});
