import { Migration } from '@mikro-orm/migrations';

/** Events know the framework of their row, stand in the order in which they are read, and are paged by signed cursors. */
export class Migration20261121071013_read_the_trail extends Migration {
  override name = 'Migration20261121071013_read_the_trail';

  override up(): void | Promise<void> {
    this.addSql(`create table "secret" ("name" varchar(50) not null, "value" bytea not null, primary key ("name"));`);
    // Two random UUIDs hold 244 random bits: PostgreSQL has no other strong source without an extension.
    this.addSql(
      `insert into "secret" ("name", "value") values ('cursor', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));`,
    );

    this.addSql(`drop index "audit_event_by_resource";`);
    this.addSql(`alter table "audit_event" add "framework_id" int not null default 0;`);
    // Events are final, but for this column that they did not have: whatever guards them stands aside for one statement.
    this.addSql(`alter table "audit_event" disable trigger user;`);
    this.addSql(`
      update audit_event e set framework_id = (made.changes->>'framework_id')::int
      from audit_event made
      where made.action in ('task.create', 'gap.create') and made.company_id = e.company_id
        and made.resource_type = e.resource_type and made.resource_id = e.resource_id`);
    this.addSql(`alter table "audit_event" enable trigger user;`);
    this.addSql(`create index "audit_event_by_time" on "audit_event" ("company_id", "occurred_at", "id");`);
    this.addSql(`create index "audit_event_by_user" on "audit_event" ("company_id", "user_id", "occurred_at", "id");`);
    this.addSql(`create index "audit_event_by_action" on "audit_event" ("company_id", "action", "occurred_at", "id");`);
    this.addSql(
      `create index "audit_event_by_framework" on "audit_event" ("company_id", "framework_id", "occurred_at", "id");`,
    );
    this.addSql(
      `create index "audit_event_by_resource" on "audit_event" ("company_id", "resource_type", "resource_id", "occurred_at", "id");`,
    );
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
          (company_id, unique_id, occurred_at, user_id, api_key_id, action, resource_type, resource_id, changes, request_id)
        values (of_company::int, uuid_v7(), now(), acting_user, nullif(current_setting('app.key', true), '')::uuid,
          tg_argv[0] || '.' || verb, tg_argv[0], of_row->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''));
        return null;
      end
      $$`);
    this.addSql(`drop table if exists "secret" cascade;`);

    this.addSql(`drop index "audit_event_by_time";`);
    this.addSql(`drop index "audit_event_by_user";`);
    this.addSql(`drop index "audit_event_by_action";`);
    this.addSql(`drop index "audit_event_by_framework";`);
    this.addSql(`drop index "audit_event_by_resource";`);
    this.addSql(`alter table "audit_event" drop column "framework_id";`);
    this.addSql(
      `create index "audit_event_by_resource" on "audit_event" ("company_id", "resource_type", "resource_id", "id");`,
    );
  }
}
