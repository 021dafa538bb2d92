import { lastEvent, sealOf } from './seal-reading.ts';
import { bookkeepingWrite, readStatement } from '../statements/define-statement.ts';

/** Maximum number of events that one call of `sealAuditLog` seals. The embedded database serves no other request meanwhile. */
export const SEAL_BATCH_SIZE = 500;

/** Companies that may have unsealed events. Reads one index entry for each company. */
export const findUnsealedCompanies = readStatement<object, { id: number }>(
  'audit.unsealed-companies',
  `select c.id from company c left join audit_watermark h on h.company_id = c.id
  where (select e.id from audit_event e where e.company_id = c.id order by e.id desc limit 1) > coalesce(h.watermark, 0)`,
  'all companies',
);

/**
 * Seals the next events of the company, and notifies all processes if there are any. Seals none while another process does.
 * Fewer than SEAL_BATCH_SIZE means that none are left.
 */
export const sealAuditLog = bookkeepingWrite<object, { sealed: number }>(
  'audit.seal',
  `with batch as materialized (select seal_current_company(${SEAL_BATCH_SIZE}) as sealed)
  select sealed, case when sealed > 0 then pg_notify('audit_sealed', '') end as notified from batch`,
);

/** Id of the last event of the company of the session; 0 if it has none. */
export const findLastEvent = readStatement<object, { id: string }>(
  'audit.last-event',
  ({ company }) => `select ${lastEvent(company)} as id`,
);

/**
 * True if the company of the session has events up to an id without a seal. Reads only events above the watermark: below it all are
 * sealed.
 */
export const hasUnsealedEvents = readStatement<{ upTo: string }, { unsealed: boolean }>(
  'audit.has-unsealed-events',
  // PostgreSQL turns `not exists` into a join, which may compare every event with every seal.
  ({ company, upTo }) => `select exists (
    select from audit_event e left join lateral ${sealOf('e')} s on true
    where e.company_id = ${company} and e.id > coalesce((select watermark from audit_watermark where company_id = ${company}), 0)
      and e.id <= ${upTo}::bigint and s.seq is null) as unsealed`,
);

/**
 * Age in seconds of the oldest event above the watermark: below it no event can appear. Reads two index entries for each company. A
 * demo company has events whose times are in the past.
 */
export const findSealLag = readStatement<object, { seconds: number }>(
  'audit.seal-lag',
  `select coalesce(max(greatest(extract(epoch from clock_timestamp() - e.occurred_at), 0)), 0)::float8 as seconds
  from company c left join audit_watermark h on h.company_id = c.id cross join lateral (
    select e.occurred_at from audit_event e where e.company_id = c.id and e.id > coalesce(h.watermark, 0)
    order by e.id limit 1) e
  where not c.is_demo`,
  'all companies',
);

/** Errors that the verifications below find in a row. */
type IntegrityError = 'missing_seal' | 'missing_event' | 'modified' | 'unsealed';

/** The first invalid row of a batch. */
export interface InvalidRow {
  error: IntegrityError;
  /** Null for an event without a seal. */
  seq: number | null;
  eventId: number;
  /** Null if the event is missing. */
  uniqueId: string | null;
  action: string | null;
}

/** Result of verifying a batch of the chain. Hashes are hexadecimal text. */
export interface ChainBatch {
  rowCount: number;
  /** Text: a forged number may exceed the safe integers of JavaScript. */
  seq: string | null;
  hash: string | null;
  /** Time of the last event of the batch; null if the event is missing. */
  occurredAt: string | null;
  /** True if the batch contains the expected head. */
  headFound: boolean;
  firstInvalid: InvalidRow | null;
}

/** Recomputes the hashes of the next batch after a seal, each from the stored previous hash and the current event. */
export const verifyChainBatch = readStatement<
  { after: string; hash: string; expectedHead: string; limit: number },
  ChainBatch
>(
  'audit.verify-chain',
  ({ after, hash, company, limit, expectedHead }) => `with part as (
    select s.*, lag(s.seq, 1, ${after}::bigint) over (order by s.seq) + 1 as expected,
      lag(s.hash, 1, decode(${hash}, 'hex')) over (order by s.seq) as previous
    from (select * from audit_seal where company_id = ${company} and seq > ${after}::bigint order by seq limit ${limit}::int) s),
  judged as (
    select p.seq, p.event_id, p.hash, e.unique_id, e.action, e.occurred_at, case
      when p.seq <> p.expected then 'missing_seal'
      when e.id is null then 'missing_event'
      when p.hash <> audit_seal_hash(p.previous, audit_text(e, p.seq)) then 'modified' end as error
    from part p left join audit_event e on e.company_id = p.company_id and e.id = p.event_id),
  last as (select * from judged order by seq desc limit 1),
  bad as (select error, seq, event_id as "eventId", unique_id as "uniqueId", action from judged where error is not null order by seq limit 1)
  select (select count(*)::int from judged) as "rowCount",
    (select seq::text from last) as seq, (select encode(hash, 'hex') from last) as hash, (select occurred_at from last) as "occurredAt",
    exists (select from judged where hash = decode(${expectedHead}, 'hex')) as "headFound", (select to_jsonb(bad) from bad) as "firstInvalid"`,
);

/** Result of verifying a batch of events. */
export interface EventBatch {
  rowCount: number;
  id: number | null;
  unsealed: number;
  /** Time of the oldest unsealed event of the batch. */
  unsealedSince: string | null;
  firstInvalid: InvalidRow | null;
}

/** Finds events without a seal in the next batch. With `after: null` it starts at the lowest id, which may be negative if forged. */
export const verifyEventBatch = readStatement<{ after: number | null; limit: number }, EventBatch>(
  'audit.verify-events',
  // Up to the watermark every event is sealed.
  ({ company, after, limit }) => `with part as (
    select e.id, e.unique_id, e.action, e.occurred_at, exists (
      select from audit_seal s where s.company_id = e.company_id and s.event_id = e.id) as sealed
    from (select * from audit_event where company_id = ${company} and id > coalesce(${after}::bigint, -9223372036854775808) order by id limit ${limit}::int) e),
  bad as (
    select 'unsealed' as error, null::bigint as seq, id as "eventId", unique_id as "uniqueId", action from part
    where not sealed and id <= (select watermark from audit_watermark where company_id = ${company}) order by id limit 1)
  select (select count(*)::int from part) as "rowCount", (select max(id)::float8 from part) as id,
    (select count(*)::int from part where not sealed) as unsealed,
    (select min(occurred_at) from part where not sealed) as "unsealedSince", (select to_jsonb(bad) from bad) as "firstInvalid"`,
);
