create or replace function public.is_erasing(of_table oid) returns boolean
language plpgsql stable
set search_path = pg_catalog, public, pg_temp
as $$
-- True in a transaction of the owner of the table that removes a company: app.erase names it, and it is closed, was moved away, or
-- has arrived in part. The role of the service can set app.erase too, which changes nothing, as it owns no table.
declare
  erased constant text := nullif(current_setting('app.erase', true), '');
begin
  if erased is null then
    return false;
  end if;
  return (select pg_has_role(t.relowner, 'usage') from pg_class t where t.oid = of_table)
    and exists (select from public.company c
      where c.id = erased::int and (c.erasing_at is not null or c.arriving_at is not null));
end
$$;
