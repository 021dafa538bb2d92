import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261126003836_comments_online extends OnlineMigration {
  override name = 'Migration20261126003836_comments_online';

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "audit_event_by_parent";`);
    this.addSql(
      `create index concurrently "audit_event_by_parent" on "audit_event" (company_id, parent_id, id) where parent_id is not null;`,
    );
  }
}
