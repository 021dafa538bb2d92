create or replace function public.keep_task_vendors() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps the rows of task_vendor equal to the vendors of a task. Its foreign keys require that they exist, and lock them.
begin
  if (select count(distinct v.id) from unnest(new.vendors) v (id)) <> cardinality(new.vendors) then
    raise exception 'task %: vendors must be distinct', new.unique_id
      using errcode = 'unique_violation', constraint = 'task_vendors_distinct';
  end if;
  if tg_op = 'UPDATE' then
    delete from public.task_vendor named where named.company_id = new.company_id and named.task_id = new.unique_id
      and named.vendor_id <> all(new.vendors);
  end if;
  insert into public.task_vendor (company_id, vendor_id, task_id)
  select new.company_id, v.id, new.unique_id from unnest(new.vendors) v (id)
  on conflict do nothing;
  return null;
end
$$;
