import { EntitySchema, UnderscoreNamingStrategy } from '@mikro-orm/core';
import { describe, expect, test } from 'vitest';
import { MISSING_PRIVILEGES, EXCESS_PRIVILEGES, grantStatements } from '../../database/orm/privileges.ts';
import { ALL_COMPANIES } from '../../entities/statements/define-statement.ts';
import { entities } from '../../entities/index.ts';
import { rowLevelSecurityFor } from '../../entities/schema/row-level-security.ts';
import { tenantIsolation, companyKey, companyKeyWithoutForeignKey } from '../../entities/schema/tenancy.ts';

// Declarations of tenant isolation in the entities. tenant-isolation.test.ts and row-level-security.test.ts test PostgreSQL.

/** Collapses whitespace in SQL. */
const normalizeSql = (sql = '') => sql.replaceAll(/\s+/g, ' ').trim();
/** Id of the company that the transaction has set; null if it has set none. */
const CURRENT_COMPANY_SQL = `(NULLIF(current_setting('app.company'::text, true), ''::text))::integer`;
const IS_ALL_COMPANIES_SQL = `( SELECT (current_setting('app.company'::text, true) = '${ALL_COMPANIES}'::text))`;

describe('the policies of a table', () => {
  test('limit every role and every command to rows of the company in app.company', () => {
    const { rowLevelSecurity, policies } = rowLevelSecurityFor('company_id');
    expect(rowLevelSecurity).toBe('force');
    expect(policies).toEqual([
      {
        name: 'company_isolation',
        command: 'all',
        using: `(company_id = ${CURRENT_COMPANY_SQL})`,
        check: `(company_id = ${CURRENT_COMPANY_SQL})`,
      },
    ]);
    expect(rowLevelSecurityFor('id').policies[0]).toMatchObject({
      using: `(id = ${CURRENT_COMPANY_SQL})`,
      check: `(id = ${CURRENT_COMPANY_SQL})`,
    });
  });

  test('allow statements for all companies only the declared commands', () => {
    const [own, ...every] = rowLevelSecurityFor('company_id', ['select', 'insert', 'delete']).policies;
    const once = `( SELECT ${CURRENT_COMPANY_SQL} AS "nullif")`;
    expect(own).toEqual({
      name: 'company_isolation',
      command: 'all',
      using: `(company_id = ${once})`,
      check: `(company_id = ${once})`,
    });
    expect(every).toEqual([
      { name: 'select_all_companies', command: 'select', using: IS_ALL_COMPANIES_SQL },
      { name: 'insert_all_companies', command: 'insert', check: IS_ALL_COMPANIES_SQL },
      { name: 'delete_all_companies', command: 'delete', using: IS_ALL_COMPANIES_SQL },
    ]);
  });
});

describe('tenant isolation', () => {
  test('adds policies on the company column and the ORM filter', () => {
    const { filters, ...rowLevelSecurity } = tenantIsolation('select', 'update');
    expect(rowLevelSecurity).toEqual(rowLevelSecurityFor('company_id', ['select', 'update']));
    expect(tenantIsolation().policies).toEqual(rowLevelSecurityFor('company_id').policies);
    expect(Object.keys(filters)).toEqual(['company']);
    const { cond, ...filter } = filters.company;
    expect(filter).toEqual({ name: 'company', default: true, args: true });
    const condition = typeof cond === 'function' ? cond({ company: 7, other: 8 }, 'read', undefined) : cond;
    expect(condition).toEqual({ company: 7 });
  });

  test('makes the company part of the primary key, with or without a foreign key', () => {
    const optionsOf = (property: ReturnType<typeof companyKey.company>) => property['~options'];
    expect(optionsOf(companyKey.company())).toMatchObject({ kind: 'm:1', primary: true, updateRule: 'no action' });
    expect(optionsOf(companyKey.company())).not.toHaveProperty('createForeignKeyConstraint');
    expect(optionsOf(companyKeyWithoutForeignKey.company())).toMatchObject({
      kind: 'm:1',
      primary: true,
      createForeignKeyConstraint: false,
    });
  });
});

