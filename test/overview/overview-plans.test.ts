import { beforeAll, describe, expect, test } from 'vitest';
import { taskHistory } from '../../entities/task/status-history.ts';
import { MAX_DUE_COUNT, overdueShares, tasksByFramework } from '../../entities/task/overview.ts';
import { vendorsByStatus } from '../../entities/vendor/overview.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { explain, planNodes, tamper, vacuum } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

const FRAMEWORKS = 10;
const TASKS = 100_000;
const HISTORY = { framework: null };

describe('on 100,000 tasks and 20,000 vendors', () => {
  let acme: TestCompany;
  beforeAll(async () => {
    acme = await createCompany();
    const user = acme.apiKey.user.uniqueId;
    const added = Array.from({ length: FRAMEWORKS - 1 }, (_, index) =>
      acme.manage.framework.create({ name: `Framework ${index}` }),
    );
    const ids = [acme.framework, ...(await Promise.all(added)).map(({ id }) => id)];
    const framework = `('{${ids.join(',')}}'::int[])[1 + i % ${FRAMEWORKS}]`;
    // Half of the tasks are closed and were due long ago. A count of overdue tasks must not read them.
    await tamper(
      `insert into task (company_id, unique_id, title, created_by_id, updated_by_id, framework_id, status, due_date)
        select ${acme.id}, uuid_v7(), 'Seeded', '${user}', '${user}', ${framework}, case when i % 20 < 10 then 'done' else 'todo' end,
          date '2026-01-01' + i % 365 from generate_series(1, ${TASKS}) i`,
      `insert into task_count (company_id, framework_id, slot, tasks, todo, done)
        select ${acme.id}, unnest('{${ids.join(',')}}'::int[]), slot, 0, 100, 100 from generate_series(0, 31) slot`,
      `insert into task_status_day (company_id, framework_id, day, todo)
        select ${acme.id}, unnest('{${ids.join(',')}}'::int[]), (now() at time zone 'utc')::date - age, age from generate_series(0, 100) age`,
      `insert into vendor (company_id, unique_id, name, status, created_by_id, updated_by_id)
        select ${acme.id}, uuid_v7(), 'Seeded', case i % 3 when 0 then 'active' else 'archived' end, '${user}', '${user}' from generate_series(1, 20000) i`,
    );
    await vacuum('task', 'task_count', 'task_status_day', 'vendor');
  });

  /** Runs a statement with EXPLAIN ANALYZE. @returns scans of a table: their kinds, and the number of rows that they read */
  async function scansOf<Input extends object>(statement: Statement<Input, unknown>, input: Input, table: string) {
    const session = { company: acme.id, keyFrameworks: null };
    const nodes = planNodes(await explain(statement, input, session, 'analyze, format json'));
    const scans = nodes.filter((node) => node['Relation Name'] === table);
    const rows = scans.map(
      (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    );
    return { kinds: new Set(scans.map((node) => node['Node Type'])), rows: rows.reduce((sum, one) => sum + one, 0) };
  }

  test('overdue and due tasks are counted in an index, to a maximum for each framework', async () => {
    const input = { today: '2026-12-20', lastDay: '2026-12-26' };
    const { kinds, rows } = await scansOf(tasksByFramework, input, 'task');
    expect([...kinds]).toEqual(['Index Only Scan']);
    expect(rows).toBeGreaterThan(FRAMEWORKS * MAX_DUE_COUNT);
    expect(rows).toBeLessThanOrEqual(2 * FRAMEWORKS * (MAX_DUE_COUNT + 1));
    expect((await scansOf(tasksByFramework, input, 'task_count')).rows).toBeLessThanOrEqual(FRAMEWORKS * 32);
  });

  test('overdue tasks by person and department are read in the index of open tasks, each once', async () => {
    const input = { today: '2026-12-20' };
    const { kinds, rows } = await scansOf(overdueShares, input, 'task');
    expect([...kinds]).not.toContain('Seq Scan');
    expect(rows).toBeLessThanOrEqual(TASKS / 2);
  });

  test('the history reads no task, and each stored day of a framework once', async () => {
    expect((await scansOf(taskHistory, HISTORY, 'task')).rows).toBe(0);
    const days = await scansOf(taskHistory, HISTORY, 'task_status_day');
    expect(days.rows).toBeLessThanOrEqual(FRAMEWORKS * 101);
  });

  test('vendors are counted in an index, without reading their rows', async () => {
    const { kinds, rows } = await scansOf(vendorsByStatus, {}, 'vendor');
    expect([...kinds]).toEqual(['Index Only Scan']);
    expect(rows).toBe(20_000);
  });
});
