import { Migration } from '@mikro-orm/migrations';

export class Migration20261130171057_audits extends Migration {
  override name = 'Migration20261130171057_audits';

  override up(): void | Promise<void> {
    this.addSql(`set local check_function_bodies = off;`);
    this.addSql(`create or replace function public.audit_row() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Writes the audit event of a changed row. Arguments: resource type, id column, columns never recorded,
-- {column: verb} for updates that have an action of their own. Of 'resolve/reopen' the second verb is that of an update to
-- null. The verb 'delete' marks the column that ends a row: its events have the whole row. {insert: verb} and
-- {delete: verb} rename these commands: {field: {from, to}}. Of a resource that belongs to a framework also its column with
-- the framework, which is then required; else '' if another argument follows. Of what belongs to another resource also
-- {column: type} of the columns that may have its id: one of them has it. Events of the whole row have it as "resource".
declare
  acting_user constant text := nullif(current_setting('app.user', true), '');
  session_company constant text := nullif(current_setting('app.company', true), '');
  session_api_key constant uuid := nullif(current_setting('app.key', true), '');
  before jsonb;
  after jsonb;
  row_data jsonb;
  changes jsonb;
  verb text := 'update';
  verb_column text;
  framework_column constant text := nullif(tg_argv[4], '');
  parent_type text;
  parent_id text;
  acting_kind text;
  is_frozen boolean;
begin
  -- Rows arrive with a company: their events arrive too.
  if coalesce(current_setting('app.receiving', true), '') <> '' and public.is_receiving(tg_relid) then
    return null;
  end if;
  -- The owner of the table erases a company: nothing of it stays, nor do its events.
  if tg_op = 'DELETE' and coalesce(current_setting('app.erase', true), '') = to_jsonb(old)->>'company_id'
      and public.is_erasing(tg_relid) then
    return null;
  end if;
  -- The owner of the table sets the times of a demo company: its events exist, and get the same time.
  if tg_op = 'UPDATE' and coalesce(current_setting('app.demo_time', true), '') <> ''
      and public.is_setting_demo_time(tg_relid) then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    before := to_jsonb(old);
    after := to_jsonb(new);
    row_data := after;
    if tg_argv[3] <> '{}' then
      select v.value, v.key into verb, verb_column
        from jsonb_each_text(tg_argv[3]::jsonb) v
        where after->v.key is distinct from before->v.key
        order by v.value limit 1;
      verb := coalesce(verb, 'update');
      if verb like '%/%' then
        verb := split_part(verb, '/', case when after->verb_column = 'null' then 2 else 1 end);
      end if;
    end if;
    if verb = 'delete' then
      verb := case when after->verb_column = 'null' then 'create' else verb end;
      changes := row_data - 'company_id' - tg_argv[2]::text[];
    else
      select coalesce(jsonb_object_agg(b.key, jsonb_build_object('from', b.value, 'to', after->b.key)), '{}') into changes
        from jsonb_each(before - tg_argv[2]::text[] - '{version,updated_at,updated_by_id}'::text[]) b
        where after->b.key is distinct from b.value;
      if changes = '{}' and verb = 'update' and before - tg_argv[2]::text[] = after - tg_argv[2]::text[] then
        -- No event, but the other cell has a copy of who the member is, and of the invitation.
        if tg_table_name in ('member', 'invitation') and coalesce(current_setting('app.dry_run', true), '') <> 'on'
            and exists (select from public.company c where c.id = (row_data->>'company_id')::int and c.frozen_at is not null) then
          raise exception 'company %: is frozen', session_company using errcode = 'FZ001';
        end if;
        return null;
      end if;
    end if;
  elsif tg_op = 'INSERT' then
    row_data := to_jsonb(new);
    verb := 'create';
    changes := row_data - 'company_id' - tg_argv[2]::text[];
  else
    row_data := to_jsonb(old);
    verb := 'delete';
    changes := row_data - 'company_id' - tg_argv[2]::text[];
  end if;

  if tg_op <> 'UPDATE' and tg_argv[3] <> '{}' and tg_argv[3]::jsonb ? lower(tg_op) then
    verb := tg_argv[3]::jsonb->>lower(tg_op);
    select coalesce(jsonb_object_agg(c.key, case tg_op
        when 'INSERT' then jsonb_build_object('from', null, 'to', c.value)
        else jsonb_build_object('from', c.value, 'to', null) end), '{}') into changes
      from jsonb_each(changes) c where c.value <> 'null';
  end if;

  if tg_argv[5] is not null then
    select p.value, row_data->>p.key into parent_type, parent_id
      from jsonb_each_text(tg_argv[5]::jsonb) p where row_data->>p.key is not null;
    if parent_id is null then
      raise exception '% on %: the row belongs to nothing', tg_op, tg_table_name using errcode = 'not_null_violation';
    end if;
    if verb in ('create', 'delete') then
      changes := changes || jsonb_build_object('resource', jsonb_build_object('type', parent_type, 'uniqueId', parent_id));
    end if;
  end if;

  if acting_user is null or session_company is null then
    raise exception '% on %: app.company and app.user are required', tg_op, tg_table_name
      using errcode = 'insufficient_privilege', hint = 'Set app.company and app.user in the transaction.';
  end if;
  if session_company <> coalesce(row_data->>'company_id', row_data->>'id') or changes ? 'company_id' then
    raise exception '% on %: the row belongs to another company', tg_op, tg_table_name
      using errcode = 'insufficient_privilege';
  end if;
  if tg_op <> 'DELETE' and (row_data->>'updated_by_id' <> acting_user
      or row_data->>'created_by_id' <> coalesce(before->>'created_by_id', acting_user)) then
    raise exception '% on %: created_by_id and updated_by_id must be the acting user', tg_op, tg_table_name
      using errcode = 'insufficient_privilege';
  end if;

  if framework_column is not null and row_data->>framework_column is null then
    raise exception '% on %: the row has no framework', tg_op, tg_table_name using errcode = 'not_null_violation';
  end if;

  select u.kind, c.frozen_at is not null into acting_kind, is_frozen
    from public.company_user u join public.company c on c.id = u.company_id
    where u.company_id = session_company::int and u.unique_id = acting_user::uuid;
  -- Only freezing and unfreezing themselves change a frozen company. The service sets app.dry_run in transactions that it rolls back.
  if is_frozen and coalesce(current_setting('app.dry_run', true), '') <> 'on'
      and not (tg_relid = 'public.company'::regclass and changes ? 'frozen_at') then
    raise exception 'company %: is frozen', session_company using errcode = 'FZ001';
  end if;

  insert into public.audit_event
    (company_id, unique_id, occurred_at, user_id, user_kind, api_key_id, action, resource_type, resource_id, changes,
     request_id, framework_id, parent_type, parent_id)
  values (session_company::int, public.uuid_v7(), now(), acting_user::uuid, acting_kind, session_api_key, tg_argv[0] || '.' || verb,
    tg_argv[0], row_data->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
    coalesce((row_data->>framework_column)::int, 0), parent_type, parent_id);
  return null;
end
$$;`);
    this.addSql(`create or replace function public.check_reply() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Rejects a reply to what is no question on the same object. The question may be deleted later, so there is no foreign key.
begin
  if not exists (
      select from public.comment q
      where q.company_id = new.company_id and q.unique_id = new.reply_to and q.kind = 'question'
        and (q.task_id, q.vendor_id, q.requirement_id) is not distinct from (new.task_id, new.vendor_id, new.requirement_id)) then
    raise exception '% on %: expected a reply to a question on the same object', tg_op, tg_table_name
      using errcode = 'check_violation', constraint = 'comment_reply_to';
  end if;
  return new;
end
$$;`);
    this.addSql(`create or replace function public.set_demo_time(at timestamptz) returns int
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
  -- What people do to an object as a whole has its time as text (vendor.review, requirement.assess, comment.resolve, evidence.check).
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
      set created_at = case when c.created_at = written then moved else c.created_at end, updated_at = moved,
        resolved = case when c.resolved->>'at' = written_text
          then jsonb_set(c.resolved, '{at}', to_jsonb(moved_text)) else c.resolved end
      where c.company_id = of_company and c.unique_id = any(changed) and c.updated_at = written;
  end if;
  if 'evidence' = any(types) then
    update public.evidence e
      set created_at = case when e.created_at = written then moved else e.created_at end, updated_at = moved,
        checked = case when e.checked->>'at' = written_text
          then jsonb_set(e.checked, '{at}', to_jsonb(moved_text)) else e.checked end
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
$$;`);
    this.addSql(`create or replace function public.check_last_admin() returns trigger
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
$$;`);
    this.addSql(`create or replace function public.find_documents(
  of_types text[], of_scopes text[], of_frameworks int[], of_words text[], max_hits int)
returns table (found_type text, found_id text)
language plpgsql stable security definer
set search_path = pg_catalog, public, pg_temp
-- Without statistics of a new table the planner would read all of it.
set enable_seqscan = off
set enable_sort = off
-- The costs of what is off would start the compiler.
set jit = off
as $$
-- Finds the documents of the company of the session that have words with all of these beginnings: of the max_hits that changed last,
-- the best first. The owner runs it, because row-level security defeats the index of words: PostgreSQL evaluates policies before an
-- operator that is not leakproof. Every condition names the company, and so does every word.
--
-- A frequent word is found among the documents that changed last. Only a rare one is looked up in the index of words, which would
-- have to read all documents with a frequent one.
declare
  of_company constant int := nullif(current_setting('app.company', true), '')::int;
  -- Documents of a type that are read first. They show how frequent the words are.
  few constant int := 5000;
  total constant real := (select c.reltuples from pg_class c where c.oid = 'public.search_document'::regclass);
  share real;
  query tsquery := (select string_agg(format('''%s %s'':*', of_company, word), ' & ')::tsquery from unnest(of_words) word);
  titled constant tsquery[] := array(select format('''%s %s'':*A', of_company, word)::tsquery from unnest(of_words) word);
  whole constant tsquery[] := array(select format('''%s %s'':A', of_company, word)::tsquery from unnest(of_words) word);
  one text;
  window_size int;
  found tid[];
  places tid[] := '{}';
  before timestamptz;
  -- Documents that changed earlier than this were not all read.
  since timestamptz;
begin
  if query is null then
    return;
  end if;
  foreach one in array of_types loop
    window_size := few;
    loop
      found := array(
        select latest.place from (
          select d.ctid as place, d.words, d.scope, d.framework_id from public.search_document d
          where d.company_id = of_company and d.type = one order by d.changed_at desc limit window_size) latest
        where latest.words @@ query and latest.scope = any(of_scopes)
          and (of_frameworks is null or latest.framework_id = any(of_frameworks) or latest.framework_id = 0)
        limit max_hits);
      exit when window_size > few or cardinality(found) in (0, max_hits);
      -- More of them are read if that costs less than what the index of words would find, a row of which costs about six times as much:
      -- those that changed last lie together.
      share := cardinality(found)::real / few;
      exit when max_hits * 1.25 / share > 6 * total * share;
      window_size := max_hits * 1.25 / share;
    end loop;
    places := places || found;
    if cardinality(found) < max_hits then
      before := (select d.changed_at from public.search_document d
        where d.company_id = of_company and d.type = one order by d.changed_at desc offset window_size limit 1);
      since := greatest(since, before);
    end if;
  end loop;
  if (select count(*) from public.search_document d where d.ctid = any(places) and (since is null or d.changed_at > since)) < max_hits
      and since is not null then
    if of_frameworks is not null then
      query := query && (select string_agg(format('''%s #%s''', of_company, id), ' | ')::tsquery from unnest(of_frameworks || 0) id);
    end if;
    places := array(
      with hit as materialized (
        select d.ctid as place, d.company_id, d.type, d.scope, d.framework_id, d.changed_at
        from public.search_document d where d.words @@ query)
      select h.place from hit h
      where h.company_id = of_company and h.type = any(of_types) and h.scope = any(of_scopes)
        and (of_frameworks is null or h.framework_id = any(of_frameworks) or h.framework_id = 0)
      order by h.changed_at desc limit max_hits);
  end if;
  return query
    select d.type::text, d.object_id::text from (
      select * from public.search_document p
      where p.ctid = any(places) and p.company_id = of_company order by p.changed_at desc limit max_hits) d
    cross join lateral (
      select 2 * count(*) filter (where d.words @@ t.beginning) + count(*) filter (where d.words @@ t.word) as rank
      from unnest(titled, whole) t(beginning, word)) r
    order by r.rank desc, length(ts_filter(d.words, '{a}')), d.changed_at desc, d.object_id;
end
$$;`);
    this.addSql(`create or replace function public.keep_task_closing() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps when and by whom a task was closed. A trigger, so that every process of the database keeps it, also one of an earlier version.
begin
  if new.status in ('todo', 'in_progress', 'in_review') then
    new.closed_at := null;
    new.closed_by_id := null;
  else
    new.closed_at := now();
    new.closed_by_id := nullif(current_setting('app.user', true), '');
  end if;
  return new;
end
$$;`);
    this.addSql(`create or replace function public.require_unlocked() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- While the company locks closed tasks, rejects changes and deletions of a closed task and of its comments and evidence. Argument: the
-- columns that are locked. All others change as before: what the service keeps for itself, answers to questions, and checks. An admin
-- and the operator reopen a task, with a change of its status alone.
declare
  locked_columns constant text[] := tg_argv[0];
  acting_user constant uuid := nullif(current_setting('app.user', true), '');
  before constant jsonb := to_jsonb(old);
  after jsonb;
  changed text[];
  task_status text;
begin
  if not exists (select from public.company c where c.id = old.company_id and c.lock_closed)
      or tg_op = 'DELETE' and public.is_erasing(tg_relid) then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    after := to_jsonb(new);
    changed := array(select c.name from unnest(locked_columns) c (name) where after->c.name is distinct from before->c.name);
    if changed = '{}' then
      return null;
    end if;
  end if;
  if tg_table_name = 'task' then
    task_status := before->>'status';
    if changed = '{status}' and after->>'status' not in ('done', 'not_applicable', 'canceled')
        and nullif(current_setting('app.key', true), '') is null
        and (acting_user = '00000000-0000-7000-8000-000000000001'
          or exists (select from public.member m where m.company_id = old.company_id and m.unique_id = acting_user
            and m.role = 'admin' and m.ended_at is null)) then
      return null;
    end if;
  else
    -- The lock makes a closing of the task wait until this change is committed.
    select t.status into task_status from public.task t
    where t.company_id = old.company_id and t.unique_id = (before->>'task_id')::uuid for share;
  end if;
  if task_status in ('done', 'not_applicable', 'canceled') then
    raise exception 'task: is closed and locked; an admin reopens it with a change of status alone' using errcode = 'LK001';
  end if;
  return null;
end
$$;`);
    this.addSql(
      `create table "search_document" ("company_id" int not null, "type" varchar(20) not null, "object_id" varchar(36) collate "C" not null, "framework_id" int not null default 0, "scope" varchar(20) not null, "changed_at" timestamptz(3) not null, "words" tsvector not null, primary key ("company_id", "type", "object_id"));`,
    );
    this.addSql(`create index "search_document_by_change" on "search_document" ("company_id", "type", "changed_at");`);
    this.addSql(
      `create index search_document_words on search_document using gin (words) with (gin_pending_list_limit = 1024);`,
    );

    this.addSql(
      `create table "search_reader" ("company_id" int not null, "position" bigint not null default '0', "building" varchar(20) null, "built_id" varchar(36) null, "lease_until" timestamptz(6) null, primary key ("company_id"));`,
    );

    this.addSql(`alter table "company" add "lock_closed" boolean not null default false;`);

    this.addSql(`alter table "invitation" add "ends_at" date null;`);

    this.addSql(`drop trigger if exists "member_last_admin_check" on "member";`);
    this.addSql(`drop function if exists "member_member_last_admin_check_fn"();`);
    this.addSql(`alter table "member" add "ends_at" date null;`);
    this.addSql(
      `create trigger member_last_admin_check after update on member for each row when (old.role = 'admin' and old.ended_at is null and (new.role <> 'admin' or new.ended_at is not null or old.ends_at is null and new.ends_at is not null)) execute function check_last_admin();`,
    );

    this.addSql(`alter table "inbox_item" drop constraint "inbox_item_reason_check";`);
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_reason_check" check ("reason" in ('assigned', 'mentioned', 'approve', 'question', 'answer', 'rejected', 'status', 'commented', 'due', 'overdue', 'evidence', 'import', 'proof', 'review', 'contract', 'key', 'webhook', 'account')) not valid;`,
    );

