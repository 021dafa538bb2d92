import { Migration } from '@mikro-orm/migrations';

export class Migration20261121060624_tables extends Migration {
  override name = 'Migration20261121060624_tables';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "company" ("id" serial primary key, "name" varchar(255) not null, "created_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`alter table "company" add constraint "company_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(
      `create trigger company_audit after insert or update or delete on company for each row execute function audit_row('company', 'id', '{}', '{}');`,
    );
    this.addSql(
      `create trigger company_refuse before delete or truncate on company for each statement execute function forbid_statement();`,
    );

    this.addSql(
      `create table "department" ("company_id" int not null, "id" serial not null, "name" varchar(255) not null, "archived_at" timestamptz(3) null, primary key ("company_id", "id"));`,
    );
    this.addSql(`alter table "department" add constraint "department_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(
      `create trigger department_audit after insert or update or delete on department for each row execute function audit_row('department', 'id', '{}', '{}');`,
    );
    this.addSql(
      `create trigger department_refuse before delete or truncate on department for each statement execute function forbid_statement();`,
    );

    this.addSql(
      `create table "framework" ("company_id" int not null, "id" serial not null, "name" varchar(255) not null, "archived_at" timestamptz(3) null, primary key ("company_id", "id"));`,
    );
    this.addSql(`alter table "framework" add constraint "framework_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(
      `create trigger framework_audit after insert or update or delete on framework for each row execute function audit_row('framework', 'id', '{}', '{}');`,
    );
    this.addSql(
      `create trigger framework_refuse before delete or truncate on framework for each statement execute function forbid_statement();`,
    );

    this.addSql(
      `create table "gap" ("company_id" int not null, "id" serial not null, "framework_id" int not null, "title" varchar(255) not null, "archived_at" timestamptz(3) null, primary key ("company_id", "id"));`,
    );
    this.addSql(`alter table "gap" add constraint "gap_title_not_empty" check (title::text <> ''::text);`);
    this.addSql(
      `create trigger gap_audit after insert or update or delete on gap for each row execute function audit_row('gap', 'id', '{}', '{}');`,
    );
    this.addSql(
      `create trigger gap_refuse before delete or truncate on gap for each statement execute function forbid_statement();`,
    );

    this.addSql(
      `create table "company_user" ("company_id" int not null, "unique_id" uuid not null, "kind" text not null, "name" varchar(255) not null, "created_at" timestamptz(3) not null default now(), primary key ("company_id", "unique_id"));`,
    );
    this.addSql(
      `alter table "company_user" add constraint "company_user_kind_check" check ("kind" in ('human', 'integration'));`,
    );
    this.addSql(
      `create trigger company_user_refuse before delete or truncate on company_user for each statement execute function forbid_statement();`,
    );

    this.addSql(
      `create table "task" ("company_id" int not null, "unique_id" uuid not null, "framework_id" int not null, "title" varchar(255) not null, "description" varchar(20000) not null default '', "priority" smallint not null default 3, "labels" varchar(50)[] not null default '{}', "start_date" date null, "due_date" date null, "department_id" int null, "gaps" int[] not null default '{}', "status" text not null default 'todo', "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "created_by_id" uuid not null, "updated_by_id" uuid not null, "version" int not null default 1, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index "task_by_framework" on "task" ("company_id", "framework_id", "unique_id");`);
    this.addSql(`alter table "task" add constraint "task_title_not_empty" check (title::text <> ''::text);`);
    this.addSql(`alter table "task" add constraint "task_priority" check (priority >= 1 AND priority <= 4);`);
    this.addSql(`alter table "task" add constraint "task_labels" check (cardinality(labels) <= 20);`);
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
      `create trigger check_task_gaps after insert or update on task for each row execute function check_task_gaps();`,
    );

