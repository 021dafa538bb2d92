import { EntitySchema } from '@mikro-orm/core';
import { describe, expect, test } from 'vitest';
import { MISSING_PRIVILEGES, EXCESS_PRIVILEGES, grantStatements } from '../../database/orm/privileges.ts';
import { ALL_COMPANIES } from '../../entities/statements/define-statement.ts';
import { entities } from '../../entities/index.ts';
import { rowLevelSecurityFor } from '../../entities/schema/row-level-security.ts';
import { tenantIsolation, companyKey, companyKeyWithoutForeignKey } from '../../entities/schema/tenancy.ts';

// What the entities declare of both walls between companies. That PostgreSQL keeps to it: tenancy.test.ts, second-wall.test.ts.

/** SQL without what does not matter in it. */
const normalizeSql = (sql = '') => sql.replaceAll(/\s+/g, ' ').trim();
/** What a transaction was told, as a company's id; null where it was told nothing. */
const CURRENT_COMPANY_SQL = `(NULLIF(current_setting('app.company'::text, true), ''::text))::integer`;
const IS_ALL_COMPANIES_SQL = `( SELECT (current_setting('app.company'::text, true) = '${ALL_COMPANIES}'::text))`;

describe('the policies of a table', () => {
  test('force everybody, for every command, to the rows of the company that was told, read or written', () => {
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

  test('let those who say that they stand for every company do what they are for, and no more', () => {
    const [own, ...every] = rowLevelSecurityFor('company_id', ['select', 'delete']).policies;
    const once = `( SELECT ${CURRENT_COMPANY_SQL} AS "nullif")`;
    expect(own).toEqual({
      name: 'company_isolation',
      command: 'all',
      using: `(company_id = ${once})`,
      check: `(company_id = ${once})`,
    });
    expect(every).toEqual([
      { name: 'select_all_companies', command: 'select', using: IS_ALL_COMPANIES_SQL },
      { name: 'delete_all_companies', command: 'delete', using: IS_ALL_COMPANIES_SQL },
    ]);
  });
});

describe('what is kept apart', () => {
  test('has the policies of its company’s column, and the filter', () => {
    const { filters, ...walls } = tenantIsolation('select', 'update');
    expect(walls).toEqual(rowLevelSecurityFor('company_id', ['select', 'update']));
    expect(tenantIsolation().policies).toEqual(rowLevelSecurityFor('company_id').policies);
    expect(Object.keys(filters)).toEqual(['company']);
    const { cond, ...filter } = filters.company;
    expect(filter).toEqual({ name: 'company', default: true, args: true });
    const asked = typeof cond === 'function' ? cond({ company: 7, other: 8 }, 'read', undefined) : cond;
    expect(asked).toEqual({ company: 7 });
  });

  test('belongs to its company by its primary key, over a foreign key of its own or another’s', () => {
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

describe('every entity', () => {
  const declared = entities.map((entity) => {
    const meta = EntitySchema.REGISTRY.get(entity)?.meta ?? expect.fail(`${entity.name} is no entity`);
    return { name: entity.name, meta };
  });

  test('but the company itself and the secret is kept apart by both walls', () => {
    const apart = declared.filter(({ meta }) => 'company' in (meta.filters ?? {}));
    expect(declared.filter((one) => !apart.includes(one)).map(({ name }) => name)).toEqual(['Company', 'Secret']);
    for (const { name, meta } of apart) {
      expect([name, meta.rowLevelSecurity]).toEqual([name, 'force']);
      expect(Object.keys(meta.properties)[0]).toBe('company');
      expect(meta.filters['company']).toMatchObject({ default: true, args: true });
    }
  });

  test('lets every company’s statements do only what those need', () => {
    const every = declared.map(({ name, meta }) => {
      const [own, ...others] = meta.policies ?? [];
      if (name === 'Secret') expect(own).toBeUndefined();
      else expect(own).toMatchObject({ name: 'company_isolation', command: 'all', using: own?.check });
      return [name, ...others.map(({ command }) => command)].join(' ');
    });
    expect(every.filter((one) => one.includes(' '))).toEqual([
      'Company select',
      'ApiKey select update',
      'AuditEvent select',
      'AuditWatermark select',
      'IdempotencyRecord select update delete',
    ]);
  });
});

describe('the service’s role', () => {
  /** What each table is granted, in the order of the statements. */
  const granted = (role: string) => grantStatements(role).split(';\n').map(normalizeSql);

  test('is given nothing that it had before, then to read, and to write what it has to', () => {
    expect(granted('service')).toEqual([
      'revoke all on all tables in schema public from "service"',
      'grant usage on schema public to "service"',
      'grant usage on all sequences in schema public to "service"',
      'grant select on all tables in schema public to "service"',
      ...[
        ['insert, update', 'company company_user api_key framework department gap'],
        ['insert, update, delete', 'task'],
        ['insert, update', 'task_count'],
        ['insert, update, delete', 'vendor'],
        ['insert', 'audit_event'],
        ['insert, update, delete', 'idempotency_record'],
      ].flatMap(([privileges, tables = '']) =>
        tables.split(' ').map((table) => `grant ${privileges} on ${table} to "service"`),
      ),
    ]);
  });

  test('has any name', () => {
    for (const grant of granted('a "b"; drop "c"')) expect(grant).toMatch(/ (?:to|from) "a ""b""; drop ""c"""$/);
  });

  test('is asked for each of these, and for nothing else', () => {
    const [, list = ''] =
      /from \(values (.+)\) as needed \(name, privilege\)/.exec(normalizeSql(MISSING_PRIVILEGES)) ?? [];
    const needed = [...list.matchAll(/\('(\w+)', '(\w+)'\)(?:, |$)/g)].map(
      ([, table, privilege]) => `${privilege} ${table}`,
    );
    const written = granted('x').flatMap((grant) => {
      const [, privileges = '', tables = ''] = /^grant (insert.*) on (.+) to/.exec(grant) ?? [];
      return tables === ''
        ? []
        : tables.split(', ').flatMap((table) => privileges.split(', ').map((one) => `${one} ${table}`));
    });
    const tables = [...new Set(written.map((one) => one.split(' ')[1])), 'audit_seal', 'audit_watermark', 'secret'];
    expect(tables).toHaveLength(entities.length);
    expect(needed.toSorted()).toEqual([...written, ...tables.map((table) => `select ${table}`)].toSorted());
    expect(normalizeSql(MISSING_PRIVILEGES)).toContain(
      'where not has_table_privilege(to_regclass(name), privilege) having count(*) > 0',
    );
    expect(normalizeSql(MISSING_PRIVILEGES)).toContain(`string_agg(privilege || ' on ' || name, ', ') as missing`);
  });

  test('is asked whether it is too strong in each way in which it can be', () => {
    const [why = '', where = ''] = normalizeSql(EXCESS_PRIVILEGES).split(' from me where ');
    for (const strength of [
      'rolsuper',
      `(r.rolsuper or r.rolbypassrls) and pg_has_role(me.oid, r.oid, 'member')`,
      `pg_has_role(me.oid, w.relowner, 'member')`,
      `has_table_privilege(me.oid, w.oid, 'truncate')`,
      `has_schema_privilege(me.oid, 'public', 'create')`,
    ]) {
      expect(why).toContain(strength);
      expect(where).toContain(strength);
    }
    expect(where).toContain(`or has_database_privilege(me.oid, current_database(), 'temporary')`);
    expect(where).not.toContain(' and exists');
  });
});
