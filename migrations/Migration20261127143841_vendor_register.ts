import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Written by hand: the vendors of tasks. */
const VENDORS_OF_TASKS = [
  `
      create function public.keep_task_vendors() returns trigger language plpgsql ${SETTINGS} as $$
      -- Keeps the rows of task_vendor equal to the vendors of a task. Its foreign keys require that they exist, and lock them.
      begin
        if (select count(distinct v.id) from unnest(new.vendors) v (id)) <> cardinality(new.vendors) then
          raise exception 'task %: vendors must be distinct', new.unique_id
            using errcode = 'unique_violation', constraint = 'task_vendors_distinct';
        end if;
        if tg_op = 'UPDATE' then
          delete from public.task_vendor named where named.company_id = new.company_id and named.task_id = new.unique_id
            and named.vendor_id <> all(new.vendors);
        end if;
        insert into public.task_vendor (company_id, vendor_id, task_id)
        select new.company_id, v.id, new.unique_id from unnest(new.vendors) v (id)
        on conflict do nothing;
        return null;
      end
      $$`,
  `
      create function public.remove_vendor_from_tasks() returns trigger language plpgsql ${SETTINGS} as $$
      -- Removes a vendor from the tasks that name it before it is deleted, each with its event and version. The vendor is locked
      -- already, so that no other task can name it.
      begin
        -- An erase deletes the rows of each table by itself.
        if coalesce(current_setting('app.erase', true), '') = old.company_id::text and public.is_erasing(tg_relid) then
          return old;
        end if;
        update public.task t set vendors = array_remove(t.vendors, old.unique_id), version = t.version + 1, updated_at = now(),
          updated_by_id = nullif(current_setting('app.user', true), '')::uuid
        from public.task_vendor named
        where named.company_id = old.company_id and named.vendor_id = old.unique_id
          and t.company_id = named.company_id and t.unique_id = named.task_id;
        return old;
      end
      $$`,
];

export class Migration20261127143841_vendor_register extends Migration {
  override name = 'Migration20261127143841_vendor_register';

