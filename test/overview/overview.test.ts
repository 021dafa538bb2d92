import { afterAll, beforeAll, describe, expect, onTestFinished, vi } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { createCompany, callerWithPermissions } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { asOwner, sql, tamper } from '../support/database/database.ts';
import { TASK_STATUSES } from '../../entities/task/task.ts';

/** Today in UTC, and the day before in Los Angeles. */
const NOW = '2026-11-22T03:00:00Z';

/** The numbers of open tasks in the counter and in the table, by status. */
async function countsOf({ id }: Pick<TestCompany, 'id'>) {
  const columns = TASK_STATUSES.map((status) => `coalesce(sum(${status}), 0)::int as ${status}`).join(', ');
  const rows = TASK_STATUSES.map((status) => `(count(*) filter (where status = '${status}'))::int as ${status}`).join(
    ', ',
  );
  const [counted] = await sql(`select ${columns} from task_count where company_id = $1`, id);
  const [stored] = await sql(`select ${rows} from task where company_id = $1`, id);
  return { counted, stored };
}

describe('the counter of tasks', () => {
  test('follows creates, changes of the status, batches, dry runs and deletes', async ({ acme }) => {
    const tasks = await Promise.all(Array.from({ length: 8 }, () => acme.newTask()));
    const ids = tasks.map(({ uniqueId }) => uniqueId);
    await Promise.all(
      ids.map((taskUniqueId, index) => acme.task.update({ taskUniqueId, status: TASK_STATUSES[index % 6] ?? 'todo' })),
    );
    const [first = '', second = '', third = ''] = ids;
    await acme.task.update({ taskUniqueId: first, title: 'Renamed' });
    await acme.task.batch({
      items: [
        { op: 'update', uniqueId: second, body: { status: 'done' } },
        { op: 'create', framework: acme.framework, body: { title: 'New' } },
        { op: 'delete', uniqueId: third },
      ],
    });
    await acme.task.batch({
      dryRun: true,
      items: [{ op: 'update', uniqueId: first, body: { status: 'canceled' } }],
    });
    const { counted, stored } = await countsOf(acme);
    expect(counted).toEqual(stored);
    expect(stored).toMatchObject({ todo: 3, in_progress: 1, in_review: 0, done: 2 });
    expect((await acme.task.list({ framework: acme.framework })).total).toBe(8);
  });

  test('counts concurrent changes of the same and of different tasks', async ({ acme }) => {
    const tasks = await Promise.all(Array.from({ length: 5 }, () => acme.newTask()));
    const statuses = ['in_progress', 'in_review', 'todo'] as const;
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        acme.task.update({
          taskUniqueId: tasks[index % 5]?.uniqueId ?? '',
          status: statuses[index % 3] ?? 'todo',
        }),
      ),
    );
    const { counted, stored } = await countsOf(acme);
    expect(counted).toEqual(stored);
  });
});

