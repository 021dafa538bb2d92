create or replace function public.check_requirement() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps the outline of a framework: a parent is a requirement of the same framework, and there are at most six levels and no circle.
-- Statements check this before, with the framework locked, so that its errors say what is expected.
begin
  if tg_op = 'DELETE' then
    -- An erase deletes the rows of each table by itself.
    if exists (select from public.requirement r where r.company_id = old.company_id and r.parent = old.unique_id)
      and not (coalesce(current_setting('app.erase', true), '') = old.company_id::text and public.is_erasing(tg_relid)) then
      raise exception 'requirement %: has requirements below it', old.unique_id
        using errcode = 'foreign_key_violation', constraint = 'requirement_without_children';
    end if;
    return old;
  end if;
  new.ref_order := public.requirement_order(new.ref);
  perform from public.framework f where f.company_id = new.company_id and f.id = new.framework_id for no key update;
  if new.parent is not null and (
    not exists (select from public.requirement r
      where r.company_id = new.company_id and r.framework_id = new.framework_id and r.unique_id = new.parent)
    or coalesce(public.requirement_levels(new.company_id, new.unique_id, new.parent), 7) > 6) then
    raise exception 'requirement %: parent must be a requirement of the framework, in an outline of at most six levels', new.unique_id
      using errcode = 'check_violation', constraint = 'requirement_outline';
  end if;
  return new;
end
$$;
