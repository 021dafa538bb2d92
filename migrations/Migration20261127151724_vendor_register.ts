import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Written by hand: the vendors of tasks. */
const VENDORS_OF_TASKS = [
  `
      create function public.keep_task_vendors() returns trigger language plpgsql ${SETTINGS} as $$
      -- Keeps the rows of task_vendor equal to the vendors of a task. Its foreign keys require that they exist, and lock them.
      begin
        if (select count(distinct v.id) from unnest(new.vendors) v (id)) <> cardinality(new.vendors) then
          raise exception 'task %: vendors must be distinct', new.unique_id
            using errcode = 'unique_violation', constraint = 'task_vendors_distinct';
        end if;
        if tg_op = 'UPDATE' then
          delete from public.task_vendor named where named.company_id = new.company_id and named.task_id = new.unique_id
            and named.vendor_id <> all(new.vendors);
        end if;
        insert into public.task_vendor (company_id, vendor_id, task_id)
        select new.company_id, v.id, new.unique_id from unnest(new.vendors) v (id)
        on conflict do nothing;
        return null;
      end
      $$`,
  `
      create function public.remove_vendor_from_tasks() returns trigger language plpgsql ${SETTINGS} as $$
      -- Removes a vendor from the tasks that name it before it is deleted, each with its event and version. The vendor is locked
      -- already, so that no other task can name it.
      begin
        -- An erase deletes the rows of each table by itself.
        if coalesce(current_setting('app.erase', true), '') = old.company_id::text and public.is_erasing(tg_relid) then
          return old;
        end if;
        update public.task t set vendors = array_remove(t.vendors, old.unique_id), version = t.version + 1, updated_at = now(),
          updated_by_id = nullif(current_setting('app.user', true), '')::uuid
        from public.task_vendor named
        where named.company_id = old.company_id and named.vendor_id = old.unique_id
          and t.company_id = named.company_id and t.unique_id = named.task_id;
        return old;
      end
      $$`,
];

/** Written by hand: times of the past in a demo company. */
const DEMO_FUNCTIONS = [
  `
      create function public.is_setting_demo_time(of_table oid) returns boolean language plpgsql stable ${SETTINGS} as $$
      -- True while the owner of the table sets times in a demo company (set_demo_time). The role of the service can set app.demo_time
      -- too, which changes nothing, as it owns no table.
      begin
        return coalesce(current_setting('app.demo_time', true), '') <> ''
          and (select pg_has_role(t.relowner, 'usage') from pg_class t where t.oid = of_table)
          and exists (select from public.company c
            where c.id = nullif(current_setting('app.company', true), '')::int and c.is_demo);
      end
      $$`,
  `
      create or replace function public.forbid_statement() returns trigger language plpgsql ${SETTINGS} as $$
      begin
        if tg_op = 'DELETE' and public.is_erasing(tg_relid) then
          return null;
        end if;
        if tg_op = 'UPDATE' and tg_relid = 'public.audit_event'::regclass and public.is_setting_demo_time(tg_relid) then
          return null;
        end if;
        raise exception '% on % is forbidden', tg_op, tg_table_name using errcode = 'insufficient_privilege';
      end
      $$`,
  `
      create function public.set_demo_time(at timestamptz) returns int language plpgsql security definer ${SETTINGS}
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
        -- A review has its time as text (vendor.review).
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
            array_agg(distinct case when m.resource_type in ('task', 'vendor', 'comment', 'evidence') then m.resource_id::uuid end),
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
      $$`,
];

/** Written by hand: setting times in a demo company writes no events. */
const AUDIT_ROW = `
      create or replace function public.audit_row() returns trigger language plpgsql ${SETTINGS} as $$
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
      begin
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

        insert into public.audit_event
          (company_id, unique_id, occurred_at, user_id, user_kind, api_key_id, action, resource_type, resource_id, changes,
           request_id, framework_id, parent_type, parent_id)
        values (session_company::int, public.uuid_v7(), now(), acting_user::uuid,
          (select u.kind from public.company_user u
            where u.company_id = session_company::int and u.unique_id = acting_user::uuid),
          session_api_key, tg_argv[0] || '.' || verb,
          tg_argv[0], row_data->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((row_data->>framework_column)::int, 0), parent_type, parent_id);
        return null;
      end
      $$`;

