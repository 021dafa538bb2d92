import { Migration } from '@mikro-orm/migrations';

const ITS_COMPANY = `(NULLIF(current_setting('app.company'::text, true), ''::text))::integer`;
const IS_EVERY = `( SELECT (current_setting('app.company'::text, true) = '0'::text))`;

/** Each table with what a statement for every company may do with it. */
const FOR_EVERY: Record<string, string[]> = {
  company: ['select'],
  company_user: [],
  framework: [],
  department: [],
  gap: [],
  api_key: ['select', 'update'],
  task: [],
  task_count: [],
  vendor: [],
  idempotency_record: ['select', 'update', 'delete'],
  audit_event: ['select'],
  audit_seal: [],
  audit_watermark: ['select'],
};

export class Migration20261121121655_a_second_wall extends Migration {
  override name = 'Migration20261121121655_a_second_wall';

  override up(): void | Promise<void> {
    for (const [table, commands] of Object.entries(FOR_EVERY)) {
      const told = commands.length === 0 ? ITS_COMPANY : `( SELECT ${ITS_COMPANY} AS "nullif")`;
      const own = `${table === 'company' ? 'id' : 'company_id'} = ${told}`;
      this.addSql(`alter table "${table}" enable row level security;`);
      this.addSql(`alter table "${table}" force row level security;`);
      this.addSql(`create policy "company_isolation" on "${table}" using ((${own})) with check ((${own}));`);
      for (const command of commands) {
        this.addSql(`create policy "${command}_all_companies" on "${table}" for ${command} using (${IS_EVERY});`);
      }
    }
    // The role of the service cannot write seals but by this, and for no company but the one that its transaction was told
    // of. Nothing that a caller makes may stand before the tables.
    this.addSql(`
      create function seal_current_company(batch_size int) returns int language sql
      security definer set search_path = public, pg_temp
      as $$ select seal_audit_log(nullif(current_setting('app.company', true), '')::int, batch_size) $$`);
    this.addSql('revoke execute on function seal_audit_log(int, int) from public');
  }

  override down(): void | Promise<void> {
    this.addSql('grant execute on function seal_audit_log(int, int) to public');
    this.addSql('drop function seal_current_company(int)');
    for (const [table, commands] of Object.entries(FOR_EVERY)) {
      for (const command of commands) this.addSql(`drop policy "${command}_all_companies" on "${table}";`);
      this.addSql(`drop policy "company_isolation" on "${table}";`);
      this.addSql(`alter table "${table}" no force row level security;`);
      this.addSql(`alter table "${table}" disable row level security;`);
    }
  }
}
