create or replace function public.notify_api_key_changed() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Invalidates the cached key in every process. last_used_at is not cached.
begin
  if to_jsonb(new) - 'last_used_at' is distinct from to_jsonb(old) - 'last_used_at' then
    perform pg_notify('api_key_changed', new.unique_id::text);
  end if;
  return null;
end
$$;
