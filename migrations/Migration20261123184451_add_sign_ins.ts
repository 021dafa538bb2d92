import { Migration } from '@mikro-orm/migrations';

/** The list of sign-ins, the method of each session, and the reason for which an endpoint is disabled. */
export class Migration20261123184451_add_sign_ins extends Migration {
  override name = 'Migration20261123184451_add_sign_ins';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "unknown_sign_in" ("id" bigserial primary key, "email" varchar(254) null, "method" text not null, "address" varchar(64) null, "user_agent" varchar(300) not null, "at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "unknown_sign_in_by_time" on "unknown_sign_in" ("at", "id");`);

    this.addSql(
      `create table "sign_in" ("company_id" int not null, "id" bigserial not null, "member_id" uuid not null, "email" varchar(254) not null, "event" text not null, "method" text not null, "address" varchar(64) null, "user_agent" varchar(300) not null, "at" timestamptz(3) not null default now(), primary key ("company_id", "id"));`,
    );
    this.addSql(`create index "sign_in_by_time" on "sign_in" ("company_id", "at", "id");`);
    this.addSql(`create index "sign_in_by_member" on "sign_in" ("company_id", "member_id", "at", "id");`);
    this.addSql(`create index "sign_in_by_age" on "sign_in" ("at");`);

    this.addSql(`alter table "webhook" add "disabled_reason" text null;`);
    this.addSql(
      `alter table "webhook" add constraint "webhook_disabled_reason_check" check ("disabled_reason" in ('manual', 'gone', 'failing', 'key'));`,
    );

    this.addSql(`alter table "web_session" add "passkey" boolean not null default false;`);
    this.addSql(
      `alter table "web_session" add constraint "web_session_method" check (NOT (single_sign_on AND passkey));`,
    );

    this.addSql(
      `alter table "unknown_sign_in" add constraint "unknown_sign_in_method_check" check ("method" in ('password', 'passkey', 'sso'));`,
    );
    this.addSql(`alter table "unknown_sign_in" enable row level security;`);
    this.addSql(`alter table "unknown_sign_in" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "unknown_sign_in" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "sign_in" add constraint "sign_in_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "sign_in" add constraint "sign_in_event_check" check ("event" in ('signed_in', 'failed', 'signed_out', 'ended'));`,
    );
    this.addSql(
      `alter table "sign_in" add constraint "sign_in_method_check" check ("method" in ('password', 'passkey', 'sso'));`,
    );
    this.addSql(`alter table "sign_in" enable row level security;`);
    this.addSql(`alter table "sign_in" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "sign_in" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "sign_in" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "insert_all_companies" on "sign_in" for insert with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "sign_in" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    // A second factor of a person who had no TOTP then was a passkey. Row-level security applies to the owner of the table too.
    this.addSql(`select set_config('app.company', '0', true);`);
    this.addSql(
      `update web_session s set passkey = true from person p where p.unique_id = s.person_id and not s.single_sign_on and s.second_factor_at is not null and coalesce(p.totp_confirmed_at > s.second_factor_at, true);`,
    );
    this.addSql(`select set_config('app.company', '', true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "unknown_sign_in" cascade;`);
    this.addSql(`drop table if exists "sign_in" cascade;`);

    this.addSql(`alter table "web_session" drop constraint "web_session_method";`);
    this.addSql(`alter table "web_session" drop column "passkey";`);

    this.addSql(`alter table "webhook" drop constraint "webhook_disabled_reason_check";`);
    this.addSql(`alter table "webhook" drop column "disabled_reason";`);
  }
}
