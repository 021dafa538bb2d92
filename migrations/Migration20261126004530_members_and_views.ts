import { Migration } from '@mikro-orm/migrations';

export class Migration20261126004530_members_and_views extends Migration {
  override name = 'Migration20261126004530_members_and_views';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "view" ("company_id" int not null, "unique_id" uuid not null, "member_id" uuid not null, "name" varchar(255) not null, "page" text not null, "query" varchar(2000) not null, "shared" boolean not null default false, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index "view_by_member" on "view" ("company_id", "member_id");`);

    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text, 'webhook:manage'::text, 'member:read'::text]) not valid;`,
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
    this.addSql(`drop table if exists "view" cascade;`);

    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text, 'webhook:manage'::text]);`,
    );
  }
}
