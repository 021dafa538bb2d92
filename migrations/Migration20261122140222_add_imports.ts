import { Migration } from '@mikro-orm/migrations';

export class Migration20261122140222_add_imports extends Migration {
  override name = 'Migration20261122140222_add_imports';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "import" ("company_id" int not null, "unique_id" uuid not null, "kind" text not null, "framework_id" int null, "format" text not null, "source" varchar(50) null, "mode" text not null default 'replace', "dry_run" boolean not null default false, "strict" boolean not null default false, "state" text not null default 'uploading', "phase" text not null default 'scan', "bytes" int not null default 0, "position" int not null default 0, "line" int not null default 1, "rows_read" int not null default 0, "layout" jsonb null, "rows" int not null default 0, "created" int not null default 0, "updated" int not null default 0, "unchanged" int not null default 0, "failed" int not null default 0, "reason" varchar(2000) null, "api_key_id" uuid not null, "created_by_id" uuid not null, "request_id" varchar(128) not null, "address" varchar(64) null, "created_at" timestamptz(3) not null default now(), "queued_at" timestamptz(6) null, "started_at" timestamptz(3) null, "ended_at" timestamptz(3) null, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index "import_by_state" on "import" ("state", "ended_at");`);
    this.addSql(`create index "import_by_company" on "import" ("company_id", "state", "queued_at");`);

    this.addSql(
      `create table "import_error" ("company_id" int not null, "import_id" uuid not null, "row" int not null, "line" int not null, "field" varchar(100) null, "error" varchar(2000) not null, primary key ("company_id", "import_id", "row"));`,
    );

    this.addSql(
      `create table "import_chunk" ("company_id" int not null, "import_id" uuid not null, "index" int not null, "bytes" bytea not null, primary key ("company_id", "import_id", "index"));`,
    );

    this.addSql(
      `alter table "import" add constraint "import_company_id_framework_id_foreign" foreign key ("company_id", "framework_id") references "framework" ("company_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "import" add constraint "import_company_id_api_key_id_foreign" foreign key ("company_id", "api_key_id") references "api_key" ("company_id", "unique_id") on update no action;`,
    );
    this.addSql(
      `alter table "import" add constraint "import_company_id_created_by_id_foreign" foreign key ("company_id", "created_by_id") references "company_user" ("company_id", "unique_id") on update no action;`,
    );
    this.addSql(
      `alter table "import" add constraint "import_framework" check ((kind = 'task'::text) = (framework_id IS NOT NULL));`,
    );
    this.addSql(
      `alter table "import" add constraint "import_ended_at" check ((state = ANY (ARRAY['done'::text, 'failed'::text, 'canceled'::text])) = (ended_at IS NOT NULL));`,
    );
    this.addSql(`alter table "import" add constraint "import_kind_check" check ("kind" in ('vendor', 'task'));`);
    this.addSql(`alter table "import" add constraint "import_format_check" check ("format" in ('csv', 'ndjson'));`);
    this.addSql(`alter table "import" add constraint "import_mode_check" check ("mode" in ('replace', 'merge'));`);
    this.addSql(
      `alter table "import" add constraint "import_state_check" check ("state" in ('uploading', 'queued', 'running', 'done', 'failed', 'canceled'));`,
    );
    this.addSql(
      `alter table "import" add constraint "import_phase_check" check ("phase" in ('scan', 'check', 'apply'));`,
    );
    this.addSql(`alter table "import" enable row level security;`);
    this.addSql(`alter table "import" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "import" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "import" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "import" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "import_error" add constraint "import_error_company_id_import_id_foreign" foreign key ("company_id", "import_id") references "import" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(`alter table "import_error" enable row level security;`);
    this.addSql(`alter table "import_error" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "import_error" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "import_chunk" add constraint "import_chunk_company_id_import_id_foreign" foreign key ("company_id", "import_id") references "import" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(
      `alter table "import_chunk" add constraint "import_chunk_bytes" check (octet_length(bytes) <= 262144);`,
    );
    this.addSql(`alter table "import_chunk" enable row level security;`);
    this.addSql(`alter table "import_chunk" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "import_chunk" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "import_error" drop constraint "import_error_company_id_import_id_foreign";`);
    this.addSql(`alter table "import_chunk" drop constraint "import_chunk_company_id_import_id_foreign";`);

    this.addSql(`drop table if exists "import" cascade;`);
    this.addSql(`drop table if exists "import_error" cascade;`);
    this.addSql(`drop table if exists "import_chunk" cascade;`);
  }
}
