create or replace function public.notify_company_closed() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Invalidates the cached keys of the company in every process.
begin
  perform pg_notify('api_key_changed', new.id::text);
  return null;
end
$$;