const naming = new UnderscoreNamingStrategy();
const declared = entities.map((entity) => {
  const meta = EntitySchema.REGISTRY.get(entity)?.meta ?? expect.fail(`${entity.name} is not an entity`);
  return { name: entity.name, meta };
});

describe('every entity', () => {
  /** Entities of a person. Only statements for all companies reach them. */
  const OF_A_PERSON = [
    'CompanyMove',
    'ErasedCompany',
    'Person',
    'WebSession',
    'ResetLink',
    'EmailLink',
    'QueuedMail',
    'RecoveryCode',
    'Passkey',
    'SignInChallenge',
    'UnknownSignIn',
  ];

  /** Entities of the whole installation, which hold nothing of a company or a person. */
  const OF_THE_INSTALLATION = [
    'Secret',
    'RewriteRequest',
    'DataVersion',
    'ServiceProcess',
    'SigningKey',
    'FormerPlace',
  ];

  test('except Company and those of a person or the installation has the filter and row-level security', () => {
    const isolated = declared.filter(({ meta }) => 'company' in (meta.filters ?? {}));
    const others = declared.filter((one) => !isolated.includes(one));
    const expected = ['Company', ...OF_A_PERSON, ...OF_THE_INSTALLATION];
    expect(others.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
    for (const { name, meta } of isolated) {
      // A function of the owner finds documents, for the company of the session.
      expect([name, meta.rowLevelSecurity]).toEqual([name, name === 'SearchDocument' ? true : 'force']);
      expect(Object.keys(meta.properties)[0]).toBe('company');
      expect(meta.filters['company']).toMatchObject({ default: true, args: true });
    }
  });

  test('allows statements for all companies only the commands that they need', () => {
    const every = declared.map(({ name, meta }) => {
      const [own, ...others] = meta.policies ?? [];
      if (OF_THE_INSTALLATION.includes(name)) expect(own).toBeUndefined();
      else if (OF_A_PERSON.includes(name)) {
        expect([name, meta.rowLevelSecurity]).toEqual([name, 'force']);
        const using = IS_ALL_COMPANIES_SQL;
        expect(own).toEqual({ name: 'all_companies', command: 'all', using, check: using });
      } else expect(own).toMatchObject({ name: 'company_isolation', command: 'all', using: own?.check });
      return [name, ...others.map(({ command }) => command)].join(' ');
    });
    expect(every.filter((one) => one.includes(' '))).toEqual([
      'Company select',
      'ApiKey select update',
      'ApiKeyRequest select insert delete',
      'ApiKeyUsage select insert update delete',
      'TaskCount select',
      'TaskStatusDay select insert update delete',
      'File select update delete',
      'AuditEvent select',
      'AuditSeal select',
      'AuditWatermark select',
      'IdempotencyRecord select update delete',
      'Import select delete',
      'Member select',
      'Identity select',
      'Invitation select delete',
      'SignIn select insert delete',
      'Sso select',
      'SsoDomain select',
      'InboxReader select insert',
      'InboxItem select delete',
      'SummaryMail select',
      'SearchReader select insert',
      'Webhook select',
      'WebhookDelivery select delete',
      'Proof select delete',
    ]);
  });
});

describe('the service role', () => {
  /** Grant statements for a role, in order. */
  const granted = (role: string) => grantStatements(role).split(';\n').map(normalizeSql);

  /** Write privileges by entity, stated apart from the code. The service may insert, update and delete other resources. */
  const WRITE_PRIVILEGES: Record<string, string> = {
    Company: 'insert, update',
    User: 'insert, update',
    ApiKey: 'insert, update',
    Framework: 'insert, update',
    Department: 'insert, update',
    Gap: 'insert, update',
    TaskCount: 'insert, update',
    TaskVendor: 'insert, delete',
    TaskRequirement: 'insert, delete',
    TaskLabel: 'insert, delete',
    // Rows are deleted with their import.
    ImportError: 'insert',
    ImportChunk: 'insert, delete',
    AuditEvent: 'insert',
    AuditSeal: '',
    AuditWatermark: '',
    ErasedCompany: '',
    CompanyMove: 'insert, update',
    Secret: '',
    Member: 'insert, update',
    Identity: 'insert, delete',
    RewriteRequest: 'insert',
    SigningKey: 'insert',
    FormerPlace: 'insert, delete',
    ImportChange: 'insert, update',
    ImportNote: 'insert',
    RecoveryCode: 'insert, delete',
    SignInChallenge: 'insert, delete',
    ApiKeyRequest: 'insert, delete',
    SignIn: 'insert, delete',
    UnknownSignIn: 'insert, delete',
    SsoDomain: 'insert, delete',
    FileChunk: 'insert, delete',
    InboxReader: 'insert, update',
    SearchReader: 'insert, update',
    DataVersion: 'update',
  };

  test('loses all table privileges, then gets select and the declared write privileges', () => {
    const grantsOnTables = declared.flatMap(({ name, meta }) => {
      const privileges = WRITE_PRIVILEGES[name] ?? 'insert, update, delete';
      return privileges === ''
        ? []
        : [`grant ${privileges} on ${meta.tableName ?? naming.classToTableName(name)} to "service"`];
    });
    expect(granted('service')).toEqual([
      'revoke all on all tables in schema public from "service"',
      'grant usage on schema public to "service"',
      'grant usage on all sequences in schema public to "service"',
      'grant select on all tables in schema public to "service"',
      ...grantsOnTables,
    ]);
  });

  test('may have any name', () => {
    for (const grant of granted('a "b"; drop "c"')) expect(grant).toMatch(/ (?:to|from) "a ""b""; drop ""c"""$/);
  });

  test('is checked for exactly these privileges', () => {
    const [, list = ''] =
      /from \(values (.+)\) as needed \(name, privilege\)/.exec(normalizeSql(MISSING_PRIVILEGES)) ?? [];
    const needed = [...list.matchAll(/\('(\w+)', '(\w+)'\)(?:, |$)/g)].map(
      ([, table, privilege]) => `${privilege} ${table}`,
    );
    const written = granted('x').flatMap((grant) => {
      const [, privileges = '', tables = ''] = /^grant ((?:insert|update).*) on (.+) to/.exec(grant) ?? [];
      return tables === ''
        ? []
        : tables.split(', ').flatMap((table) => privileges.split(', ').map((one) => `${one} ${table}`));
    });
    const readOnly = ['audit_seal', 'audit_watermark', 'erased_company', 'secret'];
    const tables = [...new Set(written.map((one) => one.split(' ')[1])), ...readOnly];
    expect(tables).toHaveLength(entities.length);
    expect(needed.toSorted()).toEqual([...written, ...tables.map((table) => `select ${table}`)].toSorted());
    expect(normalizeSql(MISSING_PRIVILEGES)).toContain(
      'where not has_table_privilege(to_regclass(name), privilege) having count(*) > 0',
    );
    expect(normalizeSql(MISSING_PRIVILEGES)).toContain(`string_agg(privilege || ' on ' || name, ', ') as missing`);
  });

  test('is checked for every kind of excess privilege', () => {
    const query = normalizeSql(EXCESS_PRIVILEGES);
    for (const [privilege, reason] of [
      ['rolsuper', 'is a superuser'],
      [
        `exists (select from pg_roles r where (r.rolsuper or r.rolbypassrls) and pg_has_role(me.oid, r.oid, 'member'))`,
        'bypasses row-level security',
      ],
      [`exists (select from tables w where pg_has_role(me.oid, w.relowner, 'member'))`, 'owns tables'],
      [`exists (select from tables w where has_table_privilege(me.oid, w.oid, 'truncate'))`, 'may truncate tables'],
      [`has_schema_privilege(me.oid, 'public', 'create')`, 'may create objects in the schema public'],
      [`has_database_privilege(me.oid, current_database(), 'temporary')`, 'may create temporary tables'],
    ])
      expect(query).toContain(` when ${privilege} then '${reason}' `);
    expect(query).toMatch(/'may create temporary tables' end as reason from me\) excess where reason is not null$/);
  });
});
