import { Migration } from '@mikro-orm/migrations';

export class Migration20261122134124_add_orders_of_lists extends Migration {
  override name = 'Migration20261122134124_add_orders_of_lists';

  override up(): void | Promise<void> {
    this.addSql(`drop index "task_by_updated_at";`);
    this.addSql(`create index task_by_update on task (company_id, framework_id, updated_at, unique_id)
  include (status, priority, department_id, due_date);`);
    this.addSql(`create index task_by_due_date on task (company_id, framework_id, due_date, unique_id)
  include (status, priority, department_id);`);
    this.addSql(`create index task_by_priority on task (company_id, framework_id, priority, unique_id)
  include (status, department_id, due_date);`);

    this.addSql(`create index "vendor_by_updated_at" on "vendor" ("company_id", "updated_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "task_by_update";`);
    this.addSql(`drop index "task_by_due_date";`);
    this.addSql(`drop index "task_by_priority";`);
    this.addSql(`create index "task_by_updated_at" on "task" ("company_id", "framework_id", "updated_at");`);

    this.addSql(`drop index "vendor_by_updated_at";`);
  }
}
