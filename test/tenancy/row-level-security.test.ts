import { describe, expect, test } from 'vitest';
import { Department } from '../../entities/reference-data/reference-data.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { ALL_COMPANIES, readStatement, defineStatement } from '../../entities/statements/define-statement.ts';
import { entities } from '../../entities/index.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { Task } from '../../entities/task/task.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { Vendor } from '../../entities/vendor/vendor.ts';
import { makeObjects, targetOf } from '../support/fixtures/objects.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { VENDORS, importFile } from '../support/tenants/imports.ts';
import { INSTALLATION_TABLES, PERSON_TABLES, createPeople } from '../support/tenants/people.ts';
import { asOwner, database, databaseUrl, ownerUrl, sql } from '../support/database/database.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';

// Statements run as the service role and bypass the checks of the application.
interface CompanyWithData extends TestCompany {
  vendorId: string;
}

/** Creates a company with a row in every table. */
async function createCompanyWithData(name: string): Promise<CompanyWithData> {
  const created = await createCompany(name);
  await importFile(created, `${VENDORS}/import?lenient=true`, 'name,criticality\nA,x\n,1\n');
  await createPeople(created, `Person of ${name}`);
  const target = await targetOf(created);
  const { vendor, webhook } = await makeObjects(target);
  await http('POST', `/external/webhook/${webhook}/test`, { key: target.key });
  const fileId = newUniqueId();
  await asOwner(async (run) => {
    await run('select seal_audit_log($1::int, 100)', created.id);
    const hash = 'a'.repeat(64);
    await run(
      `insert into company_move (id, direction, move, state, peer) values ($1::int, 'in', $2::uuid, 'aborted', 'https://b.example.com')`,
      created.id,
      fileId,
    );
    await run(
      'insert into erased_company (id, sequence, hash) values ($1::int, 1, $2)',
      1_000_000_000 + created.id,
      hash,
    );
    await run(
      `insert into idempotency_record (company_id, api_key_id, key_hash, fingerprint, status, headers)
       values ($1::int, $2::uuid, sha256('name'), sha256('print'), 200, '{}')`,
      created.id,
      created.apiKey.uniqueId,
    );
    await run(
      `insert into file (company_id, unique_id, store, sha256, size) values ($1::int, $2::uuid, 'database', $3::text, 1)`,
      created.id,
      fileId,
      'a'.repeat(64),
    );
    await run(`insert into file_chunk values ($1::int, $2::uuid, 0, 'x')`, created.id, fileId);
    await run(
      `insert into api_key_request values ($1::int, $2::uuid, now(), $2::uuid, 'GET', '/external', 200, null, 'test', 1)`,
      created.id,
      created.apiKey.uniqueId,
    );
    await run(
      'insert into api_key_usage values ($1::int, $2::uuid, current_date, 1, 0, 0)',
      created.id,
      created.apiKey.uniqueId,
    );
    await run(
      `insert into task_requirement (company_id, requirement_id, task_id)
       select r.company_id, r.unique_id, t.unique_id from requirement r join task t on t.company_id = r.company_id
       where r.company_id = $1::int limit 1`,
      created.id,
    );
    await run(
      'insert into task_status_day (company_id, framework_id, day) values ($1::int, $2::int, current_date)',
      created.id,
      created.framework,
    );
  });
  return { ...created, vendorId: String(vendor) };
}

const acme = await createCompanyWithData('Acme');
const rival = await createCompanyWithData('Rival');

/** Lists tables with rows of companies. */
const tenantTables = async () => (await securedTables()).filter(({ table }) => !PERSON_TABLES.includes(table));

/** Lists tables with rows of companies or persons. */
async function securedTables(): Promise<{ table: string; column: string; isSecured: boolean }[]> {
  return sql(
    `select c.relname as table, case c.relname when 'company' then 'id' else 'company_id' end as column,
       c.relrowsecurity and c.relforcerowsecurity as "isSecured"
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and c.relname <> all($1) order by 1`,
    INSTALLATION_TABLES,
  );
}

