create or replace function public.keep_task_closing() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps when and by whom a task was closed. A trigger, so that every process of the database keeps it, also one of an earlier version.
begin
  if new.status in ('todo', 'in_progress', 'in_review') then
    new.closed_at := null;
    new.closed_by_id := null;
  else
    new.closed_at := now();
    new.closed_by_id := nullif(current_setting('app.user', true), '');
  end if;
  return new;
end
$$;
