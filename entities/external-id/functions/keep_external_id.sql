create or replace function public.keep_external_id() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps the reservation of an object that exists. An undo of the import that created the object frees it.
begin
  if not public.is_erasing(tg_relid) and (
      exists (select from public.vendor v where v.company_id = old.company_id and v.unique_id = old.resource_id)
      or exists (select from public.task t where t.company_id = old.company_id and t.unique_id = old.resource_id)) then
    raise exception 'external id %: its object exists', old.external_id
      using errcode = 'foreign_key_violation', constraint = 'external_id_kept';
  end if;
  return old;
end
$$;