    this.addSql(`drop trigger if exists "task_audit" on "task";`);
    this.addSql(`drop function if exists "task_task_audit_fn"();`);
    this.addSql(
      `alter table "task" add "reviewer_id" uuid null, add "needs_evidence" boolean not null default false, add "closed_at" timestamptz(3) null, add "closed_by_id" uuid null;`,
    );
    this.addSql(
      `alter table "task" add constraint "task_company_id_reviewer_id_foreign" foreign key ("company_id", "reviewer_id") references "member" ("company_id", "unique_id") on update no action on delete no action not valid;`,
    );
    this.addSql(
      `alter table "task" add constraint "task_reviewer_id_differs" check (reviewer_id <> assignee_id) not valid;`,
    );
    this.addSql(
      `create trigger task_closing_insert before insert on task for each row when (not (new.status in ('todo', 'in_progress', 'in_review')) and not is_receiving('task'::regclass)) execute function keep_task_closing();`,
    );
    this.addSql(
      `create trigger task_closing_update before update on task for each row when ((new.status in ('todo', 'in_progress', 'in_review')) <> (old.status in ('todo', 'in_progress', 'in_review'))) execute function keep_task_closing();`,
    );
    this.addSql(
      `create trigger task_unlocked after update or delete on task for each row when (not (old.status in ('todo', 'in_progress', 'in_review'))) execute function require_unlocked('{title,description,priority,labels,start_date,due_date,department_id,gaps,status,assignee_id,vendors,recurrence,requirements,reviewer_id,needs_evidence,series_date,external_ids}');`,
    );
    this.addSql(
      `create trigger task_audit after insert or update or delete on task for each row execute function audit_row('task', 'unique_id', '{next_id,series_id,closed_at,closed_by_id}', '{}', 'framework_id');`,
    );

