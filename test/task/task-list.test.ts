import * as fc from 'fast-check';
import { beforeAll, describe, expect } from 'vitest';
import { MAX_RARE } from '../../entities/evidence/expiring.ts';
import { OPEN_STATUSES, PRIORITY, TASK_STATUSES } from '../../entities/task/task.ts';
import { sql, tamper } from '../support/database/database.ts';
import { test } from '../support/fixtures/test.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { readPages } from '../support/tenants/pages.ts';
import { untagged } from '../support/tenants/samples.ts';
import { http } from '../support/http/server.ts';

type TaskList = Awaited<ReturnType<TestCompany['task']['list']>>;
type Filters = Omit<Parameters<TestCompany['task']['list']>[0], 'framework'>;
type Task = NonNullable<TaskList['items']>[number];

const idsIn = ({ items = [] }: TaskList) => items.map(({ uniqueId }) => uniqueId);
const titlesIn = ({ items = [] }: TaskList) => items.map(({ title }) => title);

/** Reads all pages and returns their task ids. Calls `betweenPages` after each page. */
async function readAllPages(
  acme: TestCompany,
  filters: Filters,
  betweenPages: () => Promise<unknown> = async () => {},
) {
  const seen: string[] = [];
  for await (const page of readPages((from) => acme.task.list({ framework: acme.framework, ...filters, ...from }))) {
    seen.push(...idsIn(page));
    await betweenPages();
  }
  return seen;
}

describe('a task list without a limit', () => {
  test('returns exactly {"total":N}', async ({ acme }) => {
    await acme.newTask();
    const path = `/external/task/framework/${acme.framework}/list`;
    for (const [query, total] of [
      ['', 1],
      ['?status=todo', 1],
      ['?status=done', 0],
      ['?q=review&priority=3', 1],
    ] as const) {
      const response = await http('GET', path + query, { key: acme.key });
      expect(response).toMatchObject({ status: 200, text: `{"total":${total}}` });
      expect(response.headers['x-total-count']).toBe(String(total));
      const head = await http('HEAD', path + query, { key: acme.key });
      expect(head).toMatchObject({ status: 200, text: '', headers: { 'x-total-count': String(total) } });
    }
  });

  test('rejects a cursor', async ({ acme }) => {
    const expectedError = { code: 'BAD_REQUEST', message: 'limit: required with cursor' };
    await expect(acme.task.list({ framework: acme.framework, cursor: 'x' })).rejects.toMatchObject(expectedError);
  });
});

