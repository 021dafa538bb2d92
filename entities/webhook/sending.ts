import { MAX_FAILING_DAYS } from './webhook.ts';
import { EVENT_COLUMNS } from '../audit/event-statements.ts';
import type { Checkpoint } from '../audit/checkpoint.ts';
import type { EventRecord, EventRow } from '../audit/event-statements.ts';
import { lastSeal, nextSeals, sealedEvent } from '../audit/seal-reading.ts';
import { isWritable } from '../company/closing.ts';
import { bookkeepingWrite, readStatement } from '../statements/define-statement.ts';
import { RESTART, eventType, isSelected, isVisible } from './delivery-statements.ts';
import { IS_ACTIVE, JOIN_KEY } from './endpoint.ts';

/** Maximum number of seals for which one statement adds the deliveries of an endpoint. */
const FAN_OUT_SIZE = 200;
/** Seconds for which a process may send a delivery that it took. Another process then sends it again. */
const LEASE_SECONDS = 60;

/**
 * Companies whose endpoints have new seals or due deliveries. Reads two index entries for each endpoint: with `exists` instead
 * of `order by`, PostgreSQL could scan the deliveries of all endpoints.
 */
export const findSendingCompanies = readStatement<object, { id: number }>(
  'webhook.companies',
  `select distinct w.company_id as id from webhook w ${JOIN_KEY}
  where ${IS_ACTIVE} and (w.position < ${lastSeal('w.company_id')} or (
    select d.next_attempt_at from webhook_delivery d
    where d.company_id = w.company_id and d.webhook_id = w.unique_id and d.next_attempt_at is not null
    order by d.next_attempt_at limit 1) <= now())`,
  'all companies',
);

/**
 * Adds the deliveries of the next seals above the position of each endpoint of the company, and moves the positions. Skips
 * endpoints that another process moves.
 * `moved` is the number of endpoints that have moved.
 */
export const fanOut = bookkeepingWrite<object, { moved: number }>(
  'webhook.fan-out',
  ({ company }) => `with endpoint as (
    select w.unique_id, w.position, w.skip_after_id, w.skip_until_id, w.events, k.frameworks
    from webhook w ${JOIN_KEY}
    where w.company_id = ${company} and ${IS_ACTIVE} and w.position < ${lastSeal(company)}
    for no key update of w skip locked),
  slice as (${nextSeals('endpoint', company, FAN_OUT_SIZE)}),
  added as (
    insert into webhook_delivery (company_id, webhook_id, message_id, sequence, type, event_id, next_attempt_at)
    select ${company}, w.unique_id, e.unique_id, w.seq, ${eventType('e.action')}, e.id, now()
    from slice w cross join lateral ${sealedEvent('w')} e
    where (e.id <= w.skip_after_id or e.id > w.skip_until_id) and ${isVisible('w.frameworks')} and ${isSelected('w.events')}
    order by w.unique_id, w.seq
    ${RESTART}),
  moved as (
    update webhook w set position = s.last_seq
    from (select unique_id, max(seq) as last_seq from slice group by unique_id) s
    where w.company_id = ${company} and w.unique_id = s.unique_id returning 1)
  select count(*)::int as moved from moved`,
);

/** A delivery to send, with its endpoint and its event. The event columns are null for `webhook.test` and `audit.checkpoint`. */
export interface ClaimedDelivery {
  delivery: string;
  webhook: string;
  messageId: string;
  sequence: string | null;
  type: string;
  /** Event of `webhook.test`, or a checkpoint. */
  testEvent: EventRecord | Checkpoint | null;
  attempts: number;
  /** End of the lease. The outcome is recorded only while it is unchanged. */
  lease: string;
  url: string;
  /** Encrypted. */
  secret: string;
  previousSecret: string | null;
  /** Encrypted; null for none. */
  encryptedHeaders: string | null;
  /** False if the key of the endpoint may no longer see the event. */
  visible: boolean;
}

/** Endpoints of a company with deliveries in flight in this process, and their numbers, as two arrays. */
export interface InFlight {
  busy: readonly string[];
  counts: readonly number[];
  /** Maximum number of deliveries of an endpoint in flight. */
  perWebhook: number;
  /** Maximum number of deliveries to take. */
  room: number;
}

/**
 * Takes due deliveries of the company, and counts an attempt of each. Begins with endpoints that have the fewest in flight, in
 * random order so that each one gets its turn. Skips deliveries that another process takes. PostgreSQL estimates few rows for
 * an array; for a join with `due` it estimates a tenth of the deliveries and scans the table.
 */
