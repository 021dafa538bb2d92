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

/** A seal that the feed has scanned. `id` is null if its event is hidden from the principal, or not part of the page. */
export type FeedRow = FeedPosition & { head: string } & (EventRow | { id: null });

const MARK = `encode(substr(s.hash, 1, 8), 'hex')`;
const HEAD = (company: string) =>
  `(select h.seq from audit_seal h where h.company_id = ${company} order by h.seq desc limit 1)`;

/**
 * Events after a seal, in the order of their seals, with the seal itself and the last scanned one. Seals of hidden events
 * count for `scan` but not for `limit`. The lateral join looks up each event by its key, whatever PostgreSQL estimates: it compares
 * with the company of the seal, because the statistics may not know that of the parameter yet.
 */
export const readChanges = readStatement<
  { after: string; scan: number; limit: number; frameworks: readonly number[] | null },
  FeedRow
>(
  'changes.page',
  ({
    company,
    after,
    scan,
    limit,
    frameworks,
  }) => `select s.seq::text as sequence, ${MARK} as mark, ${HEAD(company)}::text as head, e.*
  from (
    select scanned.*, lead(scanned.seq) over (order by scanned.seq) is null as is_last from (
      select a.company_id, a.seq, a.event_id, a.hash from audit_seal a
      where a.company_id = ${company} and a.seq >= ${after}::bigint order by a.seq limit ${scan}::int) scanned) s
  left join lateral (
    select ${EVENT_COLUMNS} from audit_event e
    where e.company_id = s.company_id and e.id = s.event_id and s.seq > ${after}::bigint and ${visibleFrameworks(frameworks)}
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
