create or replace function public.check_last_admin() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- A company that had an admin without a last day keeps one. The lock makes concurrent changes of two admins wait for each other; the query
-- after it sees what the other one committed.
begin
  perform pg_advisory_xact_lock(hashtextextended('last-admin', new.company_id));
  if not exists (select from public.member m
      where m.company_id = new.company_id and m.role = 'admin' and m.ended_at is null and m.ends_at is null) then
    raise exception 'member %: is the last admin', new.unique_id
      using errcode = 'check_violation', constraint = 'member_last_admin';
  end if;
  return null;
end
$$;
