import { entities } from '../../entities/index.ts';
import { tableName } from '../../entities/schema/table.ts';

/** Tables of the entities, with the privileges that each entity declares. */
const TABLES = entities.map((entity) => ({
  table: tableName(entity),
  writes: entity.writePrivileges,
}));

/**
 * SQL that grants the service role exactly the privileges that it needs. The owner of the tables runs it after each migration.
 * decision 0028.
 */
export function grantStatements(role: string): string {
  const to = `"${role.replaceAll('"', '""')}"`;
  return [
    `revoke all on all tables in schema public from ${to}`,
    `grant usage on schema public to ${to}`,
    `grant usage on all sequences in schema public to ${to}`,
    `grant select on all tables in schema public to ${to}`,
    ...TABLES.filter(({ writes }) => writes.length > 0).map(
      ({ table, writes }) => `grant ${writes.join(', ')} on ${table} to ${to}`,
    ),
  ].join(';\n');
}

const REQUIRED_PRIVILEGES = TABLES.flatMap(({ table, writes }) =>
  ['select', ...writes].map((privilege) => `('${table}', '${privilege}')`),
);

/** Query for the privileges that the current role lacks. Returns no row if it lacks none. */
export const MISSING_PRIVILEGES = `
  select current_user as role, string_agg(privilege || ' on ' || name, ', ') as missing
  from (values ${REQUIRED_PRIVILEGES.join(', ')}) as needed (name, privilege)
  where not has_table_privilege(to_regclass(name), privilege)
  having count(*) > 0`;

/**
 * Query for an excess privilege of the current role, direct or inherited. Returns no row if there is none.
 * Temporary tables could hide tables of the schema from statements. Functions created in the schema could replace
 * functions of PostgreSQL inside triggers.
 */
export const EXCESS_PRIVILEGES = `
  with me as (select oid, rolname, rolsuper from pg_roles where rolname = current_user),
  tables as (select oid, relowner from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p'))
  select role, reason from (select rolname as role, case
    when rolsuper then 'is a superuser'
    when exists (select from pg_roles r where (r.rolsuper or r.rolbypassrls) and pg_has_role(me.oid, r.oid, 'member'))
      then 'bypasses row-level security'
    when exists (select from tables w where pg_has_role(me.oid, w.relowner, 'member')) then 'owns tables'
    when exists (select from tables w where has_table_privilege(me.oid, w.oid, 'truncate')) then 'may truncate tables'
    when has_schema_privilege(me.oid, 'public', 'create') then 'may create objects in the schema public'
    when has_database_privilege(me.oid, current_database(), 'temporary') then 'may create temporary tables'
    end as reason from me) excess
  where reason is not null`;
