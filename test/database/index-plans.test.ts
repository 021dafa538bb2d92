import { beforeAll, describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { explain, planNodes, sql, tamper } from '../support/database/database.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { hashRawKey } from '../../entities/api-key/raw-key.ts';
import { findApiKeyByHash, ownKey } from '../../entities/api-key/statements.ts';
import { findKeyOwners, findSecrets } from '../../entities/api-key/leaked-key.ts';
import { eventListStatement, findUsers } from '../../entities/audit/event-lists.ts';
import type { EventFilters } from '../../entities/audit/event-lists.ts';
import { findResourceNames, namesInput } from '../../entities/audit/names.ts';
import { listIdentityData, listMembershipData } from '../../entities/person/data.ts';
import { findClosings, pageFrameworkEvents } from '../../entities/requirement/report.ts';
import { countTasksOfOne } from '../../entities/task/list.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import { listVendorsAsJson } from '../../entities/vendor/list.ts';
import { vendorStatements } from '../../entities/vendor/statements.ts';

describe('on 100,000 tasks', () => {
  let acme: TestCompany;
  beforeAll(async () => {
    acme = await createCompany();
    // Seeded without triggers, which the tested statements do not need.
    const values = `${acme.id}, uuid_v7(), 'Seeded', '${acme.apiKey.user.uniqueId}', '${acme.apiKey.user.uniqueId}'`;
    await tamper(
      `insert into task (company_id, unique_id, title, created_by_id, updated_by_id, framework_id)
        select ${values}, ${acme.framework} + i % 100 from generate_series(1, 100000) i`,
      `insert into api_key (company_id, unique_id, user_id, name, hash, start, last4)
        select ${acme.id}, uuid_v7(), uuid_v7(), 'Seeded', sha256(i::text::bytea), 'svc_sk_live_seed', 'seed' from generate_series(1, 5000) i`,
      `insert into vendor (company_id, unique_id, name, created_by_id, updated_by_id)
        select ${values} from generate_series(1, 20000) i`,
      `with created as (
          insert into company_user (company_id, unique_id, kind, name)
          select ${acme.id}, uuid_v7(), 'integration', 'Seeded' from generate_series(1, 5000) returning unique_id)
        insert into api_key (company_id, unique_id, user_id, name, hash, start, last4)
        select ${acme.id}, uuid_v7(), unique_id, 'Seeded', sha256(unique_id::text::bytea), '', '' from created`,
    );
    await sql('analyze company_user, api_key, task, vendor');
  });

  const UNKNOWN_ID = newUniqueId();
  const fields = {
    title: 'x',
    description: '',
    priority: 1,
    labels: [],
    startDate: null,
    dueDate: null,
    departmentId: null,
    gaps: [],
    status: 'todo',
  };
  const update = { uniqueId: UNKNOWN_ID, hasStartDate: true, hasDueDate: true, hasDepartment: true, gapsValid: true };
  const cases: [string, (framework: number) => [Statement<never, unknown>, object]][] = [
    ['a task is read', () => [taskStatements.get, { uniqueId: UNKNOWN_ID }]],
    ['tasks of a framework are counted', (framework) => [countTasksOfOne, { frameworks: [framework] }]],
    ['a task is changed', () => [taskStatements.update, { ...fields, ...update }]],
    ['a task is deleted', () => [taskStatements.delete, { uniqueId: UNKNOWN_ID }]],
    ['a vendor is read', () => [vendorStatements.get, { uniqueId: UNKNOWN_ID }]],
    [
      'a vendor is changed',
      () => [vendorStatements.update, { name: 'x', description: '', status: 'active', uniqueId: UNKNOWN_ID }],
    ],
    [
      'names of resources are read',
      () => [findResourceNames, namesInput(['task', 'vendor'].map((type) => ({ type, uniqueId: UNKNOWN_ID }))) ?? {}],
    ],
    ['a key reads its own record', () => [ownKey, {}]],
    ['a key is looked up', () => [findApiKeyByHash, { hash: Buffer.from(hashRawKey('x'), 'hex') }]],
    ['reported secrets are looked up', () => [findKeyOwners, { hashes: [hashRawKey('x')] }]],
    ['leaked secrets are read', () => [findSecrets, { hashes: [hashRawKey('x')] }]],
  ];
  test.for(cases)('%s with an index', async ([, make]) => {
    const [statement, input] = make(acme.framework);
    const session = {
      company: acme.id,
      user: acme.apiKey.user.uniqueId,
      key: acme.apiKey.uniqueId,
      request: 'explain',
    };
    const plan = JSON.stringify(await explain(statement, input as never, session));
    expect(plan).toMatch(/Index (Only )?Scan|Bitmap Index Scan/);
    for (const table of ['task', 'vendor']) {
      expect(plan).not.toMatch(new RegExp(`"Node Type":"Seq Scan"[^}]*"Relation Name":"${table}"`));
    }
  });

  test('vendors are listed in index order, without a sort', async () => {
    const session = { company: acme.id, user: null, key: null, request: 'explain' };
    const plan = JSON.stringify(await explain(listVendorsAsJson, { limit: 100 }, session));
    expect(plan).toContain('vendor_by_name');
    expect(plan).not.toContain('"Sort"');
  });
});

describe('on 100,000 events', () => {
  let acme: TestCompany;
  const integrationUser = (index: number) => `01990000-0000-7000-8000-00000000000${index}`;
  beforeAll(async () => {
    acme = await createCompany();
    await tamper(`insert into audit_event
        (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, framework_id, changes, request_id)
        select ${acme.id}, uuid_v7(), now() - i * interval '1 minute', ('01990000-0000-7000-8000-00000000000' || i % 8)::uuid,
          case i % 10 when 0 then 'task.create' when 1 then 'task.delete' when 2 then 'vendor.update' else 'task.update' end,
          case i % 10 when 2 then 'vendor' else 'task' end, '01990000-0000-7000-8000-0000000' || 10000 + i / 10,
          case i % 10 when 2 then 0 else ${acme.framework} end, '{}', 'seed'
        from generate_series(1, 100000) i`);
    // Comments: ten on each of these tasks, with two events each.
    await tamper(`insert into audit_event
        (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, framework_id, changes, request_id,
         parent_type, parent_id)
        select ${acme.id}, uuid_v7(), now() - i * interval '1 minute', '${integrationUser(1)}',
          case i % 2 when 0 then 'comment.create' else 'comment.update' end, 'comment', 'comment-' || i / 2,
          ${acme.framework}, '{}', 'seed', 'task', '01990000-0000-7000-8000-0000000' || 10000 + i / 20
        from generate_series(1, 20000) i`);
    // Other test files write events too. Larger statistics keep enough samples of this company.
    for (const column of ['company_id', 'framework_id'])
      await sql(`alter table audit_event alter ${column} set statistics 1000`);
    await sql('analyze audit_event');
  });

  const limitedFrameworks = [2_147_483_647];
  const UNKNOWN_PARENT = newUniqueId();
  const cases: [string, EventFilters, number[] | null][] = [
    ['all', {}, null],
    ['of a range of time', { since: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z' }, null],
    ['of a type', { resourceType: 'task' }, null],
    ['of a type without events', { resourceType: 'department' }, null],
    ['of a resource', { resourceType: 'task', resourceId: integrationUser(1) }, null],
    ['of an id of any type', { resourceId: integrationUser(1) }, null],
    ['of the comments on a task', { parent: '01990000-0000-7000-8000-000000010007' }, null],
    ['of the comments on a task that a limited key may see', { parent: UNKNOWN_PARENT }, limitedFrameworks],
    [
      'of a task and its comments',
      { resourceType: 'task', resourceId: '01990000-0000-7000-8000-000000010007', children: true },
      null,
    ],
    ['of a user', { actor: integrationUser(3) }, null],
    ['of a user without events', { actor: integrationUser(9) }, null],
    ['of an action', { action: 'task.update' }, null],
    ['of an action without events', { action: 'apiKey.rotate' }, null],
    [
      'of an action, by a user, in a range of time',
      { action: 'task.update', actor: integrationUser(3), since: '2026-01-01' },
      null,
    ],
    ['that a limited key may see', {}, limitedFrameworks],
    ['of tasks that a limited key may see', { resourceType: 'task' }, limitedFrameworks],
  ];

  /** Runs a statement with EXPLAIN ANALYZE. @returns kinds of scans and the maximum number of rows scanned by a node */
  async function run(statement: Statement<never, unknown>, input: object) {
    const session = { company: acme.id, user: null, key: null, request: 'explain' };
    const nodes = planNodes(await explain(statement, input as never, session, 'analyze, format json'));
    const scans = nodes.filter((node) => node['Relation Name'] === 'audit_event');
    const scannedRows = scans.map(
      (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    );
    return { kinds: new Set(scans.map((node) => node['Node Type'])), scannedRows: Math.max(...scannedRows) };
  }

  test('the last name of a deleted task is read from the index of its history', async () => {
    // Each of these tasks has nine events.
    const tasks = Array.from({ length: 100 }, (_, index) => ({
      type: 'task',
      uniqueId: `01990000-0000-7000-8000-0000000${10_001 + index}`,
    }));
    const planned = async () => {
      await sql('analyze audit_event');
      return run(findResourceNames, namesInput(tasks) ?? {});
    };
    await expect.poll(planned, { timeout: 30_000 }).toEqual({ kinds: new Set(['Index Scan']), scannedRows: 100 });
  });

  test.for(cases)('those %s are read in index order', async ([, filters, frameworks]) => {
    const [{ page: first }, input] = eventListStatement(filters, { limit: 51 }, frameworks);
    const [{ page: second }, deep] = eventListStatement(
      filters,
      { limit: 51, before: { occurredAt: '2026-01-15', id: '5' } },
      frameworks,
    );
    // Other test files write events at the same time, so the statistics may be outdated.
    const planned = async () => {
      await sql('analyze audit_event');
      return Promise.all([run(first, input), run(second, deep)]);
    };
    const inOrder = (plans: Awaited<ReturnType<typeof planned>>) =>
      plans.every(
        ({ kinds, scannedRows }) => [...kinds].every((kind) => /^Index (Only )?Scan$/.test(kind)) && scannedRows < 1000,
      );
    await expect.poll(planned, { timeout: 120_000 }).toSatisfy(inOrder);
  });

  test('the closings of tasks are read from the index of their history', async () => {
    const tasks = Array.from({ length: 100 }, (_, index) => `01990000-0000-7000-8000-0000000${10_001 + index}`);
    const planned = async () => {
      await sql('analyze audit_event');
      return run(findClosings, { tasks, beforeEvents: tasks.map(() => Number.MAX_SAFE_INTEGER) });
    };
    // Each of these tasks has nine events.
    const ofTasks = ({ kinds, scannedRows }: Awaited<ReturnType<typeof planned>>) =>
      [...kinds].join() === 'Index Scan' && scannedRows <= 900;
    await expect.poll(planned, { timeout: 30_000 }).toSatisfy(ofTasks);
  });

  test('the events of a framework are read in index order, from any time on', async () => {
    const time = '2026-01-01T00:00:00Z';
    const planned = async () => {
      await sql('analyze audit_event');
      const input = { framework: acme.framework, time, afterTime: time, afterId: 0, limit: 51 };
      return run(pageFrameworkEvents, input);
    };
    await expect.poll(planned, { timeout: 30_000 }).toEqual({ kinds: new Set(['Index Scan']), scannedRows: 51 });
  });

  test('the names of a key are read from its own events', async () => {
    const planned = async () => {
      await sql('analyze audit_event');
      return run(findUsers, { ids: [acme.apiKey.user.uniqueId] });
    };
    await expect.poll(planned, { timeout: 30_000 }).toEqual({ kinds: new Set(['Index Scan']), scannedRows: 1 });
  });

  test.for([
    ['the numbers of what a person made', listMembershipData],
    ['the records of the names of a person', listIdentityData],
  ] as const)('%s are read from the own events', async ([, statement]) => {
    const ann = await createMember(acme);
    await ann.caller.vendor.create({ name: 'Cloud' });
    const planned = async () => {
      await sql('analyze audit_event, member, identity, company');
      return run(statement, { person: ann.person, singleSignOnCompany: null });
    };
    const ofPerson = ({ kinds, scannedRows }: Awaited<ReturnType<typeof planned>>) =>
      ![...kinds].includes('Seq Scan') && scannedRows <= 2;
    await expect.poll(planned, { timeout: 30_000 }).toSatisfy(ofPerson);
  });

  test.for([
    ['a task', taskStatements.getAsOf],
    ['a vendor', vendorStatements.getAsOf],
  ] as const)('the past state of %s is rebuilt from its own events', async ([, statement]) => {
    const { kinds, scannedRows } = await run(statement, {
      uniqueId: '01990000-0000-7000-8000-000000010007',
      asOf: 'infinity',
    });
    expect([...kinds].join()).toMatch(/^(Index|Bitmap)/);
    expect([...kinds].join()).not.toMatch(/Seq Scan/);
    expect(scannedRows).toBeLessThan(100);
  });
});
