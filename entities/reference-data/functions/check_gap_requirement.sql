create or replace function public.check_gap_requirement() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- A gap refers to a requirement of its own framework. Neither of them ever moves to another one.
begin
  if not exists (select from public.requirement r where r.company_id = new.company_id and r.unique_id = new.requirement_id
      and r.framework_id = new.framework_id) then
    raise exception 'gap %: requirement must be one of its framework', new.id
      using errcode = 'check_violation', constraint = 'gap_requirement_of_framework';
  end if;
  return new;
end
$$;
