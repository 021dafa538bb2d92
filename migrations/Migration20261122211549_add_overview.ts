import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Columns of the counts by status. */
const STATUSES = ['todo', 'in_progress', 'in_review', 'done', 'not_applicable', 'canceled'];
const columns = STATUSES.join(', ');
const each = (sqlOf: (status: string) => string) => STATUSES.map(sqlOf).join(', ');
const countRows = each((status) => `count(*) filter (where a.status = '${status}')`);
const addCounts = each((status) => `${status} = c.${status} + excluded.${status}`);

/** Counts of tasks by status, their history, the usage of API keys, and indexes for an overview. */
export class Migration20261122211549_add_overview extends Migration {
  override name = 'Migration20261122211549_add_overview';

  override up(): void | Promise<void> {
    // Until the end of this transaction nobody changes a task, so that the counts of existing tasks are complete.
    this.addSql(`lock table task in share row exclusive mode`);
    this.addSql(`
      create or replace function public.update_task_count() returns trigger language plpgsql ${SETTINGS} as $$
      -- Keeps task_count. The order of its rows prevents deadlocks. new_rows and old_rows are transition tables.
      begin
        if tg_op = 'INSERT' then
          insert into public.task_count as c (company_id, framework_id, slot, tasks, ${columns})
          select a.company_id, a.framework_id, pg_backend_pid() % 16, count(*), ${countRows}
          from new_rows a group by 1, 2 order by 1, 2
          on conflict (company_id, framework_id, slot) do update set tasks = c.tasks + excluded.tasks, ${addCounts};
        else
          insert into public.task_count as c (company_id, framework_id, slot, tasks, ${columns})
          select a.company_id, a.framework_id, pg_backend_pid() % 16, -count(*), ${each((status) => `-count(*) filter (where a.status = '${status}')`)}
          from old_rows a group by 1, 2 order by 1, 2
          on conflict (company_id, framework_id, slot) do update set tasks = c.tasks + excluded.tasks, ${addCounts};
        end if;
        return null;
      end
      $$`);
    this.addSql(`
      create function public.update_task_status_count() returns trigger language plpgsql ${SETTINGS} as $$
      -- Moves a task from one status to another in task_count. Transactions change tasks in any order, so that waiting for a
      -- count could end in a deadlock. The function takes a slot that no other transaction has locked, or adds one. Creates and
      -- deletes use other slots.
      declare
        free_slot smallint;
      begin
        select c.slot into free_slot from public.task_count c
        where c.company_id = new.company_id and c.framework_id = new.framework_id and c.slot >= 16
        limit 1 for update skip locked;
        insert into public.task_count as c (company_id, framework_id, slot, tasks, ${columns})
        values (new.company_id, new.framework_id, coalesce(free_slot, 16 + floor(random() * 32000)::int), 0,
          ${each((status) => `(new.status = '${status}')::int - (old.status = '${status}')::int`)})
        on conflict (company_id, framework_id, slot) do update set ${addCounts};
        return null;
      end
      $$`);

    this.addSql(
      `create table "task_status_day" ("company_id" int not null, "framework_id" int not null, "day" date not null, "todo" int not null default 0, "in_progress" int not null default 0, "in_review" int not null default 0, "done" int not null default 0, "not_applicable" int not null default 0, "canceled" int not null default 0, primary key ("company_id", "framework_id", "day"));`,
    );

    this.addSql(
      `create table "api_key_usage" ("company_id" int not null, "api_key_id" uuid not null, "day" date not null, "requests" int not null, "errors" int not null, "rate_limited" int not null, primary key ("company_id", "api_key_id", "day"));`,
    );
    this.addSql(`create index "api_key_usage_by_day" on "api_key_usage" ("day");`);

    this.addSql(`drop policy "company_isolation" on "task_count";`);

    this.addSql(
      `alter table "task_count" add "todo" int not null default 0, add "in_progress" int not null default 0, add "in_review" int not null default 0, add "done" int not null default 0, add "not_applicable" int not null default 0, add "canceled" int not null default 0;`,
    );
    this.addSql(
      `create policy "select_all_companies" on "task_count" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "company_isolation" on "task_count" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );

    // The counts of existing tasks. The owner of the tables sees all companies only while row-level security is not forced.
    for (const table of ['task', 'task_count']) this.addSql(`alter table "${table}" no force row level security;`);
    this.addSql(`
      insert into task_count (company_id, framework_id, slot, tasks, ${columns})
      select a.company_id, a.framework_id, 16, 0, ${countRows} from task a group by 1, 2`);
    for (const table of ['task', 'task_count']) this.addSql(`alter table "${table}" force row level security;`);

    this.addSql(`create index task_open_by_due_date on task (company_id, framework_id, due_date)
  where status in ('todo', 'in_progress', 'in_review') and due_date is not null;`);
    this.addSql(
      `create trigger task_count_status after update on task for each row when (new.status <> old.status) execute function update_task_status_count();`,
    );

    this.addSql(`create index "vendor_by_status" on "vendor" ("company_id", "status");`);

    this.addSql(
      `alter table "task_status_day" add constraint "task_status_day_company_id_framework_id_foreign" foreign key ("company_id", "framework_id") references "framework" ("company_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "task_status_day" enable row level security;`);
    this.addSql(`alter table "task_status_day" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "task_status_day" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "task_status_day" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "insert_all_companies" on "task_status_day" for insert with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "update_all_companies" on "task_status_day" for update using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "task_status_day" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );

    this.addSql(
      `alter table "api_key_usage" add constraint "api_key_usage_company_id_api_key_id_foreign" foreign key ("company_id", "api_key_id") references "api_key" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "api_key_usage" enable row level security;`);
    this.addSql(`alter table "api_key_usage" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "api_key_usage" using ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif"))) with check ((company_id = ( SELECT (NULLIF(current_setting('app.company'::text, true), ''::text))::integer AS "nullif")));`,
    );
    this.addSql(
      `create policy "select_all_companies" on "api_key_usage" for select using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "insert_all_companies" on "api_key_usage" for insert with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "update_all_companies" on "api_key_usage" for update using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
    this.addSql(
      `create policy "delete_all_companies" on "api_key_usage" for delete using (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }
}
