create or replace function public.check_task_gaps() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Replaces a foreign key for each element. Gaps are never deleted, so a check of new values is enough.
begin
  if tg_op = 'UPDATE' and new.gaps = old.gaps and new.framework_id = old.framework_id then
    return null;
  end if;
  if (select count(*) from public.gap g where g.company_id = new.company_id and g.framework_id = new.framework_id
        and g.id = any(new.gaps)) <> cardinality(new.gaps) then
    raise exception 'task %: gaps must be distinct gaps of its framework', new.unique_id
      using errcode = 'foreign_key_violation', constraint = 'task_gaps_exist';
  end if;
  return null;
end
$$;
