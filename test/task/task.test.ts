import { describe, expect } from 'vitest';
import { LABEL_LIMITS } from '../../entities/fields/labels.ts';
import { MAX_GAPS, OPEN_STATUSES, TASK_STATUSES } from '../../entities/task/task.ts';
import type { TaskFields } from '../../entities/task/task.ts';
import { test } from '../support/fixtures/test.ts';

test('a new task has the documented defaults', async ({ acme }) => {
  const task = await acme.task.create({ framework: acme.framework, title: '  Review access rights ' });
  expect(task).toMatchObject({
    framework: acme.framework,
    title: 'Review access rights',
    description: '',
    priority: 3,
    labels: [],
    startDate: null,
    dueDate: null,
    departmentId: null,
    gaps: [],
    status: 'todo',
    createdBy: acme.apiKey.user,
    updatedBy: acme.apiKey.user,
    version: 1,
  });
  expect(await acme.task.get({ taskUniqueId: task.uniqueId })).toEqual(task);
});

test('a new task stores every field of the request', async ({ acme }) => {
  const fields = {
    title: 'Review',
    description: '<p>Access rights</p>',
    priority: 1,
    labels: ['access', 'quarterly'],
    startDate: '2026-01-05',
    dueDate: '2026-02-27',
    departmentId: acme.department,
    gaps: [acme.gap],
  };
  expect(await acme.newTask(fields)).toMatchObject(fields);
});

test.for([0, 2_147_483_647, 2_147_483_648, 1e20])('framework %d does not exist', async (framework, { acme }) => {
  await expect(acme.task.list({ framework })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(acme.newTask({ framework })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

const FULL_TASK = {
  title: 'Review',
  description: 'Access rights',
  priority: 2,
  labels: ['access'],
  startDate: '2026-01-05',
  dueDate: '2026-02-27',
} satisfies Partial<TaskFields>;

describe('an update of one field keeps the other fields', () => {
  const set: Partial<TaskFields>[] = [
    { title: 'Renamed' },
    { description: '<b>All</b>' },
    { priority: 4 },
    { labels: ['x', 'y'] },
    { startDate: '2026-01-06' },
    { dueDate: '2026-03-01' },
    { status: 'in_progress' },
  ];
  const cleared: Partial<TaskFields>[] = [
    { description: '' },
    { labels: [] },
    { startDate: null },
    { dueDate: null },
    { departmentId: null },
    { gaps: [] },
  ];
  test.for([...set, ...cleared])('%o', async (changes, { acme }) => {
    const before = await acme.newTask({ ...FULL_TASK, departmentId: acme.department, gaps: [acme.gap] });
    const { labels, gaps, ...rest } = changes;
    const input = { ...rest, ...(labels && { labels: [...labels] }), ...(gaps && { gaps: [...gaps] }) };
    const after = await acme.task.update({ taskUniqueId: before.uniqueId, ...input });
    expect(after).toEqual({ ...before, ...changes, version: 2, updatedAt: after.updatedAt, etag: after.etag });
    expect(after.etag).not.toBe(before.etag);
    expect(await acme.task.get({ taskUniqueId: before.uniqueId })).toEqual(after);
  });
});

test.for([{}, { title: 'Review' }, { ...FULL_TASK }, { status: 'todo' as const }, { labels: ['access', 'ACCESS'] }])(
  'an update with the unchanged values %o writes nothing',
  async (changes, { acme }) => {
    const before = await acme.newTask(FULL_TASK);
    expect(await acme.task.update({ taskUniqueId: before.uniqueId, ...changes })).toEqual(before);
    expect(await acme.events(before.uniqueId)).toHaveLength(1);
  },
);

test('a dueDate before startDate is rejected on create, and on update after merging with the stored dates', async ({
  acme,
}) => {
  const { uniqueId: taskUniqueId } = await acme.newTask({ startDate: '2026-05-10', dueDate: '2026-05-10' });
  const early = acme.task.update({ taskUniqueId, dueDate: '2026-05-09' });
  await expect(early).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: expect.stringMatching(/^dueDate: /),
  });
  await expect(acme.task.update({ taskUniqueId, startDate: '2026-05-11' })).rejects.toThrow('dueDate');
  await expect(
    acme.task.update({ taskUniqueId, startDate: '2026-05-11', dueDate: '2026-05-12' }),
  ).resolves.toBeDefined();
  await expect(acme.newTask({ startDate: '2026-02-02', dueDate: '2026-02-01' })).rejects.toThrow('dueDate');
});

describe('a status change', () => {
  const pairs = TASK_STATUSES.flatMap((from) => TASK_STATUSES.map((to) => ({ from, to })));
  const open = new Set<string>(OPEN_STATUSES);
  test.for(pairs)('from $from to $to', async ({ from, to }, { acme }) => {
    const { uniqueId: taskUniqueId } = await acme.newTask();
    const { version } = await acme.task.update({ taskUniqueId, status: from });
    const update = acme.task.update({ taskUniqueId, status: to });
    if (from === to) await expect(update).resolves.toMatchObject({ version });
    else if (open.has(from) || open.has(to))
      await expect(update).resolves.toMatchObject({ status: to, version: version + 1 });
    else await expect(update).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringMatching(/^status: /) });
  });
});

