import { Migration } from '@mikro-orm/migrations';

/** Functions search tables and functions here before temporary tables, which a session could use to hide them. */
const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** The functions behind the triggers that the entities declare, and those that statements call. */
export class Migration20261122100000_functions extends Migration {
  override name = 'Migration20261122100000_functions';

  override up(): void {
    this.addSql(`
      create function public.uuid_v7() returns uuid language sql volatile parallel safe ${SETTINGS} as $$
        -- 48 bits of Unix milliseconds, version 7, variant 2, the rest random (RFC 9562, section 5.7).
        select encode(
          set_bit(set_bit(
            overlay(uuid_send(gen_random_uuid())
              placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
            52, 1), 53, 1),
          'hex')::uuid
      $$`);

    this.addSql(`
      create function public.audit_row() returns trigger language plpgsql ${SETTINGS} as $$
      -- Writes the audit event of a changed row. Arguments: resource type, id column, columns never recorded,
      -- {column: verb} for updates that have an action of their own.
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
        if session_company <> coalesce(row_data->>'company_id', row_data->>'id') or changes ? 'company_id' then
          raise exception '% on %: the row belongs to another company', tg_op, tg_table_name
            using errcode = 'insufficient_privilege';
        end if;
        if tg_op <> 'DELETE' and (row_data->>'updated_by_id' <> acting_user
            or row_data->>'created_by_id' <> coalesce(before->>'created_by_id', acting_user)) then
          raise exception '% on %: created_by_id and updated_by_id must be the acting user', tg_op, tg_table_name
            using errcode = 'insufficient_privilege';
        end if;

        insert into public.audit_event
          (company_id, unique_id, occurred_at, user_id, api_key_id, action, resource_type, resource_id, changes, request_id,
           framework_id)
        values (session_company::int, public.uuid_v7(), now(), acting_user::uuid, session_api_key, tg_argv[0] || '.' || verb,
          tg_argv[0], row_data->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((row_data->>'framework_id')::int, 0));
        return null;
      end
      $$`);

    this.addSql(`
      create function public.forbid_statement() returns trigger language plpgsql ${SETTINGS} as $$
      begin
        raise exception '% on % is forbidden', tg_op, tg_table_name using errcode = 'insufficient_privilege';
      end
      $$`);

    this.addSql(`
      create function public.require_principal() returns trigger language plpgsql ${SETTINGS} as $$
      -- For rows without audit events: they too are written only by a user of their company.
      begin
        if nullif(current_setting('app.user', true), '') is null
            or nullif(current_setting('app.company', true), '') is distinct from new.company_id::text then
          raise exception '% on %: app.company and app.user are required', tg_op, tg_table_name
            using errcode = 'insufficient_privilege';
        end if;
        return new;
      end
      $$`);

    this.addSql(`
      create function public.check_task_gaps() returns trigger language plpgsql ${SETTINGS} as $$
      -- Replaces a foreign key for each element. Gaps are never deleted, so a check of new values is enough.
      begin
        if tg_op = 'UPDATE' and new.gaps = old.gaps and new.framework_id = old.framework_id then
          return null;
        end if;
        if (select count(*) from public.gap g where g.company_id = new.company_id and g.framework_id = new.framework_id
              and g.id = any(new.gaps)) <> cardinality(new.gaps) then
          raise exception 'task %: gaps must be distinct gaps of its framework', new.unique_id
            using errcode = 'foreign_key_violation', constraint = 'task_gaps_exist';
        end if;
        return null;
      end
      $$`);

    this.addSql(`
      create function public.check_api_key_frameworks() returns trigger language plpgsql ${SETTINGS} as $$
      -- Replaces a foreign key for each element, as for the gaps of a task.
      begin
        if new.frameworks is null or tg_op = 'UPDATE' and new.frameworks is not distinct from old.frameworks then
          return null;
        end if;
        if (select count(*) from public.framework f where f.company_id = new.company_id and f.id = any(new.frameworks))
            <> cardinality(new.frameworks) then
          raise exception 'API key %: frameworks must be distinct frameworks of its company', new.unique_id
            using errcode = 'foreign_key_violation', constraint = 'api_key_frameworks_exist';
        end if;
        return null;
      end
      $$`);

    this.addSql(`
      create function public.notify_api_key_changed() returns trigger language plpgsql ${SETTINGS} as $$
      -- Invalidates the cached key in every process. last_used_at is not cached.
      begin
        if to_jsonb(new) - 'last_used_at' is distinct from to_jsonb(old) - 'last_used_at' then
          perform pg_notify('api_key_changed', new.unique_id::text);
        end if;
        return null;
      end
      $$`);

    this.addSql(`
      create function public.update_task_count() returns trigger language plpgsql ${SETTINGS} as $$
      -- Keeps task_count. The order of its rows prevents deadlocks. new_rows and old_rows are transition tables.
      begin
        if tg_op = 'INSERT' then
          insert into public.task_count as c (company_id, framework_id, slot, tasks)
          select a.company_id, a.framework_id, pg_backend_pid() % 16, count(*) from new_rows a group by 1, 2 order by 1, 2
          on conflict (company_id, framework_id, slot) do update set tasks = c.tasks + excluded.tasks;
        else
          insert into public.task_count as c (company_id, framework_id, slot, tasks)
          select r.company_id, r.framework_id, pg_backend_pid() % 16, -count(*) from old_rows r group by 1, 2 order by 1, 2
          on conflict (company_id, framework_id, slot) do update set tasks = c.tasks + excluded.tasks;
        end if;
        return null;
      end
      $$`);

    this.addSql(`
      create function public.entity_tag(of_company int, version int, created_by uuid, updated_by uuid) returns text
      language plpgsql stable ${SETTINGS} as $$
      -- Entity tag of a task or vendor: its version, and a digest of the user names in its representation.
      begin
        return version || '-' || left(encode(sha256(convert_to(
          (select u.name from public.company_user u where u.company_id = of_company and u.unique_id = created_by) || e'\\n' ||
          (select u.name from public.company_user u where u.company_id = of_company and u.unique_id = updated_by), 'UTF8')), 'hex'), 8);
      end
      $$`);

    // Comparisons that ignore case give the same result on every database. lower() depends on the collation of the database: with
    // "C" it knows ASCII letters only. pg_c_utf8 comes with PostgreSQL 17, und-x-icu with every build that has ICU. Simple and full
    // case mapping differ in two letters: both calls of translate make them equal. Not strict and without settings, so that
    // PostgreSQL inlines it: it names nothing outside pg_catalog. https://www.postgresql.org/docs/current/collation.html
    this.addSql(`
      do $do$
      declare
        best constant text := (select collname from pg_collation
          where collname in ('pg_c_utf8', 'und-x-icu') and collnamespace = 'pg_catalog'::regnamespace
            and collencoding in (-1, (select encoding from pg_database where datname = current_database()))
          order by collname = 'pg_c_utf8' desc limit 1);
      begin
        execute format($create$
          create function public.fold_case(text) returns text language sql immutable parallel safe as $fold$
            select case when pg_catalog.octet_length($1) operator(pg_catalog.=) pg_catalog.char_length($1)
              then pg_catalog.lower($1 collate pg_catalog."C") collate pg_catalog.%1$I
              else pg_catalog.translate(pg_catalog.lower(pg_catalog.translate($1, 'İ', 'i') collate pg_catalog.%1$I), 'ς', 'σ') end
          $fold$ $create$, coalesce(best, 'default'));
      end
      $do$`);
  }
}
