import { Migration } from '@mikro-orm/migrations';

/** The version of the data, and the running processes. Versions before 0.2.0 know neither. */
export class Migration20261124133702_add_versions extends Migration {
  override name = 'Migration20261124133702_add_versions';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "data_version" ("name" text not null, "data" varchar(20) not null, "oldest" varchar(20) not null, primary key ("name"));`,
    );

    this.addSql(
      `create table "service_process" ("unique_id" uuid not null, "version" varchar(20) not null, "seen_at" timestamptz(3) not null, primary key ("unique_id"));`,
    );

    this.addSql(`alter table "data_version" add constraint "data_version_name_check" check ("name" in ('data'));`);
    this.addSql(`insert into "data_version" ("name", "data", "oldest") values ('data', '0.1.0', '0.1.0');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "data_version" cascade;`);
    this.addSql(`drop table if exists "service_process" cascade;`);
  }
}
