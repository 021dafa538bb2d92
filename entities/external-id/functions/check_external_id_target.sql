create or replace function public.check_external_id_target() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Checks a reservation: its object lists it. Only the reservation of a deleted object may move to another one.
declare
  listed jsonb;
begin
  if tg_op = 'UPDATE' and (
      (new.company_id, new.resource_type, new.framework_id, new.source, new.external_id) is distinct from
        (old.company_id, old.resource_type, old.framework_id, old.source, old.external_id)
      or exists (select from public.vendor v where v.company_id = old.company_id and v.unique_id = old.resource_id)
      or exists (select from public.task t where t.company_id = old.company_id and t.unique_id = old.resource_id)) then
    raise exception 'external id %: only the reservation of a deleted object may move', old.external_id
      using errcode = 'foreign_key_violation', constraint = 'external_id_moves_from_deleted';
  end if;
  if new.resource_type = 'task' then
    select t.external_ids into listed from public.task t
    where t.company_id = new.company_id and t.unique_id = new.resource_id and t.framework_id = new.framework_id;
  else
    select v.external_ids into listed from public.vendor v
    where v.company_id = new.company_id and v.unique_id = new.resource_id and new.framework_id = 0;
  end if;
  if listed is null
      or not listed @> jsonb_build_array(jsonb_build_object('source', new.source, 'externalId', new.external_id)) then
    raise exception 'external id %: its object must list it', new.external_id
      using errcode = 'foreign_key_violation', constraint = 'external_id_listed';
  end if;
  return null;
end
$$;
