import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261127212440_cells_online extends OnlineMigration {
  override name = 'Migration20261127212440_cells_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "company" validate constraint "company_moving_is_frozen";`);

    this.addSql(`alter table "company" validate constraint "company_erasing_is_closed";`);

    this.addSql(`alter table "person" validate constraint "person_unclaimed";`);
  }
}
