import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261126004530_members_and_views_online extends OnlineMigration {
  override name = 'Migration20261126004530_members_and_views_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_key" validate constraint "api_key_scopes";`);
  }
}
