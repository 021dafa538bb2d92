import { Migration } from '@mikro-orm/migrations';

export class Migration20261121092546_what_a_write_costs extends Migration {
  override name = 'Migration20261121092546_what_a_write_costs';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "task_count" ("company_id" int not null, "framework_id" int not null, "slot" smallint not null, "tasks" int not null, primary key ("company_id", "framework_id", "slot"));`,
    );

    this.addSql(`alter table "task" drop constraint "task_company_id_created_by_id_foreign";`);
    this.addSql(`alter table "task" drop constraint "task_company_id_updated_by_id_foreign";`);

    this.addSql(`alter table "vendor" drop constraint "vendor_company_id_created_by_id_foreign";`);
    this.addSql(`alter table "vendor" drop constraint "vendor_company_id_updated_by_id_foreign";`);

    this.addSql(`
      create or replace function audit_row() returns trigger language plpgsql as $$
      -- Arguments: resource type, id column, columns never recorded, {column: verb} for updates with a name of their own.
      declare
        acting_user constant text := nullif(current_setting('app.user', true), '');
        session_company constant text := nullif(current_setting('app.company', true), '');
        session_api_key constant uuid := nullif(current_setting('app.key', true), '');
        before jsonb;
        after jsonb;
        row_data jsonb;
        changes jsonb;
        verb text := 'update';
      begin
        if tg_op = 'UPDATE' then
          before := to_jsonb(old);
          after := to_jsonb(new);
          row_data := after;
          if tg_argv[3] <> '{}' then
            select coalesce(min(v.value), verb) into verb
              from jsonb_each_text(tg_argv[3]::jsonb) v
              where after->v.key is distinct from before->v.key;
          end if;
          select coalesce(jsonb_object_agg(b.key, jsonb_build_object('from', b.value, 'to', after->b.key)), '{}') into changes
            from jsonb_each(before - tg_argv[2]::text[] - '{version,updated_at,updated_by_id}'::text[]) b
            where after->b.key is distinct from b.value;
          if changes = '{}' and verb = 'update' and before - tg_argv[2]::text[] = after - tg_argv[2]::text[] then
            return null;
          end if;
        elsif tg_op = 'INSERT' then
          row_data := to_jsonb(new);
          verb := 'create';
          changes := row_data - 'company_id' - tg_argv[2]::text[];
        else
          row_data := to_jsonb(old);
          verb := 'delete';
          changes := row_data - 'company_id' - tg_argv[2]::text[];
        end if;

        if acting_user is null or session_company is null then
          raise exception '% on %: app.company and app.user are required', tg_op, tg_table_name
            using errcode = 'insufficient_privilege', hint = 'Set app.company and app.user in the transaction.';
        end if;
        if session_company <> coalesce(of_row->>'company_id', of_row->>'id') or changes ? 'company_id' then
          raise exception '% on %: the row belongs to another company', tg_op, tg_table_name using errcode = 'insufficient_privilege';
        end if;
        if tg_op <> 'DELETE' and (of_row->>'updated_by_id' <> acting_user
            or of_row->>'created_by_id' <> coalesce(before->>'created_by_id', acting_user)) then
          raise exception '% on %: created_by_id and updated_by_id must be the acting user', tg_op, tg_table_name using errcode = 'insufficient_privilege';
        end if;

