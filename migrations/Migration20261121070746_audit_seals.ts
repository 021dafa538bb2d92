import { Migration } from '@mikro-orm/migrations';

export class Migration20261121070746_audit_seals extends Migration {
  override name = 'Migration20261121070746_audit_seals';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "audit_seal" ("company_id" int not null, "seq" bigint not null, "event_id" bigint not null, "hash" bytea not null, primary key ("company_id", "seq"));`,
    );
    this.addSql(`alter table "audit_seal" add constraint "audit_seal_event_unique" unique ("company_id", "event_id");`);
    this.addSql(
      `create table "audit_watermark" ("company_id" int not null, "watermark" bigint not null default 0, "candidate" bigint not null default 0, "candidate_xid" xid8 not null default '0', primary key ("company_id"));`,
    );
    this.addSql(`alter table "audit_seal" add constraint "audit_seal_seq" check (seq > 0);`);
    this.addSql(`alter table "audit_seal" add constraint "audit_seal_hash_sha256" check (octet_length(hash) = 32);`);
    this.addSql(
      `create trigger audit_seal_refuse before update or delete or truncate on audit_seal for each statement execute function forbid_statement();`,
    );
    this.addSql(
      `alter table "audit_watermark" add constraint "audit_horizon_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `create trigger audit_horizon_refuse before delete or truncate on audit_watermark for each statement execute function forbid_statement();`,
    );

    this.addSql(`
      create function audit_text(event audit_event, seq bigint) returns text language sql stable parallel safe as $$
        -- The canonical form that is hashed: docs/verifying-the-trail.md. Of the columns those that are not null, so that
        -- one that is added later leaves the text of earlier events as it was. No setting of the session has a part in it.
        select concat_ws(e'\\n',
          seq,
          to_char(event.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          jsonb_strip_nulls(to_jsonb(event) - '{occurred_at,changes}'::text[]),
          event.changes)
      $$`);
    this.addSql(`
      create function audit_seal_hash(previous bytea, event text) returns bytea language sql stable parallel safe as $$
        select sha256(previous || convert_to(event, 'UTF8'))
      $$`);
    this.addSql(`
      create function audit_chain_sfunc(hash bytea, previous bytea, event text) returns bytea language plpgsql stable as $$
      begin
        return audit_seal_hash(coalesce(hash, previous), event);
      end
      $$`);
    this.addSql(`create aggregate audit_chain(previous bytea, event text) (sfunc = audit_chain_sfunc, stype = bytea);`);
    this.addSql(`
      create function seal_audit_log(of_company int, batch_size int) returns int language plpgsql
      -- Its plans are kept, and must not depend on how small the tables were when they were made: always along indexes.
      set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
      as $$
      -- Seals events of the company that are not, at batch_size so many, in the order of their ids; gives how many.
      -- Nothing while another does so. Writers neither wait for it nor it for them.
      declare
        -- Whoever drew an id up to this one had begun to write, and had an xid, before we take ours below.
        newest constant bigint := coalesce((select max(e.id) from audit_event e where e.company_id = of_company), 0);
        begins constant boolean := pg_current_xact_id_if_assigned() is null;
        horizon audit_watermark;
        before audit_watermark;
        head audit_seal;
        last bigint;
        sealed int;
      begin
        if not exists (select from audit_watermark h where h.company_id = of_company) then
          insert into audit_watermark (company_id) values (of_company) on conflict do nothing;
        end if;
        select * into before from audit_watermark h where h.company_id = of_company for update skip locked;
        if not found then
          return 0;
        end if;
        horizon := before;
        select * into head from audit_seal s where s.company_id = of_company order by s.seq desc limit 1;

        -- Of the events up to the mark all are to be seen from here on. A mark from the future was made on another
        -- server, from which this database was restored: none of its transactions goes on.
        if horizon.candidate_xid <= pg_snapshot_xmin(pg_current_snapshot())
            or horizon.candidate_xid >= pg_snapshot_xmax(pg_current_snapshot()) then
          horizon.watermark := horizon.candidate;
        end if;

        with unsealed as (
          select e as event, coalesce(head.seq, 0) + row_number() over (order by e.id) as seq
          from audit_event e
          where e.company_id = of_company and e.id > before.watermark and not exists (
            select from audit_seal s
            where s.company_id = of_company and s.event_id = e.id and s.event_id > before.watermark)
          order by e.id
          limit batch_size),
        written as (
          insert into audit_seal (company_id, seq, event_id, hash)
          select of_company, u.seq, (u.event).id,
            audit_chain(coalesce(head.hash, ''), audit_text(u.event, u.seq)) over (order by u.seq)
          from unsealed u
          returning event_id)
        select count(*), max(w.event_id) into sealed, last from written w;

        if sealed = batch_size then
          horizon.watermark := greatest(before.watermark, least(horizon.watermark, last));
        end if;
        if horizon.watermark = horizon.candidate and newest > horizon.candidate and begins then
          horizon.candidate := newest;
          horizon.candidate_xid := pg_current_xact_id();
        end if;
        if horizon is distinct from before then
          update audit_watermark h
          set watermark = horizon.watermark, candidate = horizon.candidate, candidate_xid = horizon.candidate_xid
          where h.company_id = of_company;
        end if;
        return sealed;
      end
      $$`);
  }

  override down(): void | Promise<void> {
    this.addSql('drop function seal_audit_log(int, int)');
    this.addSql('drop aggregate audit_chain(bytea, text)');
    this.addSql(
      'drop function audit_chain_sfunc(bytea, bytea, text), audit_seal_hash(bytea, text), audit_text(audit_event, bigint)',
    );
    this.addSql('drop table audit_seal, audit_watermark');
  }
}