describe('overview.tasks', () => {
  let acme: TestCompany;
  let other: number;
  let admin: TestMember;
  beforeAll(async () => {
    vi.useFakeTimers({ now: new Date(NOW), toFake: ['Date'] });
    acme = await createCompany();
    other = (await acme.manage.framework.create({ name: 'SOC 2' })).id;
    admin = await createMember(acme);
    for (const dueDate of ['2026-11-21', '2026-11-22', '2026-11-29', '2026-11-30', null])
      await acme.newTask({ dueDate });
    const late = await acme.newTask({ dueDate: '2026-11-01' });
    await acme.task.update({ taskUniqueId: late.uniqueId, status: 'done' });
    await acme.newTask({ framework: other, dueDate: '2026-01-01' });
  });
  afterAll(() => void vi.useRealTimers());

  test('counts open, overdue and due tasks of each framework, without those that are closed', async () => {
    expect(await admin.caller.overview.tasks()).toEqual([
      {
        framework: { id: acme.framework, name: 'ISO 27001', archived: false },
        open: 5,
        done: 1,
        notApplicable: 0,
        canceled: 0,
        overdue: { count: 1, more: false },
        dueThisWeek: { count: 2, more: false },
        requirements: { applicable: 0, met: 0 },
      },
      {
        framework: { id: other, name: 'SOC 2', archived: false },
        open: 1,
        done: 0,
        notApplicable: 0,
        canceled: 0,
        overdue: { count: 1, more: false },
        dueThisWeek: { count: 0, more: false },
        requirements: { applicable: 0, met: 0 },
      },
    ]);
  });

  test('counts the requirements that apply, and those of them that are met, without headings', async () => {
    const company = await createCompany();
    const { framework } = company;
    const { caller } = await createMember(company);
    const create = (fields: { ref: string; assessable?: boolean }) =>
      caller.requirement.create({ framework, title: 'Access control', ...fields });
    await create({ ref: 'A.5', assessable: false });
    const [met, partlyMet, excluded] = [
      await create({ ref: 'A.5.1' }),
      await create({ ref: 'A.5.2' }),
      await create({ ref: 'A.5.3' }),
    ];
    await create({ ref: 'A.5.4' });
    await caller.requirement.assess({ requirement: met.uniqueId, result: 'met' });
    await caller.requirement.assess({ requirement: partlyMet.uniqueId, result: 'partly_met' });
    await caller.requirement.assess({ requirement: excluded.uniqueId, result: 'met' });
    await caller.requirement.update({
      requirement: excluded.uniqueId,
      applicable: false,
      justification: 'We have no such system.',
    });
    expect(await caller.overview.tasks()).toMatchObject([{ requirements: { applicable: 3, met: 1 } }]);
  });

  test('goes by the day in the time zone of the company, whatever day the client sends', async () => {
    const west = await createCompany();
    const { caller } = await createMember(west);
    for (const dueDate of ['2026-11-20', '2026-11-21', '2026-11-28', '2026-11-29']) await west.newTask({ dueDate });
    const [inUtc] = await caller.overview.tasks({ today: '2026-01-01' });
    expect(inUtc).toMatchObject({ overdue: { count: 2 }, dueThisWeek: { count: 2 } });
    await caller.management.settings.update({ timeZone: 'America/Los_Angeles' });
    const [inWest] = await caller.overview.tasks();
    expect(inWest).toMatchObject({ overdue: { count: 1 }, dueThisWeek: { count: 2 } });
    const counted = async (due: 'overdue' | 'week') => (await west.task.list({ framework: west.framework, due })).total;
    expect([await counted('overdue'), await counted('week')]).toEqual([1, 2]);
  });

  test('shows only the frameworks of the caller', async () => {
    const member = await createMember(acme, { role: 'editor', frameworks: [other] });
    const key = callerWithPermissions(acme, { frameworks: [other] });
    for (const caller of [member.caller, key]) {
      const tasks = await caller.overview.tasks();
      expect(tasks.map(({ framework }) => framework.id)).toEqual([other]);
    }
    const rival = await createMember(await createCompany('Rival'));
    expect(await rival.caller.overview.tasks()).toMatchObject([{ open: 0, overdue: { count: 0 } }]);
  });

  test('counts overdue tasks to 1,000, and says that there are more', async () => {
    const big = await createCompany();
    const user = big.apiKey.user.uniqueId;
    const seed = (count: number) =>
      asOwner(
        (run) =>
          run(
            `insert into task (company_id, unique_id, title, created_by_id, updated_by_id, framework_id, due_date)
             select $1::int, uuid_v7(), 'Seeded', $2::uuid, $2::uuid, $3::int, '2026-01-01' from generate_series(1, $4::int)`,
            big.id,
            user,
            big.framework,
            count,
          ),
        { company: big.id, user },
      );
    await seed(1000);
    const { caller } = await createMember(big);
    expect(await caller.overview.tasks()).toMatchObject([{ overdue: { count: 1000, more: false } }]);
    await seed(1);
    expect(await caller.overview.tasks()).toMatchObject([{ open: 1001, overdue: { count: 1000, more: true } }]);
  });
});

