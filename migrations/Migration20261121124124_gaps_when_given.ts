import { Migration } from '@mikro-orm/migrations';

/** Gaps are looked at where some are given or changed: for the others, which are most, no function is called. */
export class Migration20261121124124_gaps_when_given extends Migration {
  override name = 'Migration20261121124124_gaps_when_given';

  override up(): void | Promise<void> {
    this.addSql(`drop trigger task_gaps_exist on task;`);
    this.addSql(
      `create trigger task_gaps_given after insert on task for each row when (new.gaps <> '{}') execute function task_gaps_exist();`,
    );
    this.addSql(
      `create trigger task_gaps_changed after update on task for each row when (new.gaps <> old.gaps) execute function task_gaps_exist();`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger task_gaps_given on task;`);
    this.addSql(`drop trigger task_gaps_changed on task;`);
    this.addSql(
      `create trigger task_gaps_exist after insert or update on task for each row execute function task_gaps_exist();`,
    );
  }
}
