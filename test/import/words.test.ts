import { beforeAll, describe, expect, test, vi } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { taskResource } from '../../entities/task/task.ts';
import { Words } from '../../procedures/import/words.ts';
import { database } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { download, importFile, tasksOf } from '../support/tenants/imports.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

let acme: TestCompany;
let ann: TestMember;
let ended: TestMember;
let straße: number;
let legal: number;
const NUMBER = '2000000000';
const DEPARTMENT = 'departmentId: expected an id, or the name of exactly one department that is not archived';
const MEMBER = 'assigneeId: expected a uniqueId, or the email or the name of exactly one active member';
const PRIORITY = 'priority: expected an integer from 1 to 4, or one of urgent, critical, high, medium, low';

beforeAll(async () => {
  acme = await createCompany();
  const { department } = acme.manage;
  straße = (await department.create({ name: 'Straße ΣΑΣ' })).id;
  const { id } = await department.create({ name: 'Archived' });
  await department.archive({ id });
  for (const name of ['Sales', 'SALES', NUMBER, '7 Dwarfs']) await department.create({ name });
  legal = (await department.create({ name: 'Legal' })).id;
  const { id: twin } = await department.create({ name: 'legal' });
  await department.archive({ id: twin });
  ann = await createMember(acme, { role: 'editor', name: 'Ann' });
  ended = await createMember(acme, { role: 'editor', name: 'Eve' });
  const admin = await createMember(acme);
  await admin.caller.management.member.end({ uniqueId: ended.uniqueId });
});

const csv = (header: string, ...rows: string[]) => [header, ...rows, ''].join('\r\n');
const tasks = async () =>
  (await acme.task.list({ framework: acme.framework, limit: 100, sort: 'priority' })).items ?? [];
const taskNamed = async (title: string) => (await tasks()).find((task) => task.title === title);
const importTasks = (file: string | object[], query = '') => importFile(acme, `${tasksOf(acme)}/import${query}`, file);

