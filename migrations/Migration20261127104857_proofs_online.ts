import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261127104857_proofs_online extends OnlineMigration {
  override name = 'Migration20261127104857_proofs_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "file" validate constraint "file_purpose_check";`);

    this.addSql(`alter table "inbox_item" validate constraint "inbox_item_resource_type_check";`);
  }
}
