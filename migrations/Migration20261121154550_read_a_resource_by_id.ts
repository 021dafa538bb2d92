import { Migration } from '@mikro-orm/migrations';

/** What happened to one resource is read in the order of its changes, which is that of ids, whatever the clock did. */
export class Migration20261121154550_read_a_resource_by_id extends Migration {
  override name = 'Migration20261121154550_read_a_resource_by_id';

  override up(): void | Promise<void> {
    this.addSql(`drop index "audit_event_by_resource";`);
    this.addSql(
      `create index "audit_event_by_resource" on "audit_event" ("company_id", "resource_type", "resource_id", "id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "audit_event_by_resource";`);
    this.addSql(
      `create index "audit_event_by_resource" on "audit_event" ("company_id", "resource_type", "resource_id", "occurred_at", "id");`,
    );
  }
}
