import { EXTERNAL_ID_TYPES } from '../external-id/external-id.ts';
import type { ExternalIdType, ExternalReference } from '../external-id/external-id.ts';
import { EVENT_COLUMNS, visibleFrameworks } from './event-statements.ts';
import type { EventRow } from './event-statements.ts';
import { pipelinedRead, readStatement } from '../statements/define-statement.ts';

/** Position in the feed of a company: a seal, by its number and the first bytes of its hash. */
export interface FeedPosition {
  /** Text, as the feed compares it only for equality. '0' is the position before the first seal. */
  sequence: string;
  /** Hexadecimal text. A database that was restored has another hash at the same number after other events. */
  mark: string;
}

/** Position before the first seal. */
export const FEED_START: FeedPosition = { sequence: '0', mark: '' };

/** Events that a feed returns. */
export interface FeedFilters {
  /** Types of resources; null for all. */
  types: readonly string[] | null;
  /** User whose events are left out; null for nobody. */
  exceptUser: string | null;
}

/** External ids of the object of an event; null if its type has none. */
interface WithExternalIds {
  external_ids: ExternalReference[] | null;
}

/** A seal that the feed has scanned. `id` is null if its event is hidden from the principal, or not part of the page. */
export type FeedRow = FeedPosition & { head: string } & ((EventRow & WithExternalIds) | { id: null });

const MARK = `encode(substr(s.hash, 1, 8), 'hex')`;
const HEAD = (company: string) =>
  `(select h.seq from audit_seal h where h.company_id = ${company} order by h.seq desc limit 1)`;

/**
 * External ids of the object of the event `e`: those that the object lists, or of a deleted one those of its last state that are
 * still reserved for it, each looked up by its key. An `offset 0` is a fence: row-level security keeps PostgreSQL from using an index for
 * a value that it has to convert.
 */
const externalIdsOf = (type: ExternalIdType) => `(select coalesce(
      (select o.external_ids from ${type} o where o.company_id = s.company_id and o.unique_id = object.id),
      (select jsonb_agg(listed.entry order by listed.position) from (
          select l.entry, l.position, l.entry ->> 'source' as source, l.entry ->> 'externalId' as external_id, d.framework_id
          from (select d.changes, d.framework_id from audit_event d where d.company_id = s.company_id and d.resource_type = '${type}'
              and d.resource_id = e.resource_id and d.action = '${type}.delete' order by d.id desc limit 1) d
            cross join jsonb_array_elements(d.changes -> 'external_ids') with ordinality l (entry, position) offset 0) listed
        where object.id = (select x.resource_id from external_id x where x.company_id = s.company_id and x.resource_type = '${type}'
          and x.framework_id = listed.framework_id and x.source = listed.source and x.external_id = listed.external_id)),
      '[]') from (select e.resource_id::uuid as id offset 0) object)`;

/**
 * Events after a seal, in the order of their seals, with the seal itself and the last scanned one. Seals of events that are hidden
 * or left out count for `scan` but not for `limit`. The lateral join looks up each event by its key, whatever PostgreSQL estimates:
 * it compares with the company of the seal, because the statistics may not know that of the parameter yet.
 */
export const readChanges = readStatement<
  { after: string; scan: number; limit: number; frameworks: readonly number[] | null } & FeedFilters,
  FeedRow
>(
  'changes.page',
  ({
    company,
    after,
    scan,
    limit,
    frameworks,
    types,
    exceptUser,
  }) => `select s.seq::text as sequence, ${MARK} as mark, ${HEAD(company)}::text as head, e.*,
    case e.resource_type ${EXTERNAL_ID_TYPES.map((type) => `when '${type}' then ${externalIdsOf(type)}`).join(' ')} end as external_ids
  from (
    select scanned.*, lead(scanned.seq) over (order by scanned.seq) is null as is_last from (
      select a.company_id, a.seq, a.event_id, a.hash from audit_seal a
      where a.company_id = ${company} and a.seq >= ${after}::bigint order by a.seq limit ${scan}::int) scanned) s
  left join lateral (
    select ${EVENT_COLUMNS} from audit_event e
    where e.company_id = s.company_id and e.id = s.event_id and s.seq > ${after}::bigint and ${visibleFrameworks(frameworks)}
      and (${types}::text[] is null or e.resource_type = any(${types}))
      and (${exceptUser}::uuid is null or e.user_id <> ${exceptUser})
    limit 1) e on true
  where e.id is not null or s.is_last or s.seq = ${after}::bigint
  order by s.seq limit ${limit}::int`,
);

/** The last seal of the company. */
export const findFeedHead = pipelinedRead<object, FeedPosition>(
  'changes.head',
  ({ company }) =>
    `select s.seq::text as sequence, ${MARK} as mark from audit_seal s where s.company_id = ${company} order by s.seq desc limit 1`,
);

/** Numbers of the last seals of these companies; '0' without a seal. Reads one index entry for each company. */
export const findSealHeads = readStatement<{ companies: readonly number[] }, { company: number; head: string }>(
  'audit.seal-heads',
  ({ companies }) =>
    `select c.id as company, coalesce(${HEAD('c.id')}, 0)::text as head from unnest(${companies}::int[]) c(id)`,
  'all companies',
);
