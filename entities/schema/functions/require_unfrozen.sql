create or replace function public.require_unfrozen() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Rejects a statement on rows of a frozen company. Statements for all companies leave frozen ones out themselves. The service
-- sets app.dry_run in transactions that it rolls back. Files arrive with a company, and are removed in an erase.
begin
  if exists (select from public.company c
      where c.id = nullif(current_setting('app.company', true), '')::int and c.frozen_at is not null
        and c.erasing_at is null and c.arriving_at is null)
      and coalesce(current_setting('app.dry_run', true), '') <> 'on'
      and not public.is_receiving(tg_relid) and not public.is_erasing(tg_relid) then
    raise exception 'company %: is frozen', current_setting('app.company', true) using errcode = 'FZ001';
  end if;
  return null;
end
$$;