/** Name of the first column of a table. */
async function firstColumn(table: string): Promise<string> {
  const [column] = await sql<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum = 1`,
    table,
  );
  return column?.name ?? expect.fail(`${table}: expected a column`);
}

let statementCount = 0;

/**
 * Runs SQL as the service role in a transaction of a company, and rolls it back.
 * @returns number of rows of the last statement, or the SQLSTATE of the error
 */
async function runAsService(companyId: number | string, ...statements: (string | unknown[])[]): Promise<unknown> {
  const rollback = new Error('rollback');
  let rows: unknown[] = [];
  const work = database.transaction(async (runner) => {
    for (const [text, ...values] of statements.map((statement) => [statement].flat())) {
      const one = {
        name: `test.rls-${(statementCount += 1)}`,
        text: String(text),
        values: () => values,
        rowScope: 'company' as const,
      };
      rows = await runner.run<object, unknown>(one, {}, { company: companyId, user: OPERATOR.uniqueId });
    }
    throw rollback;
  });
  const error: unknown = await work.catch((failure: unknown) => failure);
  if (error === rollback) return rows.length;
  return error instanceof Error && 'code' in error ? error.code : error;
}

describe('the catalog', () => {
  test('has row-level security on every table of companies or persons', async () => {
    const tables = await securedTables();
    expect(tables.length).toBeGreaterThanOrEqual(24);
    expect(tables.filter(({ isSecured }) => !isSecured).map(({ table }) => table)).toEqual(['search_document']);
    const without = await sql(
      `select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relrowsecurity order by 1`,
    );
    expect(without.map(({ relname }) => relname)).toEqual(INSTALLATION_TABLES);
  });

  test('has policies that depend only on app.company', async () => {
    const policies = await sql<{
      tablename: string;
      policyname: string;
      roles: string;
      cmd: string;
      qual: string | null;
      check: string | null;
    }>(
      `select tablename, policyname, roles::text, cmd, permissive, qual, with_check as "check" from pg_policies
       where schemaname = 'public'`,
    );
    expect(policies.length).toBeGreaterThanOrEqual(13);
    for (const { roles, cmd, qual, check } of policies) {
      expect(roles).toBe('{public}');
      // A policy for INSERT has only a check.
      const condition = cmd === 'INSERT' ? check : qual;
      expect(condition).toContain(`current_setting('app.company'::text, true)`);
      expect(check === null || check === condition).toBe(true);
    }
  });

  test('grants the service role exactly the privileges that each entity declares', async () => {
    const orm = await database.entityManager();
    const declared = entities.map((entity) => [
      orm.getMetadata().getByClassName(entity.name).tableName,
      ['select', ...entity.writePrivileges].toSorted().join(' '),
    ]);
    const granted = await database.query<{ table: string; privileges: string }>(
      'test.granted',
      `select c.relname as table, string_agg(one, ' ' order by one) as privileges
       from pg_class c, unnest('{select,insert,update,delete,truncate,references,trigger}'::text[]) one
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and has_table_privilege(c.oid, one)
       group by 1`,
      [],
    );
    expect(Object.fromEntries(granted.map(({ table, privileges }) => [table, privileges]))).toEqual({
      ...Object.fromEntries(declared),
      mikro_orm_migrations: 'select',
    });
  });

  test('allows the service role to write seals and times of the past only for the company in app.company', async () => {
    const definers = await sql<{ name: string; config: string[] }>(
      `select p.oid::regprocedure::text as name, proconfig as config from pg_proc p
       where pronamespace = 'public'::regnamespace and prosecdef order by 1`,
    );
    const config = ['search_path=pg_catalog, public, pg_temp'];
    expect(definers).toEqual([
      { name: 'discard_rows(text,integer)', config },
      { name: 'end_arrival()', config },
      {
        name: 'find_documents(text[],text[],integer[],text[],integer)',
        config: [...config, 'enable_seqscan=off', 'enable_sort=off', 'jit=off'],
      },
      { name: 'receive_company(text)', config },
      { name: 'receive_rows(text,text)', config },
      { name: 'seal_current_company(integer)', config },
      {
        name: 'set_demo_time(timestamp with time zone)',
        config: ['search_path=pg_catalog, public, pg_temp', 'enable_seqscan=off'],
      },
    ]);
    expect(await runAsService(acme.id, `select seal_audit_log(${rival.id}, 1)`)).toBe('42501');
    // Only a company that arrives receives rows, and loses them.
    for (const forbidden of [`receive_rows('vendor', '[]')`, `discard_rows('vendor', 1)`, 'end_arrival()'])
      expect([forbidden, await runAsService(acme.id, `select ${forbidden}`)]).toEqual([forbidden, '42501']);
  });
});

describe('raw SQL in a transaction of one company', () => {
  test('reads no row of another company from any table, and no row at all without a company', async () => {
    for (const { table, column } of await tenantTables()) {
      const own = await runAsService(acme.id, `select 1 from ${table} where ${column} = ${acme.id}`);
      const others = await runAsService(acme.id, `select 1 from ${table} where ${column} <> ${acme.id}`);
      const existing = await sql(`select 1 from ${table} where ${column} = ${rival.id}`);
      expect([table, Number(own) > 0, existing.length > 0, others]).toEqual([table, true, true, 0]);
      expect([table, await runAsService('', `select 1 from ${table}`)]).toEqual([table, 0]);
    }
  });

  test('reads rows of all companies only from tables that allow it', async () => {
    const readable: string[] = [];
    for (const { table } of await tenantTables()) {
      if ((await runAsService(ALL_COMPANIES, `select 1 from ${table}`)) !== 0) readable.push(table);
    }
    expect(readable).toEqual([
      'api_key',
      'api_key_request',
      'api_key_usage',
      'audit_event',
      'audit_seal',
      'audit_watermark',
      'company',
      'file',
      'idempotency_record',
      'identity',
      'import',
      'inbox_item',
      'inbox_reader',
      'invitation',
      'member',
      'proof',
      'search_reader',
      'sign_in',
      'sso',
      'sso_domain',
      'summary_mail',
      'task_count',
      'task_status_day',
      'webhook',
      'webhook_delivery',
    ]);
  });

  test.for(PERSON_TABLES)('reaches no row of %s, which only statements for all companies do', async (table) => {
    for (const company of [acme.id, '']) {
      expect(await runAsService(company, `select 1 from ${table}`)).toBe(0);
      const changed = await runAsService(
        company,
        `update ${table} set ${await firstColumn(table)} = default returning 1`,
      );
      expect([0, '42501']).toContain(changed);
      expect([0, '42501']).toContain(await runAsService(company, `delete from ${table} returning 1`));
      const [row] = await sql<{ row: object }>(`select to_jsonb(t) as row from ${table} t limit 1`);
      const insert = `insert into ${table} select * from jsonb_populate_record(null::${table}, $1) returning 1`;
      expect(await runAsService(company, [insert, row?.row])).toBe('42501');
    }
    expect(await runAsService(ALL_COMPANIES, `select 1 from ${table}`)).toBeGreaterThan(0);
  });

  test('updates, deletes and inserts no row of another company in any table', async () => {
    for (const { table, column } of await tenantTables()) {
      const updated = await runAsService(
        acme.id,
        `update ${table} set ${column} = ${column} where ${column} = ${rival.id} returning 1`,
      );
      const deleted = await runAsService(acme.id, `delete from ${table} where ${column} = ${rival.id} returning 1`);
      const [row] = await sql<{ row: object }>(
        `select to_jsonb(t) as row from ${table} t where ${column} = ${rival.id} limit 1`,
      );
      const inserted = await runAsService(acme.id, [
        `insert into ${table} select * from jsonb_populate_record(null::${table}, $1) returning 1`,
        row?.row,
      ]);
      expect([
        table,
        [0, '42501'].includes(updated as number),
        [0, '42501'].includes(deleted as number),
        inserted,
      ]).toEqual([table, true, true, '42501']);
    }
  });

  test('moves no row to another company', async () => {
    for (const table of ['vendor', 'task', 'department', 'framework', 'gap', 'api_key', 'company_user']) {
      const pushed = await runAsService(
        acme.id,
        `update ${table} set company_id = ${rival.id} where company_id = ${acme.id}`,
      );
      expect([table, pushed]).toEqual([table, '42501']);
    }
  });

  test('takes over no row with an upsert', async () => {
    const error = await runAsService(acme.id, [
      `insert into vendor (company_id, unique_id, name, created_by_id, updated_by_id)
       values ($1::int, $2::uuid, 'Taken', $3::uuid, $3::uuid)
       on conflict (company_id, unique_id) do update set name = 'Taken', company_id = ${acme.id} returning 1`,
      rival.id,
      rival.vendorId,
      OPERATOR.uniqueId,
    ]);
    expect(error).toBe('42501');
  });

  test.for([
    ['alter table vendor disable row level security'],
    ['alter table vendor no force row level security'],
    ['drop policy company_isolation on vendor'],
    ['create policy mine on vendor using (true)'],
    ['set local session_replication_role = replica'],
    ['truncate vendor'],
    ['set local row_security = off', 'select 1 from vendor'],
  ])('cannot bypass the policies: %s', async (statements) => {
    expect(await runAsService(acme.id, ...statements)).toBe('42501');
  });
});

describe('session settings', () => {
  const asRead = readStatement<object, { seen: number }>('test.rls-read', 'select count(*)::int as seen from vendor');
  const asWrite = defineStatement<object, { seen: number }>(
    'test.rls-write',
    'select count(*)::int as seen from vendor',
  );
  const acrossCompanies = readStatement<object, { seen: number }>(
    'test.rls-every',
    'select count(*)::int as seen from api_key',
    'all companies',
  );
  const session = () => new Session(database, operatorPrincipal(acme.id), 'row-level-security');

  test.for<[string, () => Promise<unknown>]>([
    ['a read', () => session().run(asRead, {})],
    ['a write', () => session().run(asWrite, {})],
    ['a statement for all companies', () => database.run(acrossCompanies, {}, {})],
    ['a transaction', () => session().transaction((inside) => inside.run(asWrite, {}))],
    ['a unit of work', () => session().inUnitOfWork((em) => em.find(Vendor, {}))],
    [
      'a read that fails',
      () =>
        session()
          .run(readStatement('test.rls-fails', 'select 1 / (count(*) - 1)::int from vendor'), {})
          .catch(() => {}),
    ],
  ])('end with the transaction: %s', async ([, work]) => {
    // More runs than connections, so that each connection had settings before it runs the query without a principal.
    await Promise.all(Array.from({ length: 30 }, work));
    const query = `select count(*)::int as seen, concat(current_setting('app.company', true),
      current_setting('app.user', true), current_setting('app.key', true)) as principal from vendor`;
    const rows = await Promise.all(
      Array.from({ length: 30 }, () => database.query('test.rls-no-principal', query, [])),
    );
    expect(rows.flat()).toEqual(Array.from({ length: 30 }, () => ({ seen: 0, principal: '' })));
  });
});

describe('the ORM without its filter', () => {
  const em = () => new Session(database, operatorPrincipal(acme.id), 'row-level-security').unitOfWork();
  const stored = () => sql(`select to_jsonb(v) as row from vendor v where company_id = $1`, rival.id);
  const open = { filters: false } as const;

  test('reads only rows of its company', async () => {
    const wide = await em();
    const { total } = await acme.task.listAll({});
    const vendors = (await acme.vendor.list()).map(({ uniqueId }) => uniqueId).toSorted();
    await wide.transactional(async (inner) => {
      expect((await inner.find(Vendor, {}, open)).map(({ uniqueId }) => uniqueId).toSorted()).toEqual(vendors);
      expect(await inner.findOne(Vendor, { uniqueId: rival.vendorId }, open)).toBeNull();
      expect(await inner.count(Task, {}, open)).toBe(total);
      const built = inner.createQueryBuilder(Vendor, 'v').select('v.uniqueId').execute<{ uniqueId: string }>('all');
      expect(await built).toHaveLength(vendors.length);
    });
  });

  test('getKysely and getConnection read nothing outside of a transaction with a company', async () => {
    const wide = await em();
    const kysely = await wide.getKysely<{ vendor: { name: string } }>().selectFrom('vendor').select('name').execute();
    expect(kysely).toEqual([]);
    expect(await wide.getConnection().execute('select name from vendor')).toEqual([]);
    const bare = await database.entityManager();
    expect(await bare.getConnection().execute('select name from vendor')).toEqual([]);
    expect(await bare.find(Vendor, {}, open)).toEqual([]);
  });

  test('getReference and flush update and delete no row of another company', async () => {
    const before = await stored();
    const changing = await em();
    changing.assign(changing.getReference(Vendor, [rival.id, rival.vendorId]), { name: 'Overwritten' });
    await expect(changing.flush()).rejects.toThrow('optimistic lock');
    const removing = await em();
    removing.remove(removing.getReference(Vendor, [rival.id, rival.vendorId]));
    await removing.flush(); // no error: no row matched
    expect(await stored()).toEqual(before);
  });

  test('upsert takes over no row', async () => {
    const departments = () => sql(`select to_jsonb(d) as row from department d where company_id = $1`, rival.id);
    const before = await departments();
    const row = { company: rival.id, id: rival.department, name: 'Taken' };
    const one = (await em()).transactional((inner) => inner.upsert(Department, row));
    await expect(one).rejects.toThrow('violates row-level security policy');
    const many = (await em()).transactional((inner) => inner.upsertMany(Department, [row]));
    await expect(many).rejects.toThrow('violates row-level security policy');
    expect(await departments()).toEqual(before);
  });

  test('a forged entity in the identity map is neither written nor visible to another unit of work', async () => {
    const before = await stored();
    const fooled = await em();
    const row = { company_id: rival.id, unique_id: rival.vendorId, name: 'Cloud Ltd', version: 1 };
    fooled.map(Vendor, row).name = 'Overwritten';
    await expect(fooled.flush()).rejects.toThrow('optimistic lock');
    expect(await (await em()).findOne(Vendor, { uniqueId: rival.vendorId }, open)).toBeNull();
    expect(await stored()).toEqual(before);
  });

  test('nativeUpdate and nativeDelete match no row of another company', async () => {
    const before = await stored();
    await (
      await em()
    ).transactional(async (inner) => {
      expect(await inner.nativeUpdate(Vendor, { company: rival.id }, { name: 'Overwritten' }, open)).toBe(0);
      expect(await inner.nativeDelete(Vendor, { company: rival.id }, open)).toBe(0);
    });
    expect(await stored()).toEqual(before);
  });
});

describe.runIf(databaseUrl !== undefined)('the role of the service', () => {
  test.for([
    ['owns nothing', []],
    ['is a superuser', ['alter role ROLE superuser']],
    ['bypasses row-level security', ['alter role ROLE bypassrls']],
    ['may truncate tables', ['grant truncate on vendor to ROLE']],
    ['may create objects in the schema public', ['grant create on schema public to ROLE']],
    ['may create temporary tables', ['grant temporary on database DATABASE to public']],
    ['owns tables', ['alter table vendor owner to ROLE']],
    [
      'is a member of a role that owns tables',
      ['create role ROLE_2', 'alter table vendor owner to ROLE_2', 'grant ROLE_2 to ROLE'],
    ],
  ] as const)('%s', async ([reason, statements]) => {
    const { url, serviceUrl, drop } = await createScratchDatabase(String(ownerUrl));
    const role = new URL(serviceUrl).username;
    const [service, owner] = await Promise.all([openPostgreSql(serviceUrl, { ownerUrl: url }), openPostgreSql(url)]);
    try {
      await service.migrate();
      for (const [index, text] of statements.entries()) {
        await owner.query(`test.strong-${index}`, text.replaceAll('ROLE', role).replaceAll('DATABASE', role), []);
      }
      const expected = reason.startsWith('is a member') ? 'owns tables' : reason;
      expect(await service.excessPrivileges()).toBe(
        reason === 'owns nothing' ? undefined : `the role ${role} ${expected}`,
      );
    } finally {
      await Promise.all([service.close(), owner.close()]);
      await drop();
      await sql(`drop role if exists ${role}_2`);
    }
  });
});
