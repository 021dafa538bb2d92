import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261126003301_work_owners_online extends OnlineMigration {
  override name = 'Migration20261126003301_work_owners_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "task" validate constraint "task_company_id_assignee_id_foreign";`);

    this.addSql(`drop index concurrently if exists "task_by_assignee";`);
    this.addSql(
      `create index concurrently "task_by_assignee" on "task" (company_id, assignee_id) where assignee_id is not null;`,
    );
  }
}
