import { Migration } from '@mikro-orm/migrations';

/** Members have an inbox and watch tasks and vendors. Their persons choose what comes by mail. */
export class Migration20261126150241_inbox extends Migration {
  override name = 'Migration20261126150241_inbox';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "inbox_reader" ("company_id" int not null, "position" bigint not null default '0', "skip_until_id" bigint not null default '0', "reminded_on" date null, primary key ("company_id"));`,
    );

    this.addSql(
      `create table "summary_mail" ("company_id" int not null, "member_id" uuid not null, "day" date not null, "attempts" int not null default 0, "next_attempt_at" timestamptz(6) not null, "created_at" timestamptz(3) not null, primary key ("company_id", "member_id"));`,
    );
    this.addSql(`create index "summary_mail_due" on "summary_mail" ("next_attempt_at");`);

    this.addSql(
      `create table "inbox_item" ("company_id" int not null, "member_id" uuid not null, "id" bigserial not null, "unique_id" uuid not null, "at" timestamptz(3) not null, "reason" text not null, "resource_type" text not null, "resource_id" uuid not null, "actor_id" uuid null, "event_id" bigint null, "occasion" varchar(40) null, "read_at" timestamptz(3) null, "to_mail" boolean not null default false, primary key ("company_id", "member_id", "id"));`,
    );
    this.addSql(
      `create unique index inbox_item_of_event on inbox_item (company_id, event_id, member_id) where event_id is not null;`,
    );
    this.addSql(
      `create unique index inbox_item_of_occasion on inbox_item (company_id, resource_id, member_id, reason, occasion) where occasion is not null;`,
    );
    this.addSql(`create index inbox_item_unread on inbox_item (company_id, member_id, id) where read_at is null;`);
    this.addSql(`create index inbox_item_to_mail on inbox_item (at) where to_mail and read_at is null;`);
    this.addSql(`create index "inbox_item_by_time" on "inbox_item" ("at");`);
    this.addSql(`alter table "inbox_item" add constraint "inbox_item_unique" unique ("company_id", "unique_id");`);

    this.addSql(
      `create table "watch" ("company_id" int not null, "unique_id" uuid not null, "member_id" uuid not null, "task_id" uuid null, "vendor_id" uuid null, "watching" boolean not null, primary key ("company_id", "unique_id"));`,
    );
    this.addSql(
      `create unique index watch_of_task on watch (company_id, task_id, member_id) where task_id is not null;`,
    );
    this.addSql(
      `create unique index watch_of_vendor on watch (company_id, vendor_id, member_id) where vendor_id is not null;`,
    );

    this.addSql(
      `alter table "person" add "mail_assigned" boolean not null default true, add "mail_mentioned" boolean not null default true, add "mail_commented" boolean not null default false, add "mail_summary" boolean not null default true, add "mail_refused_at" timestamptz(3) null, add "mail_attempts" int not null default 0, add "mail_next_attempt_at" timestamptz(6) null;`,
    );

    this.addSql(
      `alter table "inbox_reader" add constraint "inbox_reader_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "inbox_reader" enable row level security;`);
    this.addSql(`alter table "inbox_reader" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "inbox_reader" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "inbox_reader" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "insert_all_companies" on "inbox_reader" for insert with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "summary_mail" add constraint "summary_mail_company_id_member_id_foreign" foreign key ("company_id", "member_id") references "member" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "summary_mail" enable row level security;`);
    this.addSql(`alter table "summary_mail" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "summary_mail" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "summary_mail" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_company_id_member_id_foreign" foreign key ("company_id", "member_id") references "member" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_cause" check (num_nonnulls(event_id, occasion) = 1);`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_reason_check" check ("reason" in ('assigned', 'mentioned', 'status', 'commented', 'due', 'overdue', 'evidence', 'import', 'proof', 'review', 'contract', 'key', 'webhook'));`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_resource_type_check" check ("resource_type" in ('task', 'vendor', 'import', 'apiKey', 'webhook'));`,
    );
    this.addSql(`alter table "inbox_item" enable row level security;`);
    this.addSql(`alter table "inbox_item" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "inbox_item" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "inbox_item" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "inbox_item" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "watch" add constraint "watch_company_id_member_id_foreign" foreign key ("company_id", "member_id") references "member" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "watch" add constraint "watch_company_id_task_id_foreign" foreign key ("company_id", "task_id") references "task" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(
      `alter table "watch" add constraint "watch_company_id_vendor_id_foreign" foreign key ("company_id", "vendor_id") references "vendor" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(
      `alter table "watch" add constraint "watch_one_resource" check (num_nonnulls(task_id, vendor_id) = 1);`,
    );
    this.addSql(`alter table "watch" enable row level security;`);
    this.addSql(`alter table "watch" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "watch" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    // Events from before the inbox make no items.
    this.addSql(`select set_config('app.company', '0', true);`);
    this.addSql(
      `insert into inbox_reader (company_id, position, skip_until_id)
      select c.id,
        coalesce((select s.seq from audit_seal s where s.company_id = c.id order by s.seq desc limit 1), 0),
        coalesce((select e.id from audit_event e where e.company_id = c.id order by e.id desc limit 1), 0)
      from company c;`,
    );
    this.addSql(`select set_config('app.company', '', true);`);
    this.addSql(
      `insert into "secret" ("name", "value") values ('unsubscribe', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`delete from "secret" where name = 'unsubscribe';`);
    this.addSql(`drop table if exists "inbox_reader" cascade;`);
    this.addSql(`drop table if exists "summary_mail" cascade;`);
    this.addSql(`drop table if exists "inbox_item" cascade;`);
    this.addSql(`drop table if exists "watch" cascade;`);

    this.addSql(
      `alter table "person" drop column "mail_assigned", drop column "mail_mentioned", drop column "mail_commented", drop column "mail_summary", drop column "mail_refused_at", drop column "mail_attempts", drop column "mail_next_attempt_at";`,
    );
  }
}
