import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { ormOptions } from '../../database/orm/options.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createCompany } from '../support/tenants/company.ts';
import { INSTALLATION_TABLES } from '../support/tenants/people.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { asOwner, database, databaseUrl, ownerUrl, sql } from '../support/database/database.ts';

describe('the schema', () => {
  test('starts every key and index of a tenant table with company_id, except those that look for all companies', async () => {
    const keys = await sql<{ table: string; name: string; first: string }>(`
      select c.conrelid::regclass::text as "table", c.conname as name,
        (select attname from pg_attribute where attrelid = c.conrelid and attnum = c.conkey[1]) as first
      from pg_constraint c
      where c.contype in ('p', 'u', 'f') and c.connamespace = 'public'::regnamespace
        and exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attname = 'company_id')
      union all
      select i.indrelid::regclass::text, i.indexrelid::regclass::text,
        (select attname from pg_attribute where attrelid = i.indrelid and attnum = i.indkey[0])
      from pg_index i join pg_class t on t.oid = i.indrelid
      where t.relnamespace = 'public'::regnamespace
        and exists (select from pg_attribute a where a.attrelid = i.indrelid and a.attname = 'company_id')`);
    const others = new Set(keys.filter(({ first }) => first !== 'company_id').map(({ name }) => name));
    expect(keys.length).toBeGreaterThan(25);
    expect([...others].toSorted()).toEqual([
      'api_key_hash_unique', // looked up before the company is known
      'api_key_previous_hash_unique',
      'api_key_request_by_time', // old rows of all companies are deleted together
      'api_key_usage_by_day', // old rows of all companies are deleted together
      'file_unused', // unused files of all companies are removed together
      'idempotency_record_by_created_at', // expired records of all companies are deleted together
      'import_by_state', // open imports of all companies are found together
      'inbox_item_by_time', // old items of all companies are deleted together
      'inbox_item_to_mail', // a mail has the items of all companies of a person
      'invitation_token_unique', // looked up before the company is known
      'member_by_end', // memberships of all companies that end are found together
      'member_by_person', // a sign-in finds the companies of a person
      'member_person_id_foreign',
      'proof_by_ended_at', // old proofs of all companies are deleted together
      // A mail belongs to an address, which several companies may have.
      'queued_mail_by_email',
      'queued_mail_by_person',
      'queued_mail_by_time',
      'queued_mail_person_id_foreign',
      'queued_mail_pkey',
      'queued_mail_waiting',
      'search_document_words', // every word begins with the company
      'sign_in_by_age', // old rows of all companies are deleted together
      // A sign-in belongs to a person, who may act for several companies.
      'sign_in_challenge_by_expiry',
      'sign_in_challenge_person_id_foreign',
      'sign_in_challenge_pkey',
      'sso_domain_unique', // a domain belongs to one company
      'summary_mail_due', // the mails of all companies are sent by one job
      'web_session_by_expiry',
      'web_session_by_person',
      'web_session_person_id_foreign',
      'web_session_pkey',
      'web_session_token_unique',
      'webhook_delivery_by_created_at', // old rows of all companies are deleted together
    ]);
  });

  test('has a company_id that is not null in every table, except those of a person, of the installation, company and erased_company', async () => {
    const tables = await sql<{ name: string; hasCompany: boolean }>(`
      select c.relname as name, exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and a.attnotnull) as "hasCompany"
      from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`);
    expect(tables.length).toBeGreaterThan(12);
    const others = tables.filter(({ hasCompany }) => !hasCompany).map(({ name }) => name);
    const tablesOfPersons = [
      'company_move',
      'email_link',
      'erased_company',
      'passkey',
      'person',
      'queued_mail',
      'recovery_code',
      'reset_link',
      'sign_in_challenge',
      'unknown_sign_in',
    ];
    expect(others.toSorted()).toEqual(['company', ...INSTALLATION_TABLES, ...tablesOfPersons].toSorted());
  });

  test('includes company_id on both sides of every foreign key between tenant tables', async () => {
    const keys = await sql<{ name: string; target: string }>(`
      select c.conname as name,
        (select attname from pg_attribute where attrelid = c.confrelid and attnum = c.confkey[1]) as target
      from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.confrelid not in ('company'::regclass, 'person'::regclass)`);
    expect(keys.length).toBeGreaterThanOrEqual(7);
    expect(new Set(keys.map(({ target }) => target))).toEqual(new Set(['company_id']));
  });
});

