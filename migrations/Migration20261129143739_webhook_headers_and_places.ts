import { Migration } from '@mikro-orm/migrations';

export class Migration20261129143739_webhook_headers_and_places extends Migration {
  override name = 'Migration20261129143739_webhook_headers_and_places';

  override up(): void | Promise<void> {
    this.addSql(`create table "former_place" ("place" varchar(960) not null, primary key ("place"));`);

    this.addSql(`alter table "file" add "place" varchar(960) null;`);

    this.addSql(`drop trigger if exists "webhook_audit" on "webhook";`);
    this.addSql(`drop function if exists "webhook_webhook_audit_fn"();`);
    this.addSql(
      `alter table "webhook" add "headers" text[] not null default '{}', add "encrypted_headers" text null, add "headers_changed_at" timestamptz(3) null;`,
    );
    this.addSql(
      `alter table "webhook" add constraint "webhook_headers_complete" check ((encrypted_headers IS NULL) = (cardinality(headers) = 0)) not valid;`,
    );
    this.addSql(
      `create trigger webhook_audit after insert or update or delete on webhook for each row execute function audit_row('webhook', 'unique_id', '{secret,secret_changed_at,previous_secret,encrypted_headers,position,skip_after_id,skip_until_id,failing_since,checkpoint_sequence,checkpoint_at}', '{"secret_changed_at":"rotate"}');`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "former_place" cascade;`);

    this.addSql(`drop index "file_without_place";`);
    this.addSql(`alter table "file" drop column "place";`);

    this.addSql(`alter table "webhook" drop constraint "webhook_headers_complete";`);
    this.addSql(`drop trigger if exists "webhook_audit" on "webhook";`);
    this.addSql(`drop function if exists "webhook_webhook_audit_fn"();`);
    this.addSql(
      `alter table "webhook" drop column "headers", drop column "encrypted_headers", drop column "headers_changed_at";`,
    );
    this.addSql(
      `create trigger webhook_audit after insert or update or delete on webhook for each row execute function audit_row('webhook', 'unique_id', '{secret,secret_changed_at,previous_secret,position,skip_after_id,skip_until_id,failing_since,checkpoint_sequence,checkpoint_at}', '{"secret_changed_at":"rotate"}');`,
    );
  }
}
