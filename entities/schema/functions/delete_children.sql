create or replace function public.delete_children() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Deletes the rows that belong to a row before it is deleted, so that their events come first. The row is locked already,
-- so that no other one can join. Argument: {table: column with the id of the row}.
declare
  child record;
begin
  -- An erase deletes the rows of each table by itself.
  if coalesce(current_setting('app.erase', true), '') = old.company_id::text and public.is_erasing(tg_relid) then
    return old;
  end if;
  for child in select c.key as table_name, c.value as column_name from jsonb_each_text(tg_argv[0]::jsonb) c loop
    execute format('delete from public.%I where company_id = $1 and %I = $2', child.table_name, child.column_name)
      using old.company_id, old.unique_id;
  end loop;
  return old;
end
$$;
