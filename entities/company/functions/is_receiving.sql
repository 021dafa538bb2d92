create or replace function public.is_receiving(of_table oid) returns boolean
language plpgsql stable
set search_path = pg_catalog, public, pg_temp
as $$
-- True while the owner of the table receives rows of a company (receive_rows). The role of the service can set app.receiving
-- too, which changes nothing, as it owns no table.
begin
  return coalesce(current_setting('app.receiving', true), '') <> ''
    and (select pg_has_role(t.relowner, 'usage') from pg_class t where t.oid = of_table);
end
$$;
