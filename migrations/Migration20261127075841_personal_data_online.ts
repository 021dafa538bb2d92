import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261127075841_personal_data_online extends OnlineMigration {
  override name = 'Migration20261127075841_personal_data_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "company" validate constraint "company_erasing_is_closed";`);

    this.addSql(`alter table "invitation" validate constraint "invitation_identity";`);

    this.addSql(`alter table "member" validate constraint "member_identity_sha256";`);

    this.addSql(`alter table "member" validate constraint "member_active_has_person";`);

    this.addSql(`alter table "member" validate constraint "member_forgotten";`);
  }
}
