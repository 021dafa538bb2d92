import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Written by hand: the functions of the end of a company. The triggers below need them. */
const ERASE_FUNCTIONS = [
  `
      create function public.is_erasing(of_table oid) returns boolean language plpgsql stable ${SETTINGS} as $$
      -- True in a transaction of the owner of the table that erases a company: app.erase names it, and it is closed. The role of the
      -- service can set app.erase too, which changes nothing, as it owns no table.
      declare
        erased constant text := nullif(current_setting('app.erase', true), '');
      begin
        if erased is null then
          return false;
        end if;
        return (select pg_has_role(t.relowner, 'usage') from pg_class t where t.oid = of_table)
          and exists (select from public.company c
            where c.id = erased::int and c.closed_at is not null and c.erasing_at is not null);
      end
      $$`,
  `
      create or replace function public.forbid_statement() returns trigger language plpgsql ${SETTINGS} as $$
      begin
        if tg_op = 'DELETE' and public.is_erasing(tg_relid) then
          return null;
        end if;
        raise exception '% on % is forbidden', tg_op, tg_table_name using errcode = 'insufficient_privilege';
      end
      $$`,
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
        -- The owner of the table erases a company: nothing of it stays, nor do its events.
        if tg_op = 'DELETE' and coalesce(current_setting('app.erase', true), '') = to_jsonb(old)->>'company_id'
            and public.is_erasing(tg_relid) then
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
          (company_id, unique_id, occurred_at, user_id, api_key_id, action, resource_type, resource_id, changes, request_id,
           framework_id, parent_type, parent_id)
        values (session_company::int, public.uuid_v7(), now(), acting_user::uuid, session_api_key, tg_argv[0] || '.' || verb,
          tg_argv[0], row_data->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((row_data->>framework_column)::int, 0), parent_type, parent_id);
        return null;
      end
      $$`,
  `
      create or replace function public.delete_children() returns trigger language plpgsql ${SETTINGS} as $$
      -- Deletes the rows that belong to a row before it is deleted, so that their events come first. The row is locked already,
      -- so that no other one can join. Argument: {table: column with the id of the row}.
      declare
        child record;
      begin
        -- An erase deletes the rows of each table by itself.
        if coalesce(current_setting('app.erase', true), '') = old.company_id::text and public.is_erasing(tg_relid) then
          return old;
        end if;
        for child in select c.key as table_name, c.value as column_name from jsonb_each_text(tg_argv[0]::jsonb) c loop
          execute format('delete from public.%I where company_id = $1 and %I = $2', child.table_name, child.column_name)
            using old.company_id, old.unique_id;
        end loop;
        return old;
      end
      $$`,
  `
      create function public.notify_company_closed() returns trigger language plpgsql ${SETTINGS} as $$
      -- Invalidates the cached keys of the company in every process.
      begin
        perform pg_notify('api_key_changed', new.id::text);
        return null;
      end
      $$`,
];

export class Migration20261127075841_personal_data extends Migration {
  override name = 'Migration20261127075841_personal_data';

  override up(): void | Promise<void> {
    for (const sql of ERASE_FUNCTIONS) this.addSql(sql);
    this.addSql(
      `create table "erased_company" ("id" int not null, "erased_at" timestamptz(3) not null default now(), "sequence" bigint not null, "hash" varchar(64) not null, primary key ("id"));`,
    );

    this.addSql(`create table "rewrite_request" ("scope" text not null, primary key ("scope"));`);

    this.addSql(
      `create table "identity" ("company_id" int not null, "identity" varchar(64) not null, "member_id" uuid not null, "event_id" bigint not null, "salt" varchar(32) not null, "name" varchar(255) not null, "email" varchar(254) not null, primary key ("company_id", "identity"));`,
    );
    this.addSql(`create index "identity_by_member" on "identity" ("company_id", "member_id", "event_id");`);

    this.addSql(`drop trigger if exists "company_audit" on "company";`);
    this.addSql(`drop function if exists "company_company_audit_fn"();`);
    this.addSql(`alter table "company" add "closed_at" timestamptz(3) null, add "erasing_at" timestamptz(3) null;`);
    this.addSql(
      `alter table "company" add constraint "company_erasing_is_closed" check (erasing_at IS NULL OR closed_at IS NOT NULL) not valid;`,
    );
    this.addSql(
      `create trigger company_notify after update on company for each row when (old.closed_at is distinct from new.closed_at) execute function notify_company_closed();`,
    );
    this.addSql(
      `create trigger company_audit after insert or update on company for each row execute function audit_row('company', 'id', '{erasing_at}', '{}');`,
    );

    this.addSql(`drop trigger if exists "invitation_forbid" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_forbid_fn"();`);
    this.addSql(`drop trigger if exists "invitation_audit" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_audit_fn"();`);
    this.addSql(`alter table "invitation" add "identity" varchar(64) null, add "salt" varchar(32) null;`);
    this.addSql(
      `alter table "invitation" add constraint "invitation_identity" check ((identity IS NULL) = (salt IS NULL)) not valid;`,
    );
    this.addSql(
      `create trigger invitation_forbid_update before update of email or truncate on invitation for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger invitation_audit after insert or update on invitation for each row execute function audit_row('invitation', 'unique_id', '{email,salt,token_hash,used_at}', '{"revoked_at":"revoke"}');`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "invitation" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(`drop trigger if exists "person_forbid" on "person";`);
    this.addSql(`drop function if exists "person_person_forbid_fn"();`);
    this.addSql(
      `create trigger person_forbid_update before update of unique_id or truncate on person for each statement execute function forbid_statement();`,
    );

    this.addSql(`drop trigger if exists "member_audit" on "member";`);
    this.addSql(`drop function if exists "member_member_audit_fn"();`);
    this.addSql(`alter table "member" add "identity" varchar(64) null, add "forgotten_at" timestamptz(3) null;`);
    this.addSql(
      `-- Processes of the version before join the person, so their lists leave such members out.
      -- squawk-ignore ban-drop-not-null
      alter table "member" alter column "person_id" drop not null;`,
    );
    this.addSql(
      `alter table "member" add constraint "member_identity_sha256" check (identity::text ~ '^[0-9a-f]{64}$'::text) not valid;`,
    );
    this.addSql(
      `alter table "member" add constraint "member_active_has_person" check (ended_at IS NOT NULL OR person_id IS NOT NULL) not valid;`,
    );
    this.addSql(
      `alter table "member" add constraint "member_forgotten" check (forgotten_at IS NULL OR ended_at IS NOT NULL AND person_id IS NULL AND single_sign_on IS NULL) not valid;`,
    );
    this.addSql(
      `create trigger member_audit after insert or update or delete on member for each row execute function audit_row('member', 'unique_id', '{person_id,single_sign_on_subject}', '{"ended_at":"delete","forgotten_at":"forget"}');`,
    );

    this.addSql(`alter table "erased_company" add constraint "erased_company_sequence" check (sequence > 0);`);
    this.addSql(
      `alter table "erased_company" add constraint "erased_company_hash" check (hash::text ~ '^[0-9a-f]{64}$'::text);`,
    );
    this.addSql(
      `create trigger erased_company_forbid before update or delete or truncate on erased_company for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "erased_company" enable row level security;`);
    this.addSql(`alter table "erased_company" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "erased_company" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "rewrite_request" add constraint "rewrite_request_scope_check" check ("scope" in ('people', 'all'));`,
    );

    this.addSql(
      `alter table "identity" add constraint "identity_company_id_member_id_foreign" foreign key ("company_id", "member_id") references "member" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "identity" add constraint "identity_sha256" check (identity::text ~ '^[0-9a-f]{64}$'::text);`,
    );
    this.addSql(`alter table "identity" enable row level security;`);
    this.addSql(`alter table "identity" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "identity" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "identity" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger if exists "erased_company_forbid" on "erased_company";`);
    this.addSql(`drop function if exists "erased_company_erased_company_forbid_fn"();`);
    this.addSql(`drop table if exists "erased_company" cascade;`);
    this.addSql(`drop table if exists "rewrite_request" cascade;`);
    this.addSql(`drop table if exists "identity" cascade;`);

    this.addSql(`drop policy "delete_all_companies" on "invitation";`);

    this.addSql(`alter table "company" drop constraint "company_erasing_is_closed";`);
    this.addSql(`drop trigger if exists "company_notify" on "company";`);
    this.addSql(`drop function if exists "company_company_notify_fn"();`);
    this.addSql(`drop trigger if exists "company_audit" on "company";`);
    this.addSql(`drop function if exists "company_company_audit_fn"();`);
    this.addSql('drop function public.notify_company_closed()');
    this.addSql(`alter table "company" drop column "closed_at", drop column "erasing_at";`);
    this.addSql(
      `create trigger company_audit after insert or update or delete on company for each row execute function audit_row('company', 'id', '{}', '{}');`,
    );

    this.addSql(`alter table "invitation" drop constraint "invitation_identity";`);
    this.addSql(`drop trigger if exists "invitation_forbid_update" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_forbid_update_fn"();`);
    this.addSql(`drop trigger if exists "invitation_audit" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_audit_fn"();`);
    this.addSql(`alter table "invitation" drop column "identity", drop column "salt";`);
    this.addSql(
      `create trigger invitation_forbid before delete or truncate on invitation for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger invitation_audit after insert or update or delete on invitation for each row execute function audit_row('invitation', 'unique_id', '{token_hash,used_at}', '{"revoked_at":"revoke"}');`,
    );

    this.addSql(`alter table "member" drop constraint "member_identity_sha256";`);
    this.addSql(`alter table "member" drop constraint "member_active_has_person";`);
    this.addSql(`alter table "member" drop constraint "member_forgotten";`);
    this.addSql(`drop trigger if exists "member_audit" on "member";`);
    this.addSql(`drop function if exists "member_member_audit_fn"();`);
    this.addSql(`alter table "member" drop column "identity", drop column "forgotten_at";`);
    this.addSql(`alter table "member" alter column "person_id" set not null;`);
    this.addSql(
      `create trigger member_audit after insert or update or delete on member for each row execute function audit_row('member', 'unique_id', '{single_sign_on_subject}', '{"ended_at":"delete"}');`,
    );

    this.addSql(`drop trigger if exists "person_forbid_update" on "person";`);
    this.addSql(`drop function if exists "person_person_forbid_update_fn"();`);
    this.addSql(
      `create trigger person_forbid before delete or truncate on person for each statement execute function forbid_statement();`,
    );
  }
}
