import { reading, statement } from '../database/statement.ts';

/** Events that one call of `sealAudit` seals at most: short enough to hold up nobody in the embedded database. */
export const SEALED_AT_ONCE = 1000;

/** Companies of which events may not be sealed yet: one look into an index for each company, whatever its trail holds. */
export const unsealedCompanies = reading<object, { id: number }>(
  'audit.unsealed-companies',
  `select c.id from company c left join audit_horizon h on h.company_id = c.id
  where (select e.id from audit_event e where e.company_id = c.id order by e.id desc limit 1) > coalesce(h.settled, 0)`,
  'every company',
);

/** Seals the next events of the company; none while another process does so. Fewer than SEALED_AT_ONCE: no more are left. */
export const sealAudit = statement<object, { sealed: number }>(
  'audit.seal',
  `select seal_told(${SEALED_AT_ONCE}) as sealed`,
);

/**
 * Seconds since the oldest event that is not sealed for good: older than the horizon none can appear any more. Two looks
 * into indexes for each company, whatever its trail holds.
 */
export const sealingLag = reading<object, { seconds: number }>(
  'audit.sealing-lag',
  `select coalesce(max(greatest(extract(epoch from clock_timestamp() - e.occurred_at), 0)), 0)::float8 as seconds
  from company c left join audit_horizon h on h.company_id = c.id cross join lateral (
    select e.occurred_at from audit_event e where e.company_id = c.id and e.id > coalesce(h.settled, 0)
    order by e.id limit 1) e`,
  'every company',
);

/** What can be wrong with a row, as the walks below find it. */
type Fault = 'gap' | 'missing' | 'changed' | 'late';

/** The first row of a part that does not hold. */
export interface BadRow {
  fault: Fault;
  /** Null for an event without a seal. */
  seq: number | null;
  event_id: number;
  /** Null where the event is gone. */
  unique_id: string | null;
  action: string | null;
}

/** How far a walk along the chain has come. Hashes are hexadecimal text. */
export interface ChainPart {
  walked: number;
  /** As text: one that was put in may be beyond what a number holds exactly. */
  seq: string | null;
  hash: string | null;
  /** When the last event of the part occurred; null where it is gone. */
  at: string | null;
  /** Whether the hash asked for is one of the part. */
  found: boolean;
  bad: BadRow | null;
}

/** Recomputes the next part of the chain after a seal: each hash from the one stored before it and the event as it is. */
export const walkChain = reading<{ after: string; hash: string; wanted: string; most: number }, ChainPart>(
  'audit.walk-chain',
  `with part as (
    select s.*, lag(s.seq, 1, :after::bigint) over (order by s.seq) + 1 as expected,
      lag(s.hash, 1, decode(:hash, 'hex')) over (order by s.seq) as previous
    from (select * from audit_seal where company_id = :company and seq > :after::bigint order by seq limit :most::int) s),
  judged as (
    select p.seq, p.event_id, p.hash, e.unique_id, e.action, e.occurred_at, case
      when p.seq <> p.expected then 'gap'
      when e.id is null then 'missing'
      when p.hash <> audit_link(p.previous, audit_text(e, p.seq)) then 'changed' end as fault
    from part p left join audit_event e on e.company_id = p.company_id and e.id = p.event_id),
  last as (select * from judged order by seq desc limit 1),
  bad as (select fault, seq, event_id, unique_id, action from judged where fault is not null order by seq limit 1)
  select (select count(*)::int from judged) as walked,
    (select seq::text from last) as seq, (select encode(hash, 'hex') from last) as hash, (select occurred_at from last) as at,
    exists (select from judged where hash = decode(:wanted, 'hex')) as found, (select to_jsonb(bad) from bad) as bad`,
);

/** How far a walk along the events has come. */
export interface TrailPart {
  walked: number;
  id: number | null;
  unsealed: number;
  /** When the oldest unsealed event of the part occurred. */
  since: string | null;
  bad: BadRow | null;
}

/** Looks at the next part of the events (after null the first, whatever ids were put in) for those without a seal. */
export const walkTrail = reading<{ after: number | null; most: number }, TrailPart>(
  'audit.walk-trail',
  // Below the horizon there can be none.
  `with part as (
    select e.id, e.unique_id, e.action, e.occurred_at, exists (
      select from audit_seal s where s.company_id = e.company_id and s.event_id = e.id) as sealed
    from (select * from audit_event where company_id = :company and id > coalesce(:after::bigint, -9223372036854775808) order by id limit :most::int) e),
  bad as (
    select 'late' as fault, null::bigint as seq, id as event_id, unique_id, action from part
    where not sealed and id <= (select settled from audit_horizon where company_id = :company) order by id limit 1)
  select (select count(*)::int from part) as walked, (select max(id)::float8 from part) as id,
    (select count(*)::int from part where not sealed) as unsealed,
    (select min(occurred_at) from part where not sealed) as since, (select to_jsonb(bad) from bad) as bad`,
);
