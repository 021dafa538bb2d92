import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261130051008_lists_online extends OnlineMigration {
  override name = 'Migration20261130051008_lists_online';

  override up(): void | Promise<void> {
    // By hand: the labels of tasks that are there.
    this.addDerivedRows({
      table: 'task',
      key: 'unique_id',
      where: `labels <> '{}'`,
      insert: (rows) => `insert into task_label (company_id, label, framework_id, task_id)
        select t.company_id, fold_case(normalize(l.label)), t.framework_id, t.unique_id from ${rows} t, unnest(t.labels) l (label)
        on conflict do nothing`,
    });
  }
}
