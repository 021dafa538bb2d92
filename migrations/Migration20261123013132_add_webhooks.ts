import { Migration } from '@mikro-orm/migrations';

export class Migration20261123013132_add_webhooks extends Migration {
  override name = 'Migration20261123013132_add_webhooks';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "webhook" ("company_id" int not null, "unique_id" uuid not null, "url" varchar(2048) not null, "events" text[] null, "description" varchar(1000) not null default '', "enabled" boolean not null default true, "secret" text not null, "secret_changed_at" timestamptz(3) not null default now(), "previous_secret" text null, "previous_secret_expires_at" timestamptz(3) null, "api_key_id" uuid null, "position" bigint not null, "skip_after_id" bigint not null default '0', "skip_until_id" bigint null, "failing_since" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "created_by_id" uuid not null, primary key ("company_id", "unique_id"));`,
    );

    this.addSql(
      `create table "webhook_delivery" ("company_id" int not null, "id" bigserial not null, "webhook_id" uuid not null, "message_id" uuid not null, "sequence" bigint null, "type" varchar(60) not null, "event_id" bigint null, "test_event" jsonb null, "attempts" int not null default 0, "last_status" int null, "last_error" varchar(200) null, "next_attempt_at" timestamptz(6) null, "created_at" timestamptz(3) not null default now(), primary key ("company_id", "id"));`,
    );
    this.addSql(
      `create index "webhook_delivery_due" on "webhook_delivery" ("company_id", "webhook_id", "next_attempt_at") where next_attempt_at is not null;`,
    );
    this.addSql(`create index "webhook_delivery_by_webhook" on "webhook_delivery" ("company_id", "webhook_id", "id");`);
    this.addSql(`create index "webhook_delivery_by_created_at" on "webhook_delivery" ("created_at");`);
    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_unique" unique ("company_id", "webhook_id", "sequence");`,
    );

    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text, 'webhook:manage'::text]);`,
    );

    this.addSql(
      `alter table "webhook" add constraint "webhook_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "webhook" add constraint "webhook_company_id_api_key_id_foreign" foreign key ("company_id", "api_key_id") references "api_key" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "webhook" add constraint "webhook_skips_while_disabled" check (enabled = (skip_until_id IS NOT NULL));`,
    );
    this.addSql(`alter table "webhook" add constraint "webhook_events" check (cardinality(events) > 0);`);
    this.addSql(
      `alter table "webhook" add constraint "webhook_previous_secret_complete" check ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL));`,
    );
    this.addSql(
      `create trigger webhook_audit after insert or update or delete on webhook for each row execute function audit_row('webhook', 'unique_id', '{secret,secret_changed_at,previous_secret,position,skip_after_id,skip_until_id,failing_since}', '{"secret_changed_at":"rotate"}');`,
    );
    this.addSql(
      `create trigger webhook_forbid_update before update of unique_id or truncate on webhook for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "webhook" enable row level security;`);
    this.addSql(`alter table "webhook" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "webhook" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "webhook" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_event" check ((event_id IS NULL) = (sequence IS NULL));`,
    );
    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_test_event" check ((event_id IS NULL) = (test_event IS NOT NULL));`,
    );
    this.addSql(`alter table "webhook_delivery" enable row level security;`);
    this.addSql(`alter table "webhook_delivery" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "webhook_delivery" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "webhook_delivery" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "webhook_delivery" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger if exists "webhook_audit" on "webhook";`);
    this.addSql(`drop function if exists "webhook_webhook_audit_fn"();`);
    this.addSql(`drop trigger if exists "webhook_forbid_update" on "webhook";`);
    this.addSql(`drop function if exists "webhook_webhook_forbid_update_fn"();`);
    this.addSql(`drop table if exists "webhook" cascade;`);
    this.addSql(`drop table if exists "webhook_delivery" cascade;`);

    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text]);`,
    );
  }
}
