import { describe, expect, test, vi } from 'vitest';
import { Framework } from '../../entities/reference-data/reference-data.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { Vendor } from '../../entities/vendor/vendor.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database, sql } from '../support/database/database.ts';

const sessionFor = (acme: TestCompany) =>
  new Session(
    database,
    { ...operatorPrincipal(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId },
    'audit-test',
  );

describe('an audit event', () => {
  test('contains the whole object on create, the changed fields on update and the last state on delete', async () => {
    const acme = await createCompany();
    const { vendor } = await callerForKey(acme.key, 'request-1');
    const { uniqueId } = await vendor.create({ name: 'Cloud Ltd', description: 'Hosting' });
    await vendor.update({ vendor: uniqueId, name: 'Cloud Inc', active: false, description: 'Hosting' });
    await vendor.delete({ vendor: uniqueId });
    const author = { user_id: acme.apiKey.user.uniqueId, api_key_id: acme.apiKey.uniqueId, request_id: 'request-1' };
    const resource = { resource_type: 'vendor', resource_id: uniqueId };
    const row = { unique_id: uniqueId, name: 'Cloud Ltd', status: 'active', description: 'Hosting', version: 1 };
    const [created, updated, deleted, ...others] = await acme.events(uniqueId);
    expect(created).toMatchObject({ action: 'vendor.create', ...resource, ...author, changes: row });
    expect(updated).toEqual({
      action: 'vendor.update',
      ...resource,
      ...author,
      changes: { name: { from: 'Cloud Ltd', to: 'Cloud Inc' }, status: { from: 'active', to: 'inactive' } },
    });
    const lastRow = { ...row, name: 'Cloud Inc', status: 'inactive', version: 2 };
    expect(deleted).toMatchObject({ action: 'vendor.delete', ...resource, ...author, changes: lastRow });
    expect(others).toEqual([]);
  });

  test('of a task contains each changed field, including lists and nulls', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.newTask({ labels: ['a'], dueDate: '2026-02-27' });
    const changes = { labels: ['a', 'b'], dueDate: null, gaps: [acme.gap], departmentId: acme.department };
    await acme.task.update({ taskUniqueId: uniqueId, ...changes });
    expect((await acme.events(uniqueId)).at(-1)?.changes).toEqual({
      labels: { from: ['a'], to: ['a', 'b'] },
      due_date: { from: '2026-02-27', to: null },
      gaps: { from: [], to: [acme.gap] },
      department_id: { from: null, to: acme.department },
    });
  });

  test('is written in the transaction of the change, so both commit or neither does', async () => {
    const acme = await createCompany();
    const before = await acme.events();
    const failing = (await sessionFor(acme).unitOfWork()).transactional(async (em) => {
      em.create(Framework, { company: acme.id, name: 'Never' });
      await em.flush();
      throw new Error('rolled back on purpose');
    });
    await expect(failing).rejects.toThrow('rolled back on purpose');
    expect(await acme.events()).toEqual(before);
    expect(await acme.manage.framework.list()).toHaveLength(1);
  });
});

test('every management operation writes an event with the operator as user and no API key', async () => {
  const acme = await createCompany();
  await acme.manage.framework.rename({ id: acme.framework, name: 'ISO 27002' });
  await acme.manage.framework.archive({ id: acme.framework });
  await acme.manage.department.rename({ id: acme.department, name: 'Safety' });
  await acme.manage.department.archive({ id: acme.department });
  await acme.manage.gap.rename({ id: acme.gap, title: 'Access' });
  await acme.manage.gap.archive({ id: acme.gap });
  const { uniqueId } = acme.apiKey;
  await acme.manage.apiKey.update({ uniqueId, name: 'Renamed', enabled: false });
  await acme.manage.apiKey.revoke({ uniqueId });
  const events = await acme.events();
  expect(events.map(({ action }) => action)).toEqual([
    'company.create',
    'framework.create',
    'department.create',
    'gap.create',
    'apiKey.create',
    'framework.update',
    'framework.update',
    'department.update',
    'department.update',
    'gap.update',
    'gap.update',
    'apiKey.update',
    'apiKey.revoke',
  ]);
  expect(new Set(events.map(({ user_id }) => user_id))).toEqual(new Set([OPERATOR.uniqueId]));
  expect(new Set(events.map(({ api_key_id }) => api_key_id))).toEqual(new Set([null]));
  expect(events.at(-2)?.changes).toEqual({
    name: { from: 'Integration of Acme', to: 'Renamed' },
    enabled: { from: true, to: false },
  });
});

