import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Written by hand: times of the past in a demo company. */
const DEMO_FUNCTIONS = [
  `
      create function public.is_setting_demo_time(of_table oid) returns boolean language plpgsql stable ${SETTINGS} as $$
      -- True while the owner of the table sets times in a demo company (set_demo_time). The role of the service can set app.demo_time
      -- too, which changes nothing, as it owns no table.
      begin
        return coalesce(current_setting('app.demo_time', true), '') <> ''
          and (select pg_has_role(t.relowner, 'usage') from pg_class t where t.oid = of_table)
          and exists (select from public.company c
            where c.id = nullif(current_setting('app.company', true), '')::int and c.is_demo);
      end
      $$`,
  `
      create or replace function public.forbid_statement() returns trigger language plpgsql ${SETTINGS} as $$
      begin
        if tg_op = 'DELETE' and public.is_erasing(tg_relid) then
          return null;
        end if;
        if tg_op = 'UPDATE' and tg_relid = 'public.audit_event'::regclass and public.is_setting_demo_time(tg_relid) then
          return null;
        end if;
        raise exception '% on % is forbidden', tg_op, tg_table_name using errcode = 'insufficient_privilege';
      end
      $$`,
  `
      create function public.set_demo_time(at timestamptz) returns int language plpgsql security definer ${SETTINGS}
      -- Its plans are cached and must use indexes, however small the tables were when they were planned.
      set enable_seqscan = off
      as $$
      -- Moves what this transaction has written in the company of the session to a time in the past, and returns the number of its
      -- events. Only in a demo company, and never before an event that the company has already: so the times of events ascend with
      -- their ids, and no sealed event is changed, as nothing seals the events of a transaction before its commit.
      declare
        of_company constant int := nullif(current_setting('app.company', true), '')::int;
        -- Times as columns have them, and as events have them.
        written constant timestamptz(3) := now();
        moved constant timestamptz(3) := at;
        written_json constant text := to_json(written)::text;
        moved_json constant text := to_json(moved)::text;
        -- A review has its time as text (vendor.review).
        written_text constant text := to_char(written at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
        moved_text constant text := to_char(moved at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
        -- Savepoints have ids of their own, which are newer.
        max_age constant int := age(pg_current_xact_id()::xid);
        types text[];
        changed uuid[];
        events int;
      begin
        if not exists (select from public.company c where c.id = of_company and c.is_demo) then
          raise exception 'company %: only a demo company has times of the past', of_company
            using errcode = 'insufficient_privilege';
        end if;
        if moved is null or moved > written then
          raise exception 'time %: expected a time in the past', moved using errcode = 'invalid_parameter_value';
        end if;
        if exists (select from public.audit_event e where e.company_id = of_company and e.occurred_at > moved
            and not (e.occurred_at = written and age(e.xmin) <= max_age)) then
          raise exception 'time %: is before the last event of the company', moved using errcode = 'invalid_parameter_value';
        end if;

        perform set_config('app.demo_time', moved::text, true);
        with moved_event as (
          update public.audit_event e
          set occurred_at = moved,
            changes = replace(replace(case when e.action = 'invitation.create'
              then jsonb_set(e.changes, '{expires_at}',
                to_jsonb(((e.changes->>'expires_at')::timestamptz(3) - (written - moved))::timestamptz(3)))
              else e.changes end::text, written_json, moved_json), written_text, moved_text)::jsonb
          where e.company_id = of_company and e.occurred_at = written and age(e.xmin) <= max_age
          returning e.resource_type, e.resource_id)
        select array_agg(distinct m.resource_type),
            array_agg(distinct case when m.resource_type in ('task', 'vendor', 'comment', 'evidence') then m.resource_id::uuid end),
            count(*)
          into types, changed, events from moved_event m;

        -- Ids of two types never meet, so that each table finds its own.
        if 'task' = any(types) then
          update public.task t
            set created_at = case when t.created_at = written then moved else t.created_at end, updated_at = moved
            where t.company_id = of_company and t.unique_id = any(changed) and t.updated_at = written;
          insert into public.task_status_day as d
              (company_id, framework_id, day, todo, in_progress, in_review, done, not_applicable, canceled)
            select of_company, c.framework_id, (moved at time zone 'utc')::date, sum(c.todo), sum(c.in_progress), sum(c.in_review),
              sum(c.done), sum(c.not_applicable), sum(c.canceled)
            from public.task_count c where c.company_id = of_company group by c.framework_id order by c.framework_id
            on conflict (company_id, framework_id, day) do update
            set todo = excluded.todo, in_progress = excluded.in_progress, in_review = excluded.in_review, done = excluded.done,
              not_applicable = excluded.not_applicable, canceled = excluded.canceled;
        end if;
        if 'vendor' = any(types) then
          update public.vendor v
            set created_at = case when v.created_at = written then moved else v.created_at end, updated_at = moved,
              last_review = case when v.last_review->>'at' = written_text
                then jsonb_set(v.last_review, '{at}', to_jsonb(moved_text)) else v.last_review end
            where v.company_id = of_company and v.unique_id = any(changed) and v.updated_at = written;
        end if;
        if 'comment' = any(types) then
          update public.comment c
            set created_at = case when c.created_at = written then moved else c.created_at end, updated_at = moved
            where c.company_id = of_company and c.unique_id = any(changed) and c.updated_at = written;
        end if;
        if 'evidence' = any(types) then
          update public.evidence e
            set created_at = case when e.created_at = written then moved else e.created_at end, updated_at = moved
            where e.company_id = of_company and e.unique_id = any(changed) and e.updated_at = written;
        end if;
        if types && '{company,member,apiKey,invitation}' then
          update public.company c set created_at = moved where c.id = of_company and c.created_at = written;
          update public.company_user u set created_at = moved where u.company_id = of_company and u.created_at = written;
          update public.member m set created_at = moved where m.company_id = of_company and m.created_at = written;
          update public.api_key k set created_at = moved where k.company_id = of_company and k.created_at = written;
          update public.invitation i
            set created_at = moved, used_at = case when i.used_at = written then moved else i.used_at end,
              expires_at = i.expires_at - (written - moved)
            where i.company_id = of_company and i.created_at = written;
          update public.sign_in s set at = moved where s.company_id = of_company and s.at = written;
        end if;
        perform set_config('app.demo_time', '', true);
        return events;
      end
      $$`,
];