describe('a task list with a limit', () => {
  test('returns the total, the newest tasks first and the cursor of the next page', async ({ acme }) => {
    const tasks: Task[] = [];
    for (const title of ['one', 'two', 'three']) tasks.unshift(untagged(await acme.newTask({ title })));
    const [newest, middle, oldest] = tasks;
    const first = await acme.task.list({ framework: acme.framework, limit: 2 });
    expect(first).toEqual({ total: 3, items: [newest, middle], nextCursor: expect.stringMatching(/^[\w-]+$/) });
    const last = await acme.task.list({ framework: acme.framework, limit: 2, cursor: first.nextCursor ?? '' });
    expect(last).toEqual({ total: 3, items: [oldest], nextCursor: null });
    const exact = await acme.task.list({ framework: acme.framework, limit: 3 });
    expect(exact).toEqual({ total: 3, items: tasks, nextCursor: null });
  });

  test('has the total in X-Total-Count, and HEAD returns the same headers', async ({ acme }) => {
    for (const title of ['one', 'two']) await acme.newTask({ title });
    const path = `/external/task/framework/${acme.framework}/list?limit=1&status=todo`;
    const response = await http('GET', path, { key: acme.key });
    expect(response).toMatchObject({ status: 200, headers: { 'x-total-count': '2' }, body: { total: 2 } });
    const head = await http('HEAD', path, { key: acme.key });
    expect(head.headers).toMatchObject({ 'x-total-count': '2', 'content-length': response.headers['content-length'] });
  });

  test('is empty for a framework without tasks', async ({ acme }) => {
    const empty = { total: 0, items: [], nextCursor: null };
    expect(await acme.task.list({ framework: acme.framework, limit: 1 })).toEqual(empty);
    await acme.newTask();
    expect(await acme.task.list({ framework: acme.framework, limit: 1, status: 'done' })).toEqual(empty);
  });

  test('is 404 for an unknown framework and for one of another company', async ({ acme, rival }) => {
    for (const framework of [0, 2_147_483_647, rival.framework]) {
      for (const filters of [{}, { limit: 1 }, { status: 'todo' as const }, { limit: 1, q: 'x', label: 'y' }]) {
        await expect(acme.task.list({ framework, ...filters })).rejects.toThrow('framework: not found');
      }
      await expect(acme.task.list({ framework, limit: 1, cursor: 'mine' })).rejects.toThrow(
        'cursor: expected a cursor',
      );
    }
  });

  test('contains the tasks of an archived framework', async ({ acme }) => {
    const task = untagged(await acme.newTask({ departmentId: acme.department }));
    await acme.manage.framework.archive({ id: acme.framework });
    await acme.manage.department.archive({ id: acme.department });
    const filters = { limit: 1, departmentId: acme.department };
    expect(await acme.task.list({ framework: acme.framework, ...filters })).toMatchObject({ total: 1, items: [task] });
  });
});

