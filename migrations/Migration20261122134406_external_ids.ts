import { Migration } from '@mikro-orm/migrations';

/** External ids of tasks and vendors, and the table that reserves them. */
export class Migration20261122134406_external_ids extends Migration {
  override name = 'Migration20261122134406_external_ids';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "external_id" ("company_id" int not null, "resource_type" text not null, "framework_id" int not null, "source" varchar(50) not null, "external_id" varchar(255) collate "C" not null, "resource_id" uuid not null, primary key ("company_id", "resource_type", "framework_id", "source", "external_id"));`,
    );

    this.addSql(`alter table "task" add "external_ids" jsonb not null default '[]';`);
    this.addSql(
      `alter table "task" add constraint "task_external_ids_max" check (jsonb_array_length(external_ids) <= 10);`,
    );
    this.addSql(
      `create trigger task_external_ids_insert after insert on task for each row when (new.external_ids <> '[]') execute function check_external_ids('task');`,
    );
    this.addSql(
      `create trigger task_external_ids_update after update on task for each row when (new.external_ids <> old.external_ids) execute function check_external_ids('task');`,
    );

    this.addSql(`alter table "vendor" add "external_ids" jsonb not null default '[]';`);
    this.addSql(
      `alter table "vendor" add constraint "vendor_external_ids_max" check (jsonb_array_length(external_ids) <= 10);`,
    );
    this.addSql(
      `create trigger vendor_external_ids_insert after insert on vendor for each row when (new.external_ids <> '[]') execute function check_external_ids('vendor');`,
    );
    this.addSql(
      `create trigger vendor_external_ids_update after update on vendor for each row when (new.external_ids <> old.external_ids) execute function check_external_ids('vendor');`,
    );

    this.addSql(
      `alter table "external_id" add constraint "external_id_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action;`,
    );
    this.addSql(
      `alter table "external_id" add constraint "external_id_source" check (source::text <> ''::text AND source::text !~ '[^a-z0-9_-]'::text);`,
    );
    this.addSql(
      `alter table "external_id" add constraint "external_id_not_empty" check (external_id::text <> ''::text);`,
    );
    this.addSql(
      `alter table "external_id" add constraint "external_id_resource_type_check" check ("resource_type" in ('task', 'vendor'));`,
    );
    this.addSql(
      `create trigger external_id_target after insert or update on external_id for each row execute function check_external_id_target();`,
    );
    this.addSql(
      `create trigger external_id_forbid before delete or truncate on external_id for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "external_id" enable row level security;`);
    this.addSql(`alter table "external_id" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "external_id" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }
}
