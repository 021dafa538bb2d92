import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261130120608_catalogs_online extends OnlineMigration {
  override name = 'Migration20261130120608_catalogs_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "import" validate constraint "import_format_check";`);

    this.addSql(`alter table "import" validate constraint "import_framework";`);

    this.addSql(`alter table "import" validate constraint "import_kind_check";`);

    this.addSql(`drop index concurrently if exists "import_note_made";`);
    this.addSql(
      `create index concurrently "import_note_made" on "import_note" (company_id, import_id, value) where kind in ('made', 'waiting');`,
    );

    this.addSql(`alter table "import_note" validate constraint "import_note_kind_check";`);
  }
}
