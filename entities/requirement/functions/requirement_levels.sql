create or replace function public.requirement_levels(of_company int, id uuid, below uuid) returns int
language sql stable
set search_path = pg_catalog, public, pg_temp
as $$
-- Levels of the outline where it is deepest below a requirement, if that one stood below another. Null in a circle.
with recursive up (unique_id, parent, level) as (
  select r.unique_id, r.parent, 1 from public.requirement r where r.company_id = of_company and r.unique_id = below
  union all
  select r.unique_id, r.parent, up.level + 1 from up
    join public.requirement r on r.company_id = of_company and r.unique_id = up.parent where up.level < 10),
down (unique_id, level) as (
  select id, 1
  union all
  select r.unique_id, down.level + 1 from down
    join public.requirement r on r.company_id = of_company and r.parent = down.unique_id where down.level < 10)
select case when not exists (select from up where up.unique_id = id)
  then coalesce((select max(up.level) from up), 0) + (select max(down.level) from down) end
$$;
