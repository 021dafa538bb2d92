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
  remembered_answer: ['select', 'update', 'delete'],
  audit_event: ['select'],
  audit_seal: [],
  audit_horizon: ['select'],
};

export class Migration20261121121655_a_second_wall extends Migration {
  override name = 'Migration20261121121655_a_second_wall';

  override up(): void | Promise<void> {
    for (const [table, commands] of Object.entries(FOR_EVERY)) {
      const told = commands.length === 0 ? ITS_COMPANY : `( SELECT ${ITS_COMPANY} AS "nullif")`;
      const own = `${table === 'company' ? 'id' : 'company_id'} = ${told}`;
      this.addSql(`alter table "${table}" enable row level security;`);
      this.addSql(`alter table "${table}" force row level security;`);
      this.addSql(`create policy "of_its_company" on "${table}" using ((${own})) with check ((${own}));`);
      for (const command of commands) {
        this.addSql(`create policy "${command}_of_every_company" on "${table}" for ${command} using (${IS_EVERY});`);
      }
    }
    // What writes the seals: the role of the service need not be able to. Nothing that a caller makes may stand before the tables.
    this.addSql('alter function seal_audit(int, int) security definer');
    this.addSql('alter function seal_audit(int, int) set search_path = public, pg_temp');
  }

  override down(): void | Promise<void> {
    this.addSql('alter function seal_audit(int, int) security invoker');
    this.addSql('alter function seal_audit(int, int) reset search_path');
    for (const [table, commands] of Object.entries(FOR_EVERY)) {
      for (const command of commands) this.addSql(`drop policy "${command}_of_every_company" on "${table}";`);
      this.addSql(`drop policy "of_its_company" on "${table}";`);
      this.addSql(`alter table "${table}" no force row level security;`);
      this.addSql(`alter table "${table}" disable row level security;`);
    }
  }
}
