import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Written by hand: companies that are frozen, that arrive, and that were moved away. */
const MOVE_FUNCTIONS = [
  `
      create function public.is_receiving(of_table oid) returns boolean language plpgsql stable ${SETTINGS} as $$
      -- True while the owner of the table receives rows of a company (receive_rows). The role of the service can set app.receiving
      -- too, which changes nothing, as it owns no table.
      begin
        return coalesce(current_setting('app.receiving', true), '') <> ''
          and (select pg_has_role(t.relowner, 'usage') from pg_class t where t.oid = of_table);
      end
      $$`,
  `
      create function public.require_unfrozen() returns trigger language plpgsql ${SETTINGS} as $$
      -- Rejects a statement on rows of a frozen company. Statements for all companies leave frozen ones out themselves. The service
      -- sets app.dry_run in transactions that it rolls back. Files arrive with a company, and are removed in an erase.
      begin
        if exists (select from public.company c
            where c.id = nullif(current_setting('app.company', true), '')::int and c.frozen_at is not null
              and c.erasing_at is null and c.arriving_at is null)
            and coalesce(current_setting('app.dry_run', true), '') <> 'on'
            and not public.is_receiving(tg_relid) and not public.is_erasing(tg_relid) then
          raise exception 'company %: is frozen', current_setting('app.company', true) using errcode = 'FZ001';
        end if;
        return null;
      end
      $$`,
  `
      create function public.require_person_here() returns trigger language plpgsql ${SETTINGS} as $$
      -- Rejects a change of what a person signs in with, once all companies of the person were moved away: the other cell has a copy. A
      -- move locks the persons before it switches, so a change is in the copy, or comes after the switch and ends here.
      begin
        if exists (select from public.member m join public.company c on c.id = m.company_id
            where m.person_id = new.unique_id and c.moved_to is not null)
            and not exists (select from public.member m join public.company c on c.id = m.company_id
            where m.person_id = new.unique_id and c.moved_to is null) then
          raise exception 'person: the companies were moved away' using errcode = 'FZ001';
        end if;
        return new;
      end
      $$`,
  `
      create or replace function public.is_erasing(of_table oid) returns boolean language plpgsql stable ${SETTINGS} as $$
      -- True in a transaction of the owner of the table that removes a company: app.erase names it, and it is closed, was moved away, or
      -- has arrived in part. The role of the service can set app.erase too, which changes nothing, as it owns no table.
      declare
        erased constant text := nullif(current_setting('app.erase', true), '');
      begin
        if erased is null then
          return false;
        end if;
        return (select pg_has_role(t.relowner, 'usage') from pg_class t where t.oid = of_table)
          and exists (select from public.company c
            where c.id = erased::int and (c.erasing_at is not null or c.arriving_at is not null));
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
        -- The last step of a move: the company is served, and is not an erased one any more.
        if (tg_op, tg_relid) in (('UPDATE', 'public.company'::regclass), ('DELETE', 'public.erased_company'::regclass))
            and public.is_receiving(tg_relid) then
          return null;
        end if;
        raise exception '% on % is forbidden', tg_op, tg_table_name using errcode = 'insufficient_privilege';
      end
      $$`,
  `
      create function public.receive_company(company_row text) returns void language plpgsql security definer ${SETTINGS} as $$
      -- Inserts the company of the session, which arrives from another cell. It is frozen, and not served before end_arrival.
      begin
        perform set_config('app.receiving', current_setting('app.company'), true);
        insert into public.company
        select (jsonb_populate_record(null::public.company,
          company_row::jsonb || jsonb_build_object('arriving_at', now(), 'moved_to', null, 'erasing_at', null))).*;
        perform set_config('app.receiving', '', true);
      end
      $$`,
  `
      create function public.receive_rows(of_table text, table_rows text) returns int language plpgsql security definer ${SETTINGS} as $$
      -- Inserts rows of the company of the session, a JSON array, while it arrives. Rows that are there already stay, so that a batch can
      -- be sent again. Policies reject rows of other companies.
      declare
        target constant regclass := to_regclass('public.' || quote_ident(of_table));
        of_company constant text := nullif(current_setting('app.company', true), '');
        received int;
      begin
        if not exists (select from public.company c where c.id = of_company::int and c.arriving_at is not null) then
          raise exception 'company %: is not arriving', of_company using errcode = 'insufficient_privilege';
        end if;
        if not exists (select from pg_attribute a where a.attrelid = target and a.attname = 'company_id') then
          raise exception 'table %: has no rows of companies', of_table using errcode = 'insufficient_privilege';
        end if;
        perform set_config('app.receiving', of_company, true);
        execute format('insert into %1$s select * from json_populate_recordset(null::%1$s, $1) on conflict do nothing', target)
          using table_rows::json;
        get diagnostics received = row_count;
        perform set_config('app.receiving', '', true);
        return received;
      end
      $$`,
  `
      create function public.discard_rows(of_table text, max_rows int) returns int language plpgsql security definer ${SETTINGS} as $$
      -- Deletes rows of the company of the session, which has arrived in part, and returns their number. Of the table company, itself.
      declare
        target constant regclass := to_regclass('public.' || quote_ident(of_table));
        of_company constant text := nullif(current_setting('app.company', true), '');
        discarded int;
      begin
        if not exists (select from public.company c where c.id = of_company::int and c.arriving_at is not null) then
          raise exception 'company %: is not arriving', of_company using errcode = 'insufficient_privilege';
        end if;
        perform set_config('app.erase', of_company, true);
        execute format('delete from %1$s where %2$I = $1 and ctid = any(array(select ctid from %1$s where %2$I = $1 limit $2))',
          target, case when target = 'public.company'::regclass then 'id' else 'company_id' end) using of_company::int, max_rows;
        get diagnostics discarded = row_count;
        perform set_config('app.erase', '', true);
        return discarded;
      end
      $$`,
  `
      create function public.end_arrival() returns void language plpgsql security definer ${SETTINGS} as $$
      -- Ends the arrival of the company of the session: its ids ascend above those that arrived, and it is served. It stays frozen.
      declare
        of_company constant text := nullif(current_setting('app.company', true), '');
        counter record;
        newest bigint;
        current bigint;
      begin
        -- Two arrivals that end at the same time must not set a sequence back.
        perform pg_advisory_xact_lock(hashtextextended('end-arrival', 0));
        for counter in
          select t.oid::regclass as of_table, a.attname as of_column, s.oid::regclass as sequence
          from pg_class s
            join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.refclassid = 'pg_class'::regclass
            join pg_class t on t.oid = d.refobjid
            join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
          where s.relkind = 'S' and t.relnamespace = 'public'::regnamespace
            and exists (select from pg_attribute k where k.attrelid = t.oid and k.attname = 'company_id')
        loop
          execute format('select max(%I) from %s where company_id = $1', counter.of_column, counter.of_table)
            into newest using of_company::int;
          execute format('select last_value from %s', counter.sequence) into current;
          -- The distance lets other companies draw ids between this look and the new value.
          if newest >= current then
            perform setval(counter.sequence, newest + 1000);
          end if;
        end loop;
        perform set_config('app.receiving', of_company, true);
        update public.company c set arriving_at = null where c.id = of_company::int and c.arriving_at is not null;
        if not found then
          raise exception 'company %: is not arriving', of_company using errcode = 'insufficient_privilege';
        end if;
        perform set_config('app.company', '0', true);
        delete from public.erased_company e where e.id = of_company::int;
        perform set_config('app.company', of_company, true);
        perform set_config('app.receiving', '', true);
      end
      $$`,
];

