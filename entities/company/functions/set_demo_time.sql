create or replace function public.set_demo_time(at timestamptz) returns int
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
-- Its plans are cached and must use indexes, however small the tables were when they were planned.
set enable_seqscan = off
as $$
-- Moves what this transaction has written in the company of the session to a time in the past, and returns the number of its
-- events. Only in a demo company, and never before an event that the company has already: so the times of events ascend with
-- their ids, and no sealed event is changed, as nothing seals the events of a transaction before its commit.
declare
  of_company constant int := nullif(current_setting('app.company', true), '')::int;
  -- Times as columns have them, and as events have them.
  written constant timestamptz(3) := now();
  moved constant timestamptz(3) := at;
  written_json constant text := to_json(written)::text;
  moved_json constant text := to_json(moved)::text;
  -- A review and an assessment have their time as text (vendor.review, requirement.assess).
  written_text constant text := to_char(written at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  moved_text constant text := to_char(moved at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  -- Savepoints have ids of their own, which are newer.
  max_age constant int := age(pg_current_xact_id()::xid);
  types text[];
  changed uuid[];
  events int;
begin
  if not exists (select from public.company c where c.id = of_company and c.is_demo) then
    raise exception 'company %: only a demo company has times of the past', of_company
      using errcode = 'insufficient_privilege';
  end if;
  if moved is null or moved > written then
    raise exception 'time %: expected a time in the past', moved using errcode = 'invalid_parameter_value';
  end if;
  if exists (select from public.audit_event e where e.company_id = of_company and e.occurred_at > moved
      and not (e.occurred_at = written and age(e.xmin) <= max_age)) then
    raise exception 'time %: is before the last event of the company', moved using errcode = 'invalid_parameter_value';
  end if;

  perform set_config('app.demo_time', moved::text, true);
  with moved_event as (
    update public.audit_event e
    set occurred_at = moved,
      changes = replace(replace(case when e.action = 'invitation.create'
        then jsonb_set(e.changes, '{expires_at}',
          to_jsonb(((e.changes->>'expires_at')::timestamptz(3) - (written - moved))::timestamptz(3)))
        else e.changes end::text, written_json, moved_json), written_text, moved_text)::jsonb
    where e.company_id = of_company and e.occurred_at = written and age(e.xmin) <= max_age
    returning e.resource_type, e.resource_id)
  select array_agg(distinct m.resource_type),
      array_agg(distinct case when m.resource_type in ('task', 'vendor', 'requirement', 'comment', 'evidence')
        then m.resource_id::uuid end),
      count(*)
    into types, changed, events from moved_event m;

  -- Ids of two types never meet, so that each table finds its own.
  if 'task' = any(types) then
    update public.task t
      set created_at = case when t.created_at = written then moved else t.created_at end, updated_at = moved,
        closed_at = case when t.closed_at = written then moved else t.closed_at end
      where t.company_id = of_company and t.unique_id = any(changed) and t.updated_at = written;
    insert into public.task_status_day as d
        (company_id, framework_id, day, todo, in_progress, in_review, done, not_applicable, canceled)
      select of_company, c.framework_id, (moved at time zone 'utc')::date, sum(c.todo), sum(c.in_progress), sum(c.in_review),
        sum(c.done), sum(c.not_applicable), sum(c.canceled)
      from public.task_count c where c.company_id = of_company group by c.framework_id order by c.framework_id
      on conflict (company_id, framework_id, day) do update
      set todo = excluded.todo, in_progress = excluded.in_progress, in_review = excluded.in_review, done = excluded.done,
        not_applicable = excluded.not_applicable, canceled = excluded.canceled;
  end if;
  if 'vendor' = any(types) then
    update public.vendor v
      set created_at = case when v.created_at = written then moved else v.created_at end, updated_at = moved,
        last_review = case when v.last_review->>'at' = written_text
          then jsonb_set(v.last_review, '{at}', to_jsonb(moved_text)) else v.last_review end
      where v.company_id = of_company and v.unique_id = any(changed) and v.updated_at = written;
  end if;
  if 'requirement' = any(types) then
    update public.requirement r
      set created_at = case when r.created_at = written then moved else r.created_at end, updated_at = moved,
        assessment = case when r.assessment->>'at' = written_text
          then jsonb_set(r.assessment, '{at}', to_jsonb(moved_text)) else r.assessment end
      where r.company_id = of_company and r.unique_id = any(changed) and r.updated_at = written;
  end if;
  if 'comment' = any(types) then
    update public.comment c
      set created_at = case when c.created_at = written then moved else c.created_at end, updated_at = moved
      where c.company_id = of_company and c.unique_id = any(changed) and c.updated_at = written;
  end if;
  if 'evidence' = any(types) then
    update public.evidence e
      set created_at = case when e.created_at = written then moved else e.created_at end, updated_at = moved
      where e.company_id = of_company and e.unique_id = any(changed) and e.updated_at = written;
  end if;
  if types && '{company,member,apiKey,invitation}' then
    update public.company c set created_at = moved where c.id = of_company and c.created_at = written;
    update public.company_user u set created_at = moved where u.company_id = of_company and u.created_at = written;
    update public.member m set created_at = moved where m.company_id = of_company and m.created_at = written;
    update public.api_key k set created_at = moved where k.company_id = of_company and k.created_at = written;
    update public.invitation i
      set created_at = moved, used_at = case when i.used_at = written then moved else i.used_at end,
        expires_at = i.expires_at - (written - moved)
      where i.company_id = of_company and i.created_at = written;
    update public.sign_in s set at = moved where s.company_id = of_company and s.at = written;
  end if;
  perform set_config('app.demo_time', '', true);
  return events;
end
$$;