// A seal covers every column of its event that is not null (docs/audit.md).
describe('a column that is added to audit_event', () => {
  /**
   * Columns with a value in every event. `framework_id` was added with a default after the first seals, but before the first
   * release, so no released event was sealed without it. No other column may be added here.
   */
  const ORIGINAL_COLUMNS = [
    'company_id',
    'id',
    'unique_id',
    'occurred_at',
    'user_id',
    'action',
    'resource_type',
    'resource_id',
  ]
    .concat(['changes', 'request_id', 'framework_id'])
    .toSorted();

  /** Columns of a table that have a value in every event, or in events that were written without one. */
  const filledColumns = async (run: typeof sql, table: string) => {
    const columns = await run<{ name: string }>(
      `select attname as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and (attnotnull or atthasdef) order by 1`,
      table,
    );
    return columns.map(({ name }) => name);
  };

  test('is nullable and has no default', async () => {
    expect(await filledColumns(sql, 'public.audit_event')).toEqual(ORIGINAL_COLUMNS);
  });

  test.for([
    ['note text', []],
    ['note text not null', ['note']],
    [`note text default ''`, ['note']],
    ['note bigint generated always as identity', ['note']],
  ] as const)('is recognised by its definition: %s', async ([column, added]) => {
    const columns = await asOwner(async (run) => {
      await run('create temp table later (like public.audit_event including all) on commit drop');
      await run(`alter table pg_temp.later add ${column}`);
      return filledColumns(run, 'pg_temp.later');
    });
    expect(columns).toEqual([...ORIGINAL_COLUMNS, ...added].toSorted());
  });
});

describe('the database rejects, for every role,', () => {
  let acme: TestCompany;
  let task: string;
  beforeAll(async () => {
    acme = await createCompany();
    task = (await acme.newTask({ startDate: '2026-01-10' })).uniqueId;
    await acme.vendor.create({ name: 'Cloud Ltd' });
  });

  test.for([
    [`update task set priority = 0`, 'task_priority'],
    [`update task set priority = 5`, 'task_priority'],
    [`update task set status = 'open'`, 'task_status_check'],
    [`update task set due_date = '2026-01-09'`, 'task_due_date_not_before_start_date'],
    [`update task set start_date = '1899-12-31'`, 'task_start_date'],
    [`update task set due_date = '3000-01-01'`, 'task_due_date'],
    [`update task set title = ''`, 'task_title_not_empty'],
    [`update task set title = repeat('x', 256)`, 'too long'],
    [`update task set description = repeat('x', 20001)`, 'too long'],
    [`update task set labels = array_fill('x'::varchar, array[21])`, 'task_labels'],
    [`update task set labels = array[repeat('x', 51)]`, 'too long'],
    [`update task set gaps = array_fill(1, array[101])`, 'task_gaps_max'],
    [`update task set gaps = array[2147483647]`, 'must be distinct gaps of its framework'],
    [`update task set framework_id = framework_id`, 'is forbidden'],
    [`update task set department_id = 2147483647`, 'foreign key'],
    [`update task set created_by_id = uuid_v7()`, 'must be the acting user'],
    [`update task set updated_by_id = uuid_v7()`, 'must be the acting user'],
    [
      `insert into vendor (company_id, unique_id, name, created_by_id, updated_by_id)
      select company_id, uuid_v7(), 'x', uuid_v7(), updated_by_id from task`,
      'must be the acting user',
    ],
    [`update vendor set status = 'gone'`, 'vendor_status_check'],
    [`update vendor set name = ''`, 'vendor_name_not_empty'],
    [`update api_key set hash = 'short'`, 'api_key_hash_sha256'],
    [`update api_key set leaked_url = 'https://x.example/'`, 'api_key_leaked_url_requires_leaked_at'],
    [`update api_key set leaked_at = now(), leaked_url = repeat('x', 2049)`, 'too long'],
    [`update api_key set user_id = uuid_v7()`, 'foreign key'],
    [`update framework set name = ''`, 'framework_name_not_empty'],
    [
      `insert into company_user (company_id, unique_id, kind, name) select company_id, uuid_v7(), 'robot', 'x' from task`,
      'company_user_kind_check',
    ],
  ] as const)('%s', async ([statement, reason]) => {
    const before = await acme.task.get({ taskUniqueId: task });
    const em = await new Session(
      database,
      { ...operatorPrincipal(acme.id), user: acme.apiKey.user },
      'test',
    ).unitOfWork();
    const written = em.transactional((inner) => inner.execute(`${statement} where company_id = ${acme.id}`));
    await expect(written).rejects.toThrow(reason);
    expect(await acme.task.get({ taskUniqueId: task })).toEqual(before);
  });

  test('two keys with one hash', async () => {
    const [stored] = await sql<{ hash: Uint8Array }>('select hash from api_key where company_id = $1', acme.id);
    const rival = await createCompany('Rival');
    const em = await new Session(database, operatorPrincipal(rival.id), 'test').unitOfWork();
    const hex = Buffer.from(stored?.hash ?? []).toString('hex');
    const written = em.transactional((inner) =>
      inner.execute(`update api_key set hash = '\\x${hex}' where company_id = ${rival.id}`),
    );
    await expect(written).rejects.toThrow('api_key_hash_unique');
  });
});

