import { afterAll, beforeAll, expect, vi } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { http } from '../support/http/server.ts';
import { callTool } from '../support/http/mcp.ts';
import { callerForKey, callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { readPages } from '../support/tenants/pages.ts';
import { TASK_FIELD_SORTS } from '../../entities/task/list.ts';

const TODAY = '2026-11-22';
const LISTS = '/external/task/list';

let acme: TestCompany;
let caller: Awaited<ReturnType<typeof callerForKey>>;
let ann: TestMember;
let ben: TestMember;
/** Ids of three frameworks. The last one is archived. */
let frameworks: [number, number, number];
type Task = Awaited<ReturnType<TestCompany['newTask']>>;
const tasks: Task[] = [];

beforeAll(async () => {
  vi.useFakeTimers({ now: new Date(`${TODAY}T12:00:00Z`), toFake: ['Date'] });
  acme = await createCompany();
  caller = await callerForKey(acme.key);
  ann = await createMember(acme, { name: 'Ann' });
  ben = await createMember(acme, { name: 'Ben', role: 'editor' });
  const create = async (name: string) => (await acme.manage.framework.create({ name })).id;
  frameworks = [acme.framework, await create('SOC 2'), await create('NIS 2')];
  const dueDates = ['2026-11-21', TODAY, '2026-11-29', '2026-11-30', null];
  const assignees = [ann.uniqueId, ben.uniqueId, null];
  for (let index = 0; index < 30; index++) {
    tasks.push(
      // Sequential, so that the order of the ids is known.
      await acme.newTask({
        framework: frameworks[index % 3] ?? 0,
        title: `Task ${index}`,
        priority: 1 + (index % 4),
        labels: index % 5 === 0 ? ['fifth'] : [],
        dueDate: dueDates[index % 5] ?? null,
        assigneeId: assignees[Math.floor(index / 3) % 3] ?? null,
      }),
    );
  }
  for (const { uniqueId } of tasks.slice(0, 6)) await acme.task.update({ taskUniqueId: uniqueId, status: 'done' });
  await acme.manage.framework.archive({ id: frameworks[2] });
});
afterAll(() => void vi.useRealTimers());

const get = (query: string, key = acme.key) => http('GET', `${LISTS}${query}`, { key });
const titles = async (query: string) => {
  const { body } = await get(`${query}&limit=100&sort=createdAt`);
  return Array.from((body as { items: Task[] }).items, ({ title }) => title);
};
const titlesOf = (select: (task: Task, index: number) => boolean) => tasks.filter(select).map(({ title }) => title);
const isDone = (index: number) => index < 6;

test('without a limit the tasks of all frameworks are only counted, also those of archived ones', async () => {
  expect(await get('')).toMatchObject({ status: 200, text: '{"total":30}', headers: { 'x-total-count': '30' } });
  expect(await get('?status=done')).toMatchObject({ text: '{"total":6}' });
  expect(await get(`?framework=${frameworks[0]},${frameworks[2]},${frameworks[0]}`)).toMatchObject({
    body: { total: 20 },
  });
});

test('every order has each task once, over pages of any size', async () => {
  const rank = (value: string | number | null) => (value === null ? '~' : String(value));
  for (const sort of TASK_FIELD_SORTS) {
    const seen: Task[] = [];
    for await (const page of readPages((from) => caller.task.listAll({ sort, limit: 7, ...from }))) {
      expect(page.total).toBe(30);
      seen.push(...(page.items as Task[]));
    }
    const field = sort.replace('-', '') as 'createdAt' | 'dueDate' | 'priority' | 'updatedAt' | 'closedAt';
    const value = (task: Task) => `${field === 'createdAt' ? '' : rank(task[field])} ${task.uniqueId}`;
    expect(new Set(seen.map(({ uniqueId }) => uniqueId)).size).toBe(30);
    const dated = seen.filter((task) => task[field] !== null);
    const ordered = dated.toSorted((a, b) => (value(a) < value(b) ? -1 : 1));
    expect(dated).toEqual(sort.startsWith('-') ? ordered.toReversed() : ordered);
    expect(seen.slice(0, dated.length)).toEqual(dated);
  }
});

test('the filter by assignee takes members and nobody, alone, together and with other filters', async () => {
  const isOf =
    (...members: (TestMember | null)[]) =>
    (task: Task) =>
      members.some((member) => (member?.uniqueId ?? null) === (task.assignee?.uniqueId ?? null));
  expect(await titles(`?assignee=${ann.uniqueId}`)).toEqual(titlesOf(isOf(ann)));
  expect(await titles(`?assignee=${ben.uniqueId},${ann.uniqueId}`)).toEqual(titlesOf(isOf(ann, ben)));
  expect(await titles('?assignee=none')).toEqual(titlesOf(isOf(null)));
  expect(await titles(`?assignee=none,${ann.uniqueId}`)).toEqual(titlesOf(isOf(null, ann)));
  expect(await titles(`?assignee=${acme.apiKey.uniqueId}`)).toEqual([]);
  expect(await titles(`?assignee=${ann.uniqueId}&status=open&q=task`)).toEqual(
    titlesOf((task, index) => isOf(ann)(task) && !isDone(index)),
  );
  expect(await get(`?assignee=${ann.uniqueId}&updatedSince=2000-01-01T00:00:00Z`)).toMatchObject({
    body: { total: 12 },
  });
  expect(await get(`?assignee=${ann.uniqueId}&updatedSince=2999-01-01T00:00:00Z`)).toMatchObject({
    body: { total: 0 },
  });
  const inOne = await http('GET', `/external/task/framework/${acme.framework}/list?assignee=${ann.uniqueId}`, {
    key: acme.key,
  });
  expect(inOne).toMatchObject({ body: { total: 4 } });
});

test('pages of the tasks of a member have each task once, in every order', async () => {
  for (const sort of TASK_FIELD_SORTS) {
    const ids: string[] = [];
    for await (const page of readPages((from) =>
      caller.task.listAll({ sort, assignee: ann.uniqueId, limit: 5, ...from }),
    ))
      ids.push(...(page.items ?? []).map(({ uniqueId }) => uniqueId));
    const own = tasks.filter(({ assignee }) => assignee?.uniqueId === ann.uniqueId).map(({ uniqueId }) => uniqueId);
    expect(ids.toSorted()).toEqual(own.toSorted());
  }
});

test('due selects open tasks by the day of the company, in frameworks that are not archived unless they are named', async () => {
  const isIn = (index: number, named: boolean) => named || index % 3 !== 2;
  const overdue = (named: boolean) =>
    titlesOf(({ dueDate }, index) => dueDate !== null && dueDate < TODAY && !isDone(index) && isIn(index, named));
  const week = titlesOf(
    ({ dueDate }, index) =>
      dueDate !== null && dueDate >= TODAY && dueDate <= '2026-11-29' && !isDone(index) && isIn(index, false),
  );
  expect(await titles('?due=overdue')).toEqual(overdue(false));
  expect(await titles(`?due=overdue&framework=${frameworks.join(',')}`)).toEqual(overdue(true));
  expect(await titles('?due=week')).toEqual(week);
  expect(await titles('?due=none')).toEqual(titlesOf(({ dueDate }, index) => dueDate === null && isIn(index, false)));
  expect(await titles('?due=week&status=done')).toEqual([]);
  expect(await titles('?due=week&dueBefore=2026-11-22&dueAfter=2026-11-01')).toEqual(
    titlesOf(({ dueDate }, index) => dueDate === TODAY && !isDone(index) && isIn(index, false)),
  );
  const ofArchived = await http('GET', `/external/task/framework/${frameworks[2]}/list?due=none`, { key: acme.key });
  expect(ofArchived).toMatchObject({ body: { total: 2 } });
});

test('a principal that is limited to frameworks counts and sees only those, and another id is 403', async () => {
  const limits = { frameworks: [frameworks[0], frameworks[1]] };
  const member = await createMember(acme, { role: 'editor', ...limits });
  const { key } = await acme.manage.apiKey.create({ name: 'Limited', ...limits });
  for (const limited of [member.caller, callerWithPermissions(acme, limits)]) {
    expect(await limited.task.listAll({})).toEqual({ total: 20 });
    const { items = [] } = await limited.task.listAll({ limit: 100 });
    expect(new Set(items.map(({ framework }) => framework))).toEqual(new Set(limits.frameworks));
    for (const other of [frameworks[2], 2_147_483_648, 0])
      await expect(limited.task.listAll({ framework: `${frameworks[0]},${other}` })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
  }
  expect(await get(`?framework=${frameworks[2]}`, key)).toMatchObject({ status: 403 });
  expect(await get(`?framework=${frameworks[1]}`, key)).toMatchObject({ status: 200, body: { total: 10 } });
});

test('an unknown framework and one of another company are 404', async ({ rival }) => {
  for (const id of [rival.framework, 0, 2_147_483_647, 2_147_483_648])
    for (const query of [
      `?framework=${id}`,
      `?framework=${acme.framework},${id}&limit=1`,
      `?framework=${id}&q=x&limit=1`,
    ])
      expect(await get(query)).toMatchObject({ status: 404, body: { error: 'framework: not found' } });
});

test.for([
  ['framework', ['', '1,', ',1', '1,,2', 'x', '-1', '1.5', '9'.repeat(16)]],
  ['assignee', ['', 'none,', 'nobody', 'me', '0'.repeat(36)]],
  ['due', ['', 'today', 'week,overdue']],
] as const)('rejects invalid values of %s', async ([field, values]) => {
  for (const value of values) {
    const { status, body } = await get(`?${field}=${encodeURIComponent(value)}`);
    expect([status, body]).toEqual([400, { error: expect.stringMatching(new RegExp(`^${field}: `)) }]);
  }
});

test('an export has all matching tasks with their assignee as id, as NDJSON and as CSV', async () => {
  const accept = (type: string) => ({ key: acme.key, headers: { accept: type } });
  const ndjson = await http('GET', `${LISTS}?sort=createdAt`, accept('application/x-ndjson'));
  const rows = ndjson.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Task & { assigneeId: string | null });
  expect(rows.map(({ title }) => title)).toEqual(tasks.map(({ title }) => title));
  expect(rows.map(({ assigneeId }) => assigneeId)).toEqual(tasks.map(({ assignee }) => assignee?.uniqueId ?? null));
  const csv = await http('GET', `${LISTS}?sort=createdAt&assignee=${ann.uniqueId}`, accept('text/csv'));
  const [header = '', ...lines] = csv.text.trim().split('\r\n');
  expect(header.split(',').slice(-19)).toEqual([
    'status',
    'vendors',
    'recurrence',
    'requirements',
    'needsEvidence',
    'assignee',
    'assigneeId',
    'reviewer',
    'reviewerId',
    'seriesDate',
    'previous',
    'closedAt',
    'closedBy',
    'externalIds',
    'createdAt',
    'updatedAt',
    'createdBy',
    'updatedBy',
    'version',
  ]);
  expect(lines).toHaveLength(12);
  expect(lines.every((line) => line.includes(`,${ann.uniqueId},`))).toBe(true);
});

test('a model lists the tasks of all frameworks', async () => {
  expect(await callTool(acme.key, 'task_listAll', { framework: `${frameworks[1]}` })).toMatchObject({
    structuredContent: { total: 10 },
  });
});