describe('a department or gap of a task', () => {
  test('must exist in the company', async ({ acme, rival }) => {
    const { uniqueId: taskUniqueId } = await acme.newTask();
    for (const [field, id] of [
      ['departmentId', rival.department],
      ['departmentId', 2_147_483_647],
    ] as const) {
      await expect(acme.newTask({ [field]: id })).rejects.toThrow(/^departmentId: /);
      await expect(acme.task.update({ taskUniqueId, [field]: id })).rejects.toThrow(/^departmentId: /);
    }
    for (const gaps of [[rival.gap], [acme.gap, 2_147_483_647], [acme.gap, acme.gap]]) {
      await expect(acme.newTask({ gaps })).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
      await expect(acme.task.update({ taskUniqueId, gaps })).rejects.toThrow(/^gaps: /);
    }
    expect(await acme.task.list({ framework: acme.framework })).toEqual({ total: 1 });
    expect(await acme.task.get({ taskUniqueId })).toMatchObject({ version: 1 });
  });

  test('must be of the same framework, with at most MAX_GAPS gaps', async ({ acme }) => {
    const soc = await acme.manage.framework.create({ name: 'SOC 2' });
    const otherGap = await acme.manage.gap.create({ framework: soc.id, title: 'Of SOC 2' });
    await expect(acme.newTask({ gaps: [otherGap.id] })).rejects.toThrow(/^gaps: /);
    const tooManyGaps = Array.from({ length: MAX_GAPS + 1 }, (_, index) => index + 1);
    await expect(acme.newTask({ gaps: tooManyGaps })).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
  });

  test('stays on its tasks after it is archived, and cannot be added to other tasks', async ({ acme }) => {
    const { uniqueId: taskUniqueId } = await acme.newTask({ departmentId: acme.department, gaps: [acme.gap] });
    const { uniqueId: other } = await acme.newTask();
    await acme.manage.department.archive({ id: acme.department });
    await acme.manage.gap.archive({ id: acme.gap });
    const kept = await acme.task.update({
      taskUniqueId,
      title: 'Kept',
      departmentId: acme.department,
      gaps: [acme.gap],
    });
    expect(kept).toMatchObject({ title: 'Kept', departmentId: acme.department, gaps: [acme.gap] });
    await expect(acme.task.update({ taskUniqueId: other, departmentId: acme.department })).rejects.toThrow(
      /^departmentId: /,
    );
    await expect(acme.task.update({ taskUniqueId: other, gaps: [acme.gap] })).rejects.toThrow(/^gaps: /);
    await acme.manage.framework.archive({ id: acme.framework });
    await expect(acme.newTask()).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: 'framework: is archived',
    });
    expect(await acme.task.list({ framework: acme.framework })).toEqual({ total: 2 });
  });
});

test('forty concurrent updates of one task all take effect', async ({ acme }) => {
  const { uniqueId: taskUniqueId } = await acme.newTask();
  const changes = [
    { title: 'Renamed' },
    { description: 'Text' },
    { priority: 1 },
    { labels: ['a'] },
    { startDate: '2026-01-01' },
    { dueDate: '2026-12-31' },
    { departmentId: acme.department },
    { gaps: [acme.gap] },
  ];
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      acme.task.update({ taskUniqueId, ...changes[index % 8], ...(index >= 8 && { title: `Renamed ${index}` }) }),
    ),
  );
  const task = await acme.task.get({ taskUniqueId });
  expect(task).toMatchObject({ ...Object.assign({}, ...changes), title: expect.stringMatching(/^Renamed/) });
  const updates = (await acme.events(taskUniqueId)).filter(({ action }) => action === 'task.update');
  expect(task.version).toBe(1 + updates.length);
});

describe('field limits', () => {
  test('a task with every field at its maximum length is stored', async ({ acme }) => {
    const fields = {
      title: '😀'.repeat(127),
      description: 'é'.repeat(20_000),
      labels: Array.from({ length: LABEL_LIMITS.max }, (_, index) =>
        String(index).padStart(LABEL_LIMITS.maxLength, 'x'),
      ),
    };
    expect(await acme.newTask(fields)).toMatchObject(fields);
  });
});
