import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261127070722_changes_online extends OnlineMigration {
  override name = 'Migration20261127070722_changes_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "company" validate constraint "company_erasing_is_closed";`);
  }
}