  override up(): void | Promise<void> {
    for (const sql of VENDORS_OF_TASKS) this.addSql(sql);
    this.addSql(
      `create table "task_vendor" ("company_id" int not null, "vendor_id" uuid not null, "task_id" uuid not null, primary key ("company_id", "vendor_id", "task_id"));`,
    );
    this.addSql(`create index "task_vendor_by_task" on "task_vendor" ("company_id", "task_id");`);

    this.addSql(`drop trigger if exists "task_audit" on "task";`);
    this.addSql(`drop function if exists "task_task_audit_fn"();`);
    this.addSql(
      `alter table "task" add "vendors" uuid[] not null default '{}', add "recurrence" varchar(500) null, add "previous" uuid null, add "next_id" uuid null, add "series_id" uuid null;`,
    );
    this.addSql(`alter table "task" add constraint "task_vendors_max" check (cardinality(vendors) <= 20) not valid;`);
    this.addSql(
      `alter table "task" add constraint "task_recurrence_has_due_date" check (recurrence IS NULL OR due_date IS NOT NULL) not valid;`,
    );
    this.addSql(
      `create trigger task_vendors_insert after insert on task for each row when (new.vendors <> '{}') execute function keep_task_vendors();`,
    );
    this.addSql(
      `create trigger task_vendors_update after update on task for each row when (new.vendors <> old.vendors) execute function keep_task_vendors();`,
    );
    this.addSql(
      `create trigger task_audit after insert or update or delete on task for each row execute function audit_row('task', 'unique_id', '{next_id,series_id}', '{}', 'framework_id');`,
    );

    this.addSql(`drop trigger if exists "vendor_audit" on "vendor";`);
    this.addSql(`drop function if exists "vendor_vendor_audit_fn"();`);
    this.addSql(
      `alter table "vendor" add "website" varchar(2048) null, add "criticality" int null, add "owner_id" uuid null, add "labels" varchar(50)[] not null default '{}', add "data_categories" varchar(50)[] not null default '{}', add "contract_start" date null, add "contract_end" date null, add "review_every_months" int null, add "next_review" date null, add "contacts" jsonb not null default '[]', add "last_review" jsonb null;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_company_id_owner_id_foreign" foreign key ("company_id", "owner_id") references "member" ("company_id", "unique_id") on update no action on delete no action not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_criticality" check (criticality >= 1 AND criticality <= 4) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_labels" check (cardinality(labels) <= 20 AND array_position(labels, NULL::varchar) IS NULL AND ''::text <> ALL (labels::text[])) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_data_categories" check (cardinality(data_categories) <= 20 AND array_position(data_categories, NULL::varchar) IS NULL AND ''::text <> ALL (data_categories::text[])) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_contract_start" check (contract_start >= '1900-01-01'::date AND contract_start <= '2999-12-31'::date) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_contract_end" check (contract_end >= '1900-01-01'::date AND contract_end <= '2999-12-31'::date) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_next_review" check (next_review >= '1900-01-01'::date AND next_review <= '2999-12-31'::date) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_contract_end_not_before_contract_start" check (contract_end >= contract_start) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_review_every_months" check (review_every_months >= 1 AND review_every_months <= 60) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_contacts_max" check (jsonb_array_length(contacts) <= 20) not valid;`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_last_review" check (last_review ?& ARRAY['at'::text, 'by'::text, 'note'::text]) not valid;`,
    );
    this.addSql(
      `create trigger vendor_leave_tasks before delete on vendor for each row execute function remove_vendor_from_tasks();`,
    );
    this.addSql(
      `create trigger vendor_audit after insert or update or delete on vendor for each row execute function audit_row('vendor', 'unique_id', '{}', '{"last_review":"review"}');`,
    );

    this.addSql(
      `alter table "task_vendor" add constraint "task_vendor_company_id_vendor_id_foreign" foreign key ("company_id", "vendor_id") references "vendor" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "task_vendor" add constraint "task_vendor_company_id_task_id_foreign" foreign key ("company_id", "task_id") references "task" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(`alter table "task_vendor" enable row level security;`);
    this.addSql(`alter table "task_vendor" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "task_vendor" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "task_vendor" cascade;`);

    this.addSql(`alter table "vendor" drop constraint "vendor_company_id_owner_id_foreign";`);

    this.addSql(`drop index "task_by_series";`);
    this.addSql(`alter table "task" drop constraint "task_vendors_max";`);
    this.addSql(`alter table "task" drop constraint "task_recurrence_has_due_date";`);
    this.addSql(`drop trigger if exists "task_vendors_insert" on "task";`);
    this.addSql(`drop function if exists "task_task_vendors_insert_fn"();`);
    this.addSql(`drop trigger if exists "task_vendors_update" on "task";`);
    this.addSql(`drop function if exists "task_task_vendors_update_fn"();`);
    this.addSql(`drop trigger if exists "task_audit" on "task";`);
    this.addSql(`drop function if exists "task_task_audit_fn"();`);
    this.addSql(
      `alter table "task" drop column "vendors", drop column "recurrence", drop column "previous", drop column "next_id", drop column "series_id";`,
    );
    this.addSql(
      `create trigger task_audit after insert or update or delete on task for each row execute function audit_row('task', 'unique_id', '{}', '{}', 'framework_id');`,
    );

    this.addSql(`drop index "vendor_by_update";`);
    this.addSql(`drop index "vendor_by_criticality";`);
    this.addSql(`drop index "vendor_by_next_review";`);
    this.addSql(`drop index "vendor_by_contract_end";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_criticality";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_labels";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_data_categories";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_contract_start";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_contract_end";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_next_review";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_contract_end_not_before_contract_start";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_review_every_months";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_contacts_max";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_last_review";`);
    this.addSql(`drop trigger if exists "vendor_leave_tasks" on "vendor";`);
    this.addSql(`drop function if exists "vendor_vendor_leave_tasks_fn"();`);
    this.addSql(`drop trigger if exists "vendor_audit" on "vendor";`);
    this.addSql(`drop function if exists "vendor_vendor_audit_fn"();`);
    this.addSql(
      `alter table "vendor" drop column "website", drop column "criticality", drop column "owner_id", drop column "labels", drop column "data_categories", drop column "contract_start", drop column "contract_end", drop column "review_every_months", drop column "next_review", drop column "contacts", drop column "last_review";`,
    );
    this.addSql(`create index "vendor_by_updated_at" on "vendor" ("company_id", "updated_at");`);
    this.addSql(
      `create trigger vendor_audit after insert or update or delete on vendor for each row execute function audit_row('vendor', 'unique_id', '{}', '{}');`,
    );
    this.addSql('drop function public.keep_task_vendors();');
    this.addSql('drop function public.remove_vendor_from_tasks();');
  }
}