describe('a list of three tasks', () => {
  let acme: TestCompany;
  let taskOne: Task;
  beforeAll(async () => {
    acme = await createCompany();
    taskOne = await acme.newTask({
      title: 'One',
      priority: 1,
      labels: ['Access', 'Über'],
      dueDate: '2026-03-01',
      departmentId: acme.department,
    });
    await acme.newTask({ title: 'Two', priority: 2, labels: ['access review'], dueDate: '2026-03-02' });
    const three = await acme.newTask({ title: 'Three' });
    await acme.task.update({ taskUniqueId: three.uniqueId, status: 'done' });
  });

  test.for<[Filters, string[]]>([
    [{}, ['Three', 'Two', 'One']],
    [{ status: 'todo' }, ['Two', 'One']],
    [{ status: 'done' }, ['Three']],
    [{ status: 'canceled' }, []],
    [{ status: 'open' }, ['Two', 'One']],
    [{ status: 'open,done' }, ['Three', 'Two', 'One']],
    [{ status: 'canceled,done' }, ['Three']],
    [{ status: 'done,done,todo,open' }, ['Three', 'Two', 'One']],
    [{ status: 'in_progress,in_review,not_applicable,canceled' }, []],
    [{ priority: '1' }, ['One']],
    [{ priority: '2,1' }, ['Two', 'One']],
    [{ priority: '4,3,4' }, ['Three']],
    [{ status: 'open', priority: '1,3' }, ['One']],
    [{ priority: 1 }, ['One']],
    [{ priority: 3 }, ['Three']],
    [{ priority: 4 }, []],
    [{ label: 'Access' }, ['One']],
    [{ label: ' ACCESS ' }, ['One']],
    [{ label: 'ÜBER' }, ['One']],
    [{ label: 'acces' }, []],
    [{ label: 'access%' }, []],
    [{ label: 'access review' }, ['Two']],
    [{ dueBefore: '2026-02-28' }, []],
    [{ dueBefore: '2026-03-01' }, ['One']],
    [{ dueBefore: '2999-12-31' }, ['Two', 'One']],
    [{ dueAfter: '2026-03-02' }, ['Two']],
    [{ dueAfter: '2026-03-03' }, []],
    [{ dueAfter: '1900-01-01' }, ['Two', 'One']],
    [{ dueAfter: '2026-03-01', dueBefore: '2026-03-01' }, ['One']],
    [{ dueAfter: '2026-03-02', dueBefore: '2026-03-01' }, []],
    [{ updatedSince: '1900-01-01T00:00:00Z' }, ['Three', 'Two', 'One']],
    [{ updatedSince: '2999-12-31T00:00:00Z' }, []],
    [{ q: 't' }, ['Three', 'Two']],
    [{ q: 'EE' }, ['Three']],
    [{ q: 'Three ' }, []],
    [{ status: 'todo', priority: 1, label: 'access', dueBefore: '2026-03-01', q: 'on' }, ['One']],
    [{ status: 'done', priority: 1 }, []],
  ])('filtered by %o contains %o, with and without a limit', async ([filters, titles]) => {
    const { framework } = acme;
    expect(titlesIn(await acme.task.list({ framework, limit: 100, ...filters }))).toEqual(titles);
    expect(await acme.task.list({ framework, ...filters })).toEqual({ total: titles.length });
  });

  test('filtered by department contains its tasks, and none for an unknown department or one of another company', async ({
    rival,
  }) => {
    const titles = async (departmentId: number) =>
      titlesIn(await acme.task.list({ framework: acme.framework, limit: 10, departmentId }));
    expect(await titles(acme.department)).toEqual(['One']);
    expect(await titles(rival.department)).toEqual([]);
    expect(await titles(2_147_483_647)).toEqual([]);
  });

  test('filtered by updatedSince compares milliseconds, in any time zone offset', async () => {
    const total = async (updatedSince: string) =>
      (await acme.task.list({ framework: acme.framework, q: 'One', updatedSince })).total;
    const updatedAtPlus = (ms: number) => new Date(new Date(taskOne.updatedAt).getTime() + ms).toISOString();
    expect(await total(taskOne.updatedAt)).toBe(1);
    expect(await total(updatedAtPlus(-1))).toBe(1);
    expect(await total(updatedAtPlus(1))).toBe(0);
    expect(await total(updatedAtPlus(3_600_000).replace('Z', '+01:00'))).toBe(1);
    expect(await total(updatedAtPlus(3_600_001).replace('Z', '+01:00'))).toBe(0);
  });

  test.for<[field: string, values: unknown[]]>([
    ['status', ['opened', 'Open', '', ',', 'todo,,done', 'todo,', ',todo', 'todo, done', 'todo;done', 'todo,done\n']],
    ['status', ['todo,done,unknown', ['todo'], null, Array(201).fill('todo').join(',')]],
    ['priority', [0, 5, 1.5, '', '1,5', '1,', '1,,2', '01', '1.0', '+1', '٣', [1], null, true]],
    [
      'sort',
      ['', 'title', 'CreatedAt', '-priority', 'updatedAt', '+createdAt', 'dueDate,priority', 'constructor', null],
    ],
    ['label', [' ', 'x'.repeat(51)]],
    ['departmentId', [0, 2_147_483_648]],
    ['dueBefore', ['2026-02-30', null]],
    ['dueAfter', ['1899-12-31', '2026-01-01T00:00:00Z']],
    ['updatedSince', ['2026-01-01', '3000-01-01T00:00:00Z']],
    ['q', ['', 'x'.repeat(256), 'a\0b', 'lone \uD800 surrogate']],
    ['limit', [0, 101, 1.5, null]],
    ['cursor', ['x'.repeat(3001)]],
    ['offset', [1]],
  ])('rejects invalid values of %s with an error that names it', async ([field, values]) => {
    const { framework } = acme;
    for (const value of values) {
      const result = await acme.task.list({ framework, limit: 1, [field]: value }).catch((error: unknown) => error);
      const message = expect.stringMatching(new RegExp(`^${field}: (expected|unknown) `));
      expect([value, result]).toMatchObject([value, { code: 'BAD_REQUEST', message }]);
    }
  });

  test.for([
    ['limit', ['limit=1e1', 'limit=%2B5', 'limit=+5', 'limit=05', 'limit=5.0', 'limit=0x5', 'limit=', 'limit=0']],
    ['limit', ['limit=101', 'limit=99999999999999999999', 'limit=1&limit=1', 'cursor=mine']],
    ['priority', ['priority=01', 'priority=', 'priority=1,,2', 'priority=1&priority=2', 'priority=%31%20']],
    ['priority', ['priority=99999999999999999999']],
    ['status', ['status=', 'status=todo,,done', 'status=todo,', 'status=open%00', 'status=todo&q=a&status=todo']],
    ['sort', ['sort=', 'sort=+createdAt', 'sort=__proto__']],
    ['departmentId', ['departmentId=-1', 'departmentId=1e0']],
    ['q', ['q=', 'q=a%00b', 'q=%ED%A0%80', 'q=%FF', 'q=%zz']],
    ['label', ['label']],
    ['cursor', ['limit=1&cursor=mine', 'limit=1&cursor=']],
    ['framework', ['framework=1']],
    ['page', ['page=2']],
    ['__proto__', ['__proto__=1']],
  ] as const)('rejects queries with an invalid %s with 400 and an error that names it', async ([field, queries]) => {
    for (const query of queries) {
      const response = await http('GET', `/external/task/framework/${acme.framework}/list?${query}`, { key: acme.key });
      expect(response).toMatchObject({ status: 400, headers: { 'x-error-code': 'invalid_request' } });
      expect([query, response.body]).toEqual([query, { error: expect.stringMatching(new RegExp(`^${field}: `)) }]);
    }
  });

  test('decodes its query as application/x-www-form-urlencoded', async () => {
    const path = `/external/task/framework/${acme.framework}/list`;
    const total = async (query: string) => (await http('GET', `${path}?${query}`, { key: acme.key })).text;
    expect(await total('label=%C3%9Cber&priority=1')).toBe('{"total":1}');
    expect(await total('label=access+review')).toBe('{"total":1}');
    expect(await total('status=todo%2Cdone&priority=1,2')).toBe('{"total":2}');
    expect(await total('q=Three+')).toBe('{"total":0}');
  });
});

