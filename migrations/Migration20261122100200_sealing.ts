import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** The functions that seal the audit log, the secret of cursors, and storage parameters that entities cannot declare. */
export class Migration20261122100200_sealing extends Migration {
  override name = 'Migration20261122100200_sealing';

  override up(): void {
    this.addSql(`
      create function public.audit_text(event public.audit_event, seq bigint) returns text
      language sql stable parallel safe ${SETTINGS} as $$
        -- The canonical form that is hashed (docs/audit.md). It holds only columns that are not null, so that a column that
        -- is added later leaves the text of earlier events as it was. It does not depend on settings of the session.
        select concat_ws(e'\\n',
          seq,
          to_char(event.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          jsonb_strip_nulls(to_jsonb(event) - '{occurred_at,changes}'::text[]),
          event.changes)
      $$`);
    this.addSql(`
      create function public.audit_seal_hash(previous bytea, event text) returns bytea
      language sql stable parallel safe ${SETTINGS} as $$
        select sha256(previous || convert_to(event, 'UTF8'))
      $$`);
    this.addSql(`
      create function public.audit_chain_sfunc(hash bytea, previous bytea, event text) returns bytea
      language plpgsql stable ${SETTINGS} as $$
      begin
        return public.audit_seal_hash(coalesce(hash, previous), event);
      end
      $$`);
    this.addSql(
      `create aggregate public.audit_chain(previous bytea, event text) (sfunc = public.audit_chain_sfunc, stype = bytea);`,
    );
    this.addSql(`
      create function public.seal_audit_log(of_company int, max_events int) returns int language plpgsql ${SETTINGS}
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
          where e.company_id = of_company and e.id > before.watermark and not exists (
            select from public.audit_seal s
            where s.company_id = of_company and s.event_id = e.id and s.event_id > before.watermark)
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
      $$`);
    // The role of the service writes seals only through this function, and only for the company of its transaction.
    this.addSql(`
      create function public.seal_current_company(max_events int) returns int language sql security definer ${SETTINGS}
      as $$ select public.seal_audit_log(nullif(current_setting('app.company', true), '')::int, max_events) $$`);
    this.addSql('revoke execute on function public.seal_audit_log(int, int) from public');

    // Two random UUIDs hold 244 random bits: PostgreSQL has no other strong source without an extension.
    this.addSql(
      `insert into "secret" ("name", "value") values ('cursor', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));`,
    );
    // Each page keeps room for the next versions of its rows, so that an update need not write every index (HOT).
    for (const table of ['vendor', 'task_count']) this.addSql(`alter table "${table}" set (fillfactor = 85)`);
  }
}
