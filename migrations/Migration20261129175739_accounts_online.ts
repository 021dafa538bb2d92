import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261129175739_accounts_online extends OnlineMigration {
  override name = 'Migration20261129175739_accounts_online';

  override up(): void | Promise<void> {
    // By hand: who could not be somebody else until now is proven.
    this.addFill({
      table: 'person',
      key: 'unique_id',
      set: 'proven_at = now()',
      where: `proven_at is null and (exists (select from member m where m.person_id = person.unique_id and m.single_sign_on is not null)
        or (select count(*) from member m where m.person_id = person.unique_id and m.ended_at is null) > 1)`,
      rowScope: 'all companies',
    });

    this.addSql(`alter table "inbox_item" validate constraint "inbox_item_reason_check";`);

    this.addSql(`alter table "inbox_item" validate constraint "inbox_item_resource_type_check";`);
  }
}
