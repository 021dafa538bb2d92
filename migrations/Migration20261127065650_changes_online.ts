import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261127065650_changes_online extends OnlineMigration {
  override name = 'Migration20261127065650_changes_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "invitation" validate constraint "invitation_identity";`);

    this.addSql(`alter table "member" validate constraint "member_identity_sha256";`);

    this.addSql(`alter table "member" validate constraint "member_active_has_person";`);

    this.addSql(`alter table "member" validate constraint "member_forgotten";`);
  }
}
