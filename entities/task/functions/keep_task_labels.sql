create or replace function public.keep_task_labels() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps the rows of task_label equal to the labels of a task. A task without a row has no labels.
begin
  if tg_op <> 'INSERT' then
    delete from public.task_label l where l.company_id = old.company_id and l.framework_id = old.framework_id
      and l.task_id = old.unique_id and l.label in (select public.fold_case(normalize(o.label)) from unnest(old.labels) o (label));
  end if;
  if tg_op <> 'DELETE' then
    insert into public.task_label (company_id, label, framework_id, task_id)
    select new.company_id, public.fold_case(normalize(n.label)), new.framework_id, new.unique_id from unnest(new.labels) n (label)
    on conflict do nothing;
  end if;
  return null;
end
$$;
