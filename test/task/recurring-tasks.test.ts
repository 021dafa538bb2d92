import { beforeAll, describe, expect, test } from 'vitest';
import { sql, tamper } from '../support/database/database.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { recorded } from '../support/tenants/samples.ts';

const DAY_MS = 86_400_000;
const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

let acme: TestCompany;
beforeAll(async () => {
  acme = await createCompany();
});

type Task = Awaited<ReturnType<TestCompany['newTask']>>;
const newTask = (fields: Partial<Parameters<TestCompany['newTask']>[0]> = {}) =>
  acme.newTask({ recurrence: 'FREQ=DAILY', dueDate: dateIn(5), ...fields });
const close = ({ uniqueId: taskUniqueId }: Pick<Task, 'uniqueId'>, status: 'done' | 'not_applicable' = 'done') =>
  acme.task.update({ taskUniqueId, status });
const get = (taskUniqueId: string | null) => acme.task.get({ taskUniqueId: taskUniqueId ?? '' });
const seriesOf = async ({ uniqueId: taskUniqueId }: Pick<Task, 'uniqueId'>) =>
  (await acme.task.series({ taskUniqueId })).items.map(({ uniqueId }) => uniqueId);

describe('closing a task that recurs', () => {
  test.each(['done', 'not_applicable'] as const)('with %s makes the next one with the same content', async (status) => {
    const ann = await createMember(acme, { name: 'Ann' });
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
    const content = {
      title: 'Review access',
      description: '<p>All systems.</p>',
      priority: 1,
      labels: ['access'],
      departmentId: acme.department,
      gaps: [acme.gap],
      vendors: [vendor],
      recurrence: 'INTERVAL=2;FREQ=DAILY',
    };
    const task = await newTask({ ...content, startDate: dateIn(2), assigneeId: ann.uniqueId });
    const closed = await close(task, status);
    expect(closed).toMatchObject({ ...recorded(task), ...metadataOf(closed), status, version: 2 });
    const next = await get(closed.next);
    expect(next).toMatchObject({
      ...content,
      framework: acme.framework,
      startDate: dateIn(4),
      dueDate: dateIn(7),
      status: 'todo',
      assignee: { uniqueId: ann.uniqueId },
      previous: task.uniqueId,
      next: null,
      externalIds: [],
      version: 1,
      createdBy: acme.apiKey.user,
    });
    const { items } = await acme.task.history({ taskUniqueId: task.uniqueId });
    expect(items.map(({ action, changes }) => [action, changes])).toEqual([
      ['task.update', { status: { from: 'todo', to: status } }],
      ['task.create', recorded(task)],
    ]);
    const created = (await acme.task.history({ taskUniqueId: next.uniqueId })).items;
    expect(created).toMatchObject([{ action: 'task.create', changes: recorded(next), actor: acme.apiKey.user }]);
  });

  test('after neglect makes one task that is not due before today', async () => {
    const task = await newTask({ dueDate: dateIn(-365), startDate: dateIn(-370), recurrence: 'FREQ=WEEKLY' });
    const next = await get((await close(task)).next);
    const dueIn = Math.round((Date.parse(next.dueDate ?? '') - Date.parse(dateIn(0))) / DAY_MS);
    expect(dueIn).toBeGreaterThanOrEqual(0);
    expect(dueIn).toBeLessThan(7);
    expect(Date.parse(next.dueDate ?? '') - Date.parse(next.startDate ?? '')).toBe(5 * DAY_MS);
    expect(await seriesOf(task)).toHaveLength(2);
  });

  test('counts down COUNT, and ends with it', async () => {
    const task = await newTask({ recurrence: 'COUNT=2;FREQ=DAILY' });
    const next = await get((await close(task)).next);
    expect(next).toMatchObject({ recurrence: 'COUNT=1;FREQ=DAILY', dueDate: dateIn(6) });
    expect((await close(next)).next).toBeNull();
  });

  test('ends after UNTIL, which is included', async () => {
    const task = await newTask({ recurrence: `FREQ=DAILY;UNTIL=${dateIn(6).replaceAll('-', '')}` });
    const next = await get((await close(task)).next);
    expect(next.dueDate).toBe(dateIn(6));
    expect((await close(next)).next).toBeNull();
  });

  test('with canceled, or of a task that is created closed, makes none', async () => {
    const task = await newTask();
    expect(await acme.task.update({ taskUniqueId: task.uniqueId, status: 'canceled' })).toMatchObject({ next: null });
    const put = { framework: acme.framework, source: 'jira', externalId: 'closed', title: 'Review' };
    const { item } = await acme.task.putByExternalId({
      ...put,
      recurrence: 'FREQ=DAILY',
      dueDate: dateIn(1),
      status: 'done',
    });
    expect(item).toMatchObject({ status: 'done', next: null });
    expect(await seriesOf(item)).toEqual([item.uniqueId]);
  });

  test('makes a next one once, also after it is reopened, and whatever became of the next one', async () => {
    const task = await newTask();
    const { next } = await close(task);
    const reopen = () => acme.task.update({ taskUniqueId: task.uniqueId, status: 'todo' });
    await reopen();
    expect(await close(task)).toMatchObject({ next });
    await reopen();
    const moved = { taskUniqueId: task.uniqueId, status: 'done' as const, dueDate: dateIn(9) };
    expect(await acme.task.update(moved)).toMatchObject({ next });
    expect(await seriesOf(task)).toEqual([next, task.uniqueId]);
    await acme.task.delete({ taskUniqueId: next ?? '' });
    await reopen();
    expect(await close(task)).toMatchObject({ next: null, version: 8 });
    expect(await seriesOf(task)).toEqual([task.uniqueId]);
  });

  test('makes one when two requests close it at once', async () => {
    for (let round = 0; round < 10; round++) {
      const task = await newTask();
      const results = await Promise.all([close(task), close(task), close(task)]);
      expect(new Set(results.map(({ next }) => next)).size).toBe(1);
      expect(await seriesOf(task)).toHaveLength(2);
    }
  });

  test('makes none when another request removes the rule before', async () => {
    for (let round = 0; round < 10; round++) {
      const task = await newTask();
      await Promise.all([close(task), acme.task.update({ taskUniqueId: task.uniqueId, recurrence: null })]);
      const { items } = await acme.task.history({ taskUniqueId: task.uniqueId });
      const isRemovedFirst = items.findIndex(({ changes }) => Object.hasOwn(changes ?? {}, 'recurrence')) === 1;
      expect(await seriesOf(task)).toHaveLength(isRemovedFirst ? 1 : 2);
      expect(items).toHaveLength(3);
    }
  });

  test('in one request with other changes uses the new rule and date', async () => {
    const task = await newTask();
    const changes = { recurrence: 'FREQ=YEARLY', dueDate: '2998-06-01', status: 'done' as const };
    const closed = await acme.task.update({ taskUniqueId: task.uniqueId, ...changes });
    expect(closed).toMatchObject(changes);
    const far = await get(closed.next);
    expect(far).toMatchObject({ dueDate: '2999-06-01', recurrence: 'FREQ=YEARLY' });
    expect(await close(far)).toMatchObject({ status: 'done', next: null });
    const other = await acme.newTask();
    const opened = { recurrence: 'FREQ=DAILY', dueDate: dateIn(1), status: 'done' as const };
    const { next } = await acme.task.update({ taskUniqueId: other.uniqueId, ...opened });
    expect(await get(next)).toMatchObject({ dueDate: dateIn(2), previous: other.uniqueId });
    const cleared = await newTask();
    const last = { taskUniqueId: cleared.uniqueId, recurrence: null, status: 'done' as const };
    expect(await acme.task.update(last)).toMatchObject({ recurrence: null, next: null });
  });

  test('leaves out what cannot be given any more', async () => {
    const ann = await createMember(acme, { name: 'Ann' });
    const { id: departmentId } = await acme.manage.department.create({ name: 'Old' });
    const { id: gap } = await acme.manage.gap.create({ framework: acme.framework, title: 'Old' });
    const task = await newTask({ departmentId, gaps: [gap, acme.gap], assigneeId: ann.uniqueId });
    await acme.manage.member.end({ uniqueId: ann.uniqueId });
    await acme.manage.department.archive({ id: departmentId });
    await acme.manage.gap.archive({ id: gap });
    const next = await get((await close(task)).next);
    expect(next).toMatchObject({ departmentId: null, gaps: [acme.gap], assignee: null });
  });

  test('in an archived framework ends the series', async () => {
    const { id: framework } = await acme.manage.framework.create({ name: 'Old' });
    const task = await newTask({ framework });
    await acme.manage.framework.archive({ id: framework });
    expect(await close(task)).toMatchObject({ status: 'done', next: null });
  });

  test('in a batch and with a PUT makes the next one too, and with If-Match that does not match none', async () => {
    const [one, two, three] = [await newTask(), await newTask(), await newTask()];
    const items = [one, two].map(({ uniqueId }) => ({ op: 'update' as const, uniqueId, body: { status: 'done' } }));
    const { results } = await acme.task.batch({ items });
    expect(results.map(({ item }) => Reflect.get(Object(item), 'next'))).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
    const reference = { source: 'jira', externalId: three.uniqueId };
    await acme.task.link({ taskUniqueId: three.uniqueId, ...reference });
    const put = { framework: acme.framework, ...reference, title: 'Done', status: 'done' as const };
    expect((await acme.task.putByExternalId(put)).item).toMatchObject({ status: 'done', next: expect.any(String) });
    const four = await newTask();
    const stale = acme.task.update({ taskUniqueId: four.uniqueId, status: 'done', ifMatch: '9-00000000' });
    await expect(stale).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await seriesOf(four)).toEqual([four.uniqueId]);
  });

  test('that an atomic batch rolls back leaves the task open and makes none', async () => {
    const task = await newTask();
    const items = [
      { op: 'update' as const, uniqueId: task.uniqueId, body: { status: 'done' } },
      { op: 'update' as const, uniqueId: (await acme.newTask()).uniqueId, body: { priority: 9 } },
    ];
    await expect(acme.task.batch({ items, atomic: true })).rejects.toThrow('items.1.priority');
    expect(await get(task.uniqueId)).toMatchObject({ status: 'todo', next: null, version: 1 });
    expect(await sql('select 1 from task where previous = $1', task.uniqueId)).toEqual([]);
  });
});

