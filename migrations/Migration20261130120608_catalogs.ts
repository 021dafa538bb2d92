import { Migration } from '@mikro-orm/migrations';

export class Migration20261130120608_catalogs extends Migration {
  override name = 'Migration20261130120608_catalogs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "import" drop constraint "import_format_check";`);
    this.addSql(`alter table "import" drop constraint "import_framework";`);
    this.addSql(`alter table "import" drop constraint "import_kind_check";`);
    this.addSql(
      `alter table "import" add constraint "import_format_check" check ("format" in ('csv', 'ndjson', 'oscal')) not valid;`,
    );
    this.addSql(
      `alter table "import" add constraint "import_framework" check ((kind = 'vendor'::text) = (framework_id IS NULL)) not valid;`,
    );
    this.addSql(
      `alter table "import" add constraint "import_kind_check" check ("kind" in ('vendor', 'task', 'requirement')) not valid;`,
    );

    this.addSql(`alter table "import_note" drop constraint "import_note_kind_check";`);
    this.addSql(
      `alter table "import_note" add constraint "import_note_kind_check" check ("kind" in ('warning', 'skipped', 'made', 'waiting')) not valid;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "import" drop constraint "import_framework";`);
    this.addSql(`alter table "import" drop constraint "import_kind_check";`);
    this.addSql(`alter table "import" drop constraint "import_format_check";`);
    this.addSql(
      `alter table "import" add constraint "import_framework" check ((kind = 'task'::text) = (framework_id IS NOT NULL));`,
    );
    this.addSql(`alter table "import" add constraint "import_kind_check" check ("kind" in ('vendor', 'task'));`);
    this.addSql(`alter table "import" add constraint "import_format_check" check ("format" in ('csv', 'ndjson'));`);

    this.addSql(`drop index "import_note_made";`);
    this.addSql(`alter table "import_note" drop constraint "import_note_kind_check";`);
    this.addSql(
      `alter table "import_note" add constraint "import_note_kind_check" check ("kind" in ('warning', 'skipped'));`,
    );
  }
}
