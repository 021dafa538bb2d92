import { beforeAll, describe, expect, test } from 'vitest';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { VENDORS, importFile, runImports, tasksOf, upload } from '../support/tenants/imports.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

let acme: TestCompany;
let ann: TestMember;
let gap: number;
let caller: Awaited<ReturnType<typeof callerForKey>>;

beforeAll(async () => {
  acme = await createCompany();
  caller = await callerForKey(acme.key);
  ann = await createMember(acme, { role: 'editor', name: 'Ann Berg' });
  for (const _ of [1, 2]) await createMember(acme, { role: 'editor', name: 'Same Name' });
  gap = (await acme.manage.gap.create({ framework: acme.framework, title: 'Logs, and alerts' })).id;
});

const csv = (...rows: string[]) => [...rows, ''].join('\r\n');
const importVendors = (file: string | Buffer, query = '') => importFile(acme, `${VENDORS}/import${query}`, file);
const importTasks = (file: string, query = '') => importFile(acme, `${tasksOf(acme)}/import${query}`, file);
const vendorNamed = async (name: string) => {
  const [found] = await acme.vendor.list({ q: name });
  return found && acme.vendor.get({ vendor: found.uniqueId });
};
const taskNamed = async (title: string) =>
  (await acme.task.list({ framework: acme.framework, q: title, limit: 1 })).items?.[0];

describe('values as people write them', () => {
  test('of vendors, under the headings of the application', async () => {
    const item = await importVendors(
      csv(
        'Name;Status;Website;Criticality;Owner;Labels;Contract end;Months between reviews;Contacts;',
        'People 1;Active;www.cloud.example/a;Critical;ann berg;eu, cloud;31.12.2026;12;Ada <ada@x.example> (Sales);',
        `People 2; INACTIVE ;http://x.example;urgent;${ann.email};"a;b, c";1/2/27;;;`,
        ';;;;;;;;;',
        'People 3;archived;;low;;;2026-12-31 10:00;;;',
      ),
      '?dates=dmy',
    );
    expect(item).toMatchObject({ rows: 3, created: 3, errors: [] });
    expect(await vendorNamed('People 1')).toMatchObject({
      status: 'active',
      website: 'https://www.cloud.example/a',
      criticality: 1,
      owner: { name: 'Ann Berg' },
      labels: ['eu', 'cloud'],
      contractEnd: '2026-12-31',
      reviewEveryMonths: 12,
      contacts: [{ name: 'Ada', email: 'ada@x.example', role: 'Sales' }],
    });
    expect(await vendorNamed('People 2')).toMatchObject({
      status: 'inactive',
      website: 'http://x.example',
      criticality: 1,
      owner: { name: 'Ann Berg' },
      labels: ['a', 'b, c'],
      contractEnd: '2027-02-01',
    });
    expect(await vendorNamed('People 3')).toMatchObject({
      status: 'archived',
      criticality: 4,
      contractEnd: '2026-12-31',
    });
  });

  test('of tasks: vendors and gaps by name, also with commas in a name', async () => {
    const one = await acme.vendor.create({ name: 'Comma, Inc.' });
    const other = await acme.vendor.create({ name: 'Semi' });
    const item = await importTasks(
      csv(
        'Title,Status,Vendors,Gaps,Department,Due date,Priority,Assignee',
        'Named 1,In progress,"comma, inc.","logs, AND alerts",security,12/31/2026,High,Ann Berg',
        `Named 2,To do,"Semi; Comma, Inc.",${gap},${acme.department},2026-12-31T08:00:00Z,2,`,
        `Named 3,Not applicable,"[""${one.uniqueId}"",""Semi""]",,,,,`,
      ),
      '?dates=mdy',
    );
    expect(item).toMatchObject({ created: 3, errors: [] });
    const common = { gaps: [gap], departmentId: acme.department, dueDate: '2026-12-31', priority: 2 };
    expect(await taskNamed('Named 1')).toMatchObject({ ...common, status: 'in_progress', vendors: [one.uniqueId] });
    expect(await taskNamed('Named 2')).toMatchObject({
      ...common,
      status: 'todo',
      vendors: [other.uniqueId, one.uniqueId],
    });
    expect(await taskNamed('Named 3')).toMatchObject({
      status: 'not_applicable',
      vendors: [one.uniqueId, other.uniqueId],
    });
  });

  test.each([
    ['Due date', '31.12.2026', '', 'dueDate', '31.12.2026'],
    ['Due date', '12/31/2026', '?dates=dmy', 'dueDate', '2026-31-12'],
    ['Due date', '30.2.2026', '?dates=dmy', 'dueDate', '30.2.2026'],
    ['Assignee', 'Same Name', '', 'assigneeId', 'Same Name'],
    ['Vendors', '"Semi;Unknown"', '', 'vendors', 'Unknown'],
    ['Gaps', 'None', '', 'gaps', 'None'],
  ])('that fit nothing are a bad row with the value: %s %s %s', async (heading, cell, query, field, value) => {
    const { errors, failed } = await importTasks(csv(`Title,${heading}`, `bad,${cell}`), query);
    expect(failed).toBe(1);
    expect(errors).toEqual([expect.objectContaining({ field })]);
    if (query !== '?dates=dmy' || value === '30.2.2026') expect(errors[0]).toMatchObject({ value });
  });

  test('in a column without a heading are a bad row', async () => {
    const item = await importVendors(csv('Name,,', 'No stray,,', 'Stray,x,'));
    expect(item).toMatchObject({
      created: 1,
      errors: [{ row: 2, field: null, error: expect.stringContaining('"x"') }],
    });
  });

  test.each([
    ['windows-1252', Buffer.from('name\r\nCaf\xe9 \x80\r\n', 'latin1'), 'Café €'],
    ['iso-8859-1', Buffer.from('name\r\nM\xfcller\r\n', 'latin1'), 'Müller'],
    ['utf-16', Buffer.from('\u{feff}name\r\nŁódź 😀\r\n', 'utf16le'), 'Łódź 😀'],
    ['UTF-16', Buffer.from('\u{feff}name\r\nŁódź BE\r\n', 'utf16le').swap16(), 'Łódź BE'],
  ])('in the charset %s', async (charset, body, name) => {
    const accepted = await upload(acme.key, `${VENDORS}/import`, body, {
      'Content-Type': `text/csv; charset=${charset}`,
    });
    expect(accepted.status).toBe(202);
    await runImports(acme);
    expect(await vendorNamed(name)).toMatchObject({ name });
  });

  test('in another charset are 415, and in a broken one 400', async () => {
    const send = (charset: string, body: Buffer) =>
      upload(acme.key, `${VENDORS}/import`, body, { 'Content-Type': `text/csv; charset=${charset}` });
    expect((await send('shift_jis', Buffer.from('name\r\nA\r\n'))).status).toBe(415);
    expect((await send('utf-16', Buffer.from([0x41, 0x00, 0x00, 0xd8]))).status).toBe(400);
  });
});