/** Fields that a change sets. */
const metadataOf = ({ updatedAt, updatedBy }: Task) => ({ updatedAt, updatedBy });

describe('a series', () => {
  test('has its tasks, newest first, in pages, also when one between them is deleted', async () => {
    const first = await newTask();
    const second = await get((await close(first)).next);
    const third = await get((await close(second)).next);
    const ids = [third, second, first].map(({ uniqueId }) => uniqueId);
    for (const task of [first, second, third]) expect(await seriesOf(task)).toEqual(ids);
    const page = await acme.task.series({ taskUniqueId: first.uniqueId, limit: 2 });
    const rest = await acme.task.series({ taskUniqueId: first.uniqueId, limit: 2, cursor: page.nextCursor ?? '' });
    expect([...page.items, ...rest.items].map(({ uniqueId }) => uniqueId)).toEqual(ids);
    expect(rest.nextCursor).toBeNull();
    await acme.task.delete({ taskUniqueId: second.uniqueId });
    expect(await seriesOf(first)).toEqual([third.uniqueId, first.uniqueId]);
    const { etag } = third;
    expect(await get(third.uniqueId)).toMatchObject({ previous: null, etag, version: 1 });
    expect(await get(first.uniqueId)).toMatchObject({ next: null });
    const asOf = third.createdAt;
    expect(await acme.task.get({ taskUniqueId: third.uniqueId, asOf })).toMatchObject({
      previous: second.uniqueId,
      next: null,
    });
    await acme.task.delete({ taskUniqueId: first.uniqueId });
    expect(await seriesOf(third)).toEqual([third.uniqueId]);
  });

  test('of a task without one is the task itself, and of an unknown task 404', async () => {
    const task = await acme.newTask();
    expect((await acme.task.series({ taskUniqueId: task.uniqueId })).items).toMatchObject([{ title: task.title }]);
    const unknown = acme.task.series({ taskUniqueId: acme.apiKey.uniqueId });
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const rival = await createCompany();
    const foreign = (await callerForKey(rival.key)).task.series({ taskUniqueId: task.uniqueId });
    await expect(foreign).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('the recurrence of a task', () => {
  test.each([
    ['FREQ=SECONDLY', dateIn(1)],
    ['FREQ=DAILY;COUNT=2;UNTIL=29991231', dateIn(1)],
    ['FREQ=DAILY;UNTIL=20200101', dateIn(1)],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', dateIn(1)],
    ['FREQ=DAILY', null],
    ['RRULE:FREQ=DAILY', dateIn(1)],
    ['', dateIn(1)],
  ])('%j with the due date %s is 422 in a create and in a change', async (recurrence, dueDate) => {
    const error = { code: 'UNPROCESSABLE_CONTENT', message: expect.stringMatching(/^recurrence: /) };
    await expect(acme.newTask({ recurrence, dueDate })).rejects.toMatchObject(error);
    const { uniqueId: taskUniqueId } = await acme.newTask({ dueDate });
    await expect(acme.task.update({ taskUniqueId, recurrence })).rejects.toMatchObject(error);
    expect(await get(taskUniqueId)).toMatchObject({ recurrence: null, version: 1 });
    const other = await newTask({ dueDate: dateIn(1) });
    const change = acme.task.update({ taskUniqueId: other.uniqueId, recurrence, dueDate });
    await expect(change).rejects.toMatchObject(error);
  });

  test('of 1,000 weekdays is 400', async () => {
    const recurrence = `FREQ=WEEKLY;BYDAY=${Array.from({ length: 1000 }, () => 'MO').join(',')}`;
    await expect(newTask({ recurrence })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'recurrence: expected a recurrence rule of at most 500 characters',
    });
  });

  test('is checked only when it or the date of the series changes, and a task that recurs has a due date', async () => {
    const until = dateIn(3).replaceAll('-', '');
    const task = await newTask({ dueDate: dateIn(1), recurrence: `FREQ=DAILY;UNTIL=${until}` });
    const { uniqueId: taskUniqueId } = task;
    const late = acme.task.update({ taskUniqueId, dueDate: dateIn(4), moveSeries: true });
    await expect(late).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
    const undated = acme.task.update({ taskUniqueId, dueDate: null });
    await expect(undated).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
    expect(await acme.task.update({ taskUniqueId, dueDate: dateIn(2), priority: 1 })).toMatchObject({ version: 2 });
    expect(await acme.task.update({ taskUniqueId, dueDate: null, recurrence: null })).toMatchObject({ version: 3 });
  });

  test('and the due date stay in a PUT that sends neither, and go with null', async () => {
    const put = { framework: acme.framework, source: 'jira', externalId: 'PUT-1', title: 'Review' };
    await acme.task.putByExternalId({ ...put, recurrence: 'FREQ=DAILY', dueDate: dateIn(1) });
    const kept = (await acme.task.putByExternalId({ ...put, mode: 'replace', title: 'Renew' })).item;
    expect(kept).toMatchObject({ title: 'Renew', recurrence: 'FREQ=DAILY', dueDate: dateIn(1) });
    const { item } = await acme.task.putByExternalId({ ...put, mode: 'replace', recurrence: null });
    expect(item).toMatchObject({ recurrence: null, dueDate: null });
    const dated = (await acme.task.putByExternalId({ ...put, dueDate: dateIn(9) })).item;
    expect(dated).toMatchObject({ dueDate: dateIn(9) });
    expect((await acme.task.putByExternalId({ ...put, mode: 'replace' })).item).toMatchObject({ dueDate: null });
  });

  test('has dates that follow, for a preview', async () => {
    const { task } = await callerForKey(acme.key);
    const query = { recurrence: 'FREQ=MONTHLY;BYMONTHDAY=-1', dueDate: '2026-12-31' };
    expect(await task.nextDates(query)).toEqual({ dates: ['2027-01-31', '2027-02-28', '2027-03-31'] });
    await expect(task.nextDates({ ...query, recurrence: 'FREQ=HOURLY' })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    });
  });
});

describe('a due date that moves', () => {
  const quarterly = { recurrence: 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1', dueDate: '2926-12-31' };
  const changesOf = async (taskUniqueId: string) =>
    (await acme.task.history({ taskUniqueId })).items.map(({ changes }) => changes)[0];

  test.for(['2927-01-05', '2926-11-05', '2927-05-01'])(
    'to %s moves this task only, not the series',
    async (dueDate) => {
      const { uniqueId: taskUniqueId, seriesDate } = await newTask(quarterly);
      expect(seriesDate).toBe('2926-12-31');
      const moved = await acme.task.update({ taskUniqueId, dueDate });
      expect(moved).toMatchObject({ dueDate, seriesDate: '2926-12-31', version: 2 });
      expect(await changesOf(taskUniqueId)).toEqual({ dueDate: { from: '2926-12-31', to: dueDate } });
      expect(await get((await close(moved)).next)).toMatchObject({ dueDate: '2927-03-31', seriesDate: '2927-03-31' });
    },
  );

  test('moves the series with moveSeries, and then counts from the new date', async () => {
    const { uniqueId: taskUniqueId } = await newTask(quarterly);
    const moved = await acme.task.update({ taskUniqueId, dueDate: '2927-01-05', moveSeries: true });
    expect(moved).toMatchObject({ dueDate: '2927-01-05', seriesDate: '2927-01-05' });
    const change = { from: '2926-12-31', to: '2927-01-05' };
    expect(await changesOf(taskUniqueId)).toEqual({ dueDate: change, seriesDate: change });
    expect(await get((await close(moved)).next)).toMatchObject({ dueDate: '2927-01-31' });
  });

  test('again, with a new rule, or without one changes the date of the series as its rule says', async () => {
    const { uniqueId: taskUniqueId } = await newTask(quarterly);
    const update = (changes: object) => acme.task.update({ taskUniqueId, ...changes });
    expect(await update({ dueDate: '2927-01-05' })).toMatchObject({ seriesDate: '2926-12-31' });
    expect(await update({ dueDate: '2927-01-06' })).toMatchObject({ seriesDate: '2926-12-31' });
    expect(await update({ moveSeries: true })).toMatchObject({ seriesDate: '2926-12-31', version: 3 });
    expect(await update({ dueDate: '2927-01-06', moveSeries: true })).toMatchObject({ version: 3 });
    expect(await update({ recurrence: 'FREQ=MONTHLY' })).toMatchObject({ seriesDate: '2927-01-06' });
    expect(await update({ dueDate: '2927-01-07' })).toMatchObject({ seriesDate: '2927-01-06' });
    expect(await update({ recurrence: null })).toMatchObject({ seriesDate: null, dueDate: '2927-01-07' });
    expect(await update({ dueDate: '2927-01-08', moveSeries: true })).toMatchObject({ seriesDate: null });
  });

  test('may pass UNTIL, which is compared with the date of the series', async () => {
    const rule = `${quarterly.recurrence};UNTIL=29270131`;
    const { uniqueId: taskUniqueId } = await newTask({ ...quarterly, recurrence: rule });
    expect(await acme.task.update({ taskUniqueId, dueDate: '2927-02-05' })).toMatchObject({ recurrence: rule });
    const beyond = acme.task.update({ taskUniqueId, dueDate: '2927-02-06', moveSeries: true });
    await expect(beyond).rejects.toThrow('recurrence: UNTIL 2927-01-31 is before dueDate 2927-02-06');
    expect(await close({ uniqueId: taskUniqueId })).toMatchObject({ next: null });
  });

  test('in a PUT moves the series with moveSeries only', async () => {
    const key = { framework: acme.framework, source: 'jira', externalId: 'MOVED' };
    await acme.task.putByExternalId({ ...key, title: 'Review', ...quarterly });
    const put = async (body: object) => (await acme.task.putByExternalId({ ...key, ...body })).item;
    expect(await put({ dueDate: '2927-01-05' })).toMatchObject({ seriesDate: '2926-12-31' });
    expect(await put({ mode: 'replace', title: 'Review', dueDate: '2927-01-06' })).toMatchObject({
      ...quarterly,
      dueDate: '2927-01-06',
      seriesDate: '2926-12-31',
    });
    expect(await put({ dueDate: '2927-01-07', moveSeries: true })).toMatchObject({ seriesDate: '2927-01-07' });
  });

  test('of a task from before version 0.11.0 keeps the date that it had', async () => {
    const { uniqueId: taskUniqueId } = await newTask(quarterly);
    await tamper(`update task set series_date = null where unique_id = '${taskUniqueId}'`);
    const before = await get(taskUniqueId);
    expect(before).toMatchObject({ seriesDate: '2926-12-31' });
    expect(await acme.task.update({ taskUniqueId, priority: 1 })).toMatchObject({ seriesDate: '2926-12-31' });
    expect(await acme.task.update({ taskUniqueId, dueDate: '2927-01-05' })).toMatchObject({ seriesDate: '2926-12-31' });
  });

  test('is shown as of a time', async () => {
    const { uniqueId: taskUniqueId } = await newTask(quarterly);
    const { updatedAt } = await acme.task.update({ taskUniqueId, dueDate: '2927-01-05' });
    await acme.task.update({ taskUniqueId, dueDate: '2927-01-06', moveSeries: true });
    const asOf = acme.task.get({ taskUniqueId, asOf: updatedAt });
    expect(await asOf).toMatchObject({ dueDate: '2927-01-05', seriesDate: '2926-12-31', version: 2 });
  });
});