export const claimDeliveries = bookkeepingWrite<InFlight, ClaimedDelivery & (EventRow | { id: null })>(
  'webhook.claim',
  ({ company, busy, counts, perWebhook, room }) => `with endpoint as (
    select w.unique_id, w.url, w.secret, w.encrypted_headers, case when w.previous_secret_expires_at > now() then w.previous_secret end as previous_secret,
      k.frameworks, coalesce(b.count, 0) as in_flight
    from webhook w ${JOIN_KEY} left join unnest(${busy}::uuid[], ${counts}::int[]) b (id, count) on b.id = w.unique_id
    where w.company_id = ${company} and ${IS_ACTIVE}),
  due as (
    select d.id from (select * from endpoint order by in_flight, random()) w cross join lateral (
      select d.id from webhook_delivery d
      where d.company_id = ${company} and d.webhook_id = w.unique_id and d.next_attempt_at <= now()
      order by d.next_attempt_at limit greatest(${perWebhook}::int - w.in_flight, 0) for update skip locked) d
    limit ${room}::int),
  claimed as (
    update webhook_delivery d set attempts = d.attempts + 1, next_attempt_at = now() + interval '${LEASE_SECONDS} seconds'
    where d.company_id = ${company} and d.id = any(array(select id from due)) returning d.*)
  select d.id::text as delivery, d.webhook_id as webhook, d.message_id as "messageId", d.sequence::text as sequence, d.type,
    d.test_event as "testEvent", d.attempts, d.next_attempt_at::text as lease, w.url, w.secret,
    w.encrypted_headers as "encryptedHeaders",
    w.previous_secret as "previousSecret", e.id is null or ${isVisible('w.frameworks')} as visible, e.*
  from claimed d join endpoint w on w.unique_id = d.webhook_id
  left join lateral (
    select ${EVENT_COLUMNS} from audit_event e where e.company_id = ${company} and e.id = d.event_id) e on true
  order by d.id`,
);

/** Outcome of an attempt. */
export interface Outcome {
  delivery: string;
  lease: string;
  status: number | null;
  error: string | null;
  /** Milliseconds until the next attempt; null for none. */
  delayMs: number | null;
  /** True if the endpoint took the event, false if not; null if it was not sent. */
  succeeded: boolean | null;
}

/**
 * Records the outcome of an attempt, and since when its endpoint fails. `isDead` is true if it fails for too long. No row if
 * the lease ended meanwhile.
 */
export const recordOutcome = bookkeepingWrite<Outcome, { isDead: boolean }>(
  'webhook.record',
  ({ company, delivery, lease, status, error, delayMs, succeeded }) => `with recorded as (
    update webhook_delivery d set last_status = ${status}::int, last_error = ${error},
      next_attempt_at = now() + ${delayMs}::float8 * interval '1 millisecond'
    where d.company_id = ${company} and d.id = ${delivery}::bigint and d.next_attempt_at = ${lease}::timestamptz
    returning d.webhook_id),
  health as (
    update webhook w set failing_since = case when ${succeeded}::boolean then null else now() end
    from recorded r where w.company_id = ${company} and w.unique_id = r.webhook_id and (w.failing_since is null) <> ${succeeded})
  select not coalesce(${succeeded}, true) and w.failing_since <= now() - interval '${MAX_FAILING_DAYS} days' as "isDead"
  from recorded r join webhook w on w.company_id = ${company} and w.unique_id = r.webhook_id`,
);

/** Returns a delivery that was not sent to the queue, where other processes find it. */
export const releaseDelivery = bookkeepingWrite<Pick<Outcome, 'delivery' | 'lease'> & { seconds: number }, never>(
  'webhook.release',
  ({ company, delivery, lease, seconds }) => `update webhook_delivery
  set attempts = attempts - 1, next_attempt_at = now() + ${seconds}::int * interval '1 second'
  where company_id = ${company} and id = ${delivery}::bigint and next_attempt_at = ${lease}::timestamptz`,
);

/** Enabled endpoints of all open companies whose key is revoked. */
export const findEndedWebhooks = readStatement<object, { company: number; webhook: string }>(
  'webhook.ended',
  `select w.company_id as company, w.unique_id as webhook from webhook w
  join api_key k on k.company_id = w.company_id and k.unique_id = w.api_key_id
  where w.enabled and k.revoked_at is not null and ${isWritable('w.company_id')}`,
  'all companies',
);

/** Deliveries of active endpoints that wait for an attempt, and the age of the oldest in seconds, for metrics. */
export const findBacklog = readStatement<object, { deliveries: number; oldestSeconds: number }>(
  'webhook.backlog',
  // Counts before it joins: otherwise PostgreSQL may look up the endpoint of each delivery.
  `with waiting as materialized (
    select company_id, webhook_id, count(*) as count, min(created_at) as oldest
    from webhook_delivery where next_attempt_at is not null group by company_id, webhook_id)
  select coalesce(sum(d.count), 0)::int as deliveries, coalesce(extract(epoch from now() - min(d.oldest)), 0)::float8 as "oldestSeconds"
  from waiting d join webhook w on w.company_id = d.company_id and w.unique_id = d.webhook_id ${JOIN_KEY}
  where ${IS_ACTIVE}`,
  'all companies',
);

/** Seconds before a freeze in which an attempt that may still run has begun. */
const RUNNING_SECONDS = 30;

/** True if attempts that began before the company was frozen may still run. Each has a lease. */
export const hasOpenDeliveries = bookkeepingWrite<object, { exists: boolean }>(
  'webhook.has-open-deliveries',
  ({ company }) => `select exists (select from webhook_delivery d join company c on c.id = d.company_id
    where d.company_id = ${company} and d.next_attempt_at > now() and d.attempts > 0
      and d.next_attempt_at - interval '${LEASE_SECONDS} seconds' between c.frozen_at - interval '${RUNNING_SECONDS} seconds' and c.frozen_at)`,
);
