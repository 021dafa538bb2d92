import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Written by hand. A trigger below needs it. */
const COUNT_FILE_USES = `
      create function public.count_file_uses() returns trigger language plpgsql ${SETTINGS} as $$
      -- Counts the rows that refer to a file with file_id. The lock on the file makes its removal wait.
      begin
        if tg_op <> 'INSERT' and old.file_id is not null then
          update public.file set uses = uses - 1, touched_at = now()
            where company_id = old.company_id and unique_id = old.file_id;
        end if;
        if tg_op <> 'DELETE' and new.file_id is not null then
          update public.file set uses = uses + 1, touched_at = now()
            where company_id = new.company_id and unique_id = new.file_id and state = 'stored';
          if not found then
            raise exception '% on %: the file is not stored', tg_op, tg_table_name using errcode = 'foreign_key_violation';
          end if;
        end if;
        return null;
      end
      $$`;

export class Migration20261126214915_evidence extends Migration {
  override name = 'Migration20261126214915_evidence';

  override up(): void | Promise<void> {
    this.addSql(COUNT_FILE_USES);
    this.addSql(
      `create table "file" ("company_id" int not null, "unique_id" uuid not null, "store" text not null, "state" text not null default 'uploading', "sha256" varchar(64) not null, "size" int not null, "uses" int not null default 0, "touched_at" timestamptz(3) not null default now(), primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index file_unused on file (touched_at) where uses = 0;`);
    this.addSql(`create unique index file_once on file (company_id, sha256) include (size) where state = 'stored';`);

    this.addSql(
      `create table "file_chunk" ("company_id" int not null, "file_id" uuid not null, "index" int not null, "bytes" bytea not null, primary key ("company_id", "file_id", "index"));`,
    );

    // PostgreSQL does not try to compress the chunks, and reads a part of one without the rest.
    this.addSql(`alter table "file_chunk" alter column "bytes" set storage external;`);

    this.addSql(
      `create table "evidence" ("company_id" int not null, "unique_id" uuid not null, "task_id" uuid null, "vendor_id" uuid null, "kind" text not null, "url" varchar(2048) null, "media_type" varchar(255) null, "size" int null, "sha256" varchar(64) null, "file_id" uuid null, "name" varchar(255) not null, "note" varchar(2000) not null default '', "date" date not null, "valid_until" date null, "framework_id" int not null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "created_by_id" uuid not null, "updated_by_id" uuid not null, "version" int not null default 1, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(
      `create index evidence_by_task on evidence (company_id, task_id, unique_id) include (valid_until) where task_id is not null;`,
    );
    this.addSql(
      `create index evidence_by_vendor on evidence (company_id, vendor_id, unique_id) include (valid_until) where vendor_id is not null;`,
    );
    this.addSql(`create index evidence_by_file on evidence (company_id, file_id) where file_id is not null;`);
    this.addSql(
      `create index evidence_by_valid_until on evidence (company_id, valid_until) where valid_until is not null;`,
    );

    this.addSql(`alter table "idempotency_record" drop constraint "idempotency_record_company_id_api_key_id_foreign";`);

    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action not valid;`,
    );

    this.addSql(`drop trigger if exists "task_delete_children" on "task";`);
    this.addSql(`drop function if exists "task_task_delete_children_fn"();`);
    this.addSql(
      `create trigger task_delete_children before delete on task for each row execute function delete_children('{"comment":"task_id","evidence":"task_id"}');`,
    );

    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text, 'webhook:manage'::text, 'member:read'::text, 'evidence:read'::text, 'evidence:write'::text, 'evidence:delete'::text]) not valid;`,
    );

    this.addSql(`drop trigger if exists "vendor_delete_children" on "vendor";`);
    this.addSql(`drop function if exists "vendor_vendor_delete_children_fn"();`);
    this.addSql(
      `create trigger vendor_delete_children before delete on vendor for each row execute function delete_children('{"comment":"vendor_id","evidence":"vendor_id"}');`,
    );

    this.addSql(
      `alter table "file" add constraint "file_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action;`,
    );
    this.addSql(`alter table "file" add constraint "file_sha256" check (sha256::text ~ '^[0-9a-f]{64}$'::text);`);
    this.addSql(`alter table "file" add constraint "file_size" check (size >= 1);`);
    this.addSql(
      `alter table "file" add constraint "file_uses" check (uses >= 0 AND (uses = 0 OR state = 'stored'::text));`,
    );
    this.addSql(`alter table "file" add constraint "file_store_check" check ("store" in ('database', 'files', 's3'));`);
    this.addSql(
      `alter table "file" add constraint "file_state_check" check ("state" in ('uploading', 'stored', 'deleting'));`,
    );
    this.addSql(`alter table "file" enable row level security;`);
    this.addSql(`alter table "file" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "file" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "file" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "update_all_companies" on "file" for update using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "file" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "file_chunk" add constraint "file_chunk_company_id_file_id_foreign" foreign key ("company_id", "file_id") references "file" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(`alter table "file_chunk" add constraint "file_chunk_bytes" check (octet_length(bytes) <= 262144);`);
    this.addSql(`alter table "file_chunk" enable row level security;`);
    this.addSql(`alter table "file_chunk" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "file_chunk" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "evidence" add constraint "evidence_company_id_task_id_foreign" foreign key ("company_id", "task_id") references "task" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(
      `alter table "evidence" add constraint "evidence_company_id_vendor_id_foreign" foreign key ("company_id", "vendor_id") references "vendor" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(
      `alter table "evidence" add constraint "evidence_company_id_file_id_foreign" foreign key ("company_id", "file_id") references "file" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "evidence" add constraint "evidence_one_parent" check (num_nonnulls(task_id, vendor_id) = 1);`,
    );
    this.addSql(
      `alter table "evidence" add constraint "evidence_name" check (name::text ~ '^[^/\\\\\\x01-\\x1f\\x7f-\\x9f]+$'::text);`,
    );
    this.addSql(`alter table "evidence" add constraint "evidence_link" check ((url IS NULL) = (kind = 'file'::text));`);
    this.addSql(
      `alter table "evidence" add constraint "evidence_file" check (num_nulls(media_type, size, sha256, file_id) = CASE WHEN kind = 'file'::text THEN 0 ELSE 4 END);`,
    );
    this.addSql(`alter table "evidence" add constraint "evidence_valid_until" check (valid_until >= date);`);
    this.addSql(`alter table "evidence" add constraint "evidence_kind_check" check ("kind" in ('file', 'link'));`);
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
    this.addSql(
      `create trigger evidence_file_uses after insert or update of file_id or delete on evidence for each row execute function count_file_uses();`,
    );
    this.addSql(`alter table "evidence" enable row level security;`);
    this.addSql(`alter table "evidence" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "evidence" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "file_chunk" drop constraint "file_chunk_company_id_file_id_foreign";`);
    this.addSql(`alter table "evidence" drop constraint "evidence_company_id_file_id_foreign";`);

    this.addSql(`drop table if exists "file" cascade;`);
    this.addSql(`drop table if exists "file_chunk" cascade;`);
    this.addSql(`drop trigger if exists "evidence_audit" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_audit_fn"();`);
    this.addSql(`drop trigger if exists "evidence_forbid_update" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_forbid_update_fn"();`);
    this.addSql(`drop trigger if exists "evidence_inherit_framework" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_inherit_framework_fn"();`);
    this.addSql(`drop trigger if exists "evidence_limit_children" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_limit_children_fn"();`);
    this.addSql(`drop trigger if exists "evidence_file_uses" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_file_uses_fn"();`);
    this.addSql(`drop table if exists "evidence" cascade;`);
    this.addSql(`drop function public.count_file_uses();`);

    this.addSql(`alter table "idempotency_record" drop constraint "idempotency_record_company_id_foreign";`);

    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text, 'webhook:manage'::text, 'member:read'::text]);`,
    );

    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_company_id_api_key_id_foreign" foreign key ("company_id", "api_key_id") references "api_key" ("company_id", "unique_id");`,
    );

    this.addSql(`drop trigger if exists "task_delete_children" on "task";`);
    this.addSql(`drop function if exists "task_task_delete_children_fn"();`);
    this.addSql(
      `create trigger task_delete_children before delete on task for each row execute function delete_children('{"comment":"task_id"}');`,
    );

    this.addSql(`drop trigger if exists "vendor_delete_children" on "vendor";`);
    this.addSql(`drop function if exists "vendor_vendor_delete_children_fn"();`);
    this.addSql(
      `create trigger vendor_delete_children before delete on vendor for each row execute function delete_children('{"comment":"vendor_id"}');`,
    );
  }
}