    this.addSql(
      `create table "api_key" ("company_id" int not null, "unique_id" uuid not null, "user_id" uuid not null, "name" varchar(255) not null, "hash" bytea not null, "start" varchar(16) not null, "last4" varchar(4) not null, "enabled" boolean not null default true, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`alter table "api_key" add constraint "api_key_user_unique" unique ("company_id", "user_id");`);
    this.addSql(`alter table "api_key" add constraint "api_key_hash_unique" unique ("hash");`);
    this.addSql(`alter table "api_key" add constraint "api_key_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(`alter table "api_key" add constraint "api_key_hash_sha256" check (octet_length(hash) = 32);`);
    this.addSql(
      `create trigger api_key_audit after insert or update or delete on api_key for each row execute function audit_row('apiKey', 'unique_id', '{hash}', '{"revoked_at":"revoke","hash":"rotate"}');`,
    );
    this.addSql(
      `create trigger api_key_refuse before delete or truncate on api_key for each statement execute function forbid_statement();`,
    );

    this.addSql(
      `create table "audit_event" ("company_id" int not null, "id" bigserial not null, "unique_id" uuid not null, "occurred_at" timestamptz(3) not null, "user_id" uuid not null, "api_key_id" uuid null, "action" varchar(50) not null, "resource_type" varchar(20) not null, "resource_id" varchar(36) not null, "changes" jsonb not null, "request_id" varchar(128) not null, primary key ("company_id", "id"));`,
    );
    this.addSql(
      `create index "audit_event_by_resource" on "audit_event" ("company_id", "resource_type", "resource_id", "id");`,
    );
    this.addSql(
      `create trigger audit_event_refuse before update or delete or truncate on audit_event for each statement execute function forbid_statement();`,
    );

    this.addSql(
      `create table "vendor" ("company_id" int not null, "unique_id" uuid not null, "name" varchar(255) collate "C" not null, "status" text not null default 'active', "description" varchar(20000) not null default '', "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "created_by_id" uuid not null, "updated_by_id" uuid not null, "version" int not null default 1, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index "vendor_by_name" on "vendor" ("company_id", "name", "unique_id");`);
    this.addSql(`alter table "vendor" add constraint "vendor_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(
      `alter table "vendor" add constraint "vendor_status_check" check ("status" in ('active', 'inactive', 'archived'));`,
    );
    this.addSql(
      `create trigger vendor_audit after insert or update or delete on vendor for each row execute function audit_row('vendor', 'unique_id', '{}', '{}');`,
    );

    this.addSql(
      `alter table "department" add constraint "department_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action;`,
    );

    this.addSql(
      `alter table "framework" add constraint "framework_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action;`,
    );

    this.addSql(
      `alter table "gap" add constraint "gap_company_id_framework_id_foreign" foreign key ("company_id", "framework_id") references "framework" ("company_id", "id") on update no action;`,
    );

    this.addSql(
      `alter table "company_user" add constraint "company_user_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action;`,
    );

    this.addSql(
      `alter table "task" add constraint "task_company_id_framework_id_foreign" foreign key ("company_id", "framework_id") references "framework" ("company_id", "id") on update no action;`,
    );
    this.addSql(
      `alter table "task" add constraint "task_company_id_department_id_foreign" foreign key ("company_id", "department_id") references "department" ("company_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "task" add constraint "task_company_id_created_by_id_foreign" foreign key ("company_id", "created_by_id") references "company_user" ("company_id", "unique_id") on update no action;`,
    );
    this.addSql(
      `alter table "task" add constraint "task_company_id_updated_by_id_foreign" foreign key ("company_id", "updated_by_id") references "company_user" ("company_id", "unique_id") on update no action;`,
    );

    this.addSql(
      `alter table "api_key" add constraint "api_key_company_id_user_id_foreign" foreign key ("company_id", "user_id") references "company_user" ("company_id", "unique_id") on update no action;`,
    );

    this.addSql(
      `alter table "audit_event" add constraint "audit_event_company_id_user_id_foreign" foreign key ("company_id", "user_id") references "company_user" ("company_id", "unique_id") on update no action;`,
    );
    this.addSql(
      `alter table "audit_event" add constraint "audit_event_company_id_api_key_id_foreign" foreign key ("company_id", "api_key_id") references "api_key" ("company_id", "unique_id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "vendor" add constraint "vendor_company_id_created_by_id_foreign" foreign key ("company_id", "created_by_id") references "company_user" ("company_id", "unique_id") on update no action;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_company_id_updated_by_id_foreign" foreign key ("company_id", "updated_by_id") references "company_user" ("company_id", "unique_id") on update no action;`,
    );
  }
}
