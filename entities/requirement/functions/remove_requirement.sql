create or replace function public.remove_requirement() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Removes a requirement from its tasks and gaps before it is deleted, each with its event. The requirement is locked already, so that
-- no other task can be linked to it.
begin
  -- An erase deletes the rows of each table by itself.
  if coalesce(current_setting('app.erase', true), '') = old.company_id::text and public.is_erasing(tg_relid) then
    return old;
  end if;
  update public.task t set requirements = array_remove(t.requirements, old.unique_id), version = t.version + 1, updated_at = now(),
    updated_by_id = nullif(current_setting('app.user', true), '')::uuid
  from public.task_requirement linked
  where linked.company_id = old.company_id and linked.requirement_id = old.unique_id
    and t.company_id = linked.company_id and t.unique_id = linked.task_id;
  update public.gap g set requirement_id = null where g.company_id = old.company_id and g.requirement_id = old.unique_id;
  return old;
end
$$;
