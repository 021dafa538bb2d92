import { Migration } from '@mikro-orm/migrations';

export class Migration20261129175739_accounts extends Migration {
  override name = 'Migration20261129175739_accounts';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "email_link" ("token_hash" bytea not null, "person_id" uuid not null, "email" varchar(254) not null, "by_admin" boolean not null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null default now(), primary key ("token_hash"));`,
    );
    this.addSql(`alter table "email_link" add constraint "email_link_person_unique" unique ("person_id");`);

    this.addSql(
      `create table "queued_mail" ("unique_id" uuid not null, "kind" text not null, "email" varchar(254) not null, "person_id" uuid null, "company_id" int null, "content" text null, "expires_at" timestamptz(3) not null, "attempts" int not null default 0, "next_attempt_at" timestamptz(6) not null default now(), "created_at" timestamptz(3) not null default now(), primary key ("unique_id"));`,
    );
    this.addSql(`create index "queued_mail_by_email" on "queued_mail" ("email", "created_at");`);
    this.addSql(`create index "queued_mail_by_person" on "queued_mail" ("person_id", "created_at");`);
    this.addSql(`create index "queued_mail_by_time" on "queued_mail" ("created_at");`);
    this.addSql(`create index queued_mail_waiting on queued_mail (next_attempt_at) where content is not null;`);

    this.addSql(`drop trigger if exists "invitation_audit" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_audit_fn"();`);
    this.addSql(`alter table "invitation" add "mailed" boolean not null default false;`);
    this.addSql(
      `create trigger invitation_audit after insert or update on invitation for each row execute function audit_row('invitation', 'unique_id', '{email,salt,token_hash,mailed,used_at}', '{"revoked_at":"revoke"}');`,
    );

    this.addSql(`alter table "person" add "proven_at" timestamptz(3) null;`);

    this.addSql(`alter table "reset_link" add "mailed" boolean not null default false;`);

    this.addSql(`drop trigger if exists "member_audit" on "member";`);
    this.addSql(`drop function if exists "member_member_audit_fn"();`);
    this.addSql(
      `alter table "member" add "reset_link_at" timestamptz(6) null, add "password_reset_at" timestamptz(6) null, add "password_changed_at" timestamptz(6) null, add "passkey_added_at" timestamptz(6) null, add "passkey_removed_at" timestamptz(6) null, add "totp_enabled_at" timestamptz(6) null, add "totp_disabled_at" timestamptz(6) null, add "proved_at" timestamptz(6) null;`,
    );
    this.addSql(
      `create trigger member_audit after insert or update or delete on member for each row execute function audit_row('member', 'unique_id', '{person_id,single_sign_on_subject,reset_link_at,password_reset_at,password_changed_at,passkey_added_at,passkey_removed_at,totp_enabled_at,totp_disabled_at,proved_at}', '{"ended_at":"delete","forgotten_at":"forget","reset_link_at":"resetPassword","password_reset_at":"passwordReset","password_changed_at":"passwordChange","passkey_added_at":"passkeyAdd","passkey_removed_at":"passkeyRemove","totp_enabled_at":"totpEnable","totp_disabled_at":"totpDisable","proved_at":"prove"}');`,
    );

    this.addSql(`alter table "inbox_item" drop constraint "inbox_item_reason_check";`);
    this.addSql(`alter table "inbox_item" drop constraint "inbox_item_resource_type_check";`);
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_reason_check" check ("reason" in ('assigned', 'mentioned', 'status', 'commented', 'due', 'overdue', 'evidence', 'import', 'proof', 'review', 'contract', 'key', 'webhook', 'account')) not valid;`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_resource_type_check" check ("resource_type" in ('task', 'vendor', 'import', 'apiKey', 'webhook', 'proof', 'member')) not valid;`,
    );

    this.addSql(
      `alter table "email_link" add constraint "email_link_person_id_foreign" foreign key ("person_id") references "person" ("unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "email_link" add constraint "email_link_token_sha256" check (octet_length(token_hash) = 32);`,
    );
    this.addSql(
      `alter table "email_link" add constraint "email_link_email_lower_case" check (email::text = lower(email::text));`,
    );
    this.addSql(`alter table "email_link" enable row level security;`);
    this.addSql(`alter table "email_link" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "email_link" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "queued_mail" add constraint "queued_mail_person_id_foreign" foreign key ("person_id") references "person" ("unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "queued_mail" add constraint "queued_mail_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "queued_mail" add constraint "queued_mail_email_lower_case" check (email::text = lower(email::text));`,
    );
    this.addSql(
      `alter table "queued_mail" add constraint "queued_mail_kind_check" check ("kind" in ('invitation', 'reset', 'email', 'account', 'items', 'summary'));`,
    );
    this.addSql(`alter table "queued_mail" enable row level security;`);
    this.addSql(`alter table "queued_mail" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "queued_mail" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "email_link" cascade;`);
    this.addSql(`drop table if exists "queued_mail" cascade;`);

    this.addSql(`alter table "inbox_item" drop constraint "inbox_item_reason_check";`);
    this.addSql(`alter table "inbox_item" drop constraint "inbox_item_resource_type_check";`);
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_reason_check" check ("reason" in ('assigned', 'mentioned', 'status', 'commented', 'due', 'overdue', 'evidence', 'import', 'proof', 'review', 'contract', 'key', 'webhook'));`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_resource_type_check" check ("resource_type" in ('task', 'vendor', 'import', 'apiKey', 'webhook', 'proof'));`,
    );

    this.addSql(`drop trigger if exists "invitation_audit" on "invitation";`);
    this.addSql(`drop function if exists "invitation_invitation_audit_fn"();`);
    this.addSql(`alter table "invitation" drop column "mailed";`);
    this.addSql(
      `create trigger invitation_audit after insert or update on invitation for each row execute function audit_row('invitation', 'unique_id', '{email,salt,token_hash,used_at}', '{"revoked_at":"revoke"}');`,
    );

    this.addSql(`drop trigger if exists "member_audit" on "member";`);
    this.addSql(`drop function if exists "member_member_audit_fn"();`);
    this.addSql(
      `alter table "member" drop column "reset_link_at", drop column "password_reset_at", drop column "password_changed_at", drop column "passkey_added_at", drop column "passkey_removed_at", drop column "totp_enabled_at", drop column "totp_disabled_at", drop column "proved_at";`,
    );
    this.addSql(
      `create trigger member_audit after insert or update or delete on member for each row execute function audit_row('member', 'unique_id', '{person_id,single_sign_on_subject}', '{"ended_at":"delete","forgotten_at":"forget"}');`,
    );

    this.addSql(`alter table "person" drop column "proven_at";`);

    this.addSql(`alter table "reset_link" drop column "mailed";`);
  }
}
