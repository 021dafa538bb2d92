import { Migration } from '@mikro-orm/migrations';

export class Migration20261121070637_stricter extends Migration {
  override name = 'Migration20261121070637_stricter';

  override up(): void | Promise<void> {
    this.addSql(`
      create function require_principal() returns trigger language plpgsql as $$
      -- For rows that have no events of their own: somebody of their company has to write them all the same.
      begin
        if nullif(current_setting('app.user', true), '') is null
            or nullif(current_setting('app.company', true), '') is distinct from new.company_id::text then
          raise exception '% of % by nobody of its company', tg_op, tg_table_name using errcode = 'insufficient_privilege';
        end if;
        return new;
      end
      $$`);
    this.addSql(
      `create trigger gap_refuse_update before update of framework_id on gap for each statement execute function forbid_statement();`,
    );

    this.addSql(
      `create trigger company_user_require_principal before insert or update on company_user for each row execute function require_principal();`,
    );

    this.addSql(`alter table "task" drop constraint "task_labels";`);
    this.addSql(
      `alter table "task" add constraint "task_labels" check (cardinality(labels) <= 20 AND array_position(labels, NULL::varchar) IS NULL AND ''::text <> ALL (labels::text[]));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger if exists "company_user_require_principal" on "company_user";`);

    this.addSql(`drop trigger if exists "gap_refuse_update" on "gap";`);

    this.addSql(`alter table "task" drop constraint "task_labels";`);
    this.addSql(`alter table "task" add constraint "task_labels" check (cardinality(labels) <= 20);`);
    this.addSql('drop function require_principal()');
  }
}
