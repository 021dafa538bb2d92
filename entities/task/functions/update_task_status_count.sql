create or replace function public.update_task_status_count() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Moves a task from one status to another in task_count. Transactions change tasks in any order, so that waiting for a
-- count could end in a deadlock. The function takes a slot that no other transaction has locked, or adds one. Creates and
-- deletes use other slots.
declare
  free_slot smallint;
begin
  select c.slot into free_slot from public.task_count c
  where c.company_id = new.company_id and c.framework_id = new.framework_id and c.slot >= 16
  limit 1 for update skip locked;
  insert into public.task_count as c
    (company_id, framework_id, slot, tasks, todo, in_progress, in_review, done, not_applicable, canceled)
  values (new.company_id, new.framework_id, coalesce(free_slot, 16 + floor(random() * 32000)::int), 0,
    (new.status = 'todo')::int - (old.status = 'todo')::int,
    (new.status = 'in_progress')::int - (old.status = 'in_progress')::int,
    (new.status = 'in_review')::int - (old.status = 'in_review')::int,
    (new.status = 'done')::int - (old.status = 'done')::int,
    (new.status = 'not_applicable')::int - (old.status = 'not_applicable')::int,
    (new.status = 'canceled')::int - (old.status = 'canceled')::int)
  on conflict (company_id, framework_id, slot) do update set
    todo = c.todo + excluded.todo,
    in_progress = c.in_progress + excluded.in_progress,
    in_review = c.in_review + excluded.in_review,
    done = c.done + excluded.done,
    not_applicable = c.not_applicable + excluded.not_applicable,
    canceled = c.canceled + excluded.canceled;
  return null;
end
$$;
