import { Migration } from '@mikro-orm/migrations';

/** Every function of the schema. Aggregates have no settings: `audit_chain` runs `audit_chain_next`. */
const FUNCTIONS = [
  'uuid_v7()',
  'audit_row()',
  'refuse_statement()',
  'require_principal()',
  'task_gaps_exist()',
  'task_counted()',
  'api_key_frameworks_exist()',
  'api_key_changed()',
  'entity_tag(int, int, uuid, uuid)',
  'audit_text(public.audit_event, bigint)',
  'audit_link(bytea, text)',
  'audit_chain_next(bytea, bytea, text)',
  'seal_audit(int, int)',
  'seal_told(int)',
];

/**
 * Functions use the tables of this schema, whatever temporary tables the session has. PostgreSQL searches temporary tables
 * first, unless `search_path` names `pg_temp` last. Function bodies name each table with its schema as well.
 * https://www.postgresql.org/docs/current/sql-createfunction.html#SQL-CREATEFUNCTION-SECURITY
 */
export class Migration20261122050000_search_path extends Migration {
  override name = 'Migration20261122050000_search_path';

  override up(): void | Promise<void> {
    this.addSql(`
      create or replace function public.audit_row() returns trigger language plpgsql as $$
      -- Arguments: resource type, id column, columns never recorded, {column: verb} for updates with a name of their own.
      declare
        teller constant text := nullif(current_setting('app.user', true), '');
        told_company constant text := nullif(current_setting('app.company', true), '');
        told_key constant uuid := nullif(current_setting('app.key', true), '');
        before jsonb;
        after jsonb;
        of_row jsonb;
        changes jsonb;
        verb text := 'update';
      begin
        if tg_op = 'UPDATE' then
          before := to_jsonb(old);
          after := to_jsonb(new);
          of_row := after;
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
          of_row := to_jsonb(new);
          verb := 'create';
          changes := of_row - 'company_id' - tg_argv[2]::text[];
        else
          of_row := to_jsonb(old);
          verb := 'delete';
          changes := of_row - 'company_id' - tg_argv[2]::text[];
        end if;

        if teller is null or told_company is null then
          raise exception '% of % by nobody', tg_op, tg_table_name
            using errcode = 'insufficient_privilege', hint = 'Set app.company and app.user in the transaction.';
        end if;
        if told_company <> coalesce(of_row->>'company_id', of_row->>'id') or changes ? 'company_id' then
          raise exception '% of % of another company', tg_op, tg_table_name using errcode = 'insufficient_privilege';
        end if;
        if tg_op <> 'DELETE' and (of_row->>'updated_by_id' <> teller
            or of_row->>'created_by_id' <> coalesce(before->>'created_by_id', teller)) then
          raise exception '% of % in the name of another user', tg_op, tg_table_name using errcode = 'insufficient_privilege';
        end if;

        insert into public.audit_event
          (company_id, unique_id, occurred_at, user_id, api_key_id, action, resource_type, resource_id, changes, request_id,
           framework_id)
        values (told_company::int, public.uuid_v7(), now(), teller::uuid, told_key, tg_argv[0] || '.' || verb, tg_argv[0],
          of_row->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
          coalesce((of_row->>'framework_id')::int, 0));
        return null;
      end
      $$`);
    this.addSql(`
      create or replace function public.task_counted() returns trigger language plpgsql as $$
      -- Keeps task_count. The order of its rows prevents deadlocks. added and removed are transition tables.
      begin
        if tg_op = 'INSERT' then
          insert into public.task_count as c (company_id, framework_id, slot, tasks)
          select a.company_id, a.framework_id, pg_backend_pid() % 16, count(*) from added a group by 1, 2 order by 1, 2
          on conflict (company_id, framework_id, slot) do update set tasks = c.tasks + excluded.tasks;
        else
          insert into public.task_count as c (company_id, framework_id, slot, tasks)
          select r.company_id, r.framework_id, pg_backend_pid() % 16, -count(*) from removed r group by 1, 2 order by 1, 2
          on conflict (company_id, framework_id, slot) do update set tasks = c.tasks + excluded.tasks;
        end if;
        return null;
      end
      $$`);
    this.addSql(`
      create or replace function public.task_gaps_exist() returns trigger language plpgsql as $$
      -- A foreign key for each element: gaps are never deleted, so looking when they are given is enough.
      begin
        if tg_op = 'UPDATE' and new.gaps = old.gaps and new.framework_id = old.framework_id then
          return null;
        end if;
        if (select count(*) from public.gap g where g.company_id = new.company_id and g.framework_id = new.framework_id
              and g.id = any(new.gaps)) <> cardinality(new.gaps) then
          raise exception 'gaps of task % are not all of its framework, each once', new.unique_id
            using errcode = 'foreign_key_violation', constraint = 'task_gaps_exist';
        end if;
        return null;
      end
      $$`);
    this.addSql(`
      create or replace function public.api_key_frameworks_exist() returns trigger language plpgsql as $$
      -- A foreign key for each element, as for the gaps of a task.
      begin
        if new.frameworks is null or tg_op = 'UPDATE' and new.frameworks is not distinct from old.frameworks then
          return null;
        end if;
        if (select count(*) from public.framework f where f.company_id = new.company_id and f.id = any(new.frameworks))
            <> cardinality(new.frameworks) then
          raise exception 'frameworks of key % are not all of its company, each once', new.unique_id
            using errcode = 'foreign_key_violation', constraint = 'api_key_frameworks_exist';
        end if;
        return null;
      end
      $$`);
    this.addSql(`
      create or replace function public.entity_tag(of_company int, version int, created_by uuid, updated_by uuid) returns text
      language plpgsql stable as $$
      -- Entity tag of a task or vendor: its version, and a digest of the user names in its representation.
      begin
        return version || '-' || left(encode(sha256(convert_to(
          (select u.name from public.company_user u where u.company_id = of_company and u.unique_id = created_by) || e'\\n' ||
          (select u.name from public.company_user u where u.company_id = of_company and u.unique_id = updated_by), 'UTF8')), 'hex'), 8);
      end
      $$`);
    this.addSql(`
      create or replace function public.audit_chain_next(hash bytea, previous bytea, event text) returns bytea language plpgsql stable as $$
      begin
        return public.audit_link(coalesce(hash, previous), event);
      end
      $$`);
    this.addSql(`
      create or replace function public.seal_audit(of_company int, most int) returns int language plpgsql
      -- Its plans are kept, and must not depend on how small the tables were when they were made: always along indexes.
      set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
      as $$
      -- Seals events of the company that are not, at most so many, in the order of their ids; gives how many.
      -- Nothing while another does so. Writers neither wait for it nor it for them.
      declare
        -- Whoever drew an id up to this one had begun to write, and had an xid, before we take ours below.
        newest constant bigint := coalesce((select max(e.id) from public.audit_event e where e.company_id = of_company), 0);
        begins constant boolean := pg_current_xact_id_if_assigned() is null;
        horizon public.audit_horizon;
        before public.audit_horizon;
        head public.audit_seal;
        last bigint;
        sealed int;
      begin
        if not exists (select from public.audit_horizon h where h.company_id = of_company) then
          insert into public.audit_horizon (company_id) values (of_company) on conflict do nothing;
        end if;
        select * into before from public.audit_horizon h where h.company_id = of_company for update skip locked;
        if not found then
          return 0;
        end if;
        horizon := before;
        select * into head from public.audit_seal s where s.company_id = of_company order by s.seq desc limit 1;

        -- Of the events up to the mark all are to be seen from here on. A mark from the future was made on another
        -- server, from which this database was restored: none of its transactions goes on.
        if horizon.marked_by <= pg_snapshot_xmin(pg_current_snapshot())
            or horizon.marked_by >= pg_snapshot_xmax(pg_current_snapshot()) then
          horizon.settled := horizon.marked;
        end if;

        with unsealed as (
          select e as event, coalesce(head.seq, 0) + row_number() over (order by e.id) as seq
          from public.audit_event e
          where e.company_id = of_company and e.id > before.settled and not exists (
            select from public.audit_seal s
            where s.company_id = of_company and s.event_id = e.id and s.event_id > before.settled)
          order by e.id
          limit most),
        written as (
          insert into public.audit_seal (company_id, seq, event_id, hash)
          select of_company, u.seq, (u.event).id,
            public.audit_chain(coalesce(head.hash, ''), public.audit_text(u.event, u.seq)) over (order by u.seq)
          from unsealed u
          returning event_id)
        select count(*), max(w.event_id) into sealed, last from written w;

        if sealed = most then
          horizon.settled := greatest(before.settled, least(horizon.settled, last));
        end if;
        if horizon.settled = horizon.marked and newest > horizon.marked and begins then
          horizon.marked := newest;
          horizon.marked_by := pg_current_xact_id();
        end if;
        if horizon is distinct from before then
          update public.audit_horizon h
          set settled = horizon.settled, marked = horizon.marked, marked_by = horizon.marked_by
          where h.company_id = of_company;
        end if;
        return sealed;
      end
      $$`);
    this.addSql(`
      create or replace function public.seal_told(most int) returns int language sql security definer
      as $$ select public.seal_audit(nullif(current_setting('app.company', true), '')::int, most) $$`);
    for (const one of FUNCTIONS) {
      this.addSql(`alter function public.${one} set search_path = pg_catalog, public, pg_temp`);
    }
  }

  // The names with a schema stay: they mean the same.
  override down(): void | Promise<void> {
    for (const one of FUNCTIONS) this.addSql(`alter function public.${one} reset search_path`);
    this.addSql('alter function public.seal_told(int) set search_path = public, pg_temp');
  }
}
