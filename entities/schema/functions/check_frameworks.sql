create or replace function public.check_frameworks() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Replaces a foreign key for each element of the column frameworks. Frameworks are never deleted.
begin
  if new.frameworks is null or tg_op = 'UPDATE' and new.frameworks is not distinct from old.frameworks then
    return null;
  end if;
  if (select count(*) from public.framework f where f.company_id = new.company_id and f.id = any(new.frameworks))
      <> cardinality(new.frameworks) then
    raise exception '% %: frameworks must be distinct frameworks of its company', tg_table_name, new.unique_id
      using errcode = 'foreign_key_violation', constraint = tg_table_name || '_frameworks_exist';
  end if;
  return null;
end
$$;
