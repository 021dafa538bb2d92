import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Written by hand. The triggers below need them. */
const FUNCTIONS = [
  `
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
          (company_id, unique_id, occurred_at, user_id, api_key_id, action, resource_type, resource_id, changes, request_id,
           framework_id, parent_type, parent_id)
        values (session_company::int, public.uuid_v7(), now(), acting_user::uuid, session_api_key, tg_argv[0] || '.' || verb,
          tg_argv[0], row_data->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((row_data->>framework_column)::int, 0), parent_type, parent_id);
        return null;
      end
      $$`,
  `
      create function public.limit_children() returns trigger language plpgsql ${SETTINGS} as $$
      -- Rejects a new row if the row that it belongs to has the maximum number. Argument: {column with its id: maximum}. The lock
      -- makes concurrent transactions wait, as they do not see the rows of each other. Each query then sees what was committed.
      declare
        parent record;
        parent_id uuid;
        total int;
      begin
        for parent in select p.key as column_name, p.value::int as max_rows from jsonb_each_text(tg_argv[0]::jsonb) p loop
          parent_id := to_jsonb(new)->>parent.column_name;
          if parent_id is not null then
            perform pg_advisory_xact_lock(hashtextextended(tg_table_name || ' ' || parent_id, 0));
            execute format('select count(*) from (select from public.%I c where c.company_id = $1 and c.%I = $2 limit $3) c',
              tg_table_name, parent.column_name) into total using new.company_id, parent_id, parent.max_rows;
            if total = parent.max_rows then
              raise exception '% on %: the row that it belongs to has % already', tg_op, tg_table_name, total
                using errcode = 'check_violation', constraint = tg_table_name || '_max';
            end if;
          end if;
        end loop;
        return new;
      end
      $$`,
  `
      create function public.entity_tag(of_company int, version int, created_by uuid, updated_by uuid, people uuid[])
      returns text language plpgsql stable ${SETTINGS} as $$
      -- Entity tag of an object that shows further people: as without them if there are none.
      begin
        return version || '-' || left(encode(sha256(convert_to((
          select string_agg(u.name, e'\\n' order by one.position)
          from unnest(array[created_by, updated_by] || people) with ordinality one(id, position)
          join public.company_user u on u.company_id = of_company and u.unique_id = one.id), 'UTF8')), 'hex'), 8);
      end
      $$`,
];

/**
 * Tasks have an assignee, and tasks and vendors comments. Events have the resource to which the changed one belongs. Entity tags cover
 * the names of all people whom an object shows. Members save views.
 */
export class Migration20261126010050_work_owners extends Migration {
  override name = 'Migration20261126010050_work_owners';

  override up(): void | Promise<void> {
    for (const sql of FUNCTIONS) this.addSql(sql);
    this.addSql(
      `create table "comment" ("company_id" int not null, "unique_id" uuid not null, "task_id" uuid null, "vendor_id" uuid null, "text" varchar(10000) not null, "mentions" uuid[] not null default '{}', "framework_id" int not null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "created_by_id" uuid not null, "updated_by_id" uuid not null, "version" int not null default 1, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index comment_by_task on comment (company_id, task_id, unique_id) where task_id is not null;`);
    this.addSql(
      `create index comment_by_vendor on comment (company_id, vendor_id, unique_id) where vendor_id is not null;`,
    );

    this.addSql(
      `create table "view" ("company_id" int not null, "unique_id" uuid not null, "member_id" uuid not null, "name" varchar(255) not null, "page" text not null, "query" varchar(2000) not null, "shared" boolean not null default false, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index "view_by_member" on "view" ("company_id", "member_id");`);

    this.addSql(`alter table "company" add "time_zone" varchar(64) not null default 'UTC';`);

    this.addSql(`alter table "task" add "assignee_id" uuid null;`);
    this.addSql(
      `alter table "task" add constraint "task_company_id_assignee_id_foreign" foreign key ("company_id", "assignee_id") references "member" ("company_id", "unique_id") on update no action on delete no action not valid;`,
    );
    this.addSql(
      `create trigger task_delete_children before delete on task for each row execute function delete_children('{"comment":"task_id"}');`,
    );

    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text, 'webhook:manage'::text, 'member:read'::text]) not valid;`,
    );

    this.addSql(`alter table "audit_event" add "parent_type" varchar(20) null, add "parent_id" varchar(36) null;`);

    this.addSql(
      `create trigger vendor_delete_children before delete on vendor for each row execute function delete_children('{"comment":"vendor_id"}');`,
    );

    this.addSql(
      `alter table "comment" add constraint "comment_company_id_task_id_foreign" foreign key ("company_id", "task_id") references "task" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(
      `alter table "comment" add constraint "comment_company_id_vendor_id_foreign" foreign key ("company_id", "vendor_id") references "vendor" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(
      `alter table "comment" add constraint "comment_one_parent" check (num_nonnulls(task_id, vendor_id) = 1);`,
    );
    this.addSql(`alter table "comment" add constraint "comment_text_not_empty" check (text::text <> ''::text);`);
    this.addSql(
      `alter table "comment" add constraint "comment_mentions" check (cardinality(mentions) <= 20 AND array_position(mentions, NULL::uuid) IS NULL);`,
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
    this.addSql(`alter table "comment" enable row level security;`);
    this.addSql(`alter table "comment" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "comment" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "view" add constraint "view_company_id_member_id_foreign" foreign key ("company_id", "member_id") references "member" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "view" add constraint "view_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(`alter table "view" add constraint "view_page_check" check ("page" in ('tasks', 'vendors', 'audit'));`);
    this.addSql(`alter table "view" enable row level security;`);
    this.addSql(`alter table "view" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "view" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }

  override down(): void | Promise<void> {
    // The columns of audit_event stay: audit_row writes them.
    this.addSql(`drop trigger if exists "comment_audit" on "comment";`);
    this.addSql(`drop trigger if exists "comment_forbid_update" on "comment";`);
    this.addSql(`drop trigger if exists "comment_inherit_framework" on "comment";`);
    this.addSql(`drop trigger if exists "comment_limit_children" on "comment";`);
    this.addSql(`drop table if exists "comment" cascade;`);
    this.addSql(`drop table if exists "view" cascade;`);

    this.addSql(`alter table "task" drop constraint "task_company_id_assignee_id_foreign";`);

    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text, 'webhook:manage'::text]);`,
    );

    this.addSql(`drop index "audit_event_by_parent";`);

    this.addSql(`alter table "company" drop column "time_zone";`);

    this.addSql(`drop index "task_by_assignee";`);
    this.addSql(`drop trigger if exists "task_delete_children" on "task";`);
    this.addSql(`alter table "task" drop column "assignee_id";`);

    this.addSql(`drop trigger if exists "vendor_delete_children" on "vendor";`);
    this.addSql('drop function public.limit_children()');
    this.addSql('drop function public.entity_tag(int, int, uuid, uuid, uuid[])');
  }
}
