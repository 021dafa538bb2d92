create or replace function public.seal_audit_log(of_company int, max_events int) returns int
language plpgsql
set search_path = pg_catalog, public, pg_temp
-- Its plans are cached and must use indexes, however small the tables were when they were planned.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
as $$
-- Seals at most max_events unsealed events of the company in the order of their ids, and returns their number.
-- Returns 0 while another transaction seals the company. Writers and sealing do not wait for each other.
declare
  -- A transaction that drew an id up to this one had an xid before this function takes its own below.
  newest constant bigint := coalesce((select max(e.id) from public.audit_event e where e.company_id = of_company), 0);
  is_first_write constant boolean := pg_current_xact_id_if_assigned() is null;
  current public.audit_watermark;
  before public.audit_watermark;
  head public.audit_seal;
  last bigint;
  sealed int;
  more_vendors int;
begin
  if not exists (select from public.audit_watermark w where w.company_id = of_company) then
    insert into public.audit_watermark (company_id) values (of_company) on conflict do nothing;
  end if;
  select * into before from public.audit_watermark w where w.company_id = of_company for update skip locked;
  if not found then
    return 0;
  end if;
  current := before;
  select * into head from public.audit_seal s where s.company_id = of_company order by s.seq desc limit 1;

  -- All events up to the candidate are visible from here on. A candidate from the future was made on another server,
  -- from which this database was restored: none of its transactions is still running.
  if current.candidate_xid <= pg_snapshot_xmin(pg_current_snapshot())
      or current.candidate_xid >= pg_snapshot_xmax(pg_current_snapshot()) then
    current.watermark := current.candidate;
  end if;

  with unsealed as (
    select e as event, coalesce(head.seq, 0) + row_number() over (order by e.id) as seq
    from public.audit_event e
    -- Not with "not exists": PostgreSQL turns it into a join, which may compare every event with every seal.
    where e.company_id = of_company and e.id > before.watermark and (
      select s.seq from public.audit_seal s
      where s.company_id = e.company_id and s.event_id = e.id) is null
    order by e.id
    limit max_events),
  written as (
    insert into public.audit_seal (company_id, seq, event_id, hash)
    select of_company, u.seq, (u.event).id,
      public.audit_chain(coalesce(head.hash, ''), public.audit_text(u.event, u.seq)) over (order by u.seq)
    from unsealed u
    returning event_id)
  select count(*), max(w.event_id), (
    select coalesce(sum(case (u.event).action when 'vendor.create' then 1 when 'vendor.delete' then -1 end), 0) from unsealed u)
  into sealed, last, more_vendors from written w;

  if current.vendors_seq = coalesce(head.seq, 0) then
    current.vendors := current.vendors + more_vendors;
  else
    -- The first time, and if a version that does not count has sealed events.
    current.vendors := (select count(*) from public.vendor v where v.company_id = of_company) - (
      select coalesce(sum(case e.action when 'vendor.create' then 1 when 'vendor.delete' then -1 end), 0) from public.audit_event e
      where e.company_id = of_company and e.id > before.watermark and (
        select s.seq from public.audit_seal s where s.company_id = e.company_id and s.event_id = e.id) is null);
  end if;
  current.vendors_seq := coalesce(head.seq, 0) + sealed;

  if sealed = max_events then
    current.watermark := greatest(before.watermark, least(current.watermark, last));
  end if;
  if current.watermark = current.candidate and newest > current.candidate and is_first_write then
    current.candidate := newest;
    current.candidate_xid := pg_current_xact_id();
  end if;
  if current is distinct from before then
    update public.audit_watermark w
    set watermark = current.watermark, candidate = current.candidate, candidate_xid = current.candidate_xid,
      vendors = current.vendors, vendors_seq = current.vendors_seq
    where w.company_id = of_company;
  end if;
  return sealed;
end
$$;

-- The role of the service writes seals only through seal_current_company, for the company of its transaction.
revoke execute on function public.seal_audit_log(int, int) from public;
