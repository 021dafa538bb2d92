create or replace function public.is_setting_demo_time(of_table oid) returns boolean
language plpgsql stable
set search_path = pg_catalog, public, pg_temp
as $$
-- True while the owner of the table sets times in a demo company (set_demo_time). The role of the service can set app.demo_time
-- too, which changes nothing, as it owns no table.
begin
  return coalesce(current_setting('app.demo_time', true), '') <> ''
    and (select pg_has_role(t.relowner, 'usage') from pg_class t where t.oid = of_table)
    and exists (select from public.company c
      where c.id = nullif(current_setting('app.company', true), '')::int and c.is_demo);
end
$$;
