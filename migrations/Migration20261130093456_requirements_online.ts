import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261130093456_requirements_online extends OnlineMigration {
  override name = 'Migration20261130093456_requirements_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "inbox_item" validate constraint "inbox_item_resource_type_check";`);

    this.addSql(`alter table "framework" validate constraint "framework_audit_date";`);

    this.addSql(`alter table "task" validate constraint "task_requirements_max";`);

    this.addSql(`alter table "gap" validate constraint "gap_company_id_requirement_id_foreign";`);

    this.addSql(`alter table "gap" validate constraint "gap_company_id_owner_id_foreign";`);

    this.addSql(`drop index concurrently if exists "gap_by_requirement";`);
    this.addSql(
      `create index concurrently "gap_by_requirement" on "gap" (company_id, requirement_id) where requirement_id is not null;`,
    );

    this.addSql(`alter table "gap" validate constraint "gap_due_date";`);

    this.addSql(`alter table "gap" validate constraint "gap_status_check";`);

    this.addSql(`alter table "api_key" validate constraint "api_key_scopes";`);

    this.addSql(`alter table "evidence" validate constraint "evidence_company_id_requirement_id_foreign";`);

    this.addSql(`drop index concurrently if exists "evidence_by_requirement";`);
    this.addSql(
      `create index concurrently "evidence_by_requirement" on "evidence" (company_id, requirement_id, unique_id) include (valid_until) where requirement_id is not null;`,
    );

    this.addSql(`alter table "evidence" validate constraint "evidence_one_parent";`);

    this.addSql(`alter table "comment" validate constraint "comment_company_id_requirement_id_foreign";`);

    this.addSql(`drop index concurrently if exists "comment_by_requirement";`);
    this.addSql(
      `create index concurrently "comment_by_requirement" on "comment" (company_id, requirement_id, unique_id) where requirement_id is not null;`,
    );

    this.addSql(`alter table "comment" validate constraint "comment_one_parent";`);

    this.addSql(`alter table "watch" validate constraint "watch_company_id_requirement_id_foreign";`);

    this.addSql(`drop index concurrently if exists "watch_of_requirement";`);
    this.addSql(
      `create unique index concurrently "watch_of_requirement" on "watch" (company_id, requirement_id, member_id) where requirement_id is not null;`,
    );

    this.addSql(`alter table "watch" validate constraint "watch_one_resource";`);
  }
}
