import { EVENT_COLUMNS } from '../audit/event-statements.ts';
import type { EventRow } from '../audit/event-statements.ts';
import { sealOf, sealedEvent } from '../audit/seal-reading.ts';
import type { UserKind } from '../company/user.ts';
import type { StoreName } from '../file/file.ts';
import { readStatement } from '../statements/define-statement.ts';

// Reads of a proof. Each takes a page, so that the embedded database keeps no other request waiting for long.

interface SealPage {
  /** The first seal of the page with an event of the period, or null. */
  found: number | null;
  /** Number of seals in the page. */
  rows: number;
  /** The last seal of the page, or null without any. */
  last: number | null;
}

/** Looks in the next seals for one with an event of the period. */
const sealInPeriod = (name: string, { next, order }: { next: '>' | '<'; order: 'asc' | 'desc' }) =>
  readStatement<{ from: string; asOf: string; position: number; limit: number }, SealPage>(
    name,
    ({ company, from, asOf, position, limit }) => `with page as materialized (
      select company_id, seq, event_id from audit_seal
      where company_id = ${company} and seq ${next} ${position}::bigint order by seq ${order} limit ${limit}::int)
    select (select page.seq::float8 from page cross join lateral ${sealedEvent('page')} e
        where e.occurred_at >= ${from}::timestamptz and e.occurred_at <= ${asOf}::timestamptz
        order by page.seq ${order} limit 1) as found,
      (select count(*)::int from page) as rows,
      (select seq::float8 from page order by seq ${order === 'asc' ? 'desc' : 'asc'} limit 1) as last`,
  );

/** The lowest seal of a period above a position. */
export const findFirstSeal = sealInPeriod('proof.first-seal', { next: '>', order: 'asc' });

/** The highest seal of a period below a position. */
export const findLastSeal = sealInPeriod('proof.last-seal', { next: '<', order: 'desc' });

export interface SealedEventRow extends EventRow {
  sequence: number;
  hash: string;
  /** The text that the seal covers. */
  sealed: string;
}

/** Events in the order of their seals, with the sealed text. */
export const pageSealedEvents = readStatement<{ after: number; until: number; limit: number }, SealedEventRow>(
  'proof.sealed-events',
  ({ company, after, until, limit }) => `select s.seq::float8 as sequence, encode(s.hash, 'hex') as hash, e.*
  from (select company_id, seq, event_id, hash from audit_seal
    where company_id = ${company} and seq > ${after}::bigint and seq <= ${until}::bigint order by seq limit ${limit}::int) s
  cross join lateral (
    select audit_text(e, s.seq) as sealed, ${EVENT_COLUMNS} from audit_event e
    where e.company_id = s.company_id and e.id = s.event_id limit 1) e
  order by s.seq`,
);

/** A sealed event of a resource. */
export interface ResourceEventRow {
  resourceId: string;
  id: string;
  sequence: number;
  occurredAt: string;
  user: string;
  action: string;
  frameworkId: number;
  parentId: string | null;
  changes: Readonly<Record<string, unknown>>;
}

const RESOURCE_EVENT_COLUMNS = `e.resource_id as "resourceId", e.id::text as id, e.occurred_at as "occurredAt",
    e.user_id as user, e.action, e.framework_id as "frameworkId", e.parent_id as "parentId", e.changes`;

/** Sealed events of a type, by resource, each in the order of its changes. */
export const pageResourceEvents = readStatement<
  { type: string; afterResource: string; afterId: string; limit: number },
  ResourceEventRow
>(
  'proof.resource-events',
  ({ company, type, afterResource, afterId, limit }) => `select s.seq::float8 as sequence, ${RESOURCE_EVENT_COLUMNS}
  from audit_event e cross join lateral ${sealOf('e')} s
  where e.company_id = ${company} and e.resource_type = ${type}
    and (e.resource_id, e.id) > (${afterResource}, ${afterId}::bigint)
  order by e.resource_id, e.id limit ${limit}::int`,
);

/** Sealed events of a resource, and of what belongs to it, by id. */
export const pageRecordEvents = readStatement<
  { type: string; uniqueId: string; after: string; limit: number },
  ResourceEventRow & { type: string }
>('proof.record-events', ({ company, type, uniqueId, after, limit }) => {
  const eventsOf = (prefix: string) => `(
    select e.*, s.seq from audit_event e cross join lateral ${sealOf('e')} s
    where e.company_id = ${company} and e.${prefix}_type = ${type} and e.${prefix}_id = ${uniqueId} and e.id > ${after}::bigint
    order by e.id limit ${limit}::int)`;
  return `select e.resource_type as type, e.seq::float8 as sequence, ${RESOURCE_EVENT_COLUMNS}
  from (${eventsOf('resource')} union all ${eventsOf('parent')}) e order by e.id limit ${limit}::int`;
});

/** The users of the company. */
export const pageUsers = readStatement<
  { after: string; limit: number },
  { uniqueId: string; name: string; kind: UserKind }
>(
  'proof.users',
  ({ company, after, limit }) => `select unique_id as "uniqueId", name, kind from company_user
  where company_id = ${company} and unique_id > ${after}::uuid order by unique_id limit ${limit}::int`,
);

export interface IdentityRow {
  member: string;
  sequence: number;
  occurredAt: string;
  name: string;
  email: string;
  salt: string;
  identity: string;
}

/** Names, emails and salts that open the digests in the log, in the order of the digests. */
export const pageIdentities = readStatement<{ after: string; limit: number }, IdentityRow>(
  'proof.identities',
  ({
    company,
    after,
    limit,
  }) => `select i.member_id as member, s.seq::float8 as sequence, e.occurred_at as "occurredAt",
    i.name, i.email, i.salt, i.identity
  from identity i cross join lateral ${sealedEvent('i')} e
  cross join lateral ${sealOf('i', 'event_id')} s
  where i.company_id = ${company} and i.identity > ${after} order by i.identity limit ${limit}::int`,
);

/** A file in a store. */
export interface StoredFile {
  uniqueId: string;
  store: StoreName;
  /** Bucket and prefix in S3. */
  place: string | null;
  size: number;
}

/** The stored file with these bytes. It is not removed while a proof with files is open. */
export const findStoredFile = readStatement<{ sha256: string }, StoredFile>(
  'proof.stored-file',
  ({
    company,
    sha256,
  }) => `select unique_id as "uniqueId", store, place, coalesce(large_size, size)::float8 as size from file
  where company_id = ${company} and sha256 = ${sha256} and state = 'stored'`,
);

/** True if the log has an event up to a time. */
export const hasEventUntil = readStatement<{ asOf: string }, { exists: boolean }>(
  'proof.has-event',
  ({ company, asOf }) =>
    `select exists (select from audit_event where company_id = ${company} and occurred_at <= ${asOf}::timestamptz) as exists`,
);
