import { Migration } from '@mikro-orm/migrations';

export class Migration20261122171826_people extends Migration {
  override name = 'Migration20261122171826_people';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "invitation" ("company_id" int not null, "unique_id" uuid not null, "email" varchar(254) not null, "role" text not null, "frameworks" int[] null, "token_hash" bytea not null, "expires_at" timestamptz(3) not null, "revoked_at" timestamptz(3) null, "used_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), primary key ("company_id", "unique_id"));`,
    );
    this.addSql(
      `create unique index "invitation_open_unique" on "invitation" ("company_id", "email") where revoked_at is null and used_at is null;`,
    );
    this.addSql(`alter table "invitation" add constraint "invitation_token_unique" unique ("token_hash");`);

    this.addSql(
      `create table "person" ("unique_id" uuid not null, "email" varchar(254) not null, "name" varchar(255) not null, "password" text null, "totp_secret" text null, "totp_confirmed_at" timestamptz(3) null, "totp_last_step" bigint null, "last_company_id" int null, "created_at" timestamptz(3) not null default now(), primary key ("unique_id"));`,
    );
    this.addSql(`alter table "person" add constraint "person_email_unique" unique ("email");`);

    this.addSql(
      `create table "passkey" ("unique_id" uuid not null, "person_id" uuid not null, "credential_id" varchar(1400) not null, "public_key" bytea not null, "counter" bigint not null default '0', "transports" text[] not null, "created_at" timestamptz(3) not null default now(), "last_used_at" timestamptz(3) null, primary key ("unique_id"));`,
    );
    this.addSql(`create index "passkey_by_person" on "passkey" ("person_id");`);
    this.addSql(`alter table "passkey" add constraint "passkey_credential_unique" unique ("credential_id");`);

    this.addSql(
      `create table "identity" ("issuer" varchar(500) not null, "subject" varchar(255) not null, "person_id" uuid not null, "created_at" timestamptz(3) not null default now(), primary key ("issuer", "subject"));`,
    );
    this.addSql(`create index "identity_by_person" on "identity" ("person_id");`);

    this.addSql(
      `create table "recovery_code" ("person_id" uuid not null, "code_hash" bytea not null, primary key ("person_id", "code_hash"));`,
    );

    this.addSql(
      `create table "reset_link" ("token_hash" bytea not null, "person_id" uuid not null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null default now(), primary key ("token_hash"));`,
    );
    this.addSql(`alter table "reset_link" add constraint "reset_link_person_unique" unique ("person_id");`);

    this.addSql(
      `create table "sign_in_challenge" ("hash" bytea not null, "kind" text not null, "person_id" uuid null, "company_id" int null, "expires_at" timestamptz(3) not null, primary key ("hash"));`,
    );
    this.addSql(`create index "sign_in_challenge_by_expiry" on "sign_in_challenge" ("expires_at");`);

    this.addSql(
      `create table "sso" ("company_id" int not null, "issuer" varchar(500) not null, "client_id" varchar(255) not null, "client_secret" text not null, "secret_changed_at" timestamptz(3) not null default now(), "domains" text[] not null, "confirmed_domains" text[] not null default '{}', "required" boolean not null default false, "role" text not null, primary key ("company_id"));`,
    );

    this.addSql(
      `create table "sso_domain" ("company_id" int not null, "domain" varchar(253) not null, primary key ("company_id", "domain"));`,
    );
    this.addSql(`alter table "sso_domain" add constraint "sso_domain_unique" unique ("domain");`);

    this.addSql(
      `create table "member" ("company_id" int not null, "unique_id" uuid not null, "person_id" uuid not null, "role" text not null, "frameworks" int[] null, "ended_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), primary key ("company_id", "unique_id"));`,
    );
    this.addSql(`create index "member_by_person" on "member" ("person_id");`);
    this.addSql(`alter table "member" add constraint "member_person_unique" unique ("company_id", "person_id");`);

    this.addSql(
      `create table "web_session" ("unique_id" uuid not null, "token_hash" bytea not null, "person_id" uuid not null, "company_id" int not null, "single_sign_on" boolean not null default false, "second_factor_at" timestamptz(3) null, "user_agent" varchar(300) not null, "address" varchar(64) null, "created_at" timestamptz(3) not null default now(), "seen_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, primary key ("unique_id"));`,
    );
    this.addSql(`create index "web_session_by_person" on "web_session" ("person_id");`);
    this.addSql(`create index "web_session_by_expiry" on "web_session" ("expires_at");`);
    this.addSql(`alter table "web_session" add constraint "web_session_token_unique" unique ("token_hash");`);

    this.addSql(`drop trigger if exists "api_key_frameworks_check" on "api_key";`);
    this.addSql(`drop function if exists "api_key_api_key_frameworks_check_fn"();`);
    this.addSql(
      `create trigger api_key_frameworks_check after insert or update on api_key for each row execute function check_frameworks();`,
    );
    this.addSql(`drop function public.check_api_key_frameworks();`);