/** Written by hand: a call reads each event above the watermark once, however many of them have a seal. */
const SEAL_AUDIT_LOG = `
      create or replace function public.seal_audit_log(of_company int, max_events int) returns int language plpgsql ${SETTINGS}
      -- Its plans are cached and must use indexes, however small the tables were when they were planned.
      set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
      as $$
      -- Seals at most max_events unsealed events of the company in the order of their ids, and returns their number.
      -- Returns 0 while another transaction seals the company. Writers and sealing do not wait for each other.
      declare
        -- A transaction that drew an id up to this one had an xid before this function takes its own below.
        newest constant bigint := coalesce((select max(e.id) from public.audit_event e where e.company_id = of_company), 0);
        is_first_write constant boolean := pg_current_xact_id_if_assigned() is null;
        current public.audit_watermark;
        before public.audit_watermark;
        head public.audit_seal;
        last bigint;
        sealed int;
      begin
        if not exists (select from public.audit_watermark w where w.company_id = of_company) then
          insert into public.audit_watermark (company_id) values (of_company) on conflict do nothing;
        end if;
        select * into before from public.audit_watermark w where w.company_id = of_company for update skip locked;
        if not found then
          return 0;
        end if;
        current := before;
        select * into head from public.audit_seal s where s.company_id = of_company order by s.seq desc limit 1;

        -- All events up to the candidate are visible from here on. A candidate from the future was made on another server,
        -- from which this database was restored: none of its transactions is still running.
        if current.candidate_xid <= pg_snapshot_xmin(pg_current_snapshot())
            or current.candidate_xid >= pg_snapshot_xmax(pg_current_snapshot()) then
          current.watermark := current.candidate;
        end if;

        with unsealed as (
          select e as event, coalesce(head.seq, 0) + row_number() over (order by e.id) as seq
          from public.audit_event e
          -- Not with "not exists": PostgreSQL turns it into a join, which may compare every event with every seal.
          where e.company_id = of_company and e.id > before.watermark and (
            select s.seq from public.audit_seal s
            where s.company_id = e.company_id and s.event_id = e.id) is null
          order by e.id
          limit max_events),
        written as (
          insert into public.audit_seal (company_id, seq, event_id, hash)
          select of_company, u.seq, (u.event).id,
            public.audit_chain(coalesce(head.hash, ''), public.audit_text(u.event, u.seq)) over (order by u.seq)
          from unsealed u
          returning event_id)
        select count(*), max(w.event_id) into sealed, last from written w;

        if sealed = max_events then
          current.watermark := greatest(before.watermark, least(current.watermark, last));
        end if;
        if current.watermark = current.candidate and newest > current.candidate and is_first_write then
          current.candidate := newest;
          current.candidate_xid := pg_current_xact_id();
        end if;
        if current is distinct from before then
          update public.audit_watermark w
          set watermark = current.watermark, candidate = current.candidate, candidate_xid = current.candidate_xid
          where w.company_id = of_company;
        end if;
        return sealed;
      end
      $$`;

