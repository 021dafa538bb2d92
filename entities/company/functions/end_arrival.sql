create or replace function public.end_arrival() returns void
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
-- Ends the arrival of the company of the session: its ids ascend above those that arrived, and it is served. It stays frozen.
declare
  of_company constant text := nullif(current_setting('app.company', true), '');
  counter record;
  newest bigint;
  current bigint;
begin
  -- Two arrivals that end at the same time must not set a sequence back.
  perform pg_advisory_xact_lock(hashtextextended('end-arrival', 0));
  for counter in
    select t.oid::regclass as of_table, a.attname as of_column, s.oid::regclass as sequence
    from pg_class s
      join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.refclassid = 'pg_class'::regclass
      join pg_class t on t.oid = d.refobjid
      join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where s.relkind = 'S' and t.relnamespace = 'public'::regnamespace
      and exists (select from pg_attribute k where k.attrelid = t.oid and k.attname = 'company_id')
  loop
    execute format('select max(%I) from %s where company_id = $1', counter.of_column, counter.of_table)
      into newest using of_company::int;
    execute format('select last_value from %s', counter.sequence) into current;
    -- The distance lets other companies draw ids between this look and the new value.
    if newest >= current then
      perform setval(counter.sequence, newest + 1000);
    end if;
  end loop;
  perform set_config('app.receiving', of_company, true);
  update public.company c set arriving_at = null where c.id = of_company::int and c.arriving_at is not null;
  if not found then
    raise exception 'company %: is not arriving', of_company using errcode = 'insufficient_privilege';
  end if;
  perform set_config('app.company', '0', true);
  delete from public.erased_company e where e.id = of_company::int;
  perform set_config('app.company', of_company, true);
  perform set_config('app.receiving', '', true);
end
$$;
