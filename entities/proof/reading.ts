import { EVENT_COLUMNS } from '../audit/event-statements.ts';
import type { EventRow } from '../audit/event-statements.ts';
import type { UserKind } from '../company/user.ts';
import { readStatement } from '../statements/define-statement.ts';

// Reads of a proof. Each takes a page, so that the embedded database keeps no other request waiting for long.

/**
 * The lowest and the highest seal of the next events of a period, in the order of their times, and the position after them. `rows`
 * is the number of events.
 */
export const findSealBounds = readStatement<
  { from: string; asOf: string; afterTime: string; afterId: string; limit: number },
  { lowest: number | null; highest: number | null; rows: number; lastTime: string | null; lastId: string | null }
>(
  'proof.seal-bounds',
  ({ company, from, asOf, afterTime, afterId, limit }) => `with page as (
    select e.occurred_at, e.id from audit_event e
    where e.company_id = ${company} and e.occurred_at >= ${from}::timestamptz and e.occurred_at <= ${asOf}::timestamptz
      and (e.occurred_at, e.id) > (${afterTime}::timestamptz, ${afterId}::bigint)
    order by e.occurred_at, e.id limit ${limit}::int),
  last as (select * from page order by occurred_at desc, id desc limit 1)
  select (select min(s.seq)::float8 from page join audit_seal s on s.company_id = ${company} and s.event_id = page.id) as lowest,
    (select max(s.seq)::float8 from page join audit_seal s on s.company_id = ${company} and s.event_id = page.id) as highest,
    (select count(*)::int from page) as rows, (select occurred_at::text from last) as "lastTime",
    (select id::text from last) as "lastId"`,
);

export interface SealedEventRow extends EventRow {
  sequence: number;
  hash: string;
  /** The text that the seal covers. */
  sealed: string;
}

/** Events in the order of their seals, with the sealed text. */
export const pageSealedEvents = readStatement<{ after: number; until: number; limit: number }, SealedEventRow>(
  'proof.sealed-events',
  ({ company, after, until, limit }) => `select s.seq::float8 as sequence, encode(s.hash, 'hex') as hash,
    audit_text(e, s.seq) as sealed, ${EVENT_COLUMNS}
  from (select seq, event_id, hash from audit_seal
    where company_id = ${company} and seq > ${after}::bigint and seq <= ${until}::bigint order by seq limit ${limit}::int) s
  join audit_event e on e.company_id = ${company} and e.id = s.event_id
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
  from audit_event e join audit_seal s on s.company_id = ${company} and s.event_id = e.id
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
    select e.*, s.seq from audit_event e join audit_seal s on s.company_id = ${company} and s.event_id = e.id
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
  from identity i join audit_event e on e.company_id = ${company} and e.id = i.event_id
  join audit_seal s on s.company_id = ${company} and s.event_id = i.event_id
  where i.company_id = ${company} and i.identity > ${after} order by i.identity limit ${limit}::int`,
);

/** The stored file with these bytes. It is not removed while a proof with files is open. */
export const findStoredFile = readStatement<
  { sha256: string },
  { uniqueId: string; store: 'database' | 'files' | 's3'; size: number }
>(
  'proof.stored-file',
  ({ company, sha256 }) => `select unique_id as "uniqueId", store, coalesce(large_size, size)::float8 as size from file
  where company_id = ${company} and sha256 = ${sha256} and state = 'stored'`,
);

/** True if the log has an event up to a time. */
export const hasEventUntil = readStatement<{ asOf: string }, { exists: boolean }>(
  'proof.has-event',
  ({ company, asOf }) =>
    `select exists (select from audit_event where company_id = ${company} and occurred_at <= ${asOf}::timestamptz) as exists`,
);