describe('the text search', () => {
  test('matches pattern characters literally', async ({ acme }) => {
    for (const title of ['100% done', 'a_b', 'axb', String.raw`back\slash`, 'a.*b', "it's", '😀 emoji']) {
      await acme.newTask({ title });
    }
    const titles = async (q: string) => titlesIn(await acme.task.list({ framework: acme.framework, limit: 10, q }));
    expect(await titles('%')).toEqual(['100% done']);
    expect(await titles('_')).toEqual(['a_b']);
    expect(await titles('A_B')).toEqual(['a_b']);
    expect(await titles('\\')).toEqual([String.raw`back\slash`]);
    expect(await titles('.*')).toEqual(['a.*b']);
    expect(await titles("'")).toEqual(["it's"]);
    expect(await titles('😀')).toEqual(['😀 emoji']);
    expect(await titles('x'.repeat(255))).toEqual([]);
  });

  test.for<[string, string]>([
    ['ÜBERPRÜFUNG', 'überprüfung'],
    ['Проверка', 'ПРОВЕРКА'],
    ['Έλεγχοσ', 'ΈΛΕΓΧΟΣ'],
    ['STRAẞE', 'straße'],
    ['I', 'i'],
  ])('ignores case in any script: %s matches %s', async ([title, q], { acme }) => {
    await acme.newTask({ title });
    expect(await acme.task.list({ framework: acme.framework, q })).toEqual({ total: 1 });
    expect(await acme.task.list({ framework: acme.framework, q: title })).toEqual({ total: 1 });
    await acme.newTask({ title: 'Other', labels: [title] });
    expect(await acme.task.list({ framework: acme.framework, label: q })).toEqual({ total: 1 });
  });

  test.for<[string, string]>([
    ['Straße', 'strasse'],
    ['Cafe', 'Café'],
    ['ı', 'i'],
  ])('compares different letters as different: %s does not match %s', async ([title, q], { acme }) => {
    await acme.newTask({ title });
    expect(await acme.task.list({ framework: acme.framework, q })).toEqual({ total: 0 });
  });
});