export class Migration20261127151724_vendor_register extends Migration {
  override name = 'Migration20261127151724_vendor_register';

  override up(): void | Promise<void> {
    for (const sql of [...VENDORS_OF_TASKS, ...DEMO_FUNCTIONS, AUDIT_ROW]) this.addSql(sql);
    this.addSql(
      `create table "task_vendor" ("company_id" int not null, "vendor_id" uuid not null, "task_id" uuid not null, primary key ("company_id", "vendor_id", "task_id"));`,
    );
    this.addSql(`create index "task_vendor_by_task" on "task_vendor" ("company_id", "task_id");`);

    this.addSql(`drop trigger if exists "company_forbid" on "company";`);
    this.addSql(`drop function if exists "company_company_forbid_fn"();`);
    this.addSql(`alter table "company" add "is_demo" boolean not null default false;`);
    this.addSql(
      `create trigger company_forbid before update of is_demo or delete or truncate on company for each statement execute function forbid_statement();`,
    );

    this.addSql(`drop trigger if exists "task_audit" on "task";`);
    this.addSql(`drop function if exists "task_task_audit_fn"();`);
    this.addSql(
      `alter table "task" add "vendors" uuid[] not null default '{}', add "recurrence" varchar(500) null, add "previous" uuid null, add "next_id" uuid null, add "series_id" uuid null;`,
    );
    this.addSql(`alter table "task" add constraint "task_vendors_max" check (cardinality(vendors) <= 20) not valid;`);
    this.addSql(
      `alter table "task" add constraint "task_recurrence_has_due_date" check (recurrence IS NULL OR due_date IS NOT NULL) not valid;`,
    );
    this.addSql(
      `create trigger task_vendors_insert after insert on task for each row when (new.vendors <> '{}') execute function keep_task_vendors();`,
    );
    this.addSql(
      `create trigger task_vendors_update after update on task for each row when (new.vendors <> old.vendors) execute function keep_task_vendors();`,
    );
    this.addSql(
      `create trigger task_audit after insert or update or delete on task for each row execute function audit_row('task', 'unique_id', '{next_id,series_id}', '{}', 'framework_id');`,
    );

    this.addSql(`drop trigger if exists "vendor_audit" on "vendor";`);
    this.addSql(`drop function if exists "vendor_vendor_audit_fn"();`);
    this.addSql(
      `alter table "vendor" add "website" varchar(2048) null, add "criticality" int null, add "owner_id" uuid null, add "labels" varchar(50)[] not null default '{}', add "data_categories" varchar(50)[] not null default '{}', add "contract_start" date null, add "contract_end" date null, add "review_every_months" int null, add "next_review" date null, add "contacts" jsonb not null default '[]', add "last_review" jsonb null;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_company_id_owner_id_foreign" foreign key ("company_id", "owner_id") references "member" ("company_id", "unique_id") on update no action on delete no action not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_criticality" check (criticality >= 1 AND criticality <= 4) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_labels" check (cardinality(labels) <= 20 AND array_position(labels, NULL::varchar) IS NULL AND ''::text <> ALL (labels::text[])) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_data_categories" check (cardinality(data_categories) <= 20 AND array_position(data_categories, NULL::varchar) IS NULL AND ''::text <> ALL (data_categories::text[])) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_contract_start" check (contract_start >= '1900-01-01'::date AND contract_start <= '2999-12-31'::date) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_contract_end" check (contract_end >= '1900-01-01'::date AND contract_end <= '2999-12-31'::date) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_next_review" check (next_review >= '1900-01-01'::date AND next_review <= '2999-12-31'::date) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_contract_end_not_before_contract_start" check (contract_end >= contract_start) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_review_every_months" check (review_every_months >= 1 AND review_every_months <= 60) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_contacts_max" check (jsonb_array_length(contacts) <= 20) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_last_review" check (last_review ?& ARRAY['at'::text, 'by'::text, 'note'::text]) not valid;`,
    );
    this.addSql(
      `create trigger vendor_leave_tasks before delete on vendor for each row execute function remove_vendor_from_tasks();`,
    );
    this.addSql(
      `create trigger vendor_audit after insert or update or delete on vendor for each row execute function audit_row('vendor', 'unique_id', '{}', '{"last_review":"review"}');`,
    );

    this.addSql(
      `alter table "task_vendor" add constraint "task_vendor_company_id_vendor_id_foreign" foreign key ("company_id", "vendor_id") references "vendor" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "task_vendor" add constraint "task_vendor_company_id_task_id_foreign" foreign key ("company_id", "task_id") references "task" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(`alter table "task_vendor" enable row level security;`);
    this.addSql(`alter table "task_vendor" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "task_vendor" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "task_vendor" cascade;`);

    this.addSql(`alter table "vendor" drop constraint "vendor_company_id_owner_id_foreign";`);

    this.addSql(`drop trigger if exists "company_forbid" on "company";`);
    this.addSql(`drop function if exists "company_company_forbid_fn"();`);
    this.addSql(`alter table "company" drop column "is_demo";`);
    this.addSql(
      `create trigger company_forbid before delete or truncate on company for each statement execute function forbid_statement();`,
    );

    this.addSql(`drop index "task_by_series";`);
    this.addSql(`alter table "task" drop constraint "task_vendors_max";`);
    this.addSql(`alter table "task" drop constraint "task_recurrence_has_due_date";`);
    this.addSql(`drop trigger if exists "task_vendors_insert" on "task";`);
    this.addSql(`drop function if exists "task_task_vendors_insert_fn"();`);
    this.addSql(`drop trigger if exists "task_vendors_update" on "task";`);
    this.addSql(`drop function if exists "task_task_vendors_update_fn"();`);
    this.addSql(`drop trigger if exists "task_audit" on "task";`);
    this.addSql(`drop function if exists "task_task_audit_fn"();`);
    this.addSql(
      `alter table "task" drop column "vendors", drop column "recurrence", drop column "previous", drop column "next_id", drop column "series_id";`,
    );
    this.addSql(
      `create trigger task_audit after insert or update or delete on task for each row execute function audit_row('task', 'unique_id', '{}', '{}', 'framework_id');`,
    );

    this.addSql(`drop index "vendor_by_update";`);
    this.addSql(`drop index "vendor_by_criticality";`);
    this.addSql(`drop index "vendor_by_next_review";`);
    this.addSql(`drop index "vendor_by_contract_end";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_criticality";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_labels";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_data_categories";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_contract_start";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_contract_end";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_next_review";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_contract_end_not_before_contract_start";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_review_every_months";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_contacts_max";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_last_review";`);
    this.addSql(`drop trigger if exists "vendor_leave_tasks" on "vendor";`);
    this.addSql(`drop function if exists "vendor_vendor_leave_tasks_fn"();`);
    this.addSql(`drop trigger if exists "vendor_audit" on "vendor";`);
    this.addSql(`drop function if exists "vendor_vendor_audit_fn"();`);
    this.addSql(
      `alter table "vendor" drop column "website", drop column "criticality", drop column "owner_id", drop column "labels", drop column "data_categories", drop column "contract_start", drop column "contract_end", drop column "review_every_months", drop column "next_review", drop column "contacts", drop column "last_review";`,
    );
    this.addSql(`create index "vendor_by_updated_at" on "vendor" ("company_id", "updated_at");`);
    this.addSql(
      `create trigger vendor_audit after insert or update or delete on vendor for each row execute function audit_row('vendor', 'unique_id', '{}', '{}');`,
    );
    this.addSql('drop function public.keep_task_vendors();');
    this.addSql('drop function public.remove_vendor_from_tasks();');
    this.addSql('drop function public.set_demo_time(timestamptz)');
    this.addSql('drop function public.is_setting_demo_time(oid)');
  }
}
