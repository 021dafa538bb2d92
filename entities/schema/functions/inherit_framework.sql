create or replace function public.inherit_framework() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Sets framework_id of a new row to that of the row that it belongs to. Argument: {column: table} of these rows. A row
-- that belongs to a row of another table has no framework: 0.
declare
  parent record;
  parent_id uuid;
begin
  new.framework_id := 0;
  for parent in select p.key as column_name, p.value as table_name from jsonb_each_text(tg_argv[0]::jsonb) p loop
    parent_id := to_jsonb(new)->>parent.column_name;
    if parent_id is not null then
      execute format('select p.framework_id from public.%I p where p.company_id = $1 and p.unique_id = $2', parent.table_name)
        into new.framework_id using new.company_id, parent_id;
    end if;
  end loop;
  return new;
end
$$;
