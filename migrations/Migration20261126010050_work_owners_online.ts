import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261126010050_work_owners_online extends OnlineMigration {
  override name = 'Migration20261126010050_work_owners_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "task" validate constraint "task_company_id_assignee_id_foreign";`);

    this.addSql(`drop index concurrently if exists "task_by_assignee";`);
    this.addSql(
      `create index concurrently "task_by_assignee" on "task" (company_id, assignee_id) where assignee_id is not null;`,
    );

    this.addSql(`alter table "api_key" validate constraint "api_key_scopes";`);

    this.addSql(`drop index concurrently if exists "audit_event_by_parent";`);
    this.addSql(
      `create index concurrently "audit_event_by_parent" on "audit_event" (company_id, parent_id, id) where parent_id is not null;`,
    );
  }
}