    this.addSql(`drop trigger if exists "evidence_audit" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_audit_fn"();`);
    this.addSql(`alter table "evidence" add "checked" jsonb null;`);
    this.addSql(
      `alter table "evidence" add constraint "evidence_checked" check (checked ?& ARRAY['result'::text, 'note'::text, 'at'::text, 'by'::text] AND (checked ->> 'result'::text) = ANY (ARRAY['accepted'::text, 'rejected'::text])) not valid;`,
    );
    this.addSql(
      `create trigger evidence_unlocked after update or delete on evidence for each row when (old.task_id is not null) execute function require_unlocked('{name,note,date,valid_until}');`,
    );
    this.addSql(
      `create trigger evidence_audit after insert or update or delete on evidence for each row execute function audit_row('evidence', 'unique_id', '{task_id,vendor_id,requirement_id,file_id,framework_id}', '{"checked":"check"}', 'framework_id', '{"task_id":"task","vendor_id":"vendor","requirement_id":"requirement"}');`,
    );

    this.addSql(`drop trigger if exists "comment_audit" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_audit_fn"();`);
    this.addSql(
      `alter table "comment" add "kind" text not null default 'comment', add "reply_to" uuid null, add "resolved" jsonb null;`,
    );
    this.addSql(
      `alter table "comment" add constraint "comment_resolved" check (resolved ?& ARRAY['at'::text, 'by'::text]) not valid;`,
    );
    this.addSql(
      `alter table "comment" add constraint "comment_question_resolved" check (resolved IS NULL OR kind = 'question'::text) not valid;`,
    );
    this.addSql(
      `alter table "comment" add constraint "comment_kind_check" check ("kind" in ('comment', 'question')) not valid;`,
    );
    this.addSql(
      `create trigger comment_unlocked after update or delete on comment for each row when (old.task_id is not null) execute function require_unlocked('{text,mentions}');`,
    );
    this.addSql(
      `create trigger comment_check_reply before insert or update of reply_to on comment for each row when (new.reply_to is not null and not is_receiving('comment'::regclass)) execute function check_reply();`,
    );
    this.addSql(
      `create trigger comment_audit after insert or update or delete on comment for each row execute function audit_row('comment', 'unique_id', '{task_id,vendor_id,requirement_id,framework_id}', '{"resolved":"resolve/reopen"}', 'framework_id', '{"task_id":"task","vendor_id":"vendor","requirement_id":"requirement"}');`,
    );

