import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Events of a type that belongs to a framework always have it. Rows of other rows get their framework, and go before them. */
export class Migration20261125041025_access extends Migration {
  override name = 'Migration20261125041025_access';

  override up(): void | Promise<void> {
    this.addSql(`
      create or replace function public.audit_row() returns trigger language plpgsql ${SETTINGS} as $$
      -- Writes the audit event of a changed row. Arguments: resource type, id column, columns never recorded,
      -- {column: verb} for updates that have an action of their own. The verb 'delete' marks the column that ends a row: its
      -- events have the whole row. {insert: verb} and {delete: verb} rename these commands: {field: {from, to}}. Of a resource
      -- that belongs to a framework also its column with the framework, which is then required.
      declare
        acting_user constant text := nullif(current_setting('app.user', true), '');
        session_company constant text := nullif(current_setting('app.company', true), '');
        session_api_key constant uuid := nullif(current_setting('app.key', true), '');
        before jsonb;
        after jsonb;
        row_data jsonb;
        changes jsonb;
        verb text := 'update';
        verb_column text;
      begin
        if tg_op = 'UPDATE' then
          before := to_jsonb(old);
          after := to_jsonb(new);
          row_data := after;
          if tg_argv[3] <> '{}' then
            select v.value, v.key into verb, verb_column
              from jsonb_each_text(tg_argv[3]::jsonb) v
              where after->v.key is distinct from before->v.key
              order by v.value limit 1;
            verb := coalesce(verb, 'update');
          end if;
          if verb = 'delete' then
            verb := case when after->verb_column = 'null' then 'create' else verb end;
            changes := row_data - 'company_id' - tg_argv[2]::text[];
          else
            select coalesce(jsonb_object_agg(b.key, jsonb_build_object('from', b.value, 'to', after->b.key)), '{}') into changes
              from jsonb_each(before - tg_argv[2]::text[] - '{version,updated_at,updated_by_id}'::text[]) b
              where after->b.key is distinct from b.value;
            if changes = '{}' and verb = 'update' and before - tg_argv[2]::text[] = after - tg_argv[2]::text[] then
              return null;
            end if;
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

        if tg_op <> 'UPDATE' and tg_argv[3] <> '{}' and tg_argv[3]::jsonb ? lower(tg_op) then
          verb := tg_argv[3]::jsonb->>lower(tg_op);
          select coalesce(jsonb_object_agg(c.key, case tg_op
              when 'INSERT' then jsonb_build_object('from', null, 'to', c.value)
              else jsonb_build_object('from', c.value, 'to', null) end), '{}') into changes
            from jsonb_each(changes) c where c.value <> 'null';
        end if;

        if acting_user is null or session_company is null then
          raise exception '% on %: app.company and app.user are required', tg_op, tg_table_name
            using errcode = 'insufficient_privilege', hint = 'Set app.company and app.user in the transaction.';
        end if;
        if session_company <> coalesce(row_data->>'company_id', row_data->>'id') or changes ? 'company_id' then
          raise exception '% on %: the row belongs to another company', tg_op, tg_table_name
            using errcode = 'insufficient_privilege';
        end if;
        if tg_op <> 'DELETE' and (row_data->>'updated_by_id' <> acting_user
            or row_data->>'created_by_id' <> coalesce(before->>'created_by_id', acting_user)) then
          raise exception '% on %: created_by_id and updated_by_id must be the acting user', tg_op, tg_table_name
            using errcode = 'insufficient_privilege';
        end if;

        if tg_argv[4] is not null and row_data->>tg_argv[4] is null then
          raise exception '% on %: the row has no framework', tg_op, tg_table_name using errcode = 'not_null_violation';
        end if;

        insert into public.audit_event
          (company_id, unique_id, occurred_at, user_id, api_key_id, action, resource_type, resource_id, changes, request_id,
           framework_id)
        values (session_company::int, public.uuid_v7(), now(), acting_user::uuid, session_api_key, tg_argv[0] || '.' || verb,
          tg_argv[0], row_data->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((row_data->>tg_argv[4])::int, 0));
        return null;
      end
      $$`);

    this.addSql(`
      create or replace function public.inherit_framework() returns trigger language plpgsql ${SETTINGS} as $$
      -- Sets framework_id of a new row to that of the row that it belongs to. Argument: {column: table} of these rows. A row
      -- that belongs to a row of another table has no framework: 0.
      declare
        parent record;
        parent_id uuid;
      begin
        new.framework_id := 0;
        for parent in select p.key as column_name, p.value as table_name from jsonb_each_text(tg_argv[0]::jsonb) p loop
          parent_id := to_jsonb(new)->>parent.column_name;
          if parent_id is not null then
            execute format('select p.framework_id from public.%I p where p.company_id = $1 and p.unique_id = $2', parent.table_name)
              into new.framework_id using new.company_id, parent_id;
          end if;
        end loop;
        return new;
      end
      $$`);

    this.addSql(`
      create or replace function public.delete_children() returns trigger language plpgsql ${SETTINGS} as $$
      -- Deletes the rows that belong to a row before it is deleted, so that their events come first. The row is locked already,
      -- so that no other one can join. Argument: {table: column with the id of the row}.
      declare
        child record;
      begin
        for child in select c.key as table_name, c.value as column_name from jsonb_each_text(tg_argv[0]::jsonb) c loop
          execute format('delete from public.%I where company_id = $1 and %I = $2', child.table_name, child.column_name)
            using old.company_id, old.unique_id;
        end loop;
        return old;
      end
      $$`);

    this.addSql(`drop trigger if exists "gap_audit" on "gap";`);
    this.addSql(
      `create trigger gap_audit after insert or update or delete on gap for each row execute function audit_row('gap', 'id', '{}', '{}', 'framework_id');`,
    );

    this.addSql(`drop trigger if exists "task_audit" on "task";`);
    this.addSql(
      `create trigger task_audit after insert or update or delete on task for each row execute function audit_row('task', 'unique_id', '{}', '{}', 'framework_id');`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql('drop function public.inherit_framework()');
    this.addSql('drop function public.delete_children()');
    this.addSql(`drop trigger if exists "gap_audit" on "gap";`);
    this.addSql(
      `create trigger gap_audit after insert or update or delete on gap for each row execute function audit_row('gap', 'id', '{}', '{}');`,
    );

    this.addSql(`drop trigger if exists "task_audit" on "task";`);
    this.addSql(
      `create trigger task_audit after insert or update or delete on task for each row execute function audit_row('task', 'unique_id', '{}', '{}');`,
    );
  }
}
