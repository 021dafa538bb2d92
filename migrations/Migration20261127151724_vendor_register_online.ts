import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261127151724_vendor_register_online extends OnlineMigration {
  override name = 'Migration20261127151724_vendor_register_online';

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "task_by_series";`);
    this.addSql(
      `create index concurrently "task_by_series" on "task" (company_id, series_id, unique_id) where series_id is not null;`,
    );

    this.addSql(`alter table "task" validate constraint "task_vendors_max";`);

    this.addSql(`alter table "task" validate constraint "task_recurrence_has_due_date";`);

    this.addSql(`drop index concurrently if exists "vendor_by_updated_at";`);

    this.addSql(`alter table "vendor" validate constraint "vendor_company_id_owner_id_foreign";`);

    this.addSql(`drop index concurrently if exists "vendor_by_update";`);
    this.addSql(`create index concurrently "vendor_by_update" on "vendor" ("company_id", "updated_at", "unique_id");`);

    this.addSql(`drop index concurrently if exists "vendor_by_criticality";`);
    this.addSql(
      `create index concurrently "vendor_by_criticality" on "vendor" ("company_id", "criticality", "unique_id");`,
    );

    this.addSql(`drop index concurrently if exists "vendor_by_next_review";`);
    this.addSql(
      `create index concurrently "vendor_by_next_review" on "vendor" ("company_id", "next_review", "unique_id");`,
    );

    this.addSql(`drop index concurrently if exists "vendor_by_contract_end";`);
    this.addSql(`create index concurrently "vendor_by_contract_end" on "vendor" (company_id, contract_end)
  where contract_end is not null;`);

    this.addSql(`alter table "vendor" validate constraint "vendor_criticality";`);

    this.addSql(`alter table "vendor" validate constraint "vendor_labels";`);

    this.addSql(`alter table "vendor" validate constraint "vendor_data_categories";`);

    this.addSql(`alter table "vendor" validate constraint "vendor_contract_start";`);

    this.addSql(`alter table "vendor" validate constraint "vendor_contract_end";`);

    this.addSql(`alter table "vendor" validate constraint "vendor_next_review";`);

    this.addSql(`alter table "vendor" validate constraint "vendor_contract_end_not_before_contract_start";`);

    this.addSql(`alter table "vendor" validate constraint "vendor_review_every_months";`);

    this.addSql(`alter table "vendor" validate constraint "vendor_contacts_max";`);

    this.addSql(`alter table "vendor" validate constraint "vendor_last_review";`);
  }
}