    this.addSql(`alter table "search_document" enable row level security;`);
    this.addSql(
      `create policy "company_isolation" on "search_document" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "search_reader" add constraint "search_reader_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "search_reader" enable row level security;`);
    this.addSql(`alter table "search_reader" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "search_reader" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "search_reader" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "insert_all_companies" on "search_reader" for insert with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`set local check_function_bodies = off;`);
    this.addSql(`CREATE OR REPLACE FUNCTION public.audit_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
      -- Writes the audit event of a changed row. Arguments: resource type, id column, columns never recorded,
      -- {column: verb} for updates that have an action of their own. The verb 'delete' marks the column that ends a row: its
      -- events have the whole row. {insert: verb} and {delete: verb} rename these commands: {field: {from, to}}. Of a resource
      -- that belongs to a framework also its column with the framework, which is then required; else '' if another argument
      -- follows. Of what belongs to another resource also {column: type} of the columns that may have its id: one of them has it.
      -- Events of the whole row have it as "resource".
      declare
        acting_user constant text := nullif(current_setting('app.user', true), '');
        session_company constant text := nullif(current_setting('app.company', true), '');
        session_api_key constant uuid := nullif(current_setting('app.key', true), '');
        before jsonb;
        after jsonb;
        row_data jsonb;
        changes jsonb;
        verb text := 'update';
        verb_column text;
        framework_column constant text := nullif(tg_argv[4], '');
        parent_type text;
        parent_id text;
        acting_kind text;
        is_frozen boolean;
      begin
        -- Rows arrive with a company: their events arrive too.
        if coalesce(current_setting('app.receiving', true), '') <> '' and public.is_receiving(tg_relid) then
          return null;
        end if;
        -- The owner of the table erases a company: nothing of it stays, nor do its events.
        if tg_op = 'DELETE' and coalesce(current_setting('app.erase', true), '') = to_jsonb(old)->>'company_id'
            and public.is_erasing(tg_relid) then
          return null;
        end if;
        -- The owner of the table sets the times of a demo company: its events exist, and get the same time.
        if tg_op = 'UPDATE' and coalesce(current_setting('app.demo_time', true), '') <> ''
            and public.is_setting_demo_time(tg_relid) then
          return null;
        end if;
        if tg_op = 'UPDATE' then
          before := to_jsonb(old);
          after := to_jsonb(new);
          row_data := after;
          if tg_argv[3] <> '{}' then
            select v.value, v.key into verb, verb_column
              from jsonb_each_text(tg_argv[3]::jsonb) v
              where after->v.key is distinct from before->v.key
              order by v.value limit 1;
            verb := coalesce(verb, 'update');
          end if;
          if verb = 'delete' then
            verb := case when after->verb_column = 'null' then 'create' else verb end;
            changes := row_data - 'company_id' - tg_argv[2]::text[];
          else
            select coalesce(jsonb_object_agg(b.key, jsonb_build_object('from', b.value, 'to', after->b.key)), '{}') into changes
              from jsonb_each(before - tg_argv[2]::text[] - '{version,updated_at,updated_by_id}'::text[]) b
              where after->b.key is distinct from b.value;
            if changes = '{}' and verb = 'update' and before - tg_argv[2]::text[] = after - tg_argv[2]::text[] then
              -- No event, but the other cell has a copy of who the member is, and of the invitation.
              if tg_table_name in ('member', 'invitation') and coalesce(current_setting('app.dry_run', true), '') <> 'on'
                  and exists (select from public.company c where c.id = (row_data->>'company_id')::int and c.frozen_at is not null) then
                raise exception 'company %: is frozen', session_company using errcode = 'FZ001';
              end if;
              return null;
            end if;
          end if;
        elsif tg_op = 'INSERT' then
          row_data := to_jsonb(new);
          verb := 'create';
          changes := row_data - 'company_id' - tg_argv[2]::text[];
        else
          row_data := to_jsonb(old);
          verb := 'delete';
          changes := row_data - 'company_id' - tg_argv[2]::text[];
        end if;

        if tg_op <> 'UPDATE' and tg_argv[3] <> '{}' and tg_argv[3]::jsonb ? lower(tg_op) then
          verb := tg_argv[3]::jsonb->>lower(tg_op);
          select coalesce(jsonb_object_agg(c.key, case tg_op
              when 'INSERT' then jsonb_build_object('from', null, 'to', c.value)
              else jsonb_build_object('from', c.value, 'to', null) end), '{}') into changes
            from jsonb_each(changes) c where c.value <> 'null';
        end if;

        if tg_argv[5] is not null then
          select p.value, row_data->>p.key into parent_type, parent_id
            from jsonb_each_text(tg_argv[5]::jsonb) p where row_data->>p.key is not null;
          if parent_id is null then
            raise exception '% on %: the row belongs to nothing', tg_op, tg_table_name using errcode = 'not_null_violation';
          end if;
          if verb in ('create', 'delete') then
            changes := changes || jsonb_build_object('resource', jsonb_build_object('type', parent_type, 'uniqueId', parent_id));
          end if;
        end if;

        if acting_user is null or session_company is null then
          raise exception '% on %: app.company and app.user are required', tg_op, tg_table_name
            using errcode = 'insufficient_privilege', hint = 'Set app.company and app.user in the transaction.';
        end if;
        if session_company <> coalesce(row_data->>'company_id', row_data->>'id') or changes ? 'company_id' then
          raise exception '% on %: the row belongs to another company', tg_op, tg_table_name
            using errcode = 'insufficient_privilege';
        end if;
        if tg_op <> 'DELETE' and (row_data->>'updated_by_id' <> acting_user
            or row_data->>'created_by_id' <> coalesce(before->>'created_by_id', acting_user)) then
          raise exception '% on %: created_by_id and updated_by_id must be the acting user', tg_op, tg_table_name
            using errcode = 'insufficient_privilege';
        end if;

        if framework_column is not null and row_data->>framework_column is null then
          raise exception '% on %: the row has no framework', tg_op, tg_table_name using errcode = 'not_null_violation';
        end if;

        select u.kind, c.frozen_at is not null into acting_kind, is_frozen
          from public.company_user u join public.company c on c.id = u.company_id
          where u.company_id = session_company::int and u.unique_id = acting_user::uuid;
        -- Only freezing and unfreezing themselves change a frozen company. The service sets app.dry_run in transactions that it rolls back.
        if is_frozen and coalesce(current_setting('app.dry_run', true), '') <> 'on'
            and not (tg_relid = 'public.company'::regclass and changes ? 'frozen_at') then
          raise exception 'company %: is frozen', session_company using errcode = 'FZ001';
        end if;

        insert into public.audit_event
          (company_id, unique_id, occurred_at, user_id, user_kind, api_key_id, action, resource_type, resource_id, changes,
           request_id, framework_id, parent_type, parent_id)
        values (session_company::int, public.uuid_v7(), now(), acting_user::uuid, acting_kind, session_api_key, tg_argv[0] || '.' || verb,
          tg_argv[0], row_data->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((row_data->>framework_column)::int, 0), parent_type, parent_id);
        return null;
      end
      $function$;`);
    this.addSql(`CREATE OR REPLACE FUNCTION public.check_last_admin()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
      -- A company that had an admin keeps one. The lock makes concurrent changes of two admins wait for each other; the query
      -- after it sees what the other one committed.
      begin
        perform pg_advisory_xact_lock(hashtextextended('last-admin', new.company_id));
        if not exists (select from public.member m
            where m.company_id = new.company_id and m.role = 'admin' and m.ended_at is null) then
          raise exception 'member %: is the last admin', new.unique_id
            using errcode = 'check_violation', constraint = 'member_last_admin';
        end if;
        return null;
      end
      $function$;`);
    this.addSql(`CREATE OR REPLACE FUNCTION public.set_demo_time(at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
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
      set created_at = case when t.created_at = written then moved else t.created_at end, updated_at = moved
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
$function$;`);
    this.addSql(`drop table if exists "search_document" cascade;`);
    this.addSql(`drop table if exists "search_reader" cascade;`);

    this.addSql(`alter table "task" drop constraint "task_company_id_reviewer_id_foreign";`);

    this.addSql(`drop index "comment_question";`);
    this.addSql(`alter table "comment" drop constraint "comment_resolved";`);
    this.addSql(`alter table "comment" drop constraint "comment_question_resolved";`);
    this.addSql(`alter table "comment" drop constraint "comment_kind_check";`);
    this.addSql(`drop trigger if exists "comment_unlocked" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_unlocked_fn"();`);
    this.addSql(`drop trigger if exists "comment_check_reply" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_check_reply_fn"();`);
    this.addSql(`drop trigger if exists "comment_audit" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_audit_fn"();`);
    this.addSql(`alter table "comment" drop column "kind", drop column "reply_to", drop column "resolved";`);
    this.addSql(
      `create trigger comment_audit after insert or update or delete on comment for each row execute function audit_row('comment', 'unique_id', '{task_id,vendor_id,requirement_id,framework_id}', '{}', 'framework_id', '{"task_id":"task","vendor_id":"vendor","requirement_id":"requirement"}');`,
    );

    this.addSql(`alter table "company" drop column "lock_closed";`);

    this.addSql(`alter table "evidence" drop constraint "evidence_checked";`);
    this.addSql(`drop trigger if exists "evidence_unlocked" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_unlocked_fn"();`);
    this.addSql(`drop trigger if exists "evidence_audit" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_audit_fn"();`);
    this.addSql(`alter table "evidence" drop column "checked";`);
    this.addSql(
      `create trigger evidence_audit after insert or update or delete on evidence for each row execute function audit_row('evidence', 'unique_id', '{task_id,vendor_id,requirement_id,file_id,framework_id}', '{}', 'framework_id', '{"task_id":"task","vendor_id":"vendor","requirement_id":"requirement"}');`,
    );

    this.addSql(`alter table "inbox_item" drop constraint "inbox_item_reason_check";`);
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_reason_check" check ("reason" in ('assigned', 'mentioned', 'status', 'commented', 'due', 'overdue', 'evidence', 'import', 'proof', 'review', 'contract', 'key', 'webhook', 'account'));`,
    );

    this.addSql(`alter table "invitation" drop column "ends_at";`);

    this.addSql(`drop index "member_by_end";`);
    this.addSql(`drop trigger if exists "member_last_admin_check" on "member";`);
    this.addSql(`drop function if exists "member_member_last_admin_check_fn"();`);
    this.addSql(`alter table "member" drop column "ends_at";`);
    this.addSql(
      `create trigger member_last_admin_check after update on member for each row when (old.role = 'admin' and old.ended_at is null and (new.role <> 'admin' or new.ended_at is not null)) execute function check_last_admin();`,
    );

    this.addSql(`drop index "task_by_closing";`);
    this.addSql(`drop index "task_without_closing";`);
    this.addSql(`alter table "task" drop constraint "task_reviewer_id_differs";`);
    this.addSql(`drop trigger if exists "task_closing_insert" on "task";`);
    this.addSql(`drop function if exists "task_task_closing_insert_fn"();`);
    this.addSql(`drop trigger if exists "task_closing_update" on "task";`);
    this.addSql(`drop function if exists "task_task_closing_update_fn"();`);
    this.addSql(`drop trigger if exists "task_unlocked" on "task";`);
    this.addSql(`drop function if exists "task_task_unlocked_fn"();`);
    this.addSql(`drop trigger if exists "task_audit" on "task";`);
    this.addSql(`drop function if exists "task_task_audit_fn"();`);
    this.addSql(
      `alter table "task" drop column "reviewer_id", drop column "needs_evidence", drop column "closed_at", drop column "closed_by_id";`,
    );
    this.addSql(
      `create trigger task_audit after insert or update or delete on task for each row execute function audit_row('task', 'unique_id', '{next_id,series_id}', '{}', 'framework_id');`,
    );

    this.addSql(`drop index "vendor_by_contract";`);
    this.addSql(`create index vendor_by_contract_end on vendor (company_id, contract_end)
  where contract_end is not null;`);
    this.addSql(`drop routine public.check_reply();`);
    this.addSql(`drop routine public.find_documents(text[], text[], integer[], text[], integer);`);
    this.addSql(`drop routine public.keep_task_closing();`);
    this.addSql(`drop routine public.require_unlocked();`);
  }
}