    this.addSql(`alter table "import" alter column "api_key_id" drop not null;`);

    this.addSql(
      `alter table "invitation" add constraint "invitation_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action;`,
    );
    this.addSql(
      `alter table "invitation" add constraint "invitation_email_lower_case" check (email::text = lower(email::text));`,
    );
    this.addSql(
      `alter table "invitation" add constraint "invitation_token_sha256" check (octet_length(token_hash) = 32);`,
    );
    this.addSql(`alter table "invitation" add constraint "invitation_frameworks" check (cardinality(frameworks) > 0);`);
    this.addSql(
      `alter table "invitation" add constraint "invitation_admin_has_all_frameworks" check (role <> 'admin'::text OR frameworks IS NULL);`,
    );
    this.addSql(
      `alter table "invitation" add constraint "invitation_role_check" check ("role" in ('admin', 'editor', 'auditor'));`,
    );
    this.addSql(
      `create trigger invitation_audit after insert or update or delete on invitation for each row execute function audit_row('invitation', 'unique_id', '{token_hash,used_at}', '{"revoked_at":"revoke"}');`,
    );
    this.addSql(
      `create trigger invitation_forbid before delete or truncate on invitation for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger invitation_frameworks_check after insert on invitation for each row execute function check_frameworks();`,
    );
    this.addSql(`alter table "invitation" enable row level security;`);
    this.addSql(`alter table "invitation" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "invitation" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "invitation" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "person" add constraint "person_last_company_id_foreign" foreign key ("last_company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "person" add constraint "person_email_lower_case" check (email::text = lower(email::text));`,
    );
    this.addSql(`alter table "person" add constraint "person_name_not_empty" check (name::text <> ''::text);`);
    this.addSql(
      `alter table "person" add constraint "person_totp_confirmed" check (totp_confirmed_at IS NULL OR totp_secret IS NOT NULL);`,
    );
    this.addSql(
      `create trigger person_forbid before delete or truncate on person for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "person" enable row level security;`);
    this.addSql(`alter table "person" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "person" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "passkey" add constraint "passkey_person_id_foreign" foreign key ("person_id") references "person" ("unique_id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "passkey" enable row level security;`);
    this.addSql(`alter table "passkey" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "passkey" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "identity" add constraint "identity_person_id_foreign" foreign key ("person_id") references "person" ("unique_id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "identity" enable row level security;`);
    this.addSql(`alter table "identity" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "identity" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "recovery_code" add constraint "recovery_code_person_id_foreign" foreign key ("person_id") references "person" ("unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "recovery_code" add constraint "recovery_code_sha256" check (octet_length(code_hash) = 32);`,
    );
    this.addSql(`alter table "recovery_code" enable row level security;`);
    this.addSql(`alter table "recovery_code" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "recovery_code" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "reset_link" add constraint "reset_link_person_id_foreign" foreign key ("person_id") references "person" ("unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "reset_link" add constraint "reset_link_token_sha256" check (octet_length(token_hash) = 32);`,
    );
    this.addSql(`alter table "reset_link" enable row level security;`);
    this.addSql(`alter table "reset_link" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "reset_link" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_person_id_foreign" foreign key ("person_id") references "person" ("unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_sha256" check (octet_length(hash) = 32);`,
    );
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_person" check ((kind = 'passkey_registration'::text) = (person_id IS NOT NULL));`,
    );
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_company" check ((kind = 'sso'::text) = (company_id IS NOT NULL));`,
    );
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_kind_check" check ("kind" in ('passkey_sign_in', 'passkey_registration', 'sso'));`,
    );
    this.addSql(`alter table "sign_in_challenge" enable row level security;`);
    this.addSql(`alter table "sign_in_challenge" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "sign_in_challenge" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "sso" add constraint "sso_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "sso" add constraint "sso_domains" check (cardinality(domains) > 0);`);
    this.addSql(`alter table "sso" add constraint "sso_confirmed_domains" check (confirmed_domains <@ domains);`);
    this.addSql(`alter table "sso" add constraint "sso_role_check" check ("role" in ('admin', 'editor', 'auditor'));`);
    this.addSql(
      `create trigger sso_audit after insert or update or delete on sso for each row execute function audit_row('sso', 'company_id', '{client_secret}', '{"insert":"update","delete":"update"}');`,
    );
    this.addSql(
      `create trigger sso_forbid_update before update of company_id or truncate on sso for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "sso" enable row level security;`);
    this.addSql(`alter table "sso" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "sso" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "sso" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "sso_domain" add constraint "sso_domain_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "sso_domain" enable row level security;`);
    this.addSql(`alter table "sso_domain" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "sso_domain" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "sso_domain" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "member" add constraint "member_person_id_foreign" foreign key ("person_id") references "person" ("unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "member" add constraint "member_company_id_unique_id_foreign" foreign key ("company_id", "unique_id") references "company_user" ("company_id", "unique_id") on update no action;`,
    );
    this.addSql(`alter table "member" add constraint "member_frameworks" check (cardinality(frameworks) > 0);`);
    this.addSql(
      `alter table "member" add constraint "member_admin_has_all_frameworks" check (role <> 'admin'::text OR frameworks IS NULL);`,
    );
    this.addSql(
      `alter table "member" add constraint "member_role_check" check ("role" in ('admin', 'editor', 'auditor'));`,
    );
    this.addSql(
      `create trigger member_audit after insert or update or delete on member for each row execute function audit_row('member', 'unique_id', '{}', '{"ended_at":"delete"}');`,
    );
    this.addSql(
      `create trigger member_forbid before delete or truncate on member for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger member_frameworks_check after insert or update on member for each row execute function check_frameworks();`,
    );
    this.addSql(
      `create trigger member_last_admin_check after update on member for each row when (old.role = 'admin' and old.ended_at is null and (new.role <> 'admin' or new.ended_at is not null)) execute function check_last_admin();`,
    );
    this.addSql(`alter table "member" enable row level security;`);
    this.addSql(`alter table "member" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "member" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "member" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "web_session" add constraint "web_session_person_id_foreign" foreign key ("person_id") references "person" ("unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "web_session" add constraint "web_session_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "web_session" add constraint "web_session_token_sha256" check (octet_length(token_hash) = 32);`,
    );
    this.addSql(`alter table "web_session" enable row level security;`);
    this.addSql(`alter table "web_session" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "web_session" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "passkey" drop constraint "passkey_person_id_foreign";`);
    this.addSql(`alter table "identity" drop constraint "identity_person_id_foreign";`);
    this.addSql(`alter table "recovery_code" drop constraint "recovery_code_person_id_foreign";`);
    this.addSql(`alter table "reset_link" drop constraint "reset_link_person_id_foreign";`);
    this.addSql(`alter table "sign_in_challenge" drop constraint "sign_in_challenge_person_id_foreign";`);
    this.addSql(`alter table "member" drop constraint "member_person_id_foreign";`);
    this.addSql(`alter table "web_session" drop constraint "web_session_person_id_foreign";`);

    this.addSql(`drop trigger if exists "invitation_audit" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_audit_fn"();`);
    this.addSql(`drop trigger if exists "invitation_forbid" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_forbid_fn"();`);
    this.addSql(`drop trigger if exists "invitation_frameworks_check" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_frameworks_check_fn"();`);
    this.addSql(`drop table if exists "invitation" cascade;`);
    this.addSql(`drop trigger if exists "person_forbid" on "person";`);
    this.addSql(`drop function if exists "person_person_forbid_fn"();`);
    this.addSql(`drop table if exists "person" cascade;`);
    this.addSql(`drop table if exists "passkey" cascade;`);
    this.addSql(`drop table if exists "identity" cascade;`);
    this.addSql(`drop table if exists "recovery_code" cascade;`);
    this.addSql(`drop table if exists "reset_link" cascade;`);
    this.addSql(`drop table if exists "sign_in_challenge" cascade;`);
    this.addSql(`drop trigger if exists "sso_audit" on "sso";`);
    this.addSql(`drop function if exists "sso_sso_audit_fn"();`);
    this.addSql(`drop trigger if exists "sso_forbid_update" on "sso";`);
    this.addSql(`drop function if exists "sso_sso_forbid_update_fn"();`);
    this.addSql(`drop table if exists "sso" cascade;`);
    this.addSql(`drop table if exists "sso_domain" cascade;`);
    this.addSql(`drop trigger if exists "member_audit" on "member";`);
    this.addSql(`drop function if exists "member_member_audit_fn"();`);
    this.addSql(`drop trigger if exists "member_forbid" on "member";`);
    this.addSql(`drop function if exists "member_member_forbid_fn"();`);
    this.addSql(`drop trigger if exists "member_frameworks_check" on "member";`);
    this.addSql(`drop function if exists "member_member_frameworks_check_fn"();`);
    this.addSql(`drop trigger if exists "member_last_admin_check" on "member";`);
    this.addSql(`drop function if exists "member_member_last_admin_check_fn"();`);
    this.addSql(`drop table if exists "member" cascade;`);
    this.addSql(`drop table if exists "web_session" cascade;`);

    this.addSql(`drop trigger if exists "api_key_frameworks_check" on "api_key";`);
    this.addSql(`drop function if exists "api_key_api_key_frameworks_check_fn"();`);
    this.addSql(
      `create trigger api_key_frameworks_check after insert or update on api_key for each row execute function check_api_key_frameworks();`,
    );

    this.addSql(`alter table "import" alter column "api_key_id" set not null;`);
  }
}
