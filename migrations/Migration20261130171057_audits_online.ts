import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261130171057_audits_online extends OnlineMigration {
  override name = 'Migration20261130171057_audits_online';

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "member_by_end";`);
    this.addSql(
      `create index concurrently "member_by_end" on "member" (ends_at) where ends_at is not null and ended_at is null;`,
    );

    this.addSql(`alter table "inbox_item" validate constraint "inbox_item_reason_check";`);

    this.addSql(`alter table "task" validate constraint "task_company_id_reviewer_id_foreign";`);

    this.addSql(`drop index concurrently if exists "task_by_closing";`);
    this.addSql(`create index concurrently "task_by_closing" on "task" (company_id, framework_id, closed_at, unique_id)
  include (status, priority, department_id, due_date);`);

    this.addSql(`drop index concurrently if exists "task_without_closing";`);
    this.addSql(
      `create index concurrently "task_without_closing" on "task" (company_id, unique_id) where closed_at is null and not (status in ('todo', 'in_progress', 'in_review'));`,
    );

    this.addSql(`alter table "task" validate constraint "task_reviewer_id_differs";`);

    this.addSql(`drop index concurrently if exists "vendor_by_contract_end";`);

    this.addSql(`drop index concurrently if exists "vendor_by_contract";`);
    this.addSql(
      `create index concurrently "vendor_by_contract" on "vendor" ("company_id", "contract_end", "unique_id");`,
    );

    this.addSql(`alter table "evidence" validate constraint "evidence_checked";`);

    this.addSql(`drop index concurrently if exists "comment_question";`);
    this.addSql(
      `create index concurrently "comment_question" on "comment" (company_id, unique_id) where kind = 'question'::text;`,
    );

    this.addSql(`alter table "comment" validate constraint "comment_resolved";`);

    this.addSql(`alter table "comment" validate constraint "comment_question_resolved";`);

    this.addSql(`alter table "comment" validate constraint "comment_kind_check";`);
  }
}