describe('words in a file', () => {
  test('name a department, a member and a priority, in CSV and in NDJSON', async () => {
    const rows: [title: string, department: string, assignee: string, priority: string][] = [
      ['words 1', 'Security', ann.email, 'urgent'],
      ['words 2', ' sECURITY ', ` ${ann.email.toUpperCase()} `, ' Critical '],
      ['words 3', 'STRAßE σας', ann.uniqueId.toUpperCase(), 'HIGH'],
      ['words 4', 'LEGAL', ann.uniqueId, 'medium'],
      ['words 5', '7 dwarfs', '', 'Low'],
    ];
    const fields = ['title', 'departmentId', 'assigneeId', 'priority'];
    const file = csv(fields.join(','), ...rows.map((row) => row.join(',')));
    expect(await importTasks(file)).toMatchObject({ created: 5, failed: 0, errors: [] });
    const named = async (suffix: string) => {
      const found = await Promise.all(rows.map(async ([title]) => taskNamed(title + suffix)));
      return found.map((task) => [task?.priority, task?.assignee?.name ?? null]);
    };
    const expected = [
      [1, 'Ann'],
      [1, 'Ann'],
      [2, 'Ann'],
      [3, 'Ann'],
      [4, null],
    ];
    expect(await named('')).toEqual(expected);
    expect(await taskNamed('words 1')).toMatchObject({ departmentId: acme.department });
    expect(await taskNamed('words 2')).toMatchObject({ departmentId: acme.department });
    expect(await taskNamed('words 3')).toMatchObject({ departmentId: straße });
    expect(await taskNamed('words 4')).toMatchObject({ departmentId: legal });
    const objects = rows.map(([title, departmentId, assigneeId, priority]) => ({
      title: `${title}, again`,
      departmentId,
      priority,
      assigneeId: assigneeId === '' ? null : assigneeId,
    }));
    expect(await importTasks(objects)).toMatchObject({ created: 5, failed: 0, errors: [] });
    expect(await named(', again')).toEqual(expected);
  });

  test('are an id if they are digits, with outer spaces in CSV', async () => {
    expect(await importTasks(csv('title,departmentId,priority', `digits, ${acme.department} , 2 `))).toMatchObject({
      created: 1,
    });
    expect(await taskNamed('digits')).toMatchObject({ departmentId: acme.department, priority: 2 });
    const item = await importTasks([
      { title: 'A', departmentId: '42' },
      { title: 'B', priority: '2' },
    ]);
    expect(item.errors.map(({ error }) => error)).toEqual([
      'departmentId: expected an integer from 1 to 2147483647; found "42"',
      'priority: expected an integer from 1 to 4; found "2"',
    ]);
    // A department has this number as its name.
    const numbered = await importTasks(csv('title,departmentId', `numbered,${NUMBER}`));
    expect(numbered.errors).toMatchObject([
      { field: 'departmentId', error: expect.stringContaining(`found "${NUMBER}"`) },
    ]);
  });

  test.each([
    ['departmentId', 'Nothing', DEPARTMENT],
    ['departmentId', 'Archived', DEPARTMENT],
    ['departmentId', 'sales', DEPARTMENT],
    ['departmentId', 'x'.repeat(250), DEPARTMENT],
    ['departmentId', '1e3', DEPARTMENT],
    ['departmentId', '-1', 'departmentId: expected an integer from 1 to 2147483647'],
    ['departmentId', '%', DEPARTMENT],
    ['assigneeId', 'nobody@example.com', MEMBER],
    ['assigneeId', 'Eve', MEMBER],
    ['assigneeId', '42', MEMBER],
    [
      'assigneeId',
      '01234567-89ab-7def-8123-456789abcdef',
      'assigneeId: expected an active member who may see the framework',
    ],
    ['priority', 'hoch', PRIORITY],
    ['priority', 'constructor', PRIORITY],
    ['priority', '5', 'priority: expected an integer from 1 to 4'],
  ])('that fit nothing are a bad row: %s with %j', async (field, value, message) => {
    const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value;
    const item = await importTasks(csv(`title,${field}`, `bad,"${value}"`, 'good,'));
    expect(item).toMatchObject({ created: 1, failed: 1 });
    const errors = [{ row: 1, line: 2, field, value, error: `${message}; found "${shown}"` }];
    expect(item.errors).toEqual(errors);
    if (/^-?\d/.test(value) && field !== 'assigneeId') return;
    expect((await importTasks([{ title: 'bad', [field]: value }])).errors).toEqual([{ ...errors[0], line: 1 }]);
  });

  test('of members who have ended, of other companies and without the framework are a bad row', async () => {
    const rival = await createMember(await createCompany('Rival'));
    const { id } = await acme.manage.framework.create({ name: 'SOC 2' });
    const limited = await createMember(acme, { role: 'editor', frameworks: [id] });
    const item = await importTasks(
      csv('title,assigneeId', ...[ended, rival, limited].map(({ email }) => `x,${email}`)),
    );
    expect(item.errors.map(({ field, error }) => [field, error])).toEqual([
      ['assigneeId', `${MEMBER}; found "${ended.email}"`],
      ['assigneeId', `${MEMBER}; found "${rival.email}"`],
      ['assigneeId', `assigneeId: expected an active member who may see the framework; found "${limited.email}"`],
    ]);
  });

  test('with characters that PostgreSQL rejects are a bad row, and the others are applied', async () => {
    const item = await importTasks([
      { title: 'A', departmentId: 'a\0b' },
      { title: 'B', assigneeId: '\ud800@example.com' },
      { title: 'C', departmentId: '\ud800' },
      { title: 'D', departmentId: { toString: 1 }, priority: ['high'] },
      { title: 'unharmed', departmentId: 'security' },
    ]);
    expect(item).toMatchObject({ created: 1, failed: 4 });
    expect(item.errors.map(({ field, error }) => [field, error])).toEqual([
      ['departmentId', `${DEPARTMENT}; found "a b"`],
      ['assigneeId', `${MEMBER}; found " @example.com"`],
      ['departmentId', `${DEPARTMENT}; found " "`],
      [
        'priority',
        'priority: expected an integer from 1 to 4; found ["high"]; departmentId: expected an integer from 1 to 2147483647; found {"toString":1}',
      ],
    ]);
  });

  test('are for imports: other requests take ids', async () => {
    for (const fields of [{ departmentId: 'Security' }, { priority: 'high' }, { assigneeId: ann.email }])
      await expect(acme.newTask(fields as never)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('are looked up once in a slice, with one statement for each kind of word', async () => {
    const words = new Words(taskResource.schemas);
    const session = new Session(database, operatorPrincipal(acme.id), 'words');
    const run = vi.spyOn(session, 'run');
    const rows = Array.from({ length: 20 }, () => ({
      departmentId: 'security',
      assigneeId: ann.email,
    }));
    const others = [{ departmentId: ' security', assigneeId: null }, { departmentId: 'Nothing' }];
    const counts = [];
    for (const group of [rows, rows, others, others]) {
      await words.find(session, group);
      counts.push(run.mock.calls.length);
    }
    expect(counts).toEqual([3, 3, 4, 4]);
    const value = { departmentId: acme.department, assigneeId: ann.uniqueId };
    expect(rows.map((row) => words.replace(row))).toEqual(rows.map(() => value));
    expect(() => words.replace({ departmentId: 'Nothing' })).toThrow(DEPARTMENT);
  });
});

describe('a bad row quotes its value', () => {
  const LONG = '😀'.repeat(60);

  test.each([
    ['title', `"${'x'.repeat(300)}"`, `title: expected text of 1 to 255 characters; found "${'x'.repeat(100)}…"`],
    ['dueDate', '2026-02-30', 'found "2026-02-30"'],
    ['dueDate', `"a\r\nb\tc ""d"""`, 'found "a b c "d""'],
    ['dueDate', LONG, `found "${'😀'.repeat(50)}…"`],
    ['labels', '"[""a"",5]"', 'labels.1: expected text of 1 to 50 characters; found 5'],
    ['gaps', '[999999]', 'found "[999999]"'],
    ['status', 'open', 'found "open"'],
  ])('of %s: %s', async (field, cell, message) => {
    const [error] = (
      await importTasks(csv(`title,${field}`.replace('title,title', 'title'), field === 'title' ? cell : `x,${cell}`))
    ).errors;
    expect(error).toMatchObject({ field, error: expect.stringContaining(message) });
    expect(error?.error).not.toMatch(/[\r\n\t]/);
  });

  test('without a secret in it', async () => {
    const item = await importTasks([
      { title: 'x', status: acme.key },
      { title: 'x', status: `${'x'.repeat(90)}${acme.key}` },
    ]);
    for (const { error } of item.errors) {
      expect(error).toContain('svc_sk_liv');
      expect(error).not.toContain(acme.key.slice(12, 18));
    }
    expect(item.errors).toHaveLength(2);
  });

  test('of several fields, each with its own', async () => {
    const item = await importTasks(csv('title,status,dueDate', 'x,open,tomorrow'));
    expect(item.errors[0]?.error).toMatch(
      /^dueDate: expected a calendar .*; found "tomorrow"; status: .*; found "open"$/,
    );
  });
});

describe('what is not sent', () => {
  const path = '?source=erp';
  const read = (externalId: string) =>
    acme.task.getByExternalId({ framework: acme.framework, source: 'erp', externalId });
  const put = (externalId: string) =>
    acme.task.putByExternalId({
      framework: acme.framework,
      source: 'erp',
      externalId,
      title: 'Owned',
      departmentId: acme.department,
      dueDate: '2026-12-31',
      labels: ['a'],
      assigneeId: ann.uniqueId,
    });

  test('stays: with replace a missing column keeps the assignee, and an empty cell clears it; with merge it stays', async () => {
    await put('S');
    await importTasks(csv('externalId,title', 'S,Renamed'), `${path}&mode=replace`);
    expect(await read('S')).toMatchObject({
      title: 'Renamed',
      departmentId: null,
      labels: [],
      assignee: { name: 'Ann' },
    });
    await put('S');
    await importTasks(csv('externalId,title,assigneeId,departmentId', 'S,Merged,,'), path);
    expect(await read('S')).toMatchObject({
      title: 'Merged',
      departmentId: acme.department,
      assignee: { name: 'Ann' },
    });
    await importTasks(csv('externalId,title,assigneeId', 'S,Cleared,'), `${path}&mode=replace`);
    expect(await read('S')).toMatchObject({ title: 'Cleared', assignee: null });
  });

  test('stays in NDJSON too, and null clears', async () => {
    await put('N');
    await importTasks([{ externalId: 'N', title: 'Renamed' }], `${path}&mode=replace`);
    expect(await read('N')).toMatchObject({ title: 'Renamed', assignee: { name: 'Ann' } });
    await importTasks([{ externalId: 'N', title: 'Cleared', assigneeId: null }], path);
    expect(await read('N')).toMatchObject({ assignee: null });
  });

  test.each(['text/csv', 'application/x-ndjson'])(
    'an export as %s changes nothing, also after the assignee has ended',
    async (accept) => {
      const company = await createCompany();
      const [bob, admin] = [await createMember(company, { name: 'Bob' }), await createMember(company)];
      const { framework } = company;
      const task = { framework, source: 'erp', externalId: 'E', title: 'Owned', assigneeId: bob.uniqueId };
      const { item } = await company.task.putByExternalId({ ...task, departmentId: company.department });
      await admin.caller.management.member.end({ uniqueId: bob.uniqueId });
      const { text } = await download(company.key, `${tasksOf(company)}/list?source=erp`, accept);
      const file =
        accept === 'text/csv'
          ? text
          : text
              .trim()
              .split('\n')
              .map((line) => Object(JSON.parse(line)) as object);
      expect(await importFile(company, `${tasksOf(company)}/import?source=erp`, file)).toMatchObject({
        unchanged: 1,
        failed: 0,
      });
      expect(await company.events(item.uniqueId)).toHaveLength(1);
    },
  );

  test('also names the owner and the criticality of a vendor', async () => {
    const header = 'name,ownerId,criticality,contacts';
    const contacts = '"[{""name"":""Ada""}]"';
    const rows = [`Cloud,${ann.email},Critical,${contacts}`, 'Mail,nobody@example.com,high,', 'Post,,urgently,'];
    const result = await importFile(acme, '/external/smart-inventory/vendor/import', csv(header, ...rows));
    expect(result).toMatchObject({ created: 1, failed: 2 });
    expect(result.errors.map(({ error }) => error)).toEqual([
      expect.stringContaining('ownerId: expected a uniqueId, or the email or the name of exactly one active member'),
      expect.stringContaining('criticality: expected an integer from 1 to 4, or one of urgent, critical'),
    ]);
    const [vendor] = (await acme.vendor.page({ limit: 1, view: 'full', q: 'Cloud' })).items;
    expect(vendor).toMatchObject({
      owner: { uniqueId: ann.uniqueId },
      criticality: 1,
      contacts: [{ name: 'Ada', email: null, role: null }],
    });
  });

  test('that closes a task that recurs makes the next one', async () => {
    const merge = '?source=erp';
    const task = { title: 'Recurs', recurrence: 'FREQ=DAILY', dueDate: '2999-01-01' };
    await importTasks([{ externalId: 'R', ...task }], merge);
    expect(await importTasks([{ externalId: 'R', status: 'done' }], merge)).toMatchObject({ updated: 1, failed: 0 });
    const named = (await tasks()).filter(({ title }) => title === 'Recurs');
    expect(named.map(({ status, dueDate }) => `${status} ${dueDate}`).toSorted()).toEqual([
      'done 2999-01-01',
      'todo 2999-01-02',
    ]);
  });

  test('includes columns that show what others set', async () => {
    const header = 'title,assignee,owner,lastReview,previous,next';
    expect(await importTasks(csv(header, 'shown,Ann,Bob,2026-01-01,a,b'))).toMatchObject({ created: 1, failed: 0 });
    const shown = { assignee: { name: 'Ann' }, owner: 'x', lastReview: {}, previous: 1, next: null };
    expect(await importTasks([{ title: 'shown 2', ...shown }])).toMatchObject({ created: 1, failed: 0 });
    expect(await taskNamed('shown')).toMatchObject({ assignee: null });
  });
});
