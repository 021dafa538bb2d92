create or replace function public.forbid_statement() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  if tg_op = 'DELETE' and public.is_erasing(tg_relid) then
    return null;
  end if;
  if tg_op = 'UPDATE' and tg_relid = 'public.audit_event'::regclass and public.is_setting_demo_time(tg_relid) then
    return null;
  end if;
  -- The last step of a move: the company is served, and is not an erased one any more.
  if (tg_op, tg_relid) in (('UPDATE', 'public.company'::regclass), ('DELETE', 'public.erased_company'::regclass))
      and public.is_receiving(tg_relid) then
    return null;
  end if;
  raise exception '% on % is forbidden', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end
$$;
