import { Migration } from '@mikro-orm/migrations';

export class Migration20261121070432_leaked_keys extends Migration {
  override name = 'Migration20261121070432_leaked_keys';

  override up(): void | Promise<void> {
    this.addSql(`alter table "company" add "leaked_keys" text not null default 'disable';`);
    this.addSql(
      `alter table "company" add constraint "company_leaked_keys_check" check ("leaked_keys" in ('disable', 'report'));`,
    );

    this.addSql(`alter table "api_key" add "leaked_at" timestamptz(3) null, add "leaked_url" varchar(2048) null;`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_leaked_url_requires_leaked_at" check (leaked_url IS NULL OR leaked_at IS NOT NULL);`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_key" drop constraint "api_key_leaked_url_requires_leaked_at";`);
    this.addSql(`alter table "api_key" drop column "leaked_at", drop column "leaked_url";`);

    this.addSql(`alter table "company" drop constraint "company_leaked_keys_check";`);
    this.addSql(`alter table "company" drop column "leaked_keys";`);
  }
}
