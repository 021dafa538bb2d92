import { Migration } from '@mikro-orm/migrations';

export class Migration20261129102606_series_date extends Migration {
  override name = 'Migration20261129102606_series_date';

  override up(): void | Promise<void> {
    this.addSql(`alter table "task" add "series_date" date null;`);
    this.addSql(
      `alter table "task" add constraint "task_series_date" check (series_date >= '1900-01-01'::date AND series_date <= '2999-12-31'::date) not valid;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "task" drop constraint "task_series_date";`);
    this.addSql(`alter table "task" drop column "series_date";`);
  }
}
