import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261129143739_webhook_headers_and_places_online extends OnlineMigration {
  override name = 'Migration20261129143739_webhook_headers_and_places_online';

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "file_without_place";`);
    this.addSql(
      `create index concurrently "file_without_place" on "file" (company_id, unique_id) where store = 's3' and place is null;`,
    );

    this.addSql(`alter table "webhook" validate constraint "webhook_headers_complete";`);
  }
}
