import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261129102606_series_date_online extends OnlineMigration {
  override name = 'Migration20261129102606_series_date_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "task" validate constraint "task_series_date";`);
  }
}