        insert into audit_event
          (company_id, unique_id, occurred_at, user_id, api_key_id, action, resource_type, resource_id, changes, request_id,
           framework_id)
        values (session_company::int, uuid_v7(), now(), acting_user::uuid, session_api_key, tg_argv[0] || '.' || verb, tg_argv[0],
          of_row->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((of_row->>'framework_id')::int, 0));
        return null;
      end
      $$`);
    this.addSql(`
      create function update_task_count() returns trigger language plpgsql as $$
      -- Keeps task_count. In order, so that two that write tasks of several frameworks do not wait for each other in a ring.
      begin
        if tg_op = 'INSERT' then
          insert into task_count as c (company_id, framework_id, slot, tasks)
          select a.company_id, a.framework_id, pg_backend_pid() % 16, count(*) from new_rows a group by 1, 2 order by 1, 2
          on conflict (company_id, framework_id, slot) do update set tasks = c.tasks + excluded.tasks;
        else
          insert into task_count as c (company_id, framework_id, slot, tasks)
          select r.company_id, r.framework_id, pg_backend_pid() % 16, -count(*) from old_rows r group by 1, 2 order by 1, 2
          on conflict (company_id, framework_id, slot) do update set tasks = c.tasks + excluded.tasks;
        end if;
        return null;
      end
      $$`);
    this.addSql(`
      insert into task_count (company_id, framework_id, slot, tasks)
      select company_id, framework_id, 0, count(*) from task group by company_id, framework_id`);
    // Room on each page for the next versions of its rows, so that an update need not write every index.
    for (const table of ['vendor', 'task_count']) this.addSql(`alter table ${table} set (fillfactor = 85)`);
    this.addSql(
      `create trigger task_forbid_update before update of framework_id or truncate on task for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger task_count_insert after insert on task referencing new table as new_rows for each statement execute function update_task_count();`,
    );
    this.addSql(
      `create trigger task_count_delete after delete on task referencing old table as old_rows for each statement execute function update_task_count();`,
    );

    this.addSql(
      `create trigger vendor_refuse_update before update of unique_id or truncate on vendor for each statement execute function forbid_statement();`,
    );

    this.addSql(
      `alter table "task_count" add constraint "task_count_company_id_framework_id_foreign" foreign key ("company_id", "framework_id") references "framework" ("company_id", "id") on update no action on delete no action;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`
      create or replace function audit_row() returns trigger language plpgsql as $$
      -- Arguments: resource type, id column, columns never recorded, {column: verb} for updates with a name of their own.
      declare
        acting_user constant uuid := nullif(current_setting('app.user', true), '');
        session_company constant text := nullif(current_setting('app.company', true), '');
        unrecorded constant text[] := tg_argv[2]::text[] || '{company_id}'::text[];
        before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
        after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
        row_data constant jsonb := coalesce(after, before);
        of_company constant text := coalesce(of_row->>'company_id', of_row->>'id');
        verb text := case tg_op when 'INSERT' then 'create' else lower(tg_op) end;
        changes jsonb;
      begin
        if tg_op = 'UPDATE' then
          select coalesce(min(v.value), verb) into verb
            from jsonb_each_text(tg_argv[3]::jsonb) v
            where after->v.key is distinct from before->v.key;
          if verb = 'update' and after - unrecorded = before - unrecorded and after->'company_id' is not distinct from before->'company_id' then
            return null;
          end if;
          select coalesce(jsonb_object_agg(b.key, jsonb_build_object('from', b.value, 'to', after->b.key)), '{}')
            into changes
            from jsonb_each(before - unrecorded - '{version,updated_at,updated_by_id}'::text[]) b
            where after->b.key is distinct from b.value;
        else
          changes := row_data - unrecorded;
        end if;

        if acting_user is null or session_company is null then
          raise exception '% on %: app.company and app.user are required', tg_op, tg_table_name
            using errcode = 'insufficient_privilege', hint = 'Set app.company and app.user in the transaction.';
        end if;
        if session_company <> of_company or coalesce(before->>'company_id', of_company) <> of_company then
          raise exception '% on %: the row belongs to another company', tg_op, tg_table_name using errcode = 'insufficient_privilege';
        end if;

        insert into audit_event
          (company_id, unique_id, occurred_at, user_id, api_key_id, action, resource_type, resource_id, changes, request_id,
           framework_id)
        values (of_company::int, uuid_v7(), now(), acting_user, nullif(current_setting('app.key', true), '')::uuid,
          tg_argv[0] || '.' || verb, tg_argv[0], of_row->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((of_row->>'framework_id')::int, 0));
        return null;
      end
      $$`);
    this.addSql(`drop table if exists "task_count" cascade;`);

    this.addSql(`drop trigger if exists "task_forbid_update" on "task";`);
    this.addSql(`drop trigger if exists "task_count_insert" on "task";`);
    this.addSql(`drop trigger if exists "task_count_delete" on "task";`);
    this.addSql(
      `alter table "task" add constraint "task_company_id_created_by_id_foreign" foreign key ("company_id", "created_by_id") references "company_user" ("company_id", "unique_id");`,
    );
    this.addSql(
      `alter table "task" add constraint "task_company_id_updated_by_id_foreign" foreign key ("company_id", "updated_by_id") references "company_user" ("company_id", "unique_id");`,
    );

    this.addSql(`drop trigger if exists "vendor_refuse_update" on "vendor";`);
    this.addSql(
      `alter table "vendor" add constraint "vendor_company_id_created_by_id_foreign" foreign key ("company_id", "created_by_id") references "company_user" ("company_id", "unique_id");`,
    );
    this.addSql(
      `alter table "vendor" add constraint "vendor_company_id_updated_by_id_foreign" foreign key ("company_id", "updated_by_id") references "company_user" ("company_id", "unique_id");`,
    );
    this.addSql('drop function update_task_count()');
  }
}
