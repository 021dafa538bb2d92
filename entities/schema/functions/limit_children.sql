create or replace function public.limit_children() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Rejects a new row if the row that it belongs to has the maximum number. Argument: {column with its id: maximum}. The lock
-- makes concurrent transactions wait, as they do not see the rows of each other. Each query then sees what was committed.
declare
  parent record;
  parent_id uuid;
  total int;
begin
  for parent in select p.key as column_name, p.value::int as max_rows from jsonb_each_text(tg_argv[0]::jsonb) p loop
    parent_id := to_jsonb(new)->>parent.column_name;
    if parent_id is not null then
      perform pg_advisory_xact_lock(hashtextextended(tg_table_name || ' ' || parent_id, 0));
      execute format('select count(*) from (select from public.%I c where c.company_id = $1 and c.%I = $2 limit $3) c',
        tg_table_name, parent.column_name) into total using new.company_id, parent_id, parent.max_rows;
      if total = parent.max_rows then
        raise exception '% on %: the row that it belongs to has % already', tg_op, tg_table_name, total
          using errcode = 'check_violation', constraint = tg_table_name || '_max';
      end if;
    end if;
  end loop;
  return new;
end
$$;
