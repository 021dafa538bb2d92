import { Migration } from '@mikro-orm/migrations';

/** Gaps are looked at where some are given or changed: for the others, which are most, no function is called. */
export class Migration20261121124124_gaps_when_given extends Migration {
  override name = 'Migration20261121124124_gaps_when_given';

  override up(): void | Promise<void> {
    this.addSql(`drop trigger check_task_gaps on task;`);
    this.addSql(
      `create trigger task_gaps_insert after insert on task for each row when (new.gaps <> '{}') execute function check_task_gaps();`,
    );
    this.addSql(
      `create trigger task_gaps_update after update on task for each row when (new.gaps <> old.gaps) execute function check_task_gaps();`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger task_gaps_insert on task;`);
    this.addSql(`drop trigger task_gaps_update on task;`);
    this.addSql(
      `create trigger check_task_gaps after insert or update on task for each row execute function check_task_gaps();`,
    );
  }
}