describe.runIf(databaseUrl !== undefined)('migrations (PostgreSQL only)', () => {
  test('are applied once when ten processes start at the same time', async () => {
    const name = `compliance_ten_${randomUUID().slice(0, 8)}`;
    const admin = new Client({ connectionString: ownerUrl });
    await admin.connect();
    await admin.query(`create database ${name}`);
    const [url, ownUrl] = [new URL(databaseUrl ?? ''), new URL(ownerUrl ?? '')];
    url.pathname = ownUrl.pathname = `/${name}`;
    const databases = await Promise.all(
      Array.from({ length: 10 }, () => openPostgreSql(url.href, { ownerUrl: ownUrl.href })),
    );
    await Promise.all(databases.map((one) => one.migrate()));
    const applied = await databases[0]?.query<{ name: string }>(
      'applied',
      'select name from mikro_orm_migrations order by name',
      [],
    );
    const files = (await readdir(ormOptions.migrations.path)).filter((file) => file.startsWith('Migration'));
    expect(applied?.map((row) => `${row.name}.ts`)).toEqual(files.toSorted());
    await Promise.all(databases.map((one) => one.close()));
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });

  test('create exactly the schema of the entities', async () => {
    const orm = await MikroORM.init({ ...ormOptions, clientUrl: ownerUrl ?? '' });
    expect(await orm.migrator.checkSchema()).toBe(false);
    expect(await orm.schema.getUpdateSchemaSQL({ wrap: false, dropTables: false })).toBe('');
    await orm.close();
  });
});

test('an unreachable database is 503, not 401', async () => {
  const { createAuthentication } = await import('../../server/auth/authenticate.ts');
  const { generateRawKey } = await import('../../entities/api-key/raw-key.ts');
  const unreachable = await openPostgreSql('postgresql://nobody@127.0.0.1:1/nowhere');
  const authenticated = createAuthentication(unreachable, 'token').apiKey({
    headers: { 'x-api-key': generateRawKey() },
    address: null,
    requestId: 'test',
  });
  await expect(authenticated).rejects.toMatchObject({ code: 'unavailable' });
  await unreachable.close();
});