test('the filter by label follows every change of the labels', async ({ acme }) => {
  const { framework } = acme;
  const found = async () => {
    const totals = ['one', 'TWO', 'ÜBER'].map(async (label) => (await acme.task.list({ framework, label })).total);
    const [{ rows } = { rows: 0 }] = await sql<{ rows: number }>(
      'select count(*)::int as rows from task_label where company_id = $1',
      acme.id,
    );
    return [...(await Promise.all(totals)), rows];
  };
  const { uniqueId: taskUniqueId } = await acme.newTask({ labels: ['One', 'Two'] });
  await acme.newTask({ labels: ['u\u0308ber'] });
  expect(await found()).toEqual([1, 1, 1, 3]);
  await acme.task.update({ taskUniqueId, labels: ['two', 'über'] });
  expect(await found()).toEqual([0, 1, 2, 3]);
  await acme.task.update({ taskUniqueId, labels: ['TWO'] });
  expect(await found()).toEqual([0, 1, 1, 2]);
  await acme.task.update({ taskUniqueId, title: 'Same labels' });
  expect(await found()).toEqual([0, 1, 1, 2]);
  await acme.task.delete({ taskUniqueId });
  expect(await found()).toEqual([0, 0, 1, 1]);
});

test('combined filters return the tasks that match each filter', async ({ acme }) => {
  const other = await acme.manage.department.create({ name: 'Legal' });
  const departments = [acme.department, other.id];
  const days = ['2026-01-01', '2026-01-02', '2026-01-03'];
  const labels = ['Access', 'audit', 'Éa'];
  const tasks: Task[] = [];
  for (let index = 0; index < 24; index++) {
    const created = await acme.newTask({
      title: ['Review', 'Audit of', 'review of'][index % 3] ?? '',
      priority: 1 + (index % 4),
      labels: labels.filter((_, bit) => (index >> bit) % 2 === 1),
      dueDate: [null, ...days][index % 4] ?? null,
      departmentId: [null, ...departments][index % 3] ?? null,
    });
    const status = TASK_STATUSES[index % TASK_STATUSES.length] ?? 'todo';
    tasks.unshift(await acme.task.update({ taskUniqueId: created.uniqueId, status }));
  }
  // The label is frequent, in another framework.
  await tamper(
    `insert into task_label (company_id, label, framework_id, task_id)
      select ${acme.id}, 'access', ${acme.framework + 1}, uuid_v7() from generate_series(0, ${MAX_RARE})`,
  );
  const optional = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
  const filters = fc.record({
    status: optional([...TASK_STATUSES, 'open', 'done,open', 'canceled,in_review'] as const),
    priority: optional([PRIORITY.min, 2, PRIORITY.max, '3', '4,1']),
    label: optional(['ACCESS', 'Audit', 'éA']),
    departmentId: optional(departments),
    dueBefore: optional(days),
    dueAfter: optional(days),
    updatedSince: optional(tasks.map(({ updatedAt }) => updatedAt)),
    q: optional(['REVIEW', ' of', 'e']),
  });
  const matches = (task: Task, filter: Filters) =>
    (filter.status === undefined ||
      filter.status
        .split(',')
        .some((status) =>
          status === 'open' ? OPEN_STATUSES.some((open) => open === task.status) : status === task.status,
        )) &&
    (filter.priority === undefined || String(filter.priority).split(',').includes(String(task.priority))) &&
    (filter.label === undefined || task.labels.some((label) => label.toLowerCase() === filter.label?.toLowerCase())) &&
    (filter.departmentId === undefined || task.departmentId === filter.departmentId) &&
    (filter.dueBefore === undefined || (task.dueDate !== null && task.dueDate <= filter.dueBefore)) &&
    (filter.dueAfter === undefined || (task.dueDate !== null && task.dueDate >= filter.dueAfter)) &&
    (filter.updatedSince === undefined || task.updatedAt >= filter.updatedSince) &&
    (filter.q === undefined || task.title.toLowerCase().includes(filter.q.toLowerCase()));
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 9 }), async (filter, limit) => {
      const expected = tasks.filter((task) => matches(task, filter)).map(({ uniqueId }) => uniqueId);
      expect(await readAllPages(acme, { ...filter, limit })).toEqual(expected);
      expect(await acme.task.list({ framework: acme.framework, ...filter })).toEqual({ total: expected.length });
    }),
    { numRuns: 60 },
  );
});

