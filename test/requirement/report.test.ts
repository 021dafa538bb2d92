import { beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { todayIn } from '../../procedures/schemas/time-zone.ts';
import { addDays } from '../../procedures/task/due.ts';
import { sql, tamper } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const today = todayIn('UTC');
const daysAgo = (days: number) => addDays(today, -days);
/** Noon of a day in UTC. */
const noon = (day: string) => `${day}T12:00:00.000Z`;

async function newCompany() {
  const acme = await createCompany();
  const { key } = await acme.manage.apiKey.create({ name: 'All', scopes: [...SCOPES] });
  const caller = await callerForKey(key);
  const { id, framework } = acme;
  let last = await lastEvent(id);
  return {
    ...acme,
    key,
    caller,
    /** Does something, and moves its events to a time. */
    async at<T>(time: string, work: () => Promise<T>): Promise<T> {
      const result = await work();
      await tamper(`update audit_event set occurred_at = '${time}' where company_id = ${id} and id > ${last}`);
      last = await lastEvent(id);
      return result;
    },
    since: (time: string) => tamper(`update company set created_at = '${time}' where id = ${id}`),
    newRequirement: (ref: string, fields: object = {}) =>
      caller.requirement.create({ framework, ref, title: `Title of ${ref}`, ...fields }),
    report: (since?: string) => caller.framework.report({ framework, ...(since !== undefined && { since }) }),
  };
}
type Company = Awaited<ReturnType<typeof newCompany>>;

async function lastEvent(company: number): Promise<string> {
  const [row] = await sql<{ id: string }>('select max(id)::text as id from audit_event where company_id = $1', company);
  return String(row?.id);
}

const NO_REQUIREMENTS = { met: 0, partlyMet: 0, notMet: 0, notAssessed: 0, notApplicable: 0 };
const NO_OPEN_TASKS = { todo: 0, in_progress: 0, in_review: 0, overdue: 0 };
const NO_CLOSED_TASKS = { done: 0, not_applicable: 0, canceled: 0, closedOnTime: 0, closedLate: 0 };
const NO_TASKS = { ...NO_OPEN_TASKS, ...NO_CLOSED_TASKS };
const NO_EVIDENCE = { total: 0, expiring: 0, expired: 0, closedTasksWithout: 0 };
const NOTHING = { requirements: NO_REQUIREMENTS, tasks: NO_TASKS, evidence: NO_EVIDENCE };

describe('the day of a report', () => {
  let acme: Company;
  beforeAll(async () => {
    acme = await newCompany();
  });

  test('is 30 days ago by default', async () => {
    const { at, ...report } = await acme.report();
    expect(report).toEqual({
      framework: acme.framework,
      since: daysAgo(30),
      now: NOTHING,
      before: null,
      overdueBy: { assignees: [], departments: [] },
      better: [],
      worse: [],
    });
    expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(60_000);
  });

  test.each([today, addDays(today, 1), '2999-12-31'])('cannot be %s, which is not before today', async (since) => {
    await expect(acme.report(since)).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: 'since: expected a day before today',
    });
  });

  test.each(['2026-02-30', '1899-12-31', 'yesterday', ''])('is a date, which %j is not', async (since) => {
    const { status, body } = await http('GET', `/external/framework/${acme.framework}/report?since=${since}`, acme);
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.stringMatching(/^since: expected a calendar date/) });
  });

  test('is that of the time zone of the company', async () => {
    const { manage, framework, caller } = await newCompany();
    await manage.settings.update({ timeZone: 'Pacific/Kiritimati' }); // 25 hours from the other one
    const inKiritimati = todayIn('Pacific/Kiritimati');
    await expect(caller.framework.report({ framework, since: inKiritimati })).rejects.toThrow('since: expected');
    await expect(caller.framework.report({ framework, since: addDays(inKiritimati, -1) })).resolves.toBeDefined();
    await manage.settings.update({ timeZone: 'Pacific/Pago_Pago' });
    await expect(caller.framework.report({ framework, since: addDays(inKiritimati, -1) })).rejects.toThrow(
      'since: expected',
    );
  });
});

