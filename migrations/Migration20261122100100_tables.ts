import { Migration } from '@mikro-orm/migrations';

/** Tables, indexes, constraints, triggers and row-level security, as generated from the entities. */
export class Migration20261122100100_tables extends Migration {
  override name = 'Migration20261122100100_tables';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "company" ("id" serial primary key, "name" varchar(255) not null, "leaked_keys" text not null default 'disable', "created_at" timestamptz(3) not null default now());`,
    );

    this.addSql(
      `create table "audit_watermark" ("company_id" int not null, "watermark" bigint not null default 0, "candidate" bigint not null default 0, "candidate_xid" xid8 not null default '0', primary key ("company_id"));`,
    );

    this.addSql(
      `create table "audit_seal" ("company_id" int not null, "seq" bigint not null, "event_id" bigint not null, "hash" bytea not null, primary key ("company_id", "seq"));`,
    );
    this.addSql(`alter table "audit_seal" add constraint "audit_seal_event_unique" unique ("company_id", "event_id");`);

    this.addSql(
      `create table "department" ("company_id" int not null, "id" serial not null, "name" varchar(255) not null, "archived_at" timestamptz(3) null, primary key ("company_id", "id"));`,
    );

    this.addSql(
      `create table "framework" ("company_id" int not null, "id" serial not null, "name" varchar(255) not null, "archived_at" timestamptz(3) null, primary key ("company_id", "id"));`,
    );

    this.addSql(
      `create table "gap" ("company_id" int not null, "id" serial not null, "framework_id" int not null, "title" varchar(255) not null, "archived_at" timestamptz(3) null, primary key ("company_id", "id"));`,
    );

    this.addSql(`create table "secret" ("name" varchar(50) not null, "value" bytea not null, primary key ("name"));`);

    this.addSql(
      `create table "task_count" ("company_id" int not null, "framework_id" int not null, "slot" smallint not null, "tasks" int not null, primary key ("company_id", "framework_id", "slot"));`,
    );

    this.addSql(
      `create table "company_user" ("company_id" int not null, "unique_id" uuid not null, "kind" text not null, "name" varchar(255) not null, "created_at" timestamptz(3) not null default now(), primary key ("company_id", "unique_id"));`,
    );

    this.addSql(
      `create table "task" ("company_id" int not null, "unique_id" uuid not null, "framework_id" int not null, "title" varchar(255) not null, "description" varchar(20000) not null default '', "priority" smallint not null default 3, "labels" varchar(50)[] not null default '{}', "start_date" date null, "due_date" date null, "department_id" int null, "gaps" int[] not null default '{}', "status" text not null default 'todo', "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "created_by_id" uuid not null, "updated_by_id" uuid not null, "version" int not null default 1, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index task_by_framework on task (company_id, framework_id, unique_id)
  include (status, priority, department_id, due_date, updated_at);`);
    this.addSql(`create index "task_by_updated_at" on "task" ("company_id", "framework_id", "updated_at");`);

    this.addSql(
      `create table "api_key" ("company_id" int not null, "unique_id" uuid not null, "user_id" uuid not null, "name" varchar(255) not null, "hash" bytea not null, "previous_hash" bytea null, "previous_hash_expires_at" timestamptz(3) null, "start" varchar(16) not null, "last4" varchar(4) not null, "scopes" text[] not null default '{task:read,task:write,task:delete,vendor:read,vendor:write,vendor:delete,audit:read}', "frameworks" int[] null, "cidrs" text[] null, "enabled" boolean not null default true, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "leaked_at" timestamptz(3) null, "leaked_url" varchar(2048) null, "created_at" timestamptz(3) not null default now(), primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`alter table "api_key" add constraint "api_key_user_unique" unique ("company_id", "user_id");`);
    this.addSql(`alter table "api_key" add constraint "api_key_hash_unique" unique ("hash");`);
    this.addSql(`alter table "api_key" add constraint "api_key_previous_hash_unique" unique ("previous_hash");`);

    this.addSql(
      `create table "idempotency_record" ("company_id" int not null, "api_key_id" uuid not null, "key_hash" bytea not null, "fingerprint" bytea not null, "status" smallint not null, "headers" jsonb not null, "body" text null, "created_at" timestamptz(3) not null default now(), primary key ("company_id", "api_key_id", "key_hash"));`,
    );
    this.addSql(`create index "idempotency_record_by_created_at" on "idempotency_record" ("created_at");`);

    this.addSql(
      `create table "audit_event" ("company_id" int not null, "id" bigserial not null, "unique_id" uuid not null, "occurred_at" timestamptz(3) not null, "user_id" uuid not null, "api_key_id" uuid null, "action" varchar(50) not null, "resource_type" varchar(20) not null, "resource_id" varchar(36) not null, "framework_id" int not null default 0, "changes" jsonb not null, "request_id" varchar(128) not null, primary key ("company_id", "id"));`,
    );
    this.addSql(`create index "audit_event_by_time" on "audit_event" ("company_id", "occurred_at", "id");`);
    this.addSql(
      `create index "audit_event_by_resource" on "audit_event" ("company_id", "resource_type", "resource_id", "id");`,
    );
    this.addSql(`create index "audit_event_by_user" on "audit_event" ("company_id", "user_id", "occurred_at", "id");`);
    this.addSql(`create index "audit_event_by_action" on "audit_event" ("company_id", "action", "occurred_at", "id");`);
    this.addSql(
      `create index "audit_event_by_framework" on "audit_event" ("company_id", "framework_id", "occurred_at", "id");`,
    );

    this.addSql(
      `create table "vendor" ("company_id" int not null, "unique_id" uuid not null, "name" varchar(255) collate "C" not null, "status" text not null default 'active', "description" varchar(20000) not null default '', "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "created_by_id" uuid not null, "updated_by_id" uuid not null, "version" int not null default 1, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index "vendor_by_name" on "vendor" ("company_id", "name", "unique_id");`);

    this.addSql(`alter table "company" add constraint "company_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(
      `alter table "company" add constraint "company_leaked_keys_check" check ("leaked_keys" in ('disable', 'report'));`,
    );
    this.addSql(
      `create trigger company_audit after insert or update or delete on company for each row execute function audit_row('company', 'id', '{}', '{}');`,
    );
    this.addSql(
      `create trigger company_forbid before delete or truncate on company for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "company" enable row level security;`);
    this.addSql(`alter table "company" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "company" using ((id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "company" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "audit_watermark" add constraint "audit_watermark_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `create trigger audit_watermark_forbid before delete or truncate on audit_watermark for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "audit_watermark" enable row level security;`);
    this.addSql(`alter table "audit_watermark" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "audit_watermark" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "audit_watermark" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(`alter table "audit_seal" add constraint "audit_seal_seq" check (seq > 0);`);
    this.addSql(`alter table "audit_seal" add constraint "audit_seal_hash_sha256" check (octet_length(hash) = 32);`);
    this.addSql(
      `create trigger audit_seal_forbid before update or delete or truncate on audit_seal for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "audit_seal" enable row level security;`);
    this.addSql(`alter table "audit_seal" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "audit_seal" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "department" add constraint "department_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action;`,
    );
    this.addSql(`alter table "department" add constraint "department_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(
      `create trigger department_audit after insert or update or delete on department for each row execute function audit_row('department', 'id', '{}', '{}');`,
    );
    this.addSql(
      `create trigger department_forbid before delete or truncate on department for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "department" enable row level security;`);
    this.addSql(`alter table "department" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "department" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "framework" add constraint "framework_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action;`,
    );
    this.addSql(`alter table "framework" add constraint "framework_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(
      `create trigger framework_audit after insert or update or delete on framework for each row execute function audit_row('framework', 'id', '{}', '{}');`,
    );
    this.addSql(
      `create trigger framework_forbid before delete or truncate on framework for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "framework" enable row level security;`);
    this.addSql(`alter table "framework" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "framework" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "gap" add constraint "gap_company_id_framework_id_foreign" foreign key ("company_id", "framework_id") references "framework" ("company_id", "id") on update no action;`,
    );
    this.addSql(`alter table "gap" add constraint "gap_title_not_empty" check (title::text <> ''::text);`);
    this.addSql(
      `create trigger gap_audit after insert or update or delete on gap for each row execute function audit_row('gap', 'id', '{}', '{}');`,
    );
    this.addSql(
      `create trigger gap_forbid before delete or truncate on gap for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger gap_forbid_update before update of framework_id on gap for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "gap" enable row level security;`);
    this.addSql(`alter table "gap" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "gap" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "task_count" add constraint "task_count_company_id_framework_id_foreign" foreign key ("company_id", "framework_id") references "framework" ("company_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "task_count" enable row level security;`);
    this.addSql(`alter table "task_count" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "task_count" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "company_user" add constraint "company_user_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action;`,
    );
    this.addSql(
      `alter table "company_user" add constraint "company_user_kind_check" check ("kind" in ('human', 'integration'));`,
    );
    this.addSql(
      `create trigger company_user_forbid before delete or truncate on company_user for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger company_user_require_principal before insert or update on company_user for each row execute function require_principal();`,
    );
    this.addSql(`alter table "company_user" enable row level security;`);
    this.addSql(`alter table "company_user" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "company_user" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "task" add constraint "task_company_id_framework_id_foreign" foreign key ("company_id", "framework_id") references "framework" ("company_id", "id") on update no action;`,
    );
    this.addSql(
      `alter table "task" add constraint "task_company_id_department_id_foreign" foreign key ("company_id", "department_id") references "department" ("company_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "task" add constraint "task_title_not_empty" check (title::text <> ''::text);`);
    this.addSql(`alter table "task" add constraint "task_priority" check (priority >= 1 AND priority <= 4);`);
    this.addSql(
      `alter table "task" add constraint "task_labels" check (cardinality(labels) <= 20 AND array_position(labels, NULL::varchar) IS NULL AND ''::text <> ALL (labels::text[]));`,
    );
    this.addSql(`alter table "task" add constraint "task_gaps_max" check (cardinality(gaps) <= 100);`);
    this.addSql(
      `alter table "task" add constraint "task_start_date" check (start_date >= '1900-01-01'::date AND start_date <= '2999-12-31'::date);`,
    );
    this.addSql(
      `alter table "task" add constraint "task_due_date" check (due_date >= '1900-01-01'::date AND due_date <= '2999-12-31'::date);`,
    );
    this.addSql(
      `alter table "task" add constraint "task_due_date_not_before_start_date" check (due_date >= start_date);`,
    );
    this.addSql(
      `alter table "task" add constraint "task_status_check" check ("status" in ('todo', 'in_progress', 'in_review', 'done', 'not_applicable', 'canceled'));`,
    );
    this.addSql(
      `create trigger task_audit after insert or update or delete on task for each row execute function audit_row('task', 'unique_id', '{}', '{}');`,
    );
    this.addSql(
      `create trigger task_forbid_update before update of framework_id or truncate on task for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger task_count_insert after insert on task referencing new table as new_rows for each statement execute function update_task_count();`,
    );
    this.addSql(
      `create trigger task_count_delete after delete on task referencing old table as old_rows for each statement execute function update_task_count();`,
    );
    this.addSql(
      `create trigger task_gaps_insert after insert on task for each row when (new.gaps <> '{}') execute function check_task_gaps();`,
    );
    this.addSql(
      `create trigger task_gaps_update after update on task for each row when (new.gaps <> old.gaps) execute function check_task_gaps();`,
    );
    this.addSql(`alter table "task" enable row level security;`);
    this.addSql(`alter table "task" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "task" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "api_key" add constraint "api_key_company_id_user_id_foreign" foreign key ("company_id", "user_id") references "company_user" ("company_id", "unique_id") on update no action;`,
    );
    this.addSql(`alter table "api_key" add constraint "api_key_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(`alter table "api_key" add constraint "api_key_hash_sha256" check (octet_length(hash) = 32);`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_previous_hash_sha256" check (octet_length(previous_hash) = 32);`,
    );
    this.addSql(
      `alter table "api_key" add constraint "api_key_previous_hash_complete" check ((previous_hash IS NULL) = (previous_hash_expires_at IS NULL));`,
    );
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text]);`,
    );
    this.addSql(`alter table "api_key" add constraint "api_key_frameworks" check (cardinality(frameworks) > 0);`);
    this.addSql(`alter table "api_key" add constraint "api_key_cidrs" check (cardinality(cidrs) > 0);`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_leaked_url_requires_leaked_at" check (leaked_url IS NULL OR leaked_at IS NOT NULL);`,
    );
    this.addSql(
      `create trigger api_key_audit after insert or update or delete on api_key for each row execute function audit_row('apiKey', 'unique_id', '{hash,previous_hash,last_used_at}', '{"revoked_at":"revoke","hash":"rotate"}');`,
    );
    this.addSql(
      `create trigger api_key_forbid before delete or truncate on api_key for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger api_key_frameworks_check after insert or update on api_key for each row execute function check_api_key_frameworks();`,
    );
    this.addSql(
      `create trigger api_key_notify after update on api_key for each row execute function notify_api_key_changed();`,
    );
    this.addSql(`alter table "api_key" enable row level security;`);
    this.addSql(`alter table "api_key" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "api_key" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "api_key" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "update_all_companies" on "api_key" for update using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_company_id_api_key_id_foreign" foreign key ("company_id", "api_key_id") references "api_key" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_key_hash_sha256" check (octet_length(key_hash) = 32);`,
    );
    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_fingerprint_sha256" check (octet_length(fingerprint) = 32);`,
    );
    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_status_success" check (status >= 200 AND status <= 299);`,
    );
    this.addSql(`alter table "idempotency_record" enable row level security;`);
    this.addSql(`alter table "idempotency_record" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "idempotency_record" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "idempotency_record" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "update_all_companies" on "idempotency_record" for update using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "idempotency_record" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "audit_event" add constraint "audit_event_company_id_user_id_foreign" foreign key ("company_id", "user_id") references "company_user" ("company_id", "unique_id") on update no action;`,
    );
    this.addSql(
      `alter table "audit_event" add constraint "audit_event_company_id_api_key_id_foreign" foreign key ("company_id", "api_key_id") references "api_key" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `create trigger audit_event_forbid before update or delete or truncate on audit_event for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "audit_event" enable row level security;`);
    this.addSql(`alter table "audit_event" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "audit_event" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "audit_event" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(`alter table "vendor" add constraint "vendor_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(
      `alter table "vendor" add constraint "vendor_status_check" check ("status" in ('active', 'inactive', 'archived'));`,
    );
    this.addSql(
      `create trigger vendor_audit after insert or update or delete on vendor for each row execute function audit_row('vendor', 'unique_id', '{}', '{}');`,
    );
    this.addSql(
      `create trigger vendor_forbid_update before update of unique_id or truncate on vendor for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "vendor" enable row level security;`);
    this.addSql(`alter table "vendor" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "vendor" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }
}
