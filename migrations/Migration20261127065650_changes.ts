import { Migration } from '@mikro-orm/migrations';

export class Migration20261127065650_changes extends Migration {
  override name = 'Migration20261127065650_changes';

  override up(): void | Promise<void> {
    this.addSql(`create table "rewrite_request" ("scope" text not null, primary key ("scope"));`);

    this.addSql(
      `create table "identity" ("company_id" int not null, "identity" varchar(64) not null, "member_id" uuid not null, "event_id" bigint not null, "salt" varchar(32) not null, "name" varchar(255) not null, "email" varchar(254) not null, primary key ("company_id", "identity"));`,
    );
    this.addSql(`create index "identity_by_member" on "identity" ("company_id", "member_id", "event_id");`);

    this.addSql(`drop trigger if exists "invitation_forbid" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_forbid_fn"();`);
    this.addSql(`drop trigger if exists "invitation_audit" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_audit_fn"();`);
    this.addSql(`alter table "invitation" add "identity" varchar(64) null, add "salt" varchar(32) null;`);
    this.addSql(
      `alter table "invitation" add constraint "invitation_identity" check ((identity IS NULL) = (salt IS NULL)) not valid;`,
    );
    this.addSql(
      `create trigger invitation_forbid_update before update of email or truncate on invitation for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger invitation_audit after insert or update on invitation for each row execute function audit_row('invitation', 'unique_id', '{email,salt,token_hash,used_at}', '{"revoked_at":"revoke"}');`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "invitation" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(`drop trigger if exists "person_forbid" on "person";`);
    this.addSql(`drop function if exists "person_person_forbid_fn"();`);
    this.addSql(
      `create trigger person_forbid_update before update of unique_id or truncate on person for each statement execute function forbid_statement();`,
    );

    this.addSql(`drop trigger if exists "member_audit" on "member";`);
    this.addSql(`drop function if exists "member_member_audit_fn"();`);
    this.addSql(`alter table "member" add "identity" varchar(64) null, add "forgotten_at" timestamptz(3) null;`);
    this.addSql(`alter table "member" alter column "person_id" drop not null;`);
    this.addSql(
      `alter table "member" add constraint "member_identity_sha256" check (identity::text ~ '^[0-9a-f]{64}\$'::text) not valid;`,
    );
    this.addSql(
      `alter table "member" add constraint "member_active_has_person" check (ended_at IS NOT NULL OR person_id IS NOT NULL) not valid;`,
    );
    this.addSql(
      `alter table "member" add constraint "member_forgotten" check (forgotten_at IS NULL OR ended_at IS NOT NULL AND person_id IS NULL AND single_sign_on IS NULL) not valid;`,
    );
    this.addSql(
      `create trigger member_audit after insert or update or delete on member for each row execute function audit_row('member', 'unique_id', '{person_id,single_sign_on_subject}', '{"ended_at":"delete","forgotten_at":"forget"}');`,
    );

    this.addSql(
      `alter table "rewrite_request" add constraint "rewrite_request_scope_check" check ("scope" in ('people', 'all'));`,
    );

    this.addSql(
      `alter table "identity" add constraint "identity_company_id_member_id_foreign" foreign key ("company_id", "member_id") references "member" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "identity" add constraint "identity_sha256" check (identity::text ~ '^[0-9a-f]{64}\$'::text);`,
    );
    this.addSql(`alter table "identity" enable row level security;`);
    this.addSql(`alter table "identity" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "identity" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "identity" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "rewrite_request" cascade;`);
    this.addSql(`drop table if exists "identity" cascade;`);

    this.addSql(`drop policy "delete_all_companies" on "invitation";`);

    this.addSql(`alter table "invitation" drop constraint "invitation_identity";`);
    this.addSql(`drop trigger if exists "invitation_forbid_update" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_forbid_update_fn"();`);
    this.addSql(`drop trigger if exists "invitation_audit" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_audit_fn"();`);
    this.addSql(`alter table "invitation" drop column "identity", drop column "salt";`);
    this.addSql(
      `create trigger invitation_forbid before delete or truncate on invitation for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger invitation_audit after insert or update or delete on invitation for each row execute function audit_row('invitation', 'unique_id', '{token_hash,used_at}', '{"revoked_at":"revoke"}');`,
    );

    this.addSql(`alter table "member" drop constraint "member_identity_sha256";`);
    this.addSql(`alter table "member" drop constraint "member_active_has_person";`);
    this.addSql(`alter table "member" drop constraint "member_forgotten";`);
    this.addSql(`drop trigger if exists "member_audit" on "member";`);
    this.addSql(`drop function if exists "member_member_audit_fn"();`);
    this.addSql(`alter table "member" drop column "identity", drop column "forgotten_at";`);
    this.addSql(`alter table "member" alter column "person_id" set not null;`);
    this.addSql(
      `create trigger member_audit after insert or update or delete on member for each row execute function audit_row('member', 'unique_id', '{single_sign_on_subject}', '{"ended_at":"delete"}');`,
    );

    this.addSql(`drop trigger if exists "person_forbid_update" on "person";`);
    this.addSql(`drop function if exists "person_person_forbid_update_fn"();`);
    this.addSql(
      `create trigger person_forbid before delete or truncate on person for each statement execute function forbid_statement();`,
    );
  }
}
