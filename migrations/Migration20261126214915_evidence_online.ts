import { OnlineMigration } from '../database/orm/online-migration.ts';

export class Migration20261126214915_evidence_online extends OnlineMigration {
  override name = 'Migration20261126214915_evidence_online';

  override up(): void | Promise<void> {
    this.addSql(`alter table "idempotency_record" validate constraint "idempotency_record_company_id_foreign";`);

    this.addSql(`alter table "api_key" validate constraint "api_key_scopes";`);
  }
}
