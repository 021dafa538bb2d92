create or replace function public.keep_task_requirements() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps the rows of task_requirement equal to the requirements of a task. Its foreign keys require that they exist, and lock them.
begin
  if (select count(distinct r.id) from unnest(new.requirements) r (id)) <> cardinality(new.requirements) then
    raise exception 'task %: requirements must be distinct', new.unique_id
      using errcode = 'unique_violation', constraint = 'task_requirements_distinct';
  end if;
  if tg_op = 'UPDATE' then
    delete from public.task_requirement linked where linked.company_id = new.company_id and linked.task_id = new.unique_id
      and linked.requirement_id <> all(new.requirements);
  end if;
  insert into public.task_requirement (company_id, requirement_id, task_id)
  select new.company_id, r.id, new.unique_id from unnest(new.requirements) r (id)
  on conflict do nothing;
  return null;
end
$$;
