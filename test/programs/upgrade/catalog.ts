import type { RunSql } from '../../support/database/client.ts';

/** One line of text for each object of the schema `public`. An upgrade appends columns, so their order is left out. */
const OBJECTS = `
  with relation as (select oid as relation_id, oid::regclass::text as name, relkind, relacl, relrowsecurity, relforcerowsecurity
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S'))
  select concat_ws(' ', 'table', name, relkind::text, relrowsecurity, relforcerowsecurity, relacl::text) as object from relation
  union all
  select concat_ws(' ', 'column', name || '.' || attname, format_type(atttypid, atttypmod), attnotnull, attidentity::text,
      attgenerated::text, collname, attacl::text, pg_get_expr(adbin, adrelid))
    from relation join pg_attribute on attrelid = relation_id and attnum > 0 and not attisdropped and relkind <> 'S'
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    left join pg_collation on pg_collation.oid = attcollation
  union all
  select concat_ws(' ', 'constraint', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid))
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
  union all
  select concat_ws(' ', 'index', indisvalid, indisready, pg_get_indexdef(indexrelid))
    from pg_index join relation on relation_id = indrelid
  union all
  select concat_ws(' ', 'trigger', tgenabled::text, pg_get_triggerdef(oid))
    from pg_trigger join relation on relation_id = tgrelid where not tgisinternal
  union all
  select concat_ws(' ', 'function', proacl::text, pg_get_functiondef(oid))
    from pg_proc where pronamespace = 'public'::regnamespace and prokind <> 'a'
  union all
  select concat_ws(' ', 'policy', tablename, policyname, permissive, roles::text, cmd, qual, with_check)
    from pg_policies where schemaname = 'public'
  order by 1`;

/** Returns the schema: tables with privileges, columns, constraints, indexes, triggers, functions and policies. */
export async function readSchema(run: RunSql): Promise<string[]> {
  return (await run<{ object: string }>(OBJECTS)).map(({ object }) => object);
}
