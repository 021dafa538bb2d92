create or replace function public.seal_current_company(max_events int) returns int
language sql security definer
set search_path = pg_catalog, public, pg_temp
as $$
  select coalesce((select public.seal_audit_log(c.id, max_events) from public.company c
    where c.id = nullif(current_setting('app.company', true), '')::int and c.arriving_at is null), 0)
$$;
