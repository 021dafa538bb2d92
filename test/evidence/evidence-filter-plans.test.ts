import { beforeAll, describe, expect, test } from 'vitest';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { isEvidenceRare } from '../../entities/evidence/expiring.ts';
import { expiringEvidence } from '../../entities/evidence/statements.ts';
import { TASK_FIELD_SORTS, positionAfterTask, taskListStatements } from '../../entities/task/list.ts';
import type { TaskFilters } from '../../entities/task/filters.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import { positionAfterVendor, vendorListStatements } from '../../entities/vendor/list.ts';
import { database, explain, planNodes, tamper, vacuum } from '../support/database/database.ts';
import { NO_TASK_FILTERS, NO_VENDOR_FILTERS } from '../support/fixtures/filters.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

const TASKS = 20_000;
const BEFORE = '2027-01-01';
const SOME = { hasEvidence: true, expiresBefore: null };
const EXPIRING = { hasEvidence: true, expiresBefore: BEFORE };

describe.each([{ every: 300 }, { every: 2 }])('on 20,000 tasks, one of $every with evidence', ({ every }) => {
  let acme: TestCompany;
  beforeAll(async () => {
    acme = await createCompany();
    const user = acme.apiKey.user.uniqueId;
    const idOf = (kind: number) => `('0199${kind}000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid`;
    const evidence = `'link', 'https://example.com', 'Seeded', '2020-01-01',
      case when i % 7 < 3 then '2026-06-01'::date + i % 600 end, '${user}', '${user}'`;
    // Evidence on every vendor, so that a scan of the whole table is never the cheapest.
    await tamper(
      `insert into task (company_id, unique_id, framework_id, title, priority, due_date, created_by_id, updated_by_id)
        select ${acme.id}, ${idOf(1)}, ${acme.framework}, 'Seeded ' || i, 1 + i % 4, '2026-01-01'::date + i % 365, '${user}', '${user}'
        from generate_series(1, ${TASKS}) i`,
      `insert into vendor (company_id, unique_id, name, created_by_id, updated_by_id)
        select ${acme.id}, ${idOf(2)}, 'Vendor ' || md5(i::text), '${user}', '${user}' from generate_series(1, 5000) i`,
      `insert into evidence (company_id, unique_id, task_id, framework_id, kind, url, name, date, valid_until, created_by_id, updated_by_id)
        select ${acme.id}, ${idOf(3)}, ${idOf(1)}, ${acme.framework}, ${evidence} from generate_series(1, ${TASKS}, ${every}) i`,
      `insert into evidence (company_id, unique_id, vendor_id, framework_id, kind, url, name, date, valid_until, created_by_id, updated_by_id)
        select ${acme.id}, ${idOf(4)}, ${idOf(2)}, 0, ${evidence} from generate_series(1, 5000) i`,
    );
    await vacuum('task', 'vendor', 'evidence');
  });

  const session = () => ({ company: acme.id, keyFrameworks: null, scopes: ['task:read', 'vendor:read'] });

  /** Runs a statement with EXPLAIN ANALYZE. @returns the rows that it reads from tables and indexes, in all */
  async function scannedRows<Input extends object>(
    statement: Statement<Input, unknown>,
    input: Input,
  ): Promise<number> {
    const nodes = planNodes(await explain(statement, input, session(), 'analyze, format json'));
    return nodes
      .filter((node) => node['Relation Name'] !== undefined)
      .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'])
      .reduce((sum, rows) => sum + rows, 0);
  }

  const selection = (filters: Partial<TaskFilters>) => ({
    ...NO_TASK_FILTERS,
    ...filters,
    frameworks: null,
    activeOnly: false,
  });

  test.each([
    ['none', { hasEvidence: false }],
    ['some', SOME],
    ['expiring', EXPIRING],
  ])('the filter %s reads each row a few times at most', async (_, filters) => {
    const input = selection(filters);
    for (const sort of ['-createdAt', 'dueDate'] as const) {
      const { count, page } = taskListStatements(input, sort, input);
      expect(await scannedRows(count, input)).toBeLessThan(4 * TASKS);
      const rows = await scannedRows(page, { ...input, ...positionAfterTask(sort, []), limit: 51 });
      expect(rows).toBeLessThan(4 * TASKS);
    }
    const vendorFilters = { ...NO_VENDOR_FILTERS, ...filters };
    const { count, page } = vendorListStatements(vendorFilters, 'name');
    expect(await scannedRows(count, vendorFilters)).toBeLessThan(20_000);
    expect(await scannedRows(page, { ...vendorFilters, ...positionAfterVendor('name', []), limit: 101 })).toBeLessThan(
      20_000,
    );
  });

  test.each([
    ['some', SOME],
    ['expiring', EXPIRING],
  ])('rare evidence that is %s is found without reading other tasks, and with the same result', async (_, filters) => {
    const rare = selection({ ...filters, isEvidenceRare: true });
    const any = selection(filters);
    const [{ rare: isRare } = { rare: undefined }] = await database.run(isEvidenceRare, filters, session());
    expect(isRare).toBe(every > 2 || filters === EXPIRING);
    for (const sort of TASK_FIELD_SORTS) {
      const [ofRare, ofAny] = [taskListStatements(rare, sort, rare), taskListStatements(any, sort, any)];
      const position = { ...positionAfterTask(sort, []), limit: 51 };
      expect(await database.run(ofRare.count, rare, session())).toEqual(
        await database.run(ofAny.count, any, session()),
      );
      const rows = await database.run(ofRare.page, { ...rare, ...position }, session());
      expect(rows).toEqual(await database.run(ofAny.page, { ...any, ...position }, session()));
      expect(rows.length).toBeGreaterThan(10);
    }
    if (every === 2) return;
    const { count, page } = taskListStatements(rare, 'dueDate', rare);
    expect(await scannedRows(count, rare)).toBeLessThan(5000);
    expect(await scannedRows(page, { ...rare, ...positionAfterTask('dueDate', []), limit: 51 })).toBeLessThan(5000);
  });

  test('the number of evidence of a task and the overview are read from an index', async () => {
    const uniqueId = '01991000-0000-7000-8000-000000000001';
    const nodes = planNodes(await explain(taskStatements.get, { uniqueId }, session()));
    const counted = nodes.find((node) => node['Relation Name'] === 'evidence');
    expect(counted).toMatchObject({ 'Node Type': 'Index Only Scan', 'Index Name': 'evidence_by_task' });
    expect(await scannedRows(expiringEvidence, { before: BEFORE })).toBeLessThan(4 * TASKS);
  });
});
