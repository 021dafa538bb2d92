create or replace function public.remove_vendor_from_tasks() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Removes a vendor from the tasks that name it before it is deleted, each with its event and version. The vendor is locked
-- already, so that no other task can name it.
begin
  -- An erase deletes the rows of each table by itself.
  if coalesce(current_setting('app.erase', true), '') = old.company_id::text and public.is_erasing(tg_relid) then
    return old;
  end if;
  update public.task t set vendors = array_remove(t.vendors, old.unique_id), version = t.version + 1, updated_at = now(),
    updated_by_id = nullif(current_setting('app.user', true), '')::uuid
  from public.task_vendor named
  where named.company_id = old.company_id and named.vendor_id = old.unique_id
    and t.company_id = named.company_id and t.unique_id = named.task_id;
  return old;
end
$$;
