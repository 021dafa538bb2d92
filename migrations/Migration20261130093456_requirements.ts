import { Migration } from '@mikro-orm/migrations';

export class Migration20261130093456_requirements extends Migration {
  override name = 'Migration20261130093456_requirements';

  override up(): void | Promise<void> {
    this.addSql(`set local check_function_bodies = off;`);
    this.addSql(`create or replace function public.check_gap_requirement() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- A gap refers to a requirement of its own framework. Neither of them ever moves to another one.
begin
  if not exists (select from public.requirement r where r.company_id = new.company_id and r.unique_id = new.requirement_id
      and r.framework_id = new.framework_id) then
    raise exception 'gap %: requirement must be one of its framework', new.id
      using errcode = 'check_violation', constraint = 'gap_requirement_of_framework';
  end if;
  return new;
end
$$;`);
    this.addSql(`create or replace function public.check_requirement() returns trigger
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
$$;`);
    this.addSql(`create or replace function public.remove_requirement() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Removes a requirement from its tasks and gaps before it is deleted, each with its event. The requirement is locked already, so that
-- no other task can be linked to it.
begin
  -- An erase deletes the rows of each table by itself.
  if coalesce(current_setting('app.erase', true), '') = old.company_id::text and public.is_erasing(tg_relid) then
    return old;
  end if;
  update public.task t set requirements = array_remove(t.requirements, old.unique_id), version = t.version + 1, updated_at = now(),
    updated_by_id = nullif(current_setting('app.user', true), '')::uuid
  from public.task_requirement linked
  where linked.company_id = old.company_id and linked.requirement_id = old.unique_id
    and t.company_id = linked.company_id and t.unique_id = linked.task_id;
  update public.gap g set requirement_id = null where g.company_id = old.company_id and g.requirement_id = old.unique_id;
  return old;
end
$$;`);
    this.addSql(`create or replace function public.requirement_levels(of_company int, id uuid, below uuid) returns int
language sql stable
set search_path = pg_catalog, public, pg_temp
as $$
-- Levels of the outline where it is deepest below a requirement, if that one stood below another. Null in a circle.
with recursive up (unique_id, parent, level) as (
  select r.unique_id, r.parent, 1 from public.requirement r where r.company_id = of_company and r.unique_id = below
  union all
  select r.unique_id, r.parent, up.level + 1 from up
    join public.requirement r on r.company_id = of_company and r.unique_id = up.parent where up.level < 10),
down (unique_id, level) as (
  select id, 1
  union all
  select r.unique_id, down.level + 1 from down
    join public.requirement r on r.company_id = of_company and r.parent = down.unique_id where down.level < 10)
select case when not exists (select from up where up.unique_id = id)
  then coalesce((select max(up.level) from up), 0) + (select max(down.level) from down) end
$$;`);
    this.addSql(`create or replace function public.requirement_order(ref text) returns text
language sql immutable
set search_path = pg_catalog, public, pg_temp
as $$
-- A text whose order by code point is that of refs: case is ignored, and runs of digits are compared as numbers. No ref is longer
-- than 50 characters.
select coalesce(string_agg(case when part[1] ~ '^[0-9]' then lpad(ltrim(part[1], '0'), 50, '0') else part[1] end, '' order by position), '')
from regexp_matches(public.fold_case(normalize(ref)), '[0-9]+|[^0-9]+', 'g') with ordinality found (part, position)
$$;`);
    this.addSql(`create or replace function public.keep_task_requirements() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps the rows of task_requirement equal to the requirements of a task. Its foreign keys require that they exist, and lock them.
begin
  if (select count(distinct r.id) from unnest(new.requirements) r (id)) <> cardinality(new.requirements) then
    raise exception 'task %: requirements must be distinct', new.unique_id
      using errcode = 'unique_violation', constraint = 'task_requirements_distinct';
  end if;
  if tg_op = 'UPDATE' then
    delete from public.task_requirement linked where linked.company_id = new.company_id and linked.task_id = new.unique_id
      and linked.requirement_id <> all(new.requirements);
  end if;
  insert into public.task_requirement (company_id, requirement_id, task_id)
  select new.company_id, r.id, new.unique_id from unnest(new.requirements) r (id)
  on conflict do nothing;
  return null;
end
$$;`);
    this.addSql(
      `create table "requirement" ("company_id" int not null, "unique_id" uuid not null, "framework_id" int not null, "ref" varchar(50) not null, "title" varchar(500) not null, "description" varchar(20000) not null default '', "parent" uuid null, "position" int not null default 0, "assessable" boolean not null default true, "applicable" boolean not null default true, "justification" varchar(2000) not null default '', "owner_id" uuid null, "assessment" jsonb null, "ref_order" text collate "C" not null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "created_by_id" uuid not null, "updated_by_id" uuid not null, "version" int not null default 1, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(
      `create index requirement_by_framework on requirement (company_id, framework_id, position, ref_order, unique_id);`,
    );
    this
      .addSql(`create unique index requirement_by_ref on requirement (company_id, framework_id, (case when octet_length(ref) = char_length(ref) or ref::text is nfc normalized then fold_case(ref)
    else fold_case(normalize(ref::text)) end));`);
    this.addSql(`create index requirement_by_parent on requirement (company_id, parent) where parent is not null;`);

    this.addSql(
      `create table "task_requirement" ("company_id" int not null, "requirement_id" uuid not null, "task_id" uuid not null, primary key ("company_id", "requirement_id", "task_id"));`,
    );
    this.addSql(`create index "task_requirement_by_task" on "task_requirement" ("company_id", "task_id");`);

    this.addSql(`alter table "inbox_item" drop constraint "inbox_item_resource_type_check";`);
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_resource_type_check" check ("resource_type" in ('task', 'vendor', 'requirement', 'import', 'apiKey', 'webhook', 'proof', 'member')) not valid;`,
    );

    this.addSql(`alter table "framework" add "owner_id" uuid null, add "audit_date" date null;`);
    this.addSql(
      `alter table "framework" add constraint "framework_audit_date" check (audit_date >= '1900-01-01'::date AND audit_date <= '2999-12-31'::date) not valid;`,
    );

    this.addSql(`alter table "task" add "requirements" uuid[] not null default '{}';`);
    this.addSql(
      `alter table "task" add constraint "task_requirements_max" check (cardinality(requirements) <= 50) not valid;`,
    );
    this.addSql(
      `create trigger task_requirements_insert after insert on task for each row when (new.requirements <> '{}') execute function keep_task_requirements();`,
    );
    this.addSql(
      `create trigger task_requirements_update after update on task for each row when (new.requirements <> old.requirements) execute function keep_task_requirements();`,
    );

    this.addSql(
      `alter table "gap" add "requirement_id" uuid null, add "status" text not null default 'open', add "owner_id" uuid null, add "due_date" date null;`,
    );
    this.addSql(
      `alter table "gap" add constraint "gap_company_id_requirement_id_foreign" foreign key ("company_id", "requirement_id") references "requirement" ("company_id", "unique_id") on update no action on delete no action not valid;`,
    );
    this.addSql(
      `alter table "gap" add constraint "gap_company_id_owner_id_foreign" foreign key ("company_id", "owner_id") references "member" ("company_id", "unique_id") on update no action on delete no action not valid;`,
    );
    this.addSql(
      `alter table "gap" add constraint "gap_due_date" check (due_date >= '1900-01-01'::date AND due_date <= '2999-12-31'::date) not valid;`,
    );
    this.addSql(
      `alter table "gap" add constraint "gap_status_check" check ("status" in ('open', 'closed')) not valid;`,
    );
    this.addSql(
      `create trigger gap_requirement before insert or update of requirement_id on gap for each row when (new.requirement_id is not null) execute function check_gap_requirement();`,
    );

    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text, 'webhook:manage'::text, 'member:read'::text, 'evidence:read'::text, 'evidence:write'::text, 'evidence:delete'::text, 'requirement:write'::text, 'requirement:delete'::text]) not valid;`,
    );

    this.addSql(`alter table "evidence" drop constraint "evidence_one_parent";`);
    this.addSql(`drop trigger if exists "evidence_audit" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_audit_fn"();`);
    this.addSql(`drop trigger if exists "evidence_forbid_update" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_forbid_update_fn"();`);
    this.addSql(`drop trigger if exists "evidence_inherit_framework" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_inherit_framework_fn"();`);
    this.addSql(`drop trigger if exists "evidence_limit_children" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_limit_children_fn"();`);
    this.addSql(`alter table "evidence" add "requirement_id" uuid null;`);
    this.addSql(
      `alter table "evidence" add constraint "evidence_company_id_requirement_id_foreign" foreign key ("company_id", "requirement_id") references "requirement" ("company_id", "unique_id") on update no action on delete cascade not valid;`,
    );
    this.addSql(
      `alter table "evidence" add constraint "evidence_one_parent" check (num_nonnulls(task_id, vendor_id, requirement_id) = 1) not valid;`,
    );
    this.addSql(
      `create trigger evidence_audit after insert or update or delete on evidence for each row execute function audit_row('evidence', 'unique_id', '{task_id,vendor_id,requirement_id,file_id,framework_id}', '{}', 'framework_id', '{"task_id":"task","vendor_id":"vendor","requirement_id":"requirement"}');`,
    );
    this.addSql(
      `create trigger evidence_forbid_update before update of framework_id, task_id, vendor_id, requirement_id or truncate on evidence for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger evidence_inherit_framework before insert on evidence for each row execute function inherit_framework('{"task_id":"task","requirement_id":"requirement"}');`,
    );
    this.addSql(
      `create trigger evidence_limit_children before insert on evidence for each row execute function limit_children('{"task_id":200,"vendor_id":200,"requirement_id":200}');`,
    );

    this.addSql(`alter table "comment" drop constraint "comment_one_parent";`);
    this.addSql(`drop trigger if exists "comment_audit" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_audit_fn"();`);
    this.addSql(`drop trigger if exists "comment_forbid_update" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_forbid_update_fn"();`);
    this.addSql(`drop trigger if exists "comment_inherit_framework" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_inherit_framework_fn"();`);
    this.addSql(`drop trigger if exists "comment_limit_children" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_limit_children_fn"();`);
    this.addSql(`alter table "comment" add "requirement_id" uuid null;`);
    this.addSql(
      `alter table "comment" add constraint "comment_company_id_requirement_id_foreign" foreign key ("company_id", "requirement_id") references "requirement" ("company_id", "unique_id") on update no action on delete cascade not valid;`,
    );
    this.addSql(
      `alter table "comment" add constraint "comment_one_parent" check (num_nonnulls(task_id, vendor_id, requirement_id) = 1) not valid;`,
    );
    this.addSql(
      `create trigger comment_audit after insert or update or delete on comment for each row execute function audit_row('comment', 'unique_id', '{task_id,vendor_id,requirement_id,framework_id}', '{}', 'framework_id', '{"task_id":"task","vendor_id":"vendor","requirement_id":"requirement"}');`,
    );
    this.addSql(
      `create trigger comment_forbid_update before update of framework_id, task_id, vendor_id, requirement_id or truncate on comment for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger comment_inherit_framework before insert on comment for each row execute function inherit_framework('{"task_id":"task","requirement_id":"requirement"}');`,
    );
    this.addSql(
      `create trigger comment_limit_children before insert on comment for each row execute function limit_children('{"task_id":1000,"vendor_id":1000,"requirement_id":1000}');`,
    );

    this.addSql(`alter table "watch" drop constraint "watch_one_resource";`);
    this.addSql(`alter table "watch" add "requirement_id" uuid null;`);
    this.addSql(
      `alter table "watch" add constraint "watch_company_id_requirement_id_foreign" foreign key ("company_id", "requirement_id") references "requirement" ("company_id", "unique_id") on update no action on delete cascade not valid;`,
    );
    this.addSql(
      `alter table "watch" add constraint "watch_one_resource" check (num_nonnulls(task_id, vendor_id, requirement_id) = 1) not valid;`,
    );

    this.addSql(
      `alter table "requirement" add constraint "requirement_company_id_framework_id_foreign" foreign key ("company_id", "framework_id") references "framework" ("company_id", "id") on update no action;`,
    );
    this.addSql(
      `alter table "requirement" add constraint "requirement_company_id_owner_id_foreign" foreign key ("company_id", "owner_id") references "member" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "requirement" add constraint "requirement_ref_not_empty" check (ref::text <> ''::text);`);
    this.addSql(
      `alter table "requirement" add constraint "requirement_title_not_empty" check (title::text <> ''::text);`,
    );
    this.addSql(
      `alter table "requirement" add constraint "requirement_position" check (position >= 0 AND position <= 1000000);`,
    );
    this.addSql(
      `alter table "requirement" add constraint "requirement_assessment" check (assessment ?& ARRAY['result'::text, 'at'::text, 'by'::text, 'note'::text]);`,
    );
    this.addSql(
      `alter table "requirement" add constraint "requirement_exclusion_justified" check (applicable OR justification::text <> ''::text);`,
    );
    this.addSql(
      `alter table "requirement" add constraint "requirement_heading_not_assessed" check (assessable OR assessment IS NULL);`,
    );
    this.addSql(
      `create trigger requirement_audit after insert or update or delete on requirement for each row execute function audit_row('requirement', 'unique_id', '{ref_order}', '{"assessment":"assess"}', 'framework_id');`,
    );
    this.addSql(
      `create trigger requirement_forbid_update before update of framework_id or truncate on requirement for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger requirement_check before insert or update of parent, ref on requirement for each row when (not is_receiving('requirement'::regclass)) execute function check_requirement();`,
    );
    this.addSql(
      `create trigger requirement_leave_tasks before delete on requirement for each row execute function remove_requirement();`,
    );
    this.addSql(
      `create trigger requirement_check_delete before delete on requirement for each row execute function check_requirement();`,
    );
    this.addSql(
      `create trigger requirement_delete_children before delete on requirement for each row execute function delete_children('{"comment":"requirement_id","evidence":"requirement_id"}');`,
    );
    this.addSql(`alter table "requirement" enable row level security;`);
    this.addSql(`alter table "requirement" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "requirement" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "task_requirement" add constraint "task_requirement_company_id_requirement_id_foreign" foreign key ("company_id", "requirement_id") references "requirement" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "task_requirement" add constraint "task_requirement_company_id_task_id_foreign" foreign key ("company_id", "task_id") references "task" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(`alter table "task_requirement" enable row level security;`);
    this.addSql(`alter table "task_requirement" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "task_requirement" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "task_requirement" drop constraint "task_requirement_company_id_requirement_id_foreign";`);
    this.addSql(`alter table "gap" drop constraint "gap_company_id_requirement_id_foreign";`);
    this.addSql(`alter table "evidence" drop constraint "evidence_company_id_requirement_id_foreign";`);
    this.addSql(`alter table "comment" drop constraint "comment_company_id_requirement_id_foreign";`);
    this.addSql(`alter table "watch" drop constraint "watch_company_id_requirement_id_foreign";`);

    this.addSql(`drop trigger if exists "requirement_audit" on "requirement";`);
    this.addSql(`drop function if exists "requirement_requirement_audit_fn"();`);
    this.addSql(`drop trigger if exists "requirement_forbid_update" on "requirement";`);
    this.addSql(`drop function if exists "requirement_requirement_forbid_update_fn"();`);
    this.addSql(`drop trigger if exists "requirement_check" on "requirement";`);
    this.addSql(`drop function if exists "requirement_requirement_check_fn"();`);
    this.addSql(`drop trigger if exists "requirement_leave_tasks" on "requirement";`);
    this.addSql(`drop function if exists "requirement_requirement_leave_tasks_fn"();`);
    this.addSql(`drop trigger if exists "requirement_check_delete" on "requirement";`);
    this.addSql(`drop function if exists "requirement_requirement_check_delete_fn"();`);
    this.addSql(`drop trigger if exists "requirement_delete_children" on "requirement";`);
    this.addSql(`drop function if exists "requirement_requirement_delete_children_fn"();`);
    this.addSql(`drop table if exists "requirement" cascade;`);
    this.addSql(`drop table if exists "task_requirement" cascade;`);

    this.addSql(`alter table "gap" drop constraint "gap_company_id_owner_id_foreign";`);

    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text, 'webhook:manage'::text, 'member:read'::text, 'evidence:read'::text, 'evidence:write'::text, 'evidence:delete'::text]);`,
    );

    this.addSql(`drop index "comment_by_requirement";`);
    this.addSql(`alter table "comment" drop constraint "comment_one_parent";`);
    this.addSql(`drop trigger if exists "comment_audit" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_audit_fn"();`);
    this.addSql(`drop trigger if exists "comment_forbid_update" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_forbid_update_fn"();`);
    this.addSql(`drop trigger if exists "comment_inherit_framework" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_inherit_framework_fn"();`);
    this.addSql(`drop trigger if exists "comment_limit_children" on "comment";`);
    this.addSql(`drop function if exists "comment_comment_limit_children_fn"();`);
    this.addSql(`alter table "comment" drop column "requirement_id";`);
    this.addSql(
      `alter table "comment" add constraint "comment_one_parent" check (num_nonnulls(task_id, vendor_id) = 1);`,
    );
    this.addSql(
      `create trigger comment_audit after insert or update or delete on comment for each row execute function audit_row('comment', 'unique_id', '{task_id,vendor_id,framework_id}', '{}', 'framework_id', '{"task_id":"task","vendor_id":"vendor"}');`,
    );
    this.addSql(
      `create trigger comment_forbid_update before update of framework_id, task_id, vendor_id or truncate on comment for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger comment_inherit_framework before insert on comment for each row execute function inherit_framework('{"task_id":"task"}');`,
    );
    this.addSql(
      `create trigger comment_limit_children before insert on comment for each row execute function limit_children('{"task_id":1000,"vendor_id":1000}');`,
    );

    this.addSql(`drop index "evidence_by_requirement";`);
    this.addSql(`alter table "evidence" drop constraint "evidence_one_parent";`);
    this.addSql(`drop trigger if exists "evidence_audit" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_audit_fn"();`);
    this.addSql(`drop trigger if exists "evidence_forbid_update" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_forbid_update_fn"();`);
    this.addSql(`drop trigger if exists "evidence_inherit_framework" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_inherit_framework_fn"();`);
    this.addSql(`drop trigger if exists "evidence_limit_children" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_limit_children_fn"();`);
    this.addSql(`alter table "evidence" drop column "requirement_id";`);
    this.addSql(
      `alter table "evidence" add constraint "evidence_one_parent" check (num_nonnulls(task_id, vendor_id) = 1);`,
    );
    this.addSql(
      `create trigger evidence_audit after insert or update or delete on evidence for each row execute function audit_row('evidence', 'unique_id', '{task_id,vendor_id,file_id,framework_id}', '{}', 'framework_id', '{"task_id":"task","vendor_id":"vendor"}');`,
    );
    this.addSql(
      `create trigger evidence_forbid_update before update of framework_id, task_id, vendor_id or truncate on evidence for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger evidence_inherit_framework before insert on evidence for each row execute function inherit_framework('{"task_id":"task"}');`,
    );
    this.addSql(
      `create trigger evidence_limit_children before insert on evidence for each row execute function limit_children('{"task_id":200,"vendor_id":200}');`,
    );

    this.addSql(`alter table "framework" drop constraint "framework_audit_date";`);
    this.addSql(`alter table "framework" drop column "owner_id", drop column "audit_date";`);

    this.addSql(`drop index "gap_by_requirement";`);
    this.addSql(`alter table "gap" drop constraint "gap_due_date";`);
    this.addSql(`alter table "gap" drop constraint "gap_status_check";`);
    this.addSql(`drop trigger if exists "gap_requirement" on "gap";`);
    this.addSql(`drop function if exists "gap_gap_requirement_fn"();`);
    this.addSql(
      `alter table "gap" drop column "requirement_id", drop column "status", drop column "owner_id", drop column "due_date";`,
    );

    this.addSql(`alter table "inbox_item" drop constraint "inbox_item_resource_type_check";`);
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_resource_type_check" check ("resource_type" in ('task', 'vendor', 'import', 'apiKey', 'webhook', 'proof', 'member'));`,
    );

    this.addSql(`alter table "task" drop constraint "task_requirements_max";`);
    this.addSql(`drop trigger if exists "task_requirements_insert" on "task";`);
    this.addSql(`drop function if exists "task_task_requirements_insert_fn"();`);
    this.addSql(`drop trigger if exists "task_requirements_update" on "task";`);
    this.addSql(`drop function if exists "task_task_requirements_update_fn"();`);
    this.addSql(`alter table "task" drop column "requirements";`);

    this.addSql(`drop index "watch_of_requirement";`);
    this.addSql(`alter table "watch" drop constraint "watch_one_resource";`);
    this.addSql(`alter table "watch" drop column "requirement_id";`);
    this.addSql(
      `alter table "watch" add constraint "watch_one_resource" check (num_nonnulls(task_id, vendor_id) = 1);`,
    );
    this.addSql(`drop routine public.check_gap_requirement();`);
    this.addSql(`drop routine public.check_requirement();`);
    this.addSql(`drop routine public.remove_requirement();`);
    this.addSql(`drop routine public.requirement_levels(integer, uuid, uuid);`);
    this.addSql(`drop routine public.requirement_order(text);`);
    this.addSql(`drop routine public.keep_task_requirements();`);
  }
}
