import { hash } from 'node:crypto';
import { sealOf } from '../audit/seal-reading.ts';
import { isUnfrozen } from '../company/closing.ts';
import { NO_FRAMEWORK } from '../ids.ts';
import { DELIVERY_RETENTION_DAYS } from './delivery.ts';
import type { Checkpoint } from '../audit/checkpoint.ts';
import type { EventRecord } from '../audit/event-statements.ts';
import { toIsoOrNull } from '../statements/change-metadata.ts';
import { defineStatement, readStatement, retentionStatement } from '../statements/define-statement.ts';
import { IS_ACTIVE, JOIN_KEY } from './endpoint.ts';
import type { WebhookKey } from './endpoint.ts';

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  message_id: string;
  sequence: string | null;
  type: string;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
}

/**
 * uniqueId of the delivery of a message to an endpoint: a UUIDv7 with the time of the message, whose other bits are a hash of
 * both ids (RFC 9562, section 5.7, allows any unique bits). Endpoints receive an event under one message id, so that it
 * identifies no delivery.
 */
function deliveryId(webhook: string, message: string): string {
  const bits = hash('sha256', `${webhook} ${message}`, 'hex');
  return `${message.slice(0, 15)}${bits.slice(0, 3)}-${message.slice(19, 20)}${bits.slice(3, 6)}-${bits.slice(6, 18)}`;
}

/** The delivery object of the API. Contract, section 14. */
export const toDeliveryRecord = ({ id: _id, webhook_id, message_id, ...row }: DeliveryRow) => ({
  ...row,
  uniqueId: deliveryId(webhook_id, message_id),
  sequence: row.sequence === null ? null : Number(row.sequence),
  nextAttemptAt: toIsoOrNull(row.nextAttemptAt),
});

/** Condition for events in the frameworks of a key; null for all. */
export const isVisible = (frameworks: string): string =>
  `(${frameworks} is null or e.framework_id = ${NO_FRAMEWORK} or e.framework_id = any(${frameworks}))`;

/**
 * Deliveries of an endpoint before an id, newest first. None has a next attempt while the endpoint sends nothing, or for an event
 * that its key may no longer see.
 */
export const pageDeliveries = readStatement<WebhookKey & { before: string | null; limit: number }, DeliveryRow>(
  'webhook.deliveries',
  ({
    company,
    webhook,
    before,
    limit,
  }) => `select d.id::text as id, d.webhook_id, d.message_id, d.sequence::text as sequence, d.type, d.attempts,
    d.last_status as "lastStatus", d.last_error as "lastError",
    case when ${IS_ACTIVE} and (k.frameworks is null or d.event_id is null or exists (
      select from audit_event e where e.company_id = ${company} and e.id = d.event_id and ${isVisible('k.frameworks')}))
      then d.next_attempt_at end as "nextAttemptAt"
  from webhook w ${JOIN_KEY} join webhook_delivery d on d.company_id = ${company} and d.webhook_id = ${webhook}
    and d.id < coalesce(${before}::bigint, 9223372036854775807)
    and d.created_at > now() - interval '${DELIVERY_RETENTION_DAYS} days'
  where w.company_id = ${company} and w.unique_id = ${webhook}
  order by d.id desc limit ${limit}::int`,
);

/** SQL of `eventTypeOf`. */
export const eventType = (action: string): string => `lower(regexp_replace(${action}, '([A-Z])', '_\\1', 'g'))`;

/** Condition for events of the types that an endpoint selects; null for all. */
export const isSelected = (events: string): string => `(${events} is null or ${eventType('e.action')} = any(${events})
    or split_part(${eventType('e.action')}, '.', 1) || '.*' = any(${events}))`;

/** A delivery that exists starts again, also its retention. */
export const RESTART = `on conflict (company_id, webhook_id, sequence) do update
    set attempts = 0, last_status = null, last_error = null, next_attempt_at = excluded.next_attempt_at, created_at = excluded.created_at`;

/** Adds a delivery of an event that is not in the audit log. */
export const insertTestDelivery = defineStatement<
  WebhookKey & { messageId: string; type: string; event: EventRecord | Checkpoint },
  { id: string }
>(
  'webhook.insert-test',
  ({ company, webhook, messageId, type, event }) => `insert into webhook_delivery
    (company_id, webhook_id, message_id, type, test_event, next_attempt_at)
  values (${company}, ${webhook}, ${messageId}, ${type}, ${event}::jsonb, now()) returning id::text as id`,
);

/** Delivers one event again, or for the first time. No row if the endpoint never had it and does not select it. */
export const replayEvent = defineStatement<WebhookKey & { sequence: number }, { id: string }>(
  'webhook.replay-event',
  ({ company, webhook, sequence }) => `insert into webhook_delivery
    (company_id, webhook_id, message_id, sequence, type, event_id, next_attempt_at)
  select ${company}, w.unique_id, e.unique_id, s.seq, ${eventType('e.action')}, e.id, now()
  from webhook w ${JOIN_KEY}
  join audit_seal s on s.company_id = ${company} and s.seq = ${sequence}::bigint
  join audit_event e on e.company_id = ${company} and e.id = s.event_id
  where w.company_id = ${company} and w.unique_id = ${webhook} and ${isVisible('k.frameworks')} and (${isSelected('w.events')} or exists (
    select from webhook_delivery d where d.company_id = ${company} and d.webhook_id = ${webhook} and d.sequence = s.seq))
  ${RESTART} returning id::text as id`,
);

/**
 * Moves an endpoint back to the seal before the events since a time, which are then delivered again. Seals follow the order of
 * event ids, and a transaction that began earlier may have written later: so the first seal is that of any event in the
 * ten minutes after the first one, longer than a transaction takes.
 */
export const replaySince = defineStatement<WebhookKey & { since: string }, { unique_id: string }>(
  'webhook.replay-since',
  ({
    company,
    webhook,
    since,
  }) => `update webhook w set skip_until_id = least(w.skip_until_id, b.event_id), position = least(w.position, b.seq)
  from (
    select min(s.seq) - 1 as seq, min(e.id) - 1 as event_id from (
      select min(e.occurred_at) as at from audit_event e where e.company_id = ${company} and e.occurred_at >= ${since}::timestamptz) f
    join audit_event e on e.company_id = ${company} and e.occurred_at >= f.at and e.occurred_at < f.at + interval '10 minutes'
    left join lateral ${sealOf('e')} s on true) b
  where w.company_id = ${company} and w.unique_id = ${webhook} returning w.unique_id`,
);

/** Deletes old deliveries. */
export const deleteOldDeliveries = retentionStatement('webhook.delete-old-deliveries', (limit) => [
  `delete from webhook_delivery a using (
    select company_id, id from webhook_delivery
    where created_at <= now() - interval '${DELIVERY_RETENTION_DAYS} days' and ${isUnfrozen('company_id')} limit ${limit}) old
  where a.company_id = old.company_id and a.id = old.id`,
]);
