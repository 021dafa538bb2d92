import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261130062529_files_of_people_online extends OnlineMigration {
  override name = 'Migration20261130062529_files_of_people_online';

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "import_undo";`);
    this.addSql(
      `create unique index concurrently "import_undo" on "import" (company_id, undo_of) where undo_of is not null and not dry_run and state not in ('failed', 'canceled');`,
    );

    this.addSql(`alter table "import" validate constraint "import_dates_check";`);

    this.addSql(`alter table "import" validate constraint "import_duplicates_check";`);
  }
}