test('a repeated operation that changes nothing writes no event', async () => {
  const acme = await createCompany();
  await acme.manage.framework.archive({ id: acme.framework });
  await acme.manage.apiKey.revoke({ uniqueId: acme.apiKey.uniqueId });
  const before = await acme.events();
  await acme.manage.framework.archive({ id: acme.framework });
  await acme.manage.department.rename({ id: acme.department, name: 'Security' });
  await acme.manage.apiKey.revoke({ uniqueId: acme.apiKey.uniqueId });
  expect(await acme.events()).toEqual(before);
});

describe('a write', () => {
  test('is audited through the unit of work, native queries, Kysely and raw SQL', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
    const em = await sessionFor(acme).unitOfWork();
    const vendor = await em.findOneOrFail(Vendor, { uniqueId });
    vendor.name = 'By unit of work';
    await em.flush();
    await (
      await sessionFor(acme).unitOfWork()
    ).transactional(async (inner) => {
      await inner.nativeUpdate(Vendor, { uniqueId }, { name: 'By native update' });
      await inner
        .getKysely<{ vendor: { name: string; unique_id: string } }>()
        .updateTable('vendor')
        .set({ name: 'By Kysely' })
        .where('unique_id', '=', uniqueId)
        .execute();
      await inner.execute(`update vendor set name = 'By hand' where unique_id = ?`, [uniqueId]);
      await inner.nativeDelete(Vendor, { uniqueId });
    });
    const [, ...events] = await acme.events(uniqueId);
    expect(events.map(({ action, changes }) => [action, changes['name']])).toEqual([
      ['vendor.update', { from: 'Cloud Ltd', to: 'By unit of work' }],
      ['vendor.update', { from: 'By unit of work', to: 'By native update' }],
      ['vendor.update', { from: 'By native update', to: 'By Kysely' }],
      ['vendor.update', { from: 'By Kysely', to: 'By hand' }],
      ['vendor.delete', 'By hand'],
    ]);
    expect(new Set(events.map(({ user_id }) => user_id))).toEqual(new Set([acme.apiKey.user.uniqueId]));
  });

  test.for([
    `insert into framework (company_id, name) values ($1, 'x')`,
    `update framework set name = 'x' where company_id = $1`,
    `update api_key set enabled = false where company_id = $1`,
    `update api_key set hash = sha256('x') where company_id = $1`,
    `update company set name = 'x' where id = $1`,
    `delete from vendor where company_id = $1`,
  ])('fails if app.company and app.user are not set: %s', async (statement) => {
    const acme = await createCompany();
    await acme.vendor.create({ name: 'Cloud Ltd' });
    const before = await acme.events();
    await expect(sql(statement, acme.id)).rejects.toThrow('app.company and app.user are required');
    expect(await acme.events()).toEqual(before);
  });
});

/**
 * Truncates a table and the tables that reference it. The lock timeout is shorter than PostgreSQL's `deadlock_timeout`:
 * to resolve a deadlock, PostgreSQL might cancel a statement of another test file.
 */
const truncateCascade = (table: string) =>
  sql(`do $$ begin perform set_config('lock_timeout', '100ms', true); truncate ${table} cascade; end $$`);

