import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { ApiError } from '../../entities/api-error.ts';
import { TASK_STATUSES, applyTaskChanges } from '../../entities/task/task.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { database, databaseUrl, sql, tamper } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';

// Each optimized path returns the same result as the simple path (bench/README.md).

describe('a task update in one SQL statement', () => {
  let acme: TestCompany;
  let assignees: (string | null)[];
  let vendors: string[][];
  beforeAll(async () => {
    acme = await createCompany();
    assignees = [(await createMember(acme)).uniqueId, (await createMember(acme)).uniqueId, null];
    const created = [await acme.vendor.create({ name: 'Cloud' }), await acme.vendor.create({ name: 'Mail' })];
    const [cloud = '', mail = ''] = created.map(({ uniqueId }) => uniqueId);
    vendors = [[], [cloud], [mail, cloud]];
  });

  type ShownTask = Awaited<ReturnType<TestCompany['newTask']>>;
  const withId = (task: ShownTask) => ({
    ...task,
    assigneeId: task.assignee?.uniqueId ?? null,
    reviewerId: task.reviewer?.uniqueId ?? null,
  });
  const day = fc.constantFrom('2026-01-05', '2026-02-27', '2026-03-01', null);
  const change = fc.record(
    {
      title: fc.constantFrom('One', 'Two'),
      priority: fc.integer({ min: 1, max: 4 }),
      labels: fc.constantFrom<string[]>([], ['a'], ['a', 'b']),
      startDate: day,
      dueDate: day,
      status: fc.constantFrom(...TASK_STATUSES),
      assignee: fc.nat(2),
      vendor: fc.nat(2),
      recurrence: fc.constantFrom('FREQ=WEEKLY', 'FREQ=DAILY;UNTIL=20260227', null),
    },
    { requiredKeys: [] },
  );

  test('has the same result or error as the rules in TypeScript', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        let known = await acme.newTask();
        for (const { assignee, vendor, ...others } of changes) {
          const changeset = {
            ...others,
            ...(assignee !== undefined && { assigneeId: assignees[assignee] ?? null }),
            ...(vendor !== undefined && { vendors: vendors[vendor] ?? [] }),
          };
          const task = { taskUniqueId: known.uniqueId };
          let expected;
          try {
            expected = applyTaskChanges(withId(known), changeset);
          } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            await expect(acme.task.update({ ...task, ...changeset })).rejects.toMatchObject({ message: error.message });
            expect(await acme.task.get(task)).toEqual(known);
            continue;
          }
          const fieldsOf = (from: ShownTask) => applyTaskChanges(withId(from), {});
          const isSame = JSON.stringify(expected) === JSON.stringify(fieldsOf(known));
          const written = await acme.task.update({ ...task, ...changeset });
          expect(fieldsOf(written)).toEqual(expected);
          expect(written.version).toBe(known.version + (isSame ? 0 : 1));
          expect(await acme.task.get(task)).toEqual(written);
          known = written;
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('an update without an effect takes one statement', () => {
  /** Records the names of the statements that `work` runs. */
  async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    const names: string[] = [];
    database.observe((name) => {
      names.push(name);
      return () => {};
    });
    await work().finally(() => database.observe(() => () => {}));
    return names;
  }

  test('and returns the state that another caller has written', async () => {
    const acme = await createCompany();
    const other = await callerForKey((await acme.manage.apiKey.create({ name: 'Another' })).key);
    const { uniqueId: taskUniqueId } = await acme.newTask();
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Hosting' });
    const task = await other.task.update({ taskUniqueId, priority: 4 });
    const renamed = await other.vendor.updateAndGet({ vendor, name: 'Hosting & backups' });
    expect([task.updatedBy.name, renamed.updatedBy.name]).toEqual(['Another', 'Another']);

    const results: unknown[] = [];
    const statements = await statementsOf(async () => {
      results.push(await acme.task.update({ taskUniqueId, priority: 4, gaps: [] }));
      results.push(await acme.vendor.updateAndGet({ vendor, name: 'Hosting & backups' }));
    });
    expect(statements).toEqual(['task.update', 'vendor.update']);
    expect(results).toEqual([task, renamed]);
    expect(await acme.events(taskUniqueId)).toHaveLength(2);
  });

  test('even if it is rejected', async () => {
    const acme = await createCompany();
    const { uniqueId: taskUniqueId } = await acme.newTask({ startDate: '2026-02-27' });
    const error = expect.objectContaining({ message: 'dueDate: 2026-01-05 is before startDate 2026-02-27' });
    const statements = await statementsOf(() =>
      expect(acme.task.update({ taskUniqueId, dueDate: '2026-01-05' })).rejects.toEqual(error),
    );
    expect(statements).toEqual(['task.update']);
  });
});

describe('the list of all vendors', () => {
  const LIST = '/external/smart-inventory/vendor/list';
  const NAMES = [
    'Ünïcödé 🦊',
    '"quoted" \\ and /',
    'tab\there',
    'line\nbreak',
    '\u0001\u001f',
    '</script>',
    'a\u2028b',
    'a',
  ];

  /** Some of the names are from before names had rules. */
  async function createVendors({ vendor }: TestCompany): Promise<void> {
    for (const name of NAMES) {
      const { uniqueId } = await vendor.create({ name: 'x' });
      await tamper(
        `update vendor set name = $json$${JSON.stringify([name])}$json$::json ->> 0 where unique_id = '${uniqueId}'`,
      );
    }
  }

  test('has the same JSON from PostgreSQL as from a caller', async () => {
    const acme = await createCompany();
    await createVendors(acme);
    const { status, body, headers } = await http('GET', LIST, { key: acme.key });
    expect(status).toBe(200);
    expect(body).toEqual(await acme.vendor.list());
    expect(headers['x-total-count']).toBe(String(NAMES.length));
  });

  test('has the vendors of the statements for filters and whole vendors', async () => {
    const acme = await createCompany();
    await createVendors(acme);
    const { body } = await http('GET', LIST, { key: acme.key });
    const updatedSince = '1900-01-01T00:00:00Z';
    for (const query of [{ status: 'active' as const }, { updatedSince }, { limit: 500 }, { updatedSince, limit: 500 }])
      expect(await acme.vendor.list(query)).toEqual(body);
    const whole = await acme.vendor.list({ view: 'full', limit: 100 });
    expect(whole.map(({ uniqueId, name, status }) => ({ uniqueId, name, status }))).toEqual(body);
  });

  test('is complete and in order when it is streamed', async () => {
    const acme = await createCompany();
    const session = new Session(
      database,
      { ...operatorPrincipal(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId },
      'many',
    );
    const fill = defineStatement<object, { count: number }>(
      'test.fill',
      ({
        company,
        user,
        key,
        request,
      }) => `with me as materialized (select set_config('app.company', (${company}::int)::text, true), set_config('app.user', (${user}::uuid)::text, true),
        set_config('app.key', (${key}::uuid)::text, true), set_config('app.request', ${request}::text, true)),
      created as (insert into vendor (company_id, unique_id, name, created_by_id, updated_by_id)
        select ${company}, uuid_v7(), 'Vendor ' || i % 700, ${user}, ${user} from me, generate_series(1, 1201) i returning 1)
      select count(*)::int as count from created`,
    );
    expect(await session.one(fill, {})).toEqual({ count: 1201 });
    const { status, body, headers } = await http('GET', LIST, { key: acme.key });
    expect(status).toBe(200);
    expect(headers['x-total-count']).toBe('1201');
    expect(headers['transfer-encoding']).toBe('chunked');
    expect(body).toEqual(await acme.vendor.list());
    const filtered = await http('GET', `${LIST}?status=active`, { key: acme.key });
    expect(filtered.body).toEqual(body);
    expect((await http('HEAD', LIST, { key: acme.key })).text).toBe('');
  });
});

test('the count of all tasks equals the count with filters that every task matches', async () => {
  const acme = await createCompany();
  for (const dueDate of [null, '2026-01-05', '2026-03-01']) await acme.newTask({ dueDate });
  const { framework } = acme;
  const counts = [];
  for (const filter of [
    {},
    { sort: 'dueDate' as const },
    { status: 'open,done,not_applicable,canceled' as const },
    { priority: '1,2,3,4' },
    { updatedSince: '1900-01-01T00:00:00Z' },
    { q: 'e' },
  ])
    counts.push(await acme.task.list({ framework, ...filter }));
  expect(counts).toEqual(counts.map(() => ({ total: 3 })));
});

describe.runIf(databaseUrl !== undefined)('a prepared statement (PostgreSQL only)', () => {
  const failing = () => sql('select $1::int / $2::int as quotient', 1, 0);

  test('that fails returns the error of PostgreSQL, and the next one succeeds', async () => {
    for (let attempt = 0; attempt < 30; attempt++) await expect(failing()).rejects.toMatchObject({ code: '22012' });
    expect(await sql('select $1::int as one', 1)).toEqual([{ one: 1 }]);
  });

  test('parses text, numbers, arrays, JSON and null in each run', async () => {
    const text = `select $1::text as t, $2::int[] as n, $3::text[] as s, $4::jsonb as j, null::int as missing, $5::bytea as b`;
    const values = ['ä"\\', [1, 2], ['a"b', 'c\\d', '', 'NULL', 'x,y', '{z}'], '{"a": [1]}', Buffer.from([0, 255])];
    const row = { t: values[0], n: values[1], s: values[2], j: { a: [1] }, missing: null, b: values[4] };
    for (let run = 0; run < 25; run++) expect(await database.query('test.described', text, values)).toEqual([row]);
  });

  test('is never used for another text with the same name', async () => {
    const all = Array.from({ length: 40 }, () => database.query('test.one-name', 'select 1 as one', []));
    expect(await Promise.all(all)).toHaveLength(40);
    const others = Array.from({ length: 40 }, () => database.query('test.one-name', 'select 2 as two', []));
    const settled = await Promise.allSettled(others);
    expect(settled.some(({ status }) => status === 'rejected')).toBe(true);
    for (const one of settled) if (one.status === 'fulfilled') expect(one.value).toEqual([{ two: 2 }]);
  });
});
