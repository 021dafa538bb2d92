import { Migration } from '@mikro-orm/migrations';

/** The functions behind the triggers that the entities declare. They name no table but `audit_event` and `gap`. */
export class Migration20261121060000_functions extends Migration {
  override up(): void {
    this.addSql(`
      create function uuid_v7() returns uuid language sql volatile parallel safe as $$
        -- 48 bits of Unix milliseconds, version 7, variant 2, the rest random
        select encode(
          set_bit(set_bit(
            overlay(uuid_send(gen_random_uuid())
              placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
            52, 1), 53, 1),
          'hex')::uuid
      $$`);

    this.addSql(`
      create function audit_row() returns trigger language plpgsql as $$
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

    this.addSql(`
      create function forbid_statement() returns trigger language plpgsql as $$
      begin
        raise exception '% on % is forbidden', tg_op, tg_table_name using errcode = 'insufficient_privilege';
      end
      $$`);

    this.addSql(`
      create function check_task_gaps() returns trigger language plpgsql as $$
      -- A foreign key for each element: gaps are never deleted, so looking when they are given is enough.
      begin
        if tg_op = 'UPDATE' and new.gaps = old.gaps and new.framework_id = old.framework_id then
          return null;
        end if;
        if (select count(*) from gap g where g.company_id = new.company_id and g.framework_id = new.framework_id
              and g.id = any(new.gaps)) <> cardinality(new.gaps) then
          raise exception 'gaps of task % are not all of its framework, each once', new.unique_id
            using errcode = 'foreign_key_violation', constraint = 'check_task_gaps';
        end if;
        return null;
      end
      $$`);
  }

  override down(): void {
    this.addSql('drop function check_task_gaps(), forbid_statement(), audit_row(), uuid_v7()');
  }
}
