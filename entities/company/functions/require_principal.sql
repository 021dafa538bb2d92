create or replace function public.require_principal() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- For rows without audit events: they too are written only by a user of their company.
begin
  if nullif(current_setting('app.user', true), '') is null
      or nullif(current_setting('app.company', true), '') is distinct from new.company_id::text then
    raise exception '% on %: app.company and app.user are required', tg_op, tg_table_name
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
