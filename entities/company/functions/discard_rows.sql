create or replace function public.discard_rows(of_table text, max_rows int) returns int
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
-- Deletes rows of the company of the session, which has arrived in part, and returns their number. Of the table company, itself.
declare
  target constant regclass := to_regclass('public.' || quote_ident(of_table));
  of_company constant text := nullif(current_setting('app.company', true), '');
  discarded int;
begin
  if not exists (select from public.company c where c.id = of_company::int and c.arriving_at is not null) then
    raise exception 'company %: is not arriving', of_company using errcode = 'insufficient_privilege';
  end if;
  perform set_config('app.erase', of_company, true);
  execute format('delete from %1$s where %2$I = $1 and ctid = any(array(select ctid from %1$s where %2$I = $1 limit $2))',
    target, case when target = 'public.company'::regclass then 'id' else 'company_id' end) using of_company::int, max_rows;
  get diagnostics discarded = row_count;
  perform set_config('app.erase', '', true);
  return discarded;
end
$$;
