import { beforeAll, describe, expect, test, vi } from 'vitest';
import { Session } from '../../database/session.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { FIRST_ID, LAST_ID } from '../../entities/ids.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import {
  ORDERS,
  TASK_FIELD_SORTS,
  TASK_SORTS,
  positionAfterTask,
  taskListStatements,
} from '../../entities/task/list.ts';
import type { TaskFilters } from '../../entities/task/filters.ts';
import { VENDOR_FIELD_SORTS, positionAfterVendor, vendorListStatements } from '../../entities/vendor/list.ts';
import { NO_TASK_FILTERS, NO_VENDOR_FILTERS } from '../support/fixtures/filters.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database, explain, planNodes, sql, tamper, vacuum } from '../support/database/database.ts';

/** Long enough for the transactions of other test files to end. */
const POLL_OPTIONS = { timeout: 120_000, interval: 500 };

/** The statements of several frameworks serve one too. */
const ALL_FRAMEWORKS = { frameworks: null };

/** Tasks with a label and a vendor. */
const SELECTED = 2500;

/** The index of each order of vendors. */
const VENDOR_INDEXES: Record<(typeof VENDOR_FIELD_SORTS)[number], string> = {
  name: 'vendor_by_name',
  '-createdAt': 'vendor_pkey',
  '-updatedAt': 'vendor_by_update',
  criticality: 'vendor_by_criticality',
  nextReview: 'vendor_by_next_review',
  contractEnd: 'vendor_by_contract',
};

/** The index of each order. */
const INDEXES: Record<(typeof TASK_FIELD_SORTS)[number], string> = {
  '-createdAt': 'task_by_framework',
  createdAt: 'task_by_framework',
  dueDate: 'task_by_due_date',
  '-dueDate': 'task_by_due_date',
  priority: 'task_by_priority',
  '-updatedAt': 'task_by_update',
  '-closedAt': 'task_by_closing',
};

