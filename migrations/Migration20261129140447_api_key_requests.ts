import { Migration } from '@mikro-orm/migrations';

export class Migration20261129140447_api_key_requests extends Migration {
  override name = 'Migration20261129140447_api_key_requests';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "api_key_request" ("company_id" int not null, "api_key_id" uuid not null, "at" timestamptz(3) not null, "unique_id" uuid not null, "method" varchar(20) not null, "path" varchar(2048) not null, "status" int null, "code" varchar(50) null, "request_id" varchar(128) not null, "duration_ms" int not null, primary key ("company_id", "api_key_id", "at", "unique_id"));`,
    );
    this.addSql(`create index "api_key_request_by_time" on "api_key_request" ("at");`);

    this.addSql(
      `alter table "api_key_request" add constraint "api_key_request_company_id_api_key_id_foreign" foreign key ("company_id", "api_key_id") references "api_key" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "api_key_request" enable row level security;`);
    this.addSql(`alter table "api_key_request" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "api_key_request" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "api_key_request" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "insert_all_companies" on "api_key_request" for insert with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "api_key_request" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "api_key_request" cascade;`);
  }
}