/** Written by hand: seals of a company that arrives come with its events. PostgreSQL checks its columns. */
const SEAL_CURRENT_COMPANY = `
      create or replace function public.seal_current_company(max_events int) returns int language sql security definer ${SETTINGS}
      as $$ select coalesce((select public.seal_audit_log(c.id, max_events) from public.company c
        where c.id = nullif(current_setting('app.company', true), '')::int and c.arriving_at is null), 0) $$`;

/** Written by hand: a frozen company rejects changes, and rows that arrive with a company write no events. */
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
        acting_kind text;
        is_frozen boolean;
      begin
        -- Rows arrive with a company: their events arrive too.
        if coalesce(current_setting('app.receiving', true), '') <> '' and public.is_receiving(tg_relid) then
          return null;
        end if;
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
              -- No event, but the other cell has a copy of who the member is, and of the invitation.
              if tg_table_name in ('member', 'invitation') and coalesce(current_setting('app.dry_run', true), '') <> 'on'
                  and exists (select from public.company c where c.id = (row_data->>'company_id')::int and c.frozen_at is not null) then
                raise exception 'company %: is frozen', session_company using errcode = 'FZ001';
              end if;
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

        select u.kind, c.frozen_at is not null into acting_kind, is_frozen
          from public.company_user u join public.company c on c.id = u.company_id
          where u.company_id = session_company::int and u.unique_id = acting_user::uuid;
        -- Only freezing and unfreezing themselves change a frozen company. The service sets app.dry_run in transactions that it rolls back.
        if is_frozen and coalesce(current_setting('app.dry_run', true), '') <> 'on'
            and not (tg_relid = 'public.company'::regclass and changes ? 'frozen_at') then
          raise exception 'company %: is frozen', session_company using errcode = 'FZ001';
        end if;

        insert into public.audit_event
          (company_id, unique_id, occurred_at, user_id, user_kind, api_key_id, action, resource_type, resource_id, changes,
           request_id, framework_id, parent_type, parent_id)
        values (session_company::int, public.uuid_v7(), now(), acting_user::uuid, acting_kind, session_api_key, tg_argv[0] || '.' || verb,
          tg_argv[0], row_data->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((row_data->>framework_column)::int, 0), parent_type, parent_id);
        return null;
      end
      $$`;

export class Migration20261127212440_cells extends Migration {
  override name = 'Migration20261127212440_cells';

  override up(): void | Promise<void> {
    for (const sql of [...MOVE_FUNCTIONS, AUDIT_ROW]) this.addSql(sql);
    this.addSql(
      `create table "company_move" ("id" int not null, "direction" text not null, "move" uuid not null, "state" text not null, "peer" varchar(2048) not null, "began_at" timestamptz(3) not null default now(), "changed_at" timestamptz(3) not null default now(), "sequence" bigint null, "hash" varchar(64) null, primary key ("id"));`,
    );

    this.addSql(`alter table "company" drop constraint "company_erasing_is_closed";`);
    this.addSql(`drop trigger if exists "company_audit" on "company";`);
    this.addSql(`drop function if exists "company_company_audit_fn"();`);
    this.addSql(`drop trigger if exists "company_forbid" on "company";`);
    this.addSql(`drop function if exists "company_company_forbid_fn"();`);
    this.addSql(`drop trigger if exists "company_notify" on "company";`);
    this.addSql(`drop function if exists "company_company_notify_fn"();`);
    this.addSql(
      `alter table "company" add "frozen_at" timestamptz(3) null, add "moved_to" varchar(2048) null, add "arriving_at" timestamptz(3) null;`,
    );
    this.addSql(
      `alter table "company" add constraint "company_moving_is_frozen" check (moved_to IS NULL AND arriving_at IS NULL OR frozen_at IS NOT NULL) not valid;`,
    );
    this.addSql(
      `alter table "company" add constraint "company_erasing_is_closed" check (erasing_at IS NULL OR closed_at IS NOT NULL OR moved_to IS NOT NULL) not valid;`,
    );
    this.addSql(
      `create trigger company_audit after insert or update on company for each row execute function audit_row('company', 'id', '{erasing_at,moved_to,arriving_at}', '{}');`,
    );
    this.addSql(
      `create trigger company_forbid before update of is_demo, arriving_at or delete or truncate on company for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger company_notify after update on company for each row when (old.closed_at is distinct from new.closed_at or old.frozen_at is distinct from new.frozen_at or old.moved_to is distinct from new.moved_to) execute function notify_company_closed();`,
    );

    this.addSql(SEAL_AUDIT_LOG);
    this.addSql(SEAL_CURRENT_COMPANY);

    this.addSql(`drop trigger if exists "external_id_target" on "external_id";`);
    this.addSql(`drop function if exists "external_id_external_id_target_fn"();`);
    this.addSql(
      `create trigger external_id_target after insert or update on external_id for each row when (not is_receiving('external_id'::regclass)) execute function check_external_id_target();`,
    );

    this.addSql(
      `create trigger file_chunk_unfrozen before insert on file_chunk for each statement execute function require_unfrozen();`,
    );

    this.addSql(
      `create trigger import_chunk_unfrozen before insert on import_chunk for each statement execute function require_unfrozen();`,
    );

    this.addSql(
      `create trigger file_unfrozen before insert or update or delete on file for each statement execute function require_unfrozen();`,
    );

    this.addSql(`alter table "person" add "unclaimed_email" varchar(254) null;`);
    this.addSql(
      `alter table "person" add constraint "person_unclaimed" check (unclaimed_email IS NULL OR password IS NULL AND totp_secret IS NULL) not valid;`,
    );
    this.addSql(
      `create trigger person_here before update of name, email, password, totp_secret, totp_confirmed_at on person for each row execute function require_person_here();`,
    );

    this.addSql(`drop trigger if exists "proof_file_uses" on "proof";`);
    this.addSql(`drop function if exists "proof_proof_file_uses_fn"();`);
    this.addSql(
      `create trigger proof_unfrozen before insert or update or delete on proof for each statement execute function require_unfrozen();`,
    );
    this.addSql(
      `create trigger proof_file_uses after insert or update of file_id or delete on proof for each row when (not is_receiving('proof'::regclass)) execute function count_file_uses();`,
    );

    this.addSql(`drop trigger if exists "task_count_insert" on "task";`);
    this.addSql(`drop function if exists "task_task_count_insert_fn"();`);
    this.addSql(`drop trigger if exists "task_external_ids_insert" on "task";`);
    this.addSql(`drop function if exists "task_task_external_ids_insert_fn"();`);
    this.addSql(
      `create trigger task_count_insert after insert on task referencing new table as new_rows for each statement when (not is_receiving('task'::regclass)) execute function update_task_count();`,
    );
    this.addSql(
      `create trigger task_external_ids_insert after insert on task for each row when (new.external_ids <> '[]' and not is_receiving('task'::regclass)) execute function check_external_ids('task');`,
    );

    this.addSql(
      `create trigger inbox_item_unfrozen before insert or update or delete on inbox_item for each statement execute function require_unfrozen();`,
    );

    this.addSql(
      `create trigger import_unfrozen before insert or update or delete on import for each statement execute function require_unfrozen();`,
    );

    this.addSql(`drop trigger if exists "vendor_external_ids_insert" on "vendor";`);
    this.addSql(`drop function if exists "vendor_vendor_external_ids_insert_fn"();`);
    this.addSql(
      `create trigger vendor_external_ids_insert after insert on vendor for each row when (new.external_ids <> '[]' and not is_receiving('vendor'::regclass)) execute function check_external_ids('vendor');`,
    );

    this.addSql(`drop trigger if exists "evidence_file_uses" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_file_uses_fn"();`);
    this.addSql(
      `create trigger evidence_file_uses after insert or update of file_id or delete on evidence for each row when (not is_receiving('evidence'::regclass)) execute function count_file_uses();`,
    );

    this.addSql(
      `create trigger view_unfrozen before insert or update or delete on view for each statement execute function require_unfrozen();`,
    );

    this.addSql(
      `create trigger watch_unfrozen before insert or update or delete on watch for each statement execute function require_unfrozen();`,
    );

    this.addSql(
      `alter table "company_move" add constraint "company_move_state" check (CASE direction WHEN 'out'::text THEN state = ANY (ARRAY['copying'::text, 'switched'::text, 'ended'::text, 'aborted'::text]) ELSE state = ANY (ARRAY['arriving'::text, 'complete'::text, 'serving'::text, 'aborted'::text]) END);`,
    );
    this.addSql(
      `alter table "company_move" add constraint "company_move_hash" check (hash::text ~ '^[0-9a-f]{64}$'::text);`,
    );
    this.addSql(
      `alter table "company_move" add constraint "company_move_direction_check" check ("direction" in ('out', 'in'));`,
    );
    this.addSql(
      `alter table "company_move" add constraint "company_move_state_check" check ("state" in ('copying', 'switched', 'ended', 'arriving', 'complete', 'serving', 'aborted'));`,
    );
    this.addSql(
      `create trigger company_move_forbid before delete or truncate on company_move for each statement execute function forbid_statement();`,
    );
    this.addSql(`alter table "company_move" enable row level security;`);
    this.addSql(`alter table "company_move" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "company_move" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger if exists "company_move_forbid" on "company_move";`);
    this.addSql(`drop function if exists "company_move_company_move_forbid_fn"();`);
    this.addSql(`drop table if exists "company_move" cascade;`);

    this.addSql(`alter table "company" drop constraint "company_moving_is_frozen";`);
    this.addSql(`alter table "company" drop constraint "company_erasing_is_closed";`);
    this.addSql(`drop trigger if exists "company_audit" on "company";`);
    this.addSql(`drop function if exists "company_company_audit_fn"();`);
    this.addSql(`drop trigger if exists "company_forbid" on "company";`);
    this.addSql(`drop function if exists "company_company_forbid_fn"();`);
    this.addSql(`drop trigger if exists "company_notify" on "company";`);
    this.addSql(`drop function if exists "company_company_notify_fn"();`);
    this.addSql(`alter table "company" drop column "frozen_at", drop column "moved_to", drop column "arriving_at";`);
    this.addSql(
      `alter table "company" add constraint "company_erasing_is_closed" check (erasing_at IS NULL OR closed_at IS NOT NULL);`,
    );
    this.addSql(
      `create trigger company_audit after insert or update on company for each row execute function audit_row('company', 'id', '{erasing_at}', '{}');`,
    );
    this.addSql(
      `create trigger company_forbid before update of is_demo or delete or truncate on company for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `create trigger company_notify after update on company for each row when (old.closed_at is distinct from new.closed_at) execute function notify_company_closed();`,
    );

    this.addSql(`drop trigger if exists "evidence_file_uses" on "evidence";`);
    this.addSql(`drop function if exists "evidence_evidence_file_uses_fn"();`);
    this.addSql(
      `create trigger evidence_file_uses after insert or update of file_id or delete on evidence for each row execute function count_file_uses();`,
    );

    this.addSql(`drop trigger if exists "external_id_target" on "external_id";`);
    this.addSql(`drop function if exists "external_id_external_id_target_fn"();`);
    this.addSql(
      `create trigger external_id_target after insert or update on external_id for each row execute function check_external_id_target();`,
    );

    this.addSql(`drop trigger if exists "file_chunk_unfrozen" on "file_chunk";`);
    this.addSql(`drop function if exists "file_chunk_file_chunk_unfrozen_fn"();`);

    this.addSql(`drop trigger if exists "import_chunk_unfrozen" on "import_chunk";`);
    this.addSql(`drop function if exists "import_chunk_import_chunk_unfrozen_fn"();`);

    this.addSql(`drop trigger if exists "file_unfrozen" on "file";`);
    this.addSql(`drop function if exists "file_file_unfrozen_fn"();`);

    this.addSql(`drop trigger if exists "import_unfrozen" on "import";`);
    this.addSql(`drop function if exists "import_import_unfrozen_fn"();`);

    this.addSql(`drop trigger if exists "inbox_item_unfrozen" on "inbox_item";`);
    this.addSql(`drop function if exists "inbox_item_inbox_item_unfrozen_fn"();`);

    this.addSql(`drop trigger if exists "person_here" on "person";`);
    this.addSql(`drop function if exists "person_person_here_fn"();`);
    this.addSql(`alter table "person" drop constraint "person_unclaimed";`);
    this.addSql(`alter table "person" drop column "unclaimed_email";`);

    this.addSql(`drop trigger if exists "proof_unfrozen" on "proof";`);
    this.addSql(`drop function if exists "proof_proof_unfrozen_fn"();`);
    this.addSql(`drop trigger if exists "proof_file_uses" on "proof";`);
    this.addSql(`drop function if exists "proof_proof_file_uses_fn"();`);
    this.addSql(
      `create trigger proof_file_uses after insert or update of file_id or delete on proof for each row execute function count_file_uses();`,
    );

    this.addSql(`drop trigger if exists "task_count_insert" on "task";`);
    this.addSql(`drop function if exists "task_task_count_insert_fn"();`);
    this.addSql(`drop trigger if exists "task_external_ids_insert" on "task";`);
    this.addSql(`drop function if exists "task_task_external_ids_insert_fn"();`);
    this.addSql(
      `create trigger task_count_insert after insert on task referencing new table as new_rows for each statement execute function update_task_count();`,
    );
    this.addSql(
      `create trigger task_external_ids_insert after insert on task for each row when (new.external_ids <> '[]') execute function check_external_ids('task');`,
    );

    this.addSql(`drop trigger if exists "vendor_external_ids_insert" on "vendor";`);
    this.addSql(`drop function if exists "vendor_vendor_external_ids_insert_fn"();`);
    this.addSql(
      `create trigger vendor_external_ids_insert after insert on vendor for each row when (new.external_ids <> '[]') execute function check_external_ids('vendor');`,
    );

    this.addSql(`drop trigger if exists "view_unfrozen" on "view";`);
    this.addSql(`drop function if exists "view_view_unfrozen_fn"();`);

    this.addSql(`drop trigger if exists "watch_unfrozen" on "watch";`);
    this.addSql(`drop function if exists "watch_watch_unfrozen_fn"();`);
  }
}