describe('the column Id', () => {
  test('decides which vendor a row is about: an unknown one is a bad row, an empty one creates', async () => {
    const known = await acme.vendor.create({ name: 'Known' });
    const unknown = '01234567-89ab-7def-8123-456789abcdef';
    const item = await importVendors(
      csv('Id,Name,Labels', `${known.uniqueId.toUpperCase()},,x`, `${unknown},B,`, 'nothing,C,', ',Created by Id,'),
      '?lenient=true',
    );
    expect(item).toMatchObject({ created: 1, updated: 1, failed: 2, warnings: 0 });
    expect(item.errors.map(({ row, field, value }) => [row, field, value])).toEqual([
      [2, 'uniqueId', unknown],
      [3, 'uniqueId', 'nothing'],
    ]);
    expect(await acme.vendor.get({ vendor: known.uniqueId })).toMatchObject({ name: 'Known', labels: ['x'] });
    const ignored = await importVendors(csv('uniqueId,name', `${known.uniqueId},Ignored id`));
    expect(ignored).toMatchObject({ created: 1, updated: 0 });
  });
});

describe('an import', () => {
  test('that is lenient leaves values out with a warning, but keeps broken rules as bad rows', async () => {
    const item = await importVendors(
      csv(
        'name,criticality,website,ownerId,contractStart,contractEnd,labels',
        'Lenient 1,urgently,x,nobody@example.com,soon,2026-01-01,kept',
        'Lenient 2,,,,2026-02-01,2026-01-01,',
        ',high,,,,,',
      ),
      '?lenient=true',
    );
    expect(item).toMatchObject({ created: 1, failed: 2, warnings: 4 });
    expect(item.errors.map(({ row, field }) => [row, field])).toEqual([
      [2, 'contractEnd'],
      [3, 'name'],
    ]);
    expect(await vendorNamed('Lenient 1')).toMatchObject({
      criticality: null,
      website: null,
      owner: null,
      contractStart: null,
      contractEnd: '2026-01-01',
      labels: ['kept'],
    });
    const { items, nextCursor } = await caller.import.warnings({ importUniqueId: item.uniqueId, limit: 3 });
    const rest = await caller.import.warnings({ importUniqueId: item.uniqueId, limit: 3, cursor: nextCursor ?? '' });
    const warnings = [...items, ...rest.items].map(({ row, line, field, value }) => [row, line, field, value]);
    expect(warnings.toSorted((one, other) => String(one[2]).localeCompare(String(other[2])))).toEqual([
      [1, 2, 'contractStart', 'soon'],
      [1, 2, 'criticality', 'urgently'],
      [1, 2, 'ownerId', 'nobody@example.com'],
      [1, 2, 'website', 'x'],
    ]);
    expect(rest.nextCursor).toBeNull();
  });

  test('groups its errors by value, the largest group first', async () => {
    const rows = ['A,soon,', 'B,soon,', 'C,later,', 'D,soon,'];
    const { uniqueId } = await importTasks(csv('title,dueDate,priority', ...rows));
    const { body } = await http('GET', `/external/import/${uniqueId}/error/summary`, { key: acme.key });
    expect(body).toEqual({
      items: [
        { field: 'dueDate', value: 'soon', error: expect.stringContaining('found "soon"'), rows: 3, firstRow: 1 },
        { field: 'dueDate', value: 'later', error: expect.stringContaining('found "later"'), rows: 1, firstRow: 3 },
      ],
    });
  });

  test('creates, skips or updates what has the name of exactly one', async () => {
    await acme.vendor.create({ name: 'Double É' });
    for (const _ of [1, 2]) await acme.vendor.create({ name: 'Twice' });
    const file = csv('name,labels', ' double é ,x', 'twice,x', 'New one,x', 'NEW ONE,y');
    const skipped = await importVendors(file, '?duplicates=skip&dryRun=true');
    expect(skipped).toMatchObject({
      created: 1,
      skipped: 2,
      failed: 1,
      errors: [{ row: 2, field: 'name', value: 'twice' }],
    });
    const { items } = await caller.import.skipped({ importUniqueId: skipped.uniqueId });
    expect(items).toEqual([
      { row: 1, line: 2, field: null, value: null, reason: 'A vendor with this name already exists.' },
      { row: 4, line: 5, field: null, value: null, reason: 'A vendor with this name already exists.' },
    ]);
    expect(await importVendors(file, '?duplicates=update')).toMatchObject({ created: 1, updated: 2, failed: 1 });
    expect(await vendorNamed('NEW ONE')).toMatchObject({ labels: ['y'] });
    expect(await importTasks(csv('title', 'Double task', 'double TASK'), '?duplicates=skip')).toMatchObject({
      created: 1,
      skipped: 1,
    });
    const refused = await upload(acme.key, `${VENDORS}/import?duplicates=skip&source=erp`, file);
    expect(refused).toMatchObject({ status: 400, body: { error: 'duplicates: expected create with source' } });
  });

  // More than a slice, which is a transaction of its own: a check rolls each of them back.
  const many = (name: string, status: string) => [
    'name,status',
    ...Array.from({ length: 520 }, (_, index) => `${name} ${index},${status}`),
    `${name} 3,inactive`,
    `${name.toUpperCase()} 4,active`,
  ];

  test.each(['skip', 'update'])('of rows far before are known to a check as to the import (%s)', async (duplicates) => {
    const file = csv(...many(`Far ${duplicates}`, 'active'));
    const check = await importVendors(file, `?duplicates=${duplicates}&dryRun=true`);
    const { created, updated, unchanged, skipped, failed } = await importVendors(file, `?duplicates=${duplicates}`);
    expect(check).toMatchObject({ created, skipped, failed, updated: updated + unchanged });
    expect({ created, others: skipped + updated + unchanged }).toEqual({ created: 520, others: 2 });
  });

  test('of a strict import are warned of once, although its rows are read twice', async () => {
    const item = await importVendors(csv(...many('Strict', 'mumble')), '?strict=true&lenient=true&duplicates=skip');
    expect(item).toMatchObject({ state: 'done', created: 520, skipped: 2, updated: 0, warnings: 520 });
  });
});

describe('what a member has remembered for files', () => {
  test('is of the member alone; the newest answer for a value counts', async () => {
    const answer = { kind: 'vendor', field: 'status', value: 'aktiv', answer: 'active' } as const;
    const other = { ...answer, value: 'inaktiv', answer: '' };
    const { answers, remember } = ann.caller.import;
    expect(await answers()).toEqual({ answers: [] });
    await remember({ answers: [other, answer] });
    await remember({ answers: [{ ...other, answer: 'archived' }] });
    expect(await answers()).toEqual({ answers: [{ ...other, answer: 'archived' }, answer] });
    const bob = await createMember(acme, { role: 'editor', name: 'Bob' });
    expect(await bob.caller.import.answers()).toEqual({ answers: [] });
    for (const first of [0, 400])
      await remember({
        answers: Array.from({ length: 400 }, (_, index) => ({ ...answer, value: `${first + index}` })),
      });
    expect((await answers()).answers).toHaveLength(500);
    expect(await remember({ answers: [] })).toEqual({ answers: [] });
    expect(await answers()).toEqual({ answers: [] });
  });
});