describe('overview.overdueTasks', () => {
  test('counts overdue tasks by person and department, those with the most first, however many there are', async ({
    acme,
  }) => {
    vi.useFakeTimers({ now: new Date(NOW), toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const ann = await createMember(acme, { name: 'Ann Lee' });
    const { id: finance } = await acme.manage.department.create({ name: 'Finance' });
    const user = acme.apiKey.user.uniqueId;
    await asOwner(
      (run) =>
        run(
          `insert into task (company_id, unique_id, title, created_by_id, updated_by_id, framework_id, due_date, assignee_id)
           select $1::int, uuid_v7(), 'Seeded', $2::uuid, $2::uuid, $3::int, date '2026-11-20' - i % 20, $4::uuid
           from generate_series(1, 1200) i`,
          acme.id,
          user,
          acme.framework,
          ann.uniqueId,
        ),
      { company: acme.id, user },
    );
    await acme.newTask({ dueDate: '2026-11-21', departmentId: finance });
    for (const dueDate of ['2026-11-22', null]) await acme.newTask({ dueDate });
    const { uniqueId: taskUniqueId } = await acme.newTask({ dueDate: '2026-01-01' });
    await acme.task.update({ taskUniqueId, status: 'done' });
    expect(await ann.caller.overview.overdueTasks()).toEqual({
      total: 1201,
      people: [
        { person: { uniqueId: ann.uniqueId, name: 'Ann Lee' }, count: 1200, oldest: '2026-11-01' },
        { person: null, count: 1, oldest: '2026-11-21' },
      ],
      departments: [
        { department: null, count: 1200, oldest: '2026-11-01' },
        { department: { id: finance, name: 'Finance' }, count: 1, oldest: '2026-11-21' },
      ],
    });
  });

  test('shows only the frameworks of the caller, by the day of the company', async ({ acme }) => {
    vi.useFakeTimers({ now: new Date(NOW), toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { id: other } = await acme.manage.framework.create({ name: 'SOC 2' });
    await acme.newTask({ dueDate: '2026-11-20' });
    await acme.newTask({ dueDate: '2026-11-21', framework: other });
    const totals = async (callers: readonly Pick<TestMember['caller'], 'overview'>[]) =>
      Promise.all(callers.map(async ({ overview }) => (await overview.overdueTasks()).total));
    const admin = await createMember(acme);
    const limited = await createMember(acme, { role: 'editor', frameworks: [other] });
    const key = callerWithPermissions(acme, { frameworks: [other] });
    const rival = await createMember(await createCompany('Rival'));
    const callers = [admin.caller, limited.caller, key, rival.caller];
    expect(await totals(callers)).toEqual([2, 1, 1, 0]);
    await admin.caller.management.settings.update({ timeZone: 'America/Los_Angeles' });
    expect(await totals(callers)).toEqual([1, 0, 0, 0]);
  });
});

describe('overview.vendors', () => {
  test('counts the vendors of the company by status', async ({ acme }) => {
    const { caller } = await createMember(acme, { role: 'auditor' });
    expect(await caller.overview.vendors()).toEqual({ active: 0, inactive: 0, archived: 0 });
    await acme.vendor.create({ name: 'A' });
    await acme.vendor.create({ name: 'B', active: false });
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'C' });
    await acme.vendor.update({ vendor, status: 'archived' });
    await acme.vendor.create({ name: 'D' });
    expect(await caller.overview.vendors()).toEqual({ active: 2, inactive: 1, archived: 1 });
    const rival = await createMember(await createCompany('Rival'));
    expect(await rival.caller.overview.vendors()).toEqual({ active: 0, inactive: 0, archived: 0 });
  });
});

describe('overview.apiKeys', () => {
  test('lists leaked keys, then expired ones, then those that expire soon', async ({ acme }) => {
    const { caller } = await createMember(acme, { role: 'auditor' });
    const named = async (name: string, settings: string) => {
      const { uniqueId } = await acme.manage.apiKey.create({ name });
      await tamper(`update api_key set ${settings} where unique_id = '${uniqueId}'`);
      return uniqueId;
    };
    await named('Expires', `expires_at = now() + interval '29 days'`);
    await named('Expires later', `expires_at = now() + interval '31 days'`);
    await named('Expired', `expires_at = now() - interval '29 days'`);
    await named('Expired long ago', `expires_at = now() - interval '31 days'`);
    await named('Leaked', `leaked_at = now(), leaked_url = 'https://example.com', enabled = false`);
    await named('Leaked long ago, still disabled', `leaked_at = now() - interval '1 year', enabled = false`);
    await named('Leaked long ago, in use', `leaked_at = now() - interval '1 year'`);
    await named('Disabled, expires', `enabled = false, expires_at = now() + interval '1 day'`);
    const revoked = await named('Leaked and revoked', `leaked_at = now()`);
    await acme.manage.apiKey.revoke({ uniqueId: revoked });
    const keys = await caller.overview.apiKeys();
    expect(keys.map(({ name, reason }) => `${reason}: ${name}`)).toEqual([
      'leaked: Leaked',
      'leaked: Leaked long ago, still disabled',
      'expired: Expired',
      'expires: Expires',
    ]);
    expect(keys[0]).toMatchObject({ leakedUrl: 'https://example.com', enabled: false, expiresAt: null });
    const rival = await createMember(await createCompany('Rival'));
    expect(await rival.caller.overview.apiKeys()).toEqual([]);
  });
});
