import { Migration } from '@mikro-orm/migrations';

export class Migration20261122133938_feed_reads_all_heads extends Migration {
  override name = 'Migration20261122133938_feed_reads_all_heads';

  override up(): void | Promise<void> {
    this.addSql(`drop policy "company_isolation" on "audit_seal";`);

    this.addSql(
      `create policy "select_all_companies" on "audit_seal" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "company_isolation" on "audit_seal" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "company_isolation" on "audit_seal";`);
    this.addSql(`drop policy "select_all_companies" on "audit_seal";`);

    this.addSql(
      `create policy "company_isolation" on "audit_seal" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }
}
