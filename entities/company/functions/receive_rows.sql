create or replace function public.receive_rows(of_table text, table_rows text) returns int
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
-- Inserts rows of the company of the session, a JSON array, while it arrives. Rows that are there already stay, so that a batch can
-- be sent again. Policies reject rows of other companies.
declare
  target constant regclass := to_regclass('public.' || quote_ident(of_table));
  of_company constant text := nullif(current_setting('app.company', true), '');
  received int;
begin
  if not exists (select from public.company c where c.id = of_company::int and c.arriving_at is not null) then
    raise exception 'company %: is not arriving', of_company using errcode = 'insufficient_privilege';
  end if;
  if not exists (select from pg_attribute a where a.attrelid = target and a.attname = 'company_id') then
    raise exception 'table %: has no rows of companies', of_table using errcode = 'insufficient_privilege';
  end if;
  perform set_config('app.receiving', of_company, true);
  execute format('insert into %1$s select * from json_populate_recordset(null::%1$s, $1) on conflict do nothing', target)
    using table_rows::json;
  get diagnostics received = row_count;
  perform set_config('app.receiving', '', true);
  return received;
end
$$;
