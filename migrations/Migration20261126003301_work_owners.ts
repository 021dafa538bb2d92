import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Tasks have an assignee. Entity tags cover the names of all people whom an object shows. */
export class Migration20261126003301_work_owners extends Migration {
  override name = 'Migration20261126003301_work_owners';

  override up(): void | Promise<void> {
    this.addSql(`
      create function public.entity_tag(of_company int, version int, created_by uuid, updated_by uuid, people uuid[])
      returns text language plpgsql stable ${SETTINGS} as $$
      -- Entity tag of an object that shows further people: as without them if there are none.
      begin
        return version || '-' || left(encode(sha256(convert_to((
          select string_agg(u.name, e'\\n' order by one.position)
          from unnest(array[created_by, updated_by] || people) with ordinality one(id, position)
          join public.company_user u on u.company_id = of_company and u.unique_id = one.id), 'UTF8')), 'hex'), 8);
      end
      $$`);

    this.addSql(`alter table "company" add "time_zone" varchar(64) not null default 'UTC';`);

    this.addSql(`alter table "task" add "assignee_id" uuid null;`);
    this.addSql(
      `alter table "task" add constraint "task_company_id_assignee_id_foreign" foreign key ("company_id", "assignee_id") references "member" ("company_id", "unique_id") on update no action on delete no action not valid;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop function public.entity_tag(int, int, uuid, uuid, uuid[])`);
    this.addSql(`alter table "task" drop constraint "task_company_id_assignee_id_foreign";`);

    this.addSql(`alter table "company" drop column "time_zone";`);

    this.addSql(`drop index "task_by_assignee";`);
    this.addSql(`alter table "task" drop column "assignee_id";`);
  }
}