describe('on 50,000 tasks of one framework and 20,000 vendors', () => {
  let acme: TestCompany;
  let oldest: string;
  beforeAll(async () => {
    acme = await createCompany();
    // Seeded without triggers, which the tested statements do not need.
    const user = acme.apiKey.user.uniqueId;
    await tamper(
      `insert into task (company_id, unique_id, framework_id, title, description, status, priority, department_id, due_date,
          updated_at, closed_at, created_by_id, updated_by_id)
        select ${acme.id}, ('01990000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, ${acme.framework}, 'Seeded ' || i, repeat('x', 400),
          case i % 5 when 0 then 'todo' else 'done' end, 1 + i % 4, case i % 10 when 0 then ${acme.department} end,
          case when i % 8 > 0 then '2026-01-01'::date + i % 365 end, '2026-01-01'::timestamptz + i * interval '1 minute', case when i % 5 > 0 then '2026-01-01'::timestamptz + i * interval '1 minute' end,
          '${user}', '${user}'
        from generate_series(1, 50000) i`,
      `insert into vendor (company_id, unique_id, name, created_by_id, updated_by_id)
        select ${acme.id}, uuid_v7(), 'Vendor ' || md5(i::text), '${user}', '${user}' from generate_series(1, 20000) i`,
      `insert into task_label (company_id, label, framework_id, task_id)
        select company_id, 'seeded', framework_id, unique_id from task where company_id = ${acme.id} and title ~ '[02468]0$'`,
      `insert into task_vendor (company_id, vendor_id, task_id)
        select company_id, '${LAST_ID}', task_id from task_label where company_id = ${acme.id}`,
      // Of another vendor: a table of which nearly all rows are selected is read as a whole, with the rows of other companies.
      `insert into task_vendor (company_id, vendor_id, task_id)
        select company_id, '01990000-0000-7000-8000-000000000001', unique_id from task where company_id = ${acme.id} and title ~ '[13579]$'`,
    );
    await vacuum('vendor', 'task_label', 'task_vendor');
    // VACUUM marks pages all-visible for index-only scans only after older transactions have ended.
    await vi.waitUntil(async () => {
      await vacuum('task');
      const [table] = await sql<{ isVacuumed: boolean }>(
        `select relallvisible > 0.9 * relpages as "isVacuumed" from pg_class where oid = 'task'::regclass`,
      );
      return table?.isVacuumed;
    }, POLL_OPTIONS);
    oldest = '01990000-0000-7000-8000-000000000065';
  });

  /** Runs a statement with EXPLAIN ANALYZE. @returns its table scans, its tables, its indexes and the maximum number of scanned rows */
  async function run<Input extends object>(statement: Statement<Input, unknown>, input: Input, company = acme.id) {
    const nodes = planNodes(await explain(statement, input, { company }, 'analyze, format json'));
    const rows = nodes
      .filter((node) => node['Node Type'].includes('Scan') && node['Relation Name'] !== 'company_user')
      .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
    return {
      scansOfTables: nodes.filter(
        (node) => node['Node Type'].includes('Seq Scan') && ['task', 'vendor'].includes(node['Relation Name'] ?? ''),
      ),
      tables: nodes.map((node) => node['Relation Name']),
      indexes: new Set(nodes.map((node) => node['Index Name'])),
      scannedRows: Math.max(...rows),
    };
  }

  test.for<[string, Partial<TaskFilters>]>([
    ['all', {}],
    ['of some statuses', { status: ['todo', 'in_review'] }],
    ['of a department and a priority', { departmentId: 0, priority: [3] }],
    ['due until a day', { dueBefore: '2026-06-30' }],
    ['changed since a time long ago', { updatedSince: '2026-01-01T00:00:00Z' }],
    ['whose title contains a frequent text', { q: 'SEED' }],
  ])('the first and the last page of tasks, %s, scan few rows', async ([, selected]) => {
    const filters = {
      ...NO_TASK_FILTERS,
      ...selected,
      ...(selected.departmentId === 0 && { departmentId: acme.department }),
    };
    const { page } = taskListStatements(filters, '-createdAt', ALL_FRAMEWORKS);
    for (const last of [[], [oldest]]) {
      const position = positionAfterTask('-createdAt', last);
      const input = { ...filters, ...position, frameworks: [acme.framework], activeOnly: false, limit: 101 };
      const { scansOfTables, scannedRows } = await run(page, input);
      expect(scansOfTables).toEqual([]);
      expect(scannedRows).toBeLessThan(2500);
    }
  });

  test.for(TASK_FIELD_SORTS)('each page in the order of %s is a range of an index', async (sort) => {
    const { by, end } = ORDERS[sort];
    const middle = '01990000-0000-7000-8000-000000006000';
    const time = '2026-01-20T00:00:00Z';
    const value = by && { due_date: '2026-06-30', priority: '3', updated_at: time, closed_at: time }[by.column];
    const positions = [
      [],
      [middle, ...(value === undefined ? [] : [value])],
      ...(end === undefined ? [] : [[middle]]), // among the tasks without the value
    ];
    for (const filters of [NO_TASK_FILTERS, { ...NO_TASK_FILTERS, priority: [1, 2, 3, 4] }]) {
      const { page } = taskListStatements(filters, sort, ALL_FRAMEWORKS);
      for (const last of positions) {
        const input = {
          ...filters,
          ...positionAfterTask(sort, last),
          frameworks: [acme.framework],
          activeOnly: false,
          limit: 101,
        };
        const { scansOfTables, indexes, scannedRows } = await run(page, input);
        expect(scansOfTables).toEqual([]);
        expect([...indexes]).toContain(INDEXES[sort]);
        expect(scannedRows).toBeLessThan(203);
      }
    }
  });

  test('the count of recently changed tasks scans only these', async () => {
    const filters = { ...NO_TASK_FILTERS, updatedSince: '2026-02-04T16:00:00Z' };
    const { indexes, scannedRows } = await run(taskListStatements(filters, '-createdAt', ALL_FRAMEWORKS).count, {
      ...filters,
      frameworks: [acme.framework],
      activeOnly: false,
    });
    expect([...indexes]).toContain('task_by_update');
    expect(scannedRows).toBeLessThan(1000);
  });

  test('an index covers all task filters except text', async () => {
    const selected: TaskFilters = {
      ...NO_TASK_FILTERS,
      status: ['todo'],
      priority: [1],
      departmentId: 1,
      dueBefore: '2026-06-30',
      dueAfter: '2026-01-01',
    };
    const { count } = taskListStatements(selected, '-createdAt', ALL_FRAMEWORKS);
    const values = count.values({ company: acme.id }, { ...selected, frameworks: [acme.framework], activeOnly: false });
    const text = count.text.replaceAll(/\$(\d+)/g, (_, at: string) => {
      const value = values[Number(at) - 1];
      if (Array.isArray(value)) return `'{${value.join(',')}}'`;
      return ['string', 'number', 'boolean'].includes(typeof value) ? `'${String(value)}'` : 'null';
    });
    const session = new Session(database, operatorPrincipal(acme.id), 'explain');
    const plan = await (
      await session.unitOfWork()
    ).transactional(async (em) => {
      await em.execute('set local enable_seqscan = off');
      await em.execute('set local enable_bitmapscan = off');
      return JSON.stringify(await em.execute(`explain (format json) ${text}`));
    });
    expect(plan).toMatch(/"Node Type":"Index Only Scan"[^}]*"Index Name":"task_by_\w+"/);
  });

  test.for(VENDOR_FIELD_SORTS)('the first and the last page of vendors by %s are read in index order', async (sort) => {
    const lastPages = {
      name: ['Vendor fff'],
      '-createdAt': [],
      '-updatedAt': ['-infinity'],
      criticality: ['4'],
      nextReview: [],
      contractEnd: [],
    };
    for (const last of [[], [...lastPages[sort], sort.startsWith('-') ? FIRST_ID : LAST_ID]]) {
      const input = { ...NO_VENDOR_FILTERS, ...positionAfterVendor(sort, last), limit: 101 };
      const { page, fullPage } = vendorListStatements(NO_VENDOR_FILTERS, sort);
      for (const statement of [page, fullPage]) {
        const { scansOfTables, indexes, scannedRows } = await run<typeof input>(statement, input);
        expect(scansOfTables).toEqual([]);
        expect([...indexes]).toContain(VENDOR_INDEXES[sort]);
        expect(scannedRows).toBeLessThan(310);
      }
    }
  });

  test('a sample reads the rows of its page only, beside an index', async () => {
    for (const filters of [NO_TASK_FILTERS, { ...NO_TASK_FILTERS, status: ['done' as const] }]) {
      const { page } = taskListStatements(filters, 'sample', ALL_FRAMEWORKS);
      const position = positionAfterTask('sample', [], '2026 Q4');
      const input = { ...filters, ...position, frameworks: [acme.framework], activeOnly: false, limit: 101 };
      const { scansOfTables, scannedRows } = await run(page, input);
      expect(scansOfTables).toEqual([]);
      expect(scannedRows).toBe(50_000);
    }
  });

  test('vendors whose review is due are found in an index', async () => {
    const filters = { ...NO_VENDOR_FILTERS, reviewBefore: '1900-01-01', notArchived: true as const };
    const { count, page, fullPage } = vendorListStatements(filters, 'nextReview');
    const input = { ...filters, ...positionAfterVendor('nextReview', []), limit: 101 };
    for (const statement of [count, page, fullPage]) {
      const { scansOfTables, indexes, scannedRows } = await run<typeof input>(statement, input);
      expect(scansOfTables).toEqual([]);
      expect([...indexes]).toContain('vendor_by_next_review');
      expect(scannedRows).toBeLessThan(10);
    }
  });

  test('the tasks of a vendor are found in an index', async () => {
    const filters = { ...NO_TASK_FILTERS, vendor: FIRST_ID };
    const { count, page } = taskListStatements(filters, 'dueDate', ALL_FRAMEWORKS);
    const selection = { ...filters, ...ALL_FRAMEWORKS, activeOnly: false };
    const input = { ...selection, ...positionAfterTask('dueDate', []), limit: 51 };
    for (const { scansOfTables, scannedRows } of [await run(count, selection), await run<typeof input>(page, input)]) {
      expect(scansOfTables).toEqual([]);
      expect(scannedRows).toBeLessThan(10);
    }
  });

  test.for<[string, Partial<TaskFilters>]>([
    ['label', { label: 'SEEDED' }],
    ['vendor', { vendor: LAST_ID }],
  ])('the only filter %s is counted without reading a task, and its page reads only its own', async ([, selected]) => {
    const filters = { ...NO_TASK_FILTERS, ...selected };
    const { count, page } = taskListStatements(filters, '-createdAt', ALL_FRAMEWORKS);
    const selection = { ...filters, ...ALL_FRAMEWORKS, activeOnly: false };
    const counted = await run(count, selection);
    expect(counted.tables).not.toContain('task');
    expect(counted.scannedRows).toBe(SELECTED);
    const input = { ...selection, ...positionAfterTask('-createdAt', []), limit: 51 };
    const paged = await run<typeof input>(page, input);
    expect(paged.scansOfTables).toEqual([]);
    expect(paged.scannedRows).toBe(51);
  });

  test('a rare label is found in its index beside other filters, in any order', async () => {
    const filters = { ...NO_TASK_FILTERS, label: 'seeded', isLabelRare: true as const, status: ['done' as const] };
    const { count, page } = taskListStatements(filters, 'dueDate', ALL_FRAMEWORKS);
    const selection = { ...filters, ...ALL_FRAMEWORKS, activeOnly: false };
    const input = { ...selection, ...positionAfterTask('dueDate', []), limit: 51 };
    for (const { scansOfTables, scannedRows } of [await run(count, selection), await run<typeof input>(page, input)]) {
      expect(scansOfTables).toEqual([]);
      expect(scannedRows).toBeLessThanOrEqual(SELECTED);
    }
  });

  test('a frequent label beside a status is counted without reading a row of a task', async () => {
    const filters = { ...NO_TASK_FILTERS, label: 'seeded', status: ['done' as const] };
    const { count } = taskListStatements(filters, '-createdAt', ALL_FRAMEWORKS);
    const selection = { ...filters, ...ALL_FRAMEWORKS, activeOnly: false };
    const { scansOfTables, scannedRows } = await run(count, selection);
    expect(scansOfTables).toEqual([]);
    expect(scannedRows).toBeLessThanOrEqual(50_000);
  });

  test('all vendors are counted without reading any', async () => {
    await acme.manage.audit.verify({});
    const { count } = vendorListStatements(NO_VENDOR_FILTERS, 'name');
    const nodes = planNodes(await explain(count, NO_VENDOR_FILTERS, { company: acme.id }, 'analyze, format json'));
    const scans = nodes.filter((node) => node['Relation Name'] === 'vendor');
    expect(scans.map((node) => node['Actual Loops'])).toEqual([0]);
  });

  test('pages of a company that is newer than the statistics read few rows', async () => {
    const { id, framework, apiKey } = await createCompany();
    await tamper(
      `insert into task (company_id, unique_id, framework_id, title, created_by_id, updated_by_id)
        select ${id}, uuid_v7(), ${framework}, 'New', '${apiKey.user.uniqueId}', '${apiKey.user.uniqueId}' from generate_series(1, 3000)`,
      `insert into vendor (company_id, unique_id, name, created_by_id, updated_by_id)
        select ${id}, uuid_v7(), 'New', '${apiKey.user.uniqueId}', '${apiKey.user.uniqueId}' from generate_series(1, 3000)`,
    );
    for (const sort of TASK_FIELD_SORTS) {
      const filters = { ...NO_TASK_FILTERS, status: ['todo' as const], priority: [3] };
      const { page } = taskListStatements(filters, sort, ALL_FRAMEWORKS);
      const input = { ...filters, ...positionAfterTask(sort, []), ...ALL_FRAMEWORKS, activeOnly: false, limit: 51 };
      expect((await run<typeof input>(page, input, id)).scannedRows).toBeLessThan(310);
    }
    for (const sort of VENDOR_FIELD_SORTS) {
      const input = { ...NO_VENDOR_FILTERS, ...positionAfterVendor(sort, []), limit: 51 };
      const { page } = vendorListStatements(NO_VENDOR_FILTERS, sort);
      expect((await run<typeof input>(page, input, id)).scannedRows).toBeLessThan(310);
    }
  });

  test('recently changed vendors are found in an index', async () => {
    const filters = { ...NO_VENDOR_FILTERS, updatedSince: '2999-01-01T00:00:00Z' };
    const { count, page, fullPage } = vendorListStatements(filters, 'name');
    const input = { ...filters, ...positionAfterVendor('name', []), limit: 101 };
    for (const statement of [count, page, fullPage]) {
      const { scansOfTables, indexes, scannedRows } = await run<typeof input>(statement, input);
      expect(scansOfTables).toEqual([]);
      expect([...indexes]).toContain('vendor_by_update');
      expect(scannedRows).toBeLessThan(10);
    }
  });
});

test('all combinations of filters and orders use few statements', () => {
  const names = new Set<string>();
  // The end of a time selects the same statements as its start, and a day beside the filter by evidence no other one.
  const filters = Object.keys(NO_TASK_FILTERS).filter((name) => !['closedUntil', 'expiresBefore'].includes(name));
  for (let set = 0; set < 2 ** filters.length; set++) {
    const selected = {
      ...NO_TASK_FILTERS,
      ...Object.fromEntries(filters.map((filter, at) => [filter, (set >> at) % 2 === 1 ? 'x' : null])),
    };
    for (const sort of TASK_SORTS) {
      const { count, page } = taskListStatements(selected, sort, ALL_FRAMEWORKS);
      names.add(count.name).add(page.name);
    }
  }
  // A count for each kind of filtering, and a page for each of its orders. Beside them, a status alone and a frequent label with filters of
  // indexes have a count, a label or a vendor alone has a count and two pages.
  expect(names.size).toBe(15 + 15 * TASK_SORTS.length + 2 + 2 * 3);
});
