create or replace function public.check_external_ids() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Checks a row with external ids. Argument: the resource type. Each id is reserved for the row, and none is removed.
declare
  framework int := 0;
begin
  if tg_argv[0] = 'task' then
    framework := new.framework_id;
  end if;
  -- The sub-select finds each reservation by its whole key. A join could read all reservations of the company.
  if (select count(distinct (given.source, given."externalId"))
      from jsonb_to_recordset(new.external_ids) given (source text, "externalId" text)
      where new.unique_id = (
        select x.resource_id from public.external_id x
        where x.company_id = new.company_id and x.resource_type = tg_argv[0] and x.framework_id = framework
          and x.source = given.source and x.external_id = given."externalId"))
      <> jsonb_array_length(new.external_ids) then
    raise exception '% %: external_ids must be reserved for it in external_id', tg_argv[0], new.unique_id
      using errcode = 'foreign_key_violation', constraint = tg_argv[0] || '_external_ids_reserved';
  end if;
  if tg_op = 'UPDATE' and not new.external_ids @> old.external_ids then
    raise exception '% %: external_ids are never removed', tg_argv[0], new.unique_id
      using errcode = 'foreign_key_violation', constraint = tg_argv[0] || '_external_ids_kept';
  end if;
  return null;
end
$$;
