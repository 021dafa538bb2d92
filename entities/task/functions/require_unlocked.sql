create or replace function public.require_unlocked() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- While the company locks closed tasks, rejects changes and deletions of a closed task and of its comments and evidence. Argument: the
-- columns that are locked. All others change as before: what the service keeps for itself, answers to questions, and checks. An admin
-- and the operator reopen a task, with a change of its status alone.
declare
  locked_columns constant text[] := tg_argv[0];
  acting_user constant uuid := nullif(current_setting('app.user', true), '');
  before constant jsonb := to_jsonb(old);
  after jsonb;
  changed text[];
  task_status text;
begin
  if not exists (select from public.company c where c.id = old.company_id and c.lock_closed)
      or tg_op = 'DELETE' and public.is_erasing(tg_relid) then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    after := to_jsonb(new);
    changed := array(select c.name from unnest(locked_columns) c (name) where after->c.name is distinct from before->c.name);
    if changed = '{}' then
      return null;
    end if;
  end if;
  if tg_table_name = 'task' then
    task_status := before->>'status';
    if changed = '{status}' and after->>'status' not in ('done', 'not_applicable', 'canceled')
        and nullif(current_setting('app.key', true), '') is null
        and (acting_user = '00000000-0000-7000-8000-000000000001'
          or exists (select from public.member m where m.company_id = old.company_id and m.unique_id = acting_user
            and m.role = 'admin' and m.ended_at is null)) then
      return null;
    end if;
  else
    -- The lock makes a closing of the task wait until this change is committed.
    select t.status into task_status from public.task t
    where t.company_id = old.company_id and t.unique_id = (before->>'task_id')::uuid for share;
  end if;
  if task_status in ('done', 'not_applicable', 'canceled') then
    raise exception 'task: is closed and locked; an admin reopens it with a change of status alone' using errcode = 'LK001';
  end if;
  return null;
end
$$;