test('pages contain each task exactly once unless it is created or deleted between the pages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), async (limit, choices) => {
      const acme = await createCompany();
      const currentIds: string[] = [];
      for (let index = 0; index < 12; index++)
        currentIds.push((await acme.newTask({ title: `Task ${index}` })).uniqueId);
      const stableIds = new Set(currentIds);
      const seen = await readAllPages(acme, { limit }, async () => {
        const choice = choices.next().value ?? 0;
        const index = (choice >> 2) % currentIds.length;
        const taskUniqueId = currentIds[index] ?? '';
        if (choice % 4 === 0) currentIds.push((await acme.newTask({ title: 'Late' })).uniqueId);
        else if (choice % 4 === 1 && currentIds.length > 2) {
          await acme.task.delete({ taskUniqueId });
          currentIds.splice(index, 1);
          stableIds.delete(taskUniqueId);
        } else await acme.task.update({ taskUniqueId, title: `Renamed ${choice}`, status: 'in_progress' });
      });
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => stableIds.has(id))).toEqual([...stableIds].toReversed());
    }),
    { numRuns: 12 },
  );
});

test('a cursor accepts another limit and rejects other filters, lists and companies', async ({ acme, rival }) => {
  const other = await acme.manage.framework.create({ name: 'SOC 2' });
  for (const title of ['one', 'two', 'three']) await acme.newTask({ title });
  for (const name of ['one', 'two']) await acme.vendor.create({ name });
  const { framework } = acme;
  const query = { framework, status: 'todo', q: 'T' } as const;
  const cursor = (await acme.task.list({ ...query, limit: 1 })).nextCursor ?? '';
  expect((await acme.task.list({ ...query, limit: 100, cursor })).items).toHaveLength(1);
  expect((await acme.task.list({ ...query, limit: 1 })).nextCursor).toBe(cursor);
  const tampered = cursor.slice(0, -3) + (cursor.at(-3) === 'A' ? 'B' : 'A') + cursor.slice(-2);
  const vendorCursor = (await acme.vendor.page({ limit: 1 })).nextCursor ?? '';
  const unfilteredCursor = (await acme.task.list({ framework, limit: 1 })).nextCursor ?? '';
  for (const call of [
    () => acme.task.list({ framework, limit: 1, cursor }),
    () => acme.task.list({ ...query, priority: 3, limit: 1, cursor }),
    () => acme.task.list({ ...query, q: 'tw', limit: 1, cursor }),
    () => acme.task.list({ ...query, limit: 1, cursor: tampered }),
    () => acme.task.list({ ...query, limit: 1, cursor: `${cursor}=` }),
    () => acme.task.list({ ...query, limit: 1, cursor: cursor.slice(1) }),
    () => acme.task.list({ framework: other.id, limit: 1, cursor: unfilteredCursor }),
    () => acme.task.list({ framework, limit: 1, cursor: vendorCursor }),
    () => rival.task.list({ framework, limit: 1, cursor: unfilteredCursor }),
    () => acme.vendor.list({ limit: 1, cursor: unfilteredCursor }),
    () => acme.audit.list({ cursor: unfilteredCursor }),
  ]) {
    await expect(call).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'cursor: expected a cursor of this list with the same filters',
    });
  }
});