describe('a report of', () => {
  test('an unknown framework is not found, whatever the day', async () => {
    const { key } = await createCompany();
    for (const query of ['', `?since=${today}`]) {
      const response = await http('GET', `/external/framework/999999/report${query}`, { key });
      expect(response).toMatchObject({ status: 404, body: { error: 'framework: not found' } });
    }
  });

  test('a framework that the key may not access is 403', async () => {
    const acme = await newCompany();
    const { id: other } = await acme.manage.framework.create({ name: 'Other' });
    const limited = callerWithPermissions(acme, { scopes: ['task:read'], frameworks: [other] });
    await expect(limited.framework.report({ framework: acme.framework })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(limited.framework.report({ framework: other })).resolves.toMatchObject({ framework: other });
  });

  test('any framework needs task:read, and nothing else', async () => {
    const acme = await newCompany();
    const { framework } = acme;
    const without = callerWithPermissions(acme, { scopes: SCOPES.filter((scope) => scope !== 'task:read') });
    await expect(without.framework.report({ framework })).rejects.toThrow('the key lacks task:read');
    const withIt = callerWithPermissions(acme, { scopes: ['task:read'] });
    await expect(withIt.framework.report({ framework })).resolves.toMatchObject({ framework });
    const auditor = await createMember(acme, { role: 'auditor' });
    await expect(auditor.caller.framework.report({ framework })).resolves.toMatchObject({ framework });
  });

  test('an archived framework is there', async () => {
    const acme = await newCompany();
    await acme.newTask();
    await acme.manage.framework.archive({ id: acme.framework });
    await expect(acme.report()).resolves.toMatchObject({ now: { tasks: { todo: 1 } } });
  });
});

describe('the numbers of a report', () => {
  test('count the tasks of the framework alone, by status and due date', async () => {
    const acme = await newCompany();
    const { task, newTask, manage } = acme;
    const department = await manage.department.create({ name: 'Operations' });
    const { uniqueId: assigneeId } = await createMember(acme, { name: 'Ann' });
    for (const status of ['in_progress', 'in_review', 'done', 'not_applicable', 'canceled'] as const)
      await task.update({ taskUniqueId: (await newTask()).uniqueId, status });
    await newTask({ dueDate: today });
    await newTask({ dueDate: daysAgo(1), assigneeId, departmentId: department.id });
    await newTask({ dueDate: daysAgo(2), assigneeId });
    await newTask({ dueDate: daysAgo(2), departmentId: acme.department });
    await newTask({ dueDate: daysAgo(2), departmentId: acme.department });
    for (const dueDate of [today, addDays(today, 1), daysAgo(1)])
      await task.update({ taskUniqueId: (await newTask({ dueDate })).uniqueId, status: 'canceled' });
    const { id: elsewhere } = await manage.framework.create({ name: 'Other' });
    await newTask({ framework: elsewhere, dueDate: daysAgo(1) });
    expect(await acme.report()).toMatchObject({
      now: {
        tasks: {
          todo: 5,
          in_progress: 1,
          in_review: 1,
          done: 1,
          not_applicable: 1,
          canceled: 4,
          overdue: 4,
          closedOnTime: 2,
          closedLate: 1,
        },
      },
      overdueBy: {
        assignees: [
          { assignee: { uniqueId: assigneeId, name: 'Ann', kind: 'human' }, count: 2 },
          { assignee: null, count: 2 },
        ],
        departments: [
          { department: { id: acme.department, name: 'Security', archived: false }, count: 2 },
          { department: { id: department.id, name: 'Operations', archived: false }, count: 1 },
          { department: null, count: 1 },
        ],
      },
    });
  });

  test('count evidence of tasks and requirements, and closed tasks without any', async () => {
    const acme = await newCompany();
    const { caller, newTask, task } = acme;
    const link = (parent: object, validUntil: string | null) =>
      caller.evidence.link({ ...parent, url: 'https://example.com', name: 'Proof', date: '2020-01-01', validUntil });
    const { uniqueId: first } = await newTask();
    const { uniqueId: second } = await newTask();
    const { uniqueId: requirement } = await acme.newRequirement('A.1');
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud' });
    await link({ vendor }, daysAgo(5));
    await link({ taskUniqueId: first }, daysAgo(1)); // expired, but another one is valid longer
    await link({ taskUniqueId: first }, addDays(today, 29)); // expiring
    await link({ taskUniqueId: second }, addDays(today, 30));
    await link({ requirement }, today); // not expired
    await link({ requirement }, null);
    for (const taskUniqueId of [first, (await newTask()).uniqueId]) await task.update({ taskUniqueId, status: 'done' });
    expect((await acme.report()).now.evidence).toEqual({ total: 5, expiring: 1, expired: 1, closedTasksWithout: 1 });
  });

  test('count no headings', async () => {
    const acme = await newCompany();
    await acme.newRequirement('A', { assessable: false });
    await acme.newRequirement('A.1');
    await acme.newRequirement('A.2', { applicable: false, justification: 'No offices.' });
    for (const result of ['met', 'partly_met', 'not_met'] as const) {
      const { uniqueId } = await acme.newRequirement(result);
      await acme.caller.requirement.assess({ requirement: uniqueId, result });
    }
    expect((await acme.report()).now.requirements).toEqual({
      met: 1,
      partlyMet: 1,
      notMet: 1,
      notAssessed: 1,
      notApplicable: 1,
    });
  });
});

describe('the numbers before', () => {
  test('are null before the company existed, and zeros before the framework did', async () => {
    const acme = await newCompany();
    await acme.since(noon(daysAgo(20)));
    await acme.at(noon(daysAgo(10)), () => acme.newTask());
    expect((await acme.report(daysAgo(21))).before).toBeNull();
    expect((await acme.report(daysAgo(20))).before).toEqual(NOTHING);
    expect((await acme.report(daysAgo(11))).before).toEqual(NOTHING);
    expect((await acme.report(daysAgo(10))).before).toEqual({ ...NOTHING, tasks: { ...NO_TASKS, todo: 1 } });
  });

  test('know what was deleted since', async () => {
    const acme = await newCompany();
    const { caller } = acme;
    const { task } = caller;
    await acme.since(noon(daysAgo(50)));
    const made = await acme.at(noon(daysAgo(40)), async () => {
      const { uniqueId: taskUniqueId } = await acme.newTask({ dueDate: daysAgo(45) });
      const { uniqueId: requirement } = await acme.newRequirement('A.1');
      await task.update({ taskUniqueId, status: 'in_review', requirements: [requirement] });
      const fields = { url: 'https://example.com', name: 'Proof', date: '2020-01-01', validUntil: daysAgo(45) };
      await caller.evidence.link({ taskUniqueId, ...fields });
      await caller.evidence.link({ requirement, ...fields });
      return { taskUniqueId, requirement };
    });
    await acme.at(noon(daysAgo(20)), async () => {
      await caller.requirement.delete({ requirement: made.requirement });
      await task.delete({ taskUniqueId: made.taskUniqueId });
    });
    expect(await acme.report(daysAgo(30))).toMatchObject({
      now: NOTHING,
      before: {
        requirements: { ...NO_REQUIREMENTS, notAssessed: 1 },
        tasks: { ...NO_TASKS, in_review: 1, overdue: 1 },
        evidence: { total: 2, expiring: 2, expired: 2, closedTasksWithout: 0 },
      },
      better: [],
      worse: [],
    });
    expect((await acme.report(daysAgo(20))).before).toEqual(NOTHING);
  });

  test('tell by the closing of that time if a task was closed on time', async () => {
    const acme = await newCompany();
    const { task } = acme;
    await acme.since(noon(daysAgo(60)));
    const { uniqueId: taskUniqueId } = await acme.at(noon(daysAgo(50)), () => acme.newTask({ dueDate: daysAgo(40) }));
    const update = (days: number, fields: Omit<Parameters<typeof task.update>[0], 'taskUniqueId'>) =>
      acme.at(noon(daysAgo(days)), () => task.update({ ...fields, taskUniqueId }));
    await update(41, { status: 'done' });
    await update(35, { status: 'in_progress' });
    await update(30, { status: 'done' });
    await update(25, { title: 'Another title' });
    await update(20, { dueDate: daysAgo(30) });
    await update(10, { dueDate: null });
    const closings = async (days: number) => {
      const { before } = await acme.report(daysAgo(days));
      return { onTime: before?.tasks.closedOnTime, late: before?.tasks.closedLate };
    };
    const none = { onTime: 0, late: 0 };
    expect(await closings(42)).toEqual(none);
    expect(await closings(41)).toEqual({ onTime: 1, late: 0 });
    expect(await closings(35)).toEqual(none);
    expect(await closings(30)).toEqual({ onTime: 0, late: 1 });
    expect(await closings(21)).toEqual({ onTime: 0, late: 1 });
    expect(await closings(20)).toEqual({ onTime: 1, late: 0 });
    expect(await closings(10)).toEqual(none);
    expect((await acme.report()).now.tasks).toEqual({ ...NO_TASKS, done: 1 });
  });

  test('go by the last change before, which a transaction that began earlier may have made after a later one', async () => {
    const acme = await newCompany();
    await acme.since(noon(daysAgo(60)));
    const change = (time: string, fields: object) =>
      acme.at(time, () => acme.task.update({ ...fields, taskUniqueId: made.uniqueId }));
    const made = await acme.at(noon(daysAgo(50)), () => acme.newTask());
    await change(`${daysAgo(19)}T00:00:03Z`, { status: 'in_review' });
    await change(`${daysAgo(20)}T23:59:58Z`, { title: 'Waited for the other one' });
    await change(`${daysAgo(19)}T00:00:04Z`, { status: 'done' });
    const asOf = `${daysAgo(20)}T23:59:59.999Z`;
    const status = 'in_review';
    await expect(acme.caller.task.get({ taskUniqueId: made.uniqueId, asOf })).resolves.toMatchObject({ status });
    expect((await acme.report(daysAgo(20))).before?.tasks).toEqual({ ...NO_TASKS, [status]: 1 });
  });

  test('are those of the end of the day in the time zone of the company', async () => {
    const acme = await newCompany();
    await acme.since(noon(daysAgo(60)));
    await acme.manage.settings.update({ timeZone: 'America/Los_Angeles' });
    const day = '2026-07-10';
    const counts = async (since: string) => (await acme.report(since)).before?.tasks.todo;
    await acme.since('2026-01-01T00:00:00Z');
    await acme.at('2026-07-11T06:59:59.999Z', () => acme.newTask()); // 23:59:59.999 there
    expect(await counts(day)).toBe(1);
    await acme.at('2026-07-11T07:00:00.000Z', () => acme.newTask());
    expect(await counts(day)).toBe(1);
    expect(await counts('2026-07-11')).toBe(2);
    expect(await counts('2026-07-09')).toBe(0);
  });
});

describe('what got better and worse', () => {
  test('are requirements of both days whose status moved from not met over not assessed and partly met to met', async () => {
    const acme = await newCompany();
    const { caller } = acme;
    await acme.since(noon(daysAgo(60)));
    const excluded = { applicable: false, justification: 'No offices.' };
    const ids = new Map<string, string>();
    const create = async (ref: string, fields: object = {}) =>
      ids.set(ref, (await acme.newRequirement(ref, fields)).uniqueId);
    const id = (ref: string) => ids.get(ref) ?? '';
    const assess = (ref: string, result: 'met' | 'partly_met' | 'not_met' | null) =>
      caller.requirement.assess({ requirement: id(ref), result });
    await acme.at(noon(daysAgo(50)), async () => {
      for (const ref of ['A.10', 'A.9', 'A.8', 'A.7', 'A.6', 'A.5', 'A.4']) await create(ref);
      await create('A.3', excluded);
      for (const [ref, result] of [
        ['A.8', 'met'],
        ['A.7', 'partly_met'],
        ['A.6', 'not_met'],
      ] as const)
        await assess(ref, result);
    });
    await acme.at(noon(daysAgo(10)), async () => {
      await create('A.2');
      for (const ref of ['A.10', 'A.9']) await assess(ref, 'partly_met');
      await assess('A.8', 'partly_met');
      await assess('A.7', null);
      await assess('A.6', null);
      await assess('A.4', 'not_met');
      await assess('A.2', 'met');
      await caller.requirement.update({ requirement: id('A.5'), ...excluded });
      await caller.requirement.update({ requirement: id('A.3'), applicable: true });
      await caller.requirement.update({ requirement: id('A.9'), title: 'As it is now' });
    });
    const { better, worse } = await acme.report(daysAgo(20));
    const named = (ref: string, title = `Title of ${ref}`) => ({ uniqueId: id(ref), ref, title });
    expect(better).toEqual([
      { requirement: named('A.6'), from: 'not_met', to: 'not_assessed' },
      { requirement: named('A.9', 'As it is now'), from: 'not_assessed', to: 'partly_met' },
      { requirement: named('A.10'), from: 'not_assessed', to: 'partly_met' },
    ]);
    expect(worse).toEqual([
      { requirement: named('A.4'), from: 'not_assessed', to: 'not_met' },
      { requirement: named('A.7'), from: 'partly_met', to: 'not_assessed' },
      { requirement: named('A.8'), from: 'met', to: 'partly_met' },
    ]);
  });

  test('are at most 100 each, the first ones of the list', async () => {
    const acme = await newCompany();
    await acme.since(noon(daysAgo(60)));
    const refs = Array.from({ length: 102 }, (_, index) => `R.${index + 1}`);
    const ids = await acme.at(noon(daysAgo(50)), async () => {
      const created: string[] = [];
      for (const ref of refs) created.push((await acme.newRequirement(ref)).uniqueId);
      return created;
    });
    for (const requirement of ids) await acme.caller.requirement.assess({ requirement, result: 'met' });
    const { better, worse, now } = await acme.report();
    expect(better.map(({ requirement: { ref } }) => ref)).toEqual(refs.slice(0, 100));
    expect(worse).toEqual([]);
    expect(now.requirements.met).toBe(102);
  });
});