/** Written by hand: setting times in a demo company writes no events. */
const AUDIT_ROW = `
      create or replace function public.audit_row() returns trigger language plpgsql ${SETTINGS} as $$
      -- Writes the audit event of a changed row. Arguments: resource type, id column, columns never recorded,
      -- {column: verb} for updates that have an action of their own. The verb 'delete' marks the column that ends a row: its
      -- events have the whole row. {insert: verb} and {delete: verb} rename these commands: {field: {from, to}}. Of a resource
      -- that belongs to a framework also its column with the framework, which is then required; else '' if another argument
      -- follows. Of what belongs to another resource also {column: type} of the columns that may have its id: one of them has it.
      -- Events of the whole row have it as "resource".
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
        framework_column constant text := nullif(tg_argv[4], '');
        parent_type text;
        parent_id text;
      begin
        -- The owner of the table erases a company: nothing of it stays, nor do its events.
        if tg_op = 'DELETE' and coalesce(current_setting('app.erase', true), '') = to_jsonb(old)->>'company_id'
            and public.is_erasing(tg_relid) then
          return null;
        end if;
        -- The owner of the table sets the times of a demo company: its events exist, and get the same time.
        if tg_op = 'UPDATE' and coalesce(current_setting('app.demo_time', true), '') <> ''
            and public.is_setting_demo_time(tg_relid) then
          return null;
        end if;
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

        if tg_argv[5] is not null then
          select p.value, row_data->>p.key into parent_type, parent_id
            from jsonb_each_text(tg_argv[5]::jsonb) p where row_data->>p.key is not null;
          if parent_id is null then
            raise exception '% on %: the row belongs to nothing', tg_op, tg_table_name using errcode = 'not_null_violation';
          end if;
          if verb in ('create', 'delete') then
            changes := changes || jsonb_build_object('resource', jsonb_build_object('type', parent_type, 'uniqueId', parent_id));
          end if;
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

        if framework_column is not null and row_data->>framework_column is null then
          raise exception '% on %: the row has no framework', tg_op, tg_table_name using errcode = 'not_null_violation';
        end if;

        insert into public.audit_event
          (company_id, unique_id, occurred_at, user_id, user_kind, api_key_id, action, resource_type, resource_id, changes,
           request_id, framework_id, parent_type, parent_id)
        values (session_company::int, public.uuid_v7(), now(), acting_user::uuid,
          (select u.kind from public.company_user u
            where u.company_id = session_company::int and u.unique_id = acting_user::uuid),
          session_api_key, tg_argv[0] || '.' || verb,
          tg_argv[0], row_data->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((row_data->>framework_column)::int, 0), parent_type, parent_id);
        return null;
      end
      $$`;

export class Migration20261127150000_demo extends Migration {
  override name = 'Migration20261127150000_demo';

  override up(): void | Promise<void> {
    for (const sql of DEMO_FUNCTIONS) this.addSql(sql);
    this.addSql(AUDIT_ROW);
    this.addSql(`drop trigger if exists "company_forbid" on "company";`);
    this.addSql(`drop function if exists "company_company_forbid_fn"();`);
    this.addSql(`alter table "company" add "is_demo" boolean not null default false;`);
    this.addSql(
      `create trigger company_forbid before update of is_demo or delete or truncate on company for each statement execute function forbid_statement();`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger if exists "company_forbid" on "company";`);
    this.addSql(`drop function if exists "company_company_forbid_fn"();`);
    this.addSql('drop function public.set_demo_time(timestamptz)');
    this.addSql('drop function public.is_setting_demo_time(oid)');
    this.addSql(`alter table "company" drop column "is_demo";`);
    this.addSql(
      `create trigger company_forbid before delete or truncate on company for each statement execute function forbid_statement();`,
    );
  }
}