describe('the audit log is immutable', () => {
  test.for([
    'update audit_event set changes = changes',
    'delete from audit_event',
    'truncate audit_event',
    'update audit_seal set hash = hash',
    'delete from audit_seal',
    'truncate audit_seal',
    'delete from audit_watermark',
    'truncate audit_watermark',
    'delete from member',
    // Columns that say to what a row belongs, and those whose change no event shows.
    'update company set is_demo = is_demo',
    'update company set arriving_at = arriving_at',
    'update person set unique_id = unique_id',
    'update invitation set email = email',
    'update sso set company_id = company_id',
    'update gap set framework_id = framework_id',
    'update task set framework_id = framework_id',
    'update vendor set unique_id = unique_id',
  ])('%s is rejected', async (statement) => {
    await expect(sql(statement)).rejects.toThrow('is forbidden');
  });

  test.for(['company', 'company_user', 'framework', 'department', 'gap', 'api_key'])(
    'delete and truncate on %s are rejected',
    async (table) => {
      const acme = await createCompany();
      await expect(sql(`delete from ${table}`)).rejects.toThrow('is forbidden');
      await vi.waitFor(() => expect(truncateCascade(table)).rejects.toThrow('is forbidden'), { timeout: 120_000 });
      expect(await sql('select name from company where id = $1', acme.id)).toEqual([{ name: 'Acme' }]);
    },
  );
});

test('every table with an audit trigger rejects truncate, which no trigger for rows would see', async () => {
  const tables = await sql<{ name: string; isForbidden: boolean }>(`
    select t.tgrelid::regclass::text as name, exists (
      select from pg_trigger f join pg_proc p on p.oid = f.tgfoid and p.proname = 'forbid_statement'
      where f.tgrelid = t.tgrelid and f.tgenabled = 'O' and f.tgtype & 34 = 34) as "isForbidden"
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid and p.proname = 'audit_row'`);
  expect(tables.length).toBeGreaterThan(12);
  expect(tables.filter(({ isForbidden }) => !isForbidden)).toEqual([]);
});

test('every table with company data has the audit trigger, except users, derived rows, imports, inboxes, sign-ins, views and the audit log', async () => {
  const tables = await sql<{ name: string; audited: boolean }>(`
    select c.relname as name, exists (
      select from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where t.tgrelid = c.oid and p.proname = 'audit_row' and t.tgenabled = 'O' and t.tgtype & 20 = 20) as audited
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.relname`);
  const unaudited = tables.filter(({ audited }) => !audited).map(({ name }) => name);
  expect(tables.length).toBeGreaterThanOrEqual(8);
  expect(unaudited).toEqual([
    // Derived from requests.
    'api_key_request',
    'api_key_usage',
    'audit_event',
    'audit_seal',
    'audit_watermark',
    'company_user',
    // Reservations equal the external ids of tasks and vendors, whose events show them.
    'external_id',
    // Bytes of files. The events of evidence have their SHA-256.
    'file',
    'file_chunk',
    // Each record stores the response to an audited change. A job deletes it after a day.
    'idempotency_record',
    // Each record opens a digest in an event of a member. It is deleted with the name.
    'identity',
    // Each row of an import has the audit event of its task or vendor.
    'import',
    // Choices of members.
    'import_answers',
    'import_change',
    'import_chunk',
    'import_error',
    'import_note',
    // Derived from events, and read marks.
    'inbox_item',
    'inbox_reader',
    // Mails that wait, and mails of the last day, which limits count.
    'queued_mail',
    // Derived from events.
    'search_document',
    'search_reader',
    // Sign-ins are listed, not audited.
    'sign_in',
    'sign_in_challenge',
    // The event of `sso` has the confirmed domains.
    'sso_domain',
    // Mails that wait.
    'summary_mail',
    'task_count',
    // The event of the task has its labels, requirements and vendors.
    'task_label',
    'task_requirement',
    'task_status_day',
    'task_vendor',
    // Views and watches are choices of people, not data of the company.
    'view',
    'watch',
    'web_session',
    // Derived from the audit log.
    'webhook_delivery',
  ]);
});
