import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Written by hand: events have the kind of their user. */
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

export class Migration20261127104857_proofs extends Migration {
  override name = 'Migration20261127104857_proofs';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "signing_key" ("key_id" varchar(43) not null, "public_key" varchar(43) not null, "created_at" timestamptz(3) not null default now(), primary key ("key_id"));`,
    );

    this.addSql(
      `create table "proof" ("company_id" int not null, "unique_id" uuid not null, "period_start" timestamptz(3) null, "as_of" timestamptz(3) not null, "frameworks" int[] null, "evidence" boolean not null default true, "created_at" timestamptz(3) not null default now(), "created_by_id" uuid not null, "state" text not null default 'queued', "attempts" int not null default 0, "started_at" timestamptz(3) null, "progress" int not null default 0, "lease_until" timestamptz(6) null, "ended_at" timestamptz(3) null, "reason" varchar(500) null, "file_id" uuid null, "size" bigint null, "sha256" varchar(64) null, "sequence" bigint null, "hash" varchar(64) null, "deleted_at" timestamptz(3) null, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index proof_open on proof (company_id, created_at) where state in ('queued', 'running');`);
    this.addSql(`create index "proof_by_ended_at" on "proof" ("ended_at");`);

    this.addSql(`alter table "file" add "large_size" bigint null, add "purpose" text not null default 'evidence';`);
    this.addSql(
      `alter table "file" add constraint "file_purpose_check" check ("purpose" in ('evidence', 'proof')) not valid;`,
    );

    this.addSql(`alter table "inbox_item" drop constraint "inbox_item_resource_type_check";`);
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_resource_type_check" check ("resource_type" in ('task', 'vendor', 'import', 'apiKey', 'webhook', 'proof')) not valid;`,
    );

    this.addSql(`alter table "audit_event" add "user_kind" varchar(20) null;`);
    this.addSql(AUDIT_ROW);

    this.addSql(`drop trigger if exists "webhook_audit" on "webhook";`);
    this.addSql(`drop function if exists "webhook_webhook_audit_fn"();`);
    this.addSql(
      `alter table "webhook" add "checkpoint_sequence" bigint null, add "checkpoint_at" timestamptz(3) null;`,
    );
    this.addSql(
      `create trigger webhook_audit after insert or update or delete on webhook for each row execute function audit_row('webhook', 'unique_id', '{secret,secret_changed_at,previous_secret,position,skip_after_id,skip_until_id,failing_since,checkpoint_sequence,checkpoint_at}', '{"secret_changed_at":"rotate"}');`,
    );

    this.addSql(
      `alter table "proof" add constraint "proof_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "proof" add constraint "proof_company_id_file_id_foreign" foreign key ("company_id", "file_id") references "file" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "proof" add constraint "proof_period" check (period_start <= as_of);`);
    this.addSql(`alter table "proof" add constraint "proof_frameworks" check (cardinality(frameworks) > 0);`);
    this.addSql(`alter table "proof" add constraint "proof_progress" check (progress >= 0 AND progress <= 100);`);
    this.addSql(
      `alter table "proof" add constraint "proof_ended_at" check ((state = ANY (ARRAY['done'::text, 'failed'::text])) = (ended_at IS NOT NULL));`,
    );
    this.addSql(
      `alter table "proof" add constraint "proof_reason" check ((state = 'failed'::text) = (reason IS NOT NULL));`,
    );
    this.addSql(
      `alter table "proof" add constraint "proof_result" check (num_nonnulls(file_id, size, sha256, sequence, hash) = CASE WHEN state = 'done'::text THEN 5 ELSE 0 END);`,
    );
    this.addSql(`alter table "proof" add constraint "proof_sha256" check (sha256::text ~ '^[0-9a-f]{64}$'::text);`);
    this.addSql(
      `alter table "proof" add constraint "proof_state_check" check ("state" in ('queued', 'running', 'done', 'failed'));`,
    );
    this.addSql(
      `create trigger proof_audit after insert or update on proof for each row execute function audit_row('proof', 'unique_id', '{state,attempts,started_at,progress,lease_until,ended_at,reason,file_id,size,sha256,sequence,hash,deleted_at}', '{"deleted_at":"delete"}');`,
    );
    this.addSql(
      `create trigger proof_forbid_update before update of unique_id or truncate on proof for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger proof_file_uses after insert or update of file_id or delete on proof for each row execute function count_file_uses();`,
    );
    this.addSql(`alter table "proof" enable row level security;`);
    this.addSql(`alter table "proof" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "proof" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "proof" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "proof" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "signing_key" cascade;`);
    this.addSql(`drop trigger if exists "proof_audit" on "proof";`);
    this.addSql(`drop function if exists "proof_proof_audit_fn"();`);
    this.addSql(`drop trigger if exists "proof_forbid_update" on "proof";`);
    this.addSql(`drop function if exists "proof_proof_forbid_update_fn"();`);
    this.addSql(`drop trigger if exists "proof_file_uses" on "proof";`);
    this.addSql(`drop function if exists "proof_proof_file_uses_fn"();`);
    this.addSql(`drop table if exists "proof" cascade;`);

    this.addSql(`alter table "audit_event" drop column "user_kind";`);

    this.addSql(`alter table "file" drop constraint "file_purpose_check";`);
    this.addSql(`alter table "file" drop column "large_size", drop column "purpose";`);

    this.addSql(`alter table "inbox_item" drop constraint "inbox_item_resource_type_check";`);
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_resource_type_check" check ("resource_type" in ('task', 'vendor', 'import', 'apiKey', 'webhook'));`,
    );

    this.addSql(`drop trigger if exists "webhook_audit" on "webhook";`);
    this.addSql(`drop function if exists "webhook_webhook_audit_fn"();`);
    this.addSql(`alter table "webhook" drop column "checkpoint_sequence", drop column "checkpoint_at";`);
    this.addSql(
      `create trigger webhook_audit after insert or update or delete on webhook for each row execute function audit_row('webhook', 'unique_id', '{secret,secret_changed_at,previous_secret,position,skip_after_id,skip_until_id,failing_since}', '{"secret_changed_at":"rotate"}');`,
    );
  }
}
