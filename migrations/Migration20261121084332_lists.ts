import { Migration } from '@mikro-orm/migrations';

/** What lists of tasks are filtered by is in the index of their order; what was changed lately has one of its own. */
export class Migration20261121084332_lists extends Migration {
  override name = 'Migration20261121084332_lists';

  override up(): void | Promise<void> {
    this.addSql(`drop index "task_by_framework";`);
    this.addSql(`
      create index task_by_framework on task (company_id, framework_id, unique_id)
        include (status, priority, department_id, due_date, updated_at)`);
    this.addSql(`create index "task_by_updated_at" on "task" ("company_id", "framework_id", "updated_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "task_by_framework";`);
    this.addSql(`drop index "task_by_updated_at";`);
    this.addSql(`create index "task_by_framework" on "task" ("company_id", "framework_id", "unique_id");`);
  }
}
