import { Migration } from '@mikro-orm/migrations';

export class Migration20261130051008_lists extends Migration {
  override name = 'Migration20261130051008_lists';

  override up(): void | Promise<void> {
    this.addSql(`set local check_function_bodies = off;`);
    this.addSql(`create or replace function public.seal_audit_log(of_company int, max_events int) returns int
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
$$;`);
    this.addSql(`create or replace function public.keep_task_labels() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps the rows of task_label equal to the labels of a task. A task without a row has no labels.
begin
  if tg_op <> 'INSERT' then
    delete from public.task_label l where l.company_id = old.company_id and l.framework_id = old.framework_id
      and l.task_id = old.unique_id and l.label in (select public.fold_case(normalize(o.label)) from unnest(old.labels) o (label));
  end if;
  if tg_op <> 'DELETE' then
    insert into public.task_label (company_id, label, framework_id, task_id)
    select new.company_id, public.fold_case(normalize(n.label)), new.framework_id, new.unique_id from unnest(new.labels) n (label)
    on conflict do nothing;
  end if;
  return null;
end
$$;`);
    this.addSql(
      `create table "task_label" ("company_id" int not null, "label" text not null, "framework_id" int not null, "task_id" uuid not null, primary key ("company_id", "label", "framework_id", "task_id"));`,
    );

    // By hand: processes of the version before serve on, with the role that writes tasks. The privileges of the new version come at its end.
    this.addSql(`do $$
      declare
        writer oid;
      begin
        for writer in select a.grantee from pg_class c, aclexplode(c.relacl) a
          where c.oid = 'public.task'::regclass and a.privilege_type = 'INSERT' and a.grantee <> c.relowner loop
          execute format('grant select, insert, delete on task_label to %s', writer::regrole);
        end loop;
      end
      $$;`);

    this.addSql(`alter table "audit_watermark" add "vendors" int null, add "vendors_seq" bigint null;`);

    this.addSql(
      `create trigger task_labels_insert after insert on task for each row when (new.labels <> '{}') execute function keep_task_labels();`,
    );
    this.addSql(
      `create trigger task_labels_update after update on task for each row when (new.labels <> old.labels) execute function keep_task_labels();`,
    );
    this.addSql(
      `create trigger task_labels_delete after delete on task for each row when (old.labels <> '{}') execute function keep_task_labels();`,
    );

    this.addSql(`alter table "task_label" enable row level security;`);
    this.addSql(`alter table "task_label" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "task_label" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`set local check_function_bodies = off;`);
    this.addSql(`CREATE OR REPLACE FUNCTION public.seal_audit_log(of_company integer, max_events integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
AS $function$
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
        select count(*), max(w.event_id) into sealed, last from written w;

        if sealed = max_events then
          current.watermark := greatest(before.watermark, least(current.watermark, last));
        end if;
        if current.watermark = current.candidate and newest > current.candidate and is_first_write then
          current.candidate := newest;
          current.candidate_xid := pg_current_xact_id();
        end if;
        if current is distinct from before then
          update public.audit_watermark w
          set watermark = current.watermark, candidate = current.candidate, candidate_xid = current.candidate_xid
          where w.company_id = of_company;
        end if;
        return sealed;
      end
      $function$;`);
    this.addSql(`drop table if exists "task_label" cascade;`);

    this.addSql(`alter table "audit_watermark" drop column "vendors", drop column "vendors_seq";`);

    this.addSql(`drop trigger if exists "task_labels_insert" on "task";`);
    this.addSql(`drop function if exists "task_task_labels_insert_fn"();`);
    this.addSql(`drop trigger if exists "task_labels_update" on "task";`);
    this.addSql(`drop function if exists "task_task_labels_update_fn"();`);
    this.addSql(`drop trigger if exists "task_labels_delete" on "task";`);
    this.addSql(`drop function if exists "task_task_labels_delete_fn"();`);
    this.addSql(`drop routine public.keep_task_labels();`);
  }
}
