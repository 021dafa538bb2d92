import { beforeAll, describe, expect } from 'vitest';
import { Session } from '../../database/session.ts';
import { deleteOldTaskHistory, recordTaskHistory } from '../../entities/task/status-history.ts';
import { taskHistory } from '../../procedures/jobs/registry.ts';
import { test } from '../support/fixtures/test.ts';
import { database, sql } from '../support/database/database.ts';
import { runJob } from '../support/database/jobs.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const job = new Session(database, null, 'test-task-history');
const record = () => job.one(recordTaskHistory, {});

/** Stored rows of a company, oldest first, with their age in days. */
const rowsOf = ({ id }: Pick<TestCompany, 'id'>) =>
  sql<{ age: number; framework_id: number; todo: number; done: number }>(
    `select (now() at time zone 'utc')::date - day as age, framework_id, todo, done from task_status_day
     where company_id = $1 order by day, framework_id`,
    id,
  );

/** Stores the numbers of a day in the past. */
const store = ({ id, framework }: { id: number; framework: number }, age: number, todo: number) =>
  sql(
    `insert into task_status_day (company_id, framework_id, day, todo)
     values ($1, $2, (now() at time zone 'utc')::date - $3::int, $4)`,
    id,
    framework,
    age,
    todo,
  );

describe('the job', () => {
  test('stores the numbers of today for every company, only when they changed', async ({ acme, rival }) => {
    const task = await acme.newTask();
    await rival.newTask();
    await record();
    await record();
    const today = { age: 0, framework_id: acme.framework };
    expect(await rowsOf(acme)).toEqual([{ ...today, todo: 1, done: 0 }]);
    expect(await rowsOf(rival)).toMatchObject([{ age: 0, todo: 1 }]);
    await acme.task.update({ taskUniqueId: task.uniqueId, status: 'done' });
    await record();
    expect(await rowsOf(acme)).toEqual([{ ...today, todo: 0, done: 1 }]);
  });

  test('stores no row for a day without a change', async ({ acme }) => {
    await acme.newTask();
    await store(acme, 3, 1);
    await record();
    expect((await rowsOf(acme)).map(({ age }) => age)).toEqual([3]);
  });

  test('does no harm when several processes run it at once', async ({ acme }) => {
    await acme.newTask();
    await Promise.all(Array.from({ length: 4 }, record));
    expect(await rowsOf(acme)).toMatchObject([{ age: 0, todo: 1 }]);
  });

  test('deletes rows older than 100 days, except the newest of them', async ({ acme }) => {
    for (const age of [300, 200, 101, 100, 5]) await store(acme, age, age);
    await job.one(deleteOldTaskHistory, { now: new Date().toISOString() });
    expect((await rowsOf(acme)).map(({ age }) => age)).toEqual([101, 100, 5]);
  });

  test('records the numbers of the day again in each run of the job', async ({ acme }) => {
    for (const todo of [1, 2]) {
      await acme.newTask();
      expect(await runJob(taskHistory.name)).toEqual([]);
      expect(await rowsOf(acme)).toMatchObject([{ todo }]);
    }
  });
});

describe('overview.taskHistory', () => {
  let acme: TestCompany;
  let other: number;
  beforeAll(async () => {
    acme = await createCompany();
    other = (await acme.manage.framework.create({ name: 'SOC 2' })).id;
    await store(acme, 120, 7);
    await store(acme, 10, 4);
    await store({ id: acme.id, framework: other }, 5, 20);
    await acme.newTask();
  });

  test('carries the last known numbers forward, and shows those of today from the counter', async () => {
    const { caller } = await createMember(acme, { role: 'auditor' });
    const days = await caller.overview.taskHistory();
    const todo = days.map(({ counts }) => counts.todo);
    expect(todo).toHaveLength(90);
    expect([todo[0], todo[78], todo[79], todo[83], todo[84], todo[88], todo[89]]).toEqual([7, 7, 4, 4, 24, 24, 1]);
    const [today] = await sql<{ day: string }>(`select to_char(now() at time zone 'utc', 'YYYY-MM-DD') as day`);
    expect(days.at(-1)).toEqual({
      day: today?.day,
      counts: { todo: 1, in_progress: 0, in_review: 0, done: 0, not_applicable: 0, canceled: 0 },
    });
  });

  test('shows one framework, and only the frameworks of the caller', async () => {
    const { caller } = await createMember(acme);
    const limited = (await createMember(acme, { role: 'editor', frameworks: [other] })).caller;
    const ofOther = await caller.overview.taskHistory({ framework: other });
    expect(ofOther.map(({ counts }) => counts.todo)).toEqual([20, 20, 20, 20, 20, 0]);
    expect(await limited.overview.taskHistory()).toEqual(ofOther);
    await expect(limited.overview.taskHistory({ framework: acme.framework })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(caller.overview.taskHistory({ framework: 2_147_483_647 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('keeps the numbers of an archived framework, and starts with the first known day', async ({ company }) => {
    await company.newTask();
    await store(company, 1, 3);
    await company.manage.framework.archive({ id: company.framework });
    const { caller } = await createMember(company);
    expect((await caller.overview.taskHistory()).map(({ counts }) => counts.todo)).toEqual([3, 1]);
  });
});
