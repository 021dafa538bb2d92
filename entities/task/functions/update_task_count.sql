create or replace function public.update_task_count() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps task_count. The order of its rows prevents deadlocks. new_rows and old_rows are transition tables.
begin
  if tg_op = 'INSERT' then
    insert into public.task_count as c
      (company_id, framework_id, slot, tasks, todo, in_progress, in_review, done, not_applicable, canceled)
    select a.company_id, a.framework_id, pg_backend_pid() % 16, count(*),
      count(*) filter (where a.status = 'todo'),
      count(*) filter (where a.status = 'in_progress'),
      count(*) filter (where a.status = 'in_review'),
      count(*) filter (where a.status = 'done'),
      count(*) filter (where a.status = 'not_applicable'),
      count(*) filter (where a.status = 'canceled')
    from new_rows a group by 1, 2 order by 1, 2
    on conflict (company_id, framework_id, slot) do update set tasks = c.tasks + excluded.tasks,
      todo = c.todo + excluded.todo,
      in_progress = c.in_progress + excluded.in_progress,
      in_review = c.in_review + excluded.in_review,
      done = c.done + excluded.done,
      not_applicable = c.not_applicable + excluded.not_applicable,
      canceled = c.canceled + excluded.canceled;
  else
    insert into public.task_count as c
      (company_id, framework_id, slot, tasks, todo, in_progress, in_review, done, not_applicable, canceled)
    select a.company_id, a.framework_id, pg_backend_pid() % 16, -count(*),
      -count(*) filter (where a.status = 'todo'),
      -count(*) filter (where a.status = 'in_progress'),
      -count(*) filter (where a.status = 'in_review'),
      -count(*) filter (where a.status = 'done'),
      -count(*) filter (where a.status = 'not_applicable'),
      -count(*) filter (where a.status = 'canceled')
    from old_rows a group by 1, 2 order by 1, 2
    on conflict (company_id, framework_id, slot) do update set tasks = c.tasks + excluded.tasks,
      todo = c.todo + excluded.todo,
      in_progress = c.in_progress + excluded.in_progress,
      in_review = c.in_review + excluded.in_review,
      done = c.done + excluded.done,
      not_applicable = c.not_applicable + excluded.not_applicable,
      canceled = c.canceled + excluded.canceled;
  end if;
  return null;
end
$$;
