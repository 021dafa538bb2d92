import { toIso } from '../statements/change-metadata.ts';
import { isWritable } from '../company/closing.ts';
import { lastEvent, lastSeal } from '../audit/seal-reading.ts';
import { defineStatement, pipelinedRead, readStatement, bookkeepingWrite } from '../statements/define-statement.ts';
import { MAX_WEBHOOKS } from './webhook.ts';
import type { DisabledReason } from './webhook.ts';
import { CHECKPOINT_TYPE } from './delivery.ts';

export interface WebhookKey {
  webhook: string;
}

/** An endpoint, without its secret and the values of its headers. */
export interface WebhookRow {
  uniqueId: string;
  url: string;
  events: string[] | null;
  description: string;
  /** Names. */
  headers: string[];
  enabled: boolean;
  disabledReason: DisabledReason | null;
  createdAt: string;
  updatedAt: string;
}

/**
 * Reason for which the endpoint `w` is disabled. The end of its key comes first, because nobody can enable it then. An endpoint that
 * was disabled before its reason was stored has none.
 */
const DISABLED_REASON = `case when w.enabled then null
  when exists (select from api_key where company_id = w.company_id and unique_id = w.api_key_id and revoked_at is not null) then 'key'
  else coalesce(w.disabled_reason, 'manual') end`;

const COLUMNS = `w.unique_id as "uniqueId", w.url, w.events, w.description, w.headers, w.enabled, ${DISABLED_REASON} as "disabledReason",
  w.created_at as "createdAt", w.updated_at as "updatedAt"`;

/** The endpoint object of the API. Contract, section 14. */
export const toWebhookRecord = (row: WebhookRow) => ({
  ...row,
  createdAt: toIso(row.createdAt),
  updatedAt: toIso(row.updatedAt),
});

/** Joins the key that created an endpoint. */
export const JOIN_KEY = 'left join api_key k on k.company_id = w.company_id and k.unique_id = w.api_key_id';

/**
 * Condition for endpoints that send now. The key that created one pauses it, and ends it when it is revoked. The close of the
 * company pauses all of it.
 */
export const IS_ACTIVE = `w.enabled and (w.api_key_id is null or k.enabled and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now()) and 'audit:read' = any(k.scopes))
    and ${isWritable('w.company_id')}`;

/**
 * Assignments that begin and end the range of skipped events of the row `w` when it is disabled and enabled. A range that the
 * position has not passed continues, so that no event from while the endpoint was disabled is sent.
 * @param enabled new value
 */
const skippedRange = (company: string, enabled: string) => `skip_after_id = case
      when not w.enabled or ${enabled} or w.skip_until_id > coalesce((
        select s.event_id from audit_seal s where s.company_id = ${company} and s.seq = w.position), 0) then w.skip_after_id
      else ${lastEvent(company)} end,
    skip_until_id = case when not ${enabled} then null when w.enabled then w.skip_until_id else ${lastEvent(company)} end`;

/** Locks the number of endpoints of the company until the end of the transaction. */
export const lockWebhooks = defineStatement<object, never>(
  'webhook.lock-all',
  ({ company }) => `select pg_advisory_xact_lock(hashtextextended('webhooks ' || (${company}::int)::text, 0))`,
);

/** Headers as they are stored. */
export interface StoredHeaders {
  /** Names. */
  headers: readonly string[];
  /** Null for none. */
  encryptedHeaders: string | null;
}

/** Creates an endpoint that receives the events from now on. No row if the company has the maximum number of endpoints. */
export const insertWebhook = defineStatement<
  StoredHeaders & {
    uniqueId: string;
    url: string;
    events: readonly string[] | null;
    description: string;
    secret: string;
  },
  WebhookRow
>(
  'webhook.insert',
  ({
    company,
    user,
    key,
    uniqueId,
    url,
    events,
    description,
    secret,
    headers,
    encryptedHeaders,
  }) => `insert into webhook as w (company_id, unique_id, url, events, description, secret, headers, encrypted_headers, headers_changed_at,
    api_key_id, created_by_id, position, skip_until_id)
  select ${company}, ${uniqueId}, ${url}, ${events}::text[], ${description}, ${secret}, ${headers}::text[], ${encryptedHeaders},
    case when ${encryptedHeaders}::text is not null then now() end, ${key}, ${user}, ${lastSeal(company)}, ${lastEvent(company)}
  where (select count(*) from webhook o where o.company_id = ${company}) < ${MAX_WEBHOOKS}
  returning ${COLUMNS}`,
);

/** Endpoints of the company after an id, oldest first: UUIDv7 ids ascend with time. */
export const pageWebhooks = readStatement<{ after: string | null; limit: number }, WebhookRow>(
  'webhook.page',
  ({ company, after, limit }) => `select ${COLUMNS} from webhook w
  where w.company_id = ${company} and (${after}::uuid is null or w.unique_id > ${after})
  order by w.unique_id limit ${limit}::int`,
);

export const findWebhook = pipelinedRead<WebhookKey, WebhookRow>(
  'webhook.get',
  ({ company, webhook }) =>
    `select ${COLUMNS} from webhook w where w.company_id = ${company} and w.unique_id = ${webhook}`,
);

/** Locks an endpoint. `hasEnded` is true if the key that created it is revoked. */
export const lockWebhook = defineStatement<WebhookKey, { hasEnded: boolean; encryptedHeaders: string | null }>(
  'webhook.lock',
  ({ company, webhook }) => `select w.encrypted_headers as "encryptedHeaders", k.revoked_at is not null as "hasEnded"
  from webhook w ${JOIN_KEY} where w.company_id = ${company} and w.unique_id = ${webhook} for update of w`,
);

/** Changes of an endpoint; null for a field that keeps its value. `events` is null for all events. */
interface WebhookChanges extends WebhookKey, StoredHeaders {
  /** False: `headers` keep their values. */
  headersGiven: boolean;
  url: string | null;
  events: readonly string[] | null;
  eventsGiven: boolean;
  description: string | null;
  enabled: boolean | null;
}

/** Changes an endpoint. One that becomes enabled receives the events from then on. */
export const updateWebhook = defineStatement<WebhookChanges, WebhookRow>(
  'webhook.update',
  ({
    company,
    webhook,
    url,
    events,
    eventsGiven,
    description,
    headers,
    encryptedHeaders,
    headersGiven,
    enabled,
  }) => `update webhook w
  set url = n.url, events = n.events, description = n.description, enabled = n.enabled,
    headers = case when ${headersGiven}::boolean then ${headers}::text[] else w.headers end,
    encrypted_headers = case when ${headersGiven}::boolean then ${encryptedHeaders} else w.encrypted_headers end,
    headers_changed_at = case when ${headersGiven}::boolean then now() else w.headers_changed_at end,
    disabled_reason = case when n.enabled then null when w.enabled then 'manual' else w.disabled_reason end,
    updated_at = case when n.is_changed or ${headersGiven}::boolean then now() else w.updated_at end,
    ${skippedRange(company, 'n.enabled')},
    failing_since = case when n.enabled and not w.enabled then null else w.failing_since end
  from (
    select v.*,
      (v.url, v.events, v.description, v.enabled) is distinct from (o.url, o.events, o.description, o.enabled) as is_changed
    from webhook o cross join lateral (
      select coalesce(${url}, o.url) as url, case when ${eventsGiven}::boolean then ${events}::text[] else o.events end as events,
        coalesce(${description}, o.description) as description, coalesce(${enabled}::boolean, o.enabled) as enabled) v
    where o.company_id = ${company} and o.unique_id = ${webhook}) n
  where w.company_id = ${company} and w.unique_id = ${webhook}
  returning ${COLUMNS}`,
);

/**
 * Disables an endpoint on behalf of the server. No row if it is not enabled.
 * @param url URL that responded, which may have changed meanwhile; null for any
 */
export const disableWebhook = defineStatement<
  WebhookKey & { url: string | null; reason: DisabledReason },
  { unique_id: string }
>(
  'webhook.disable',
  ({
    company,
    webhook,
    url,
    reason,
  }) => `update webhook w set enabled = false, disabled_reason = ${reason}, updated_at = now(), ${skippedRange(company, 'false')}
  where company_id = ${company} and unique_id = ${webhook} and enabled and url = coalesce(${url}, url) returning unique_id`,
);

export const deleteWebhook = defineStatement<WebhookKey, { unique_id: string }>(
  'webhook.delete',
  ({ company, webhook }) =>
    `delete from webhook where company_id = ${company} and unique_id = ${webhook} returning unique_id`,
);

/** Gives an endpoint a new secret. The previous secret also signs until the end of the overlap; an older one ends now. */
export const rotateWebhook = defineStatement<WebhookKey & { secret: string; overlapSeconds: number }, WebhookRow>(
  'webhook.rotate',
  ({
    company,
    webhook,
    secret,
    overlapSeconds,
  }) => `update webhook w set secret = ${secret}, previous_secret = w.secret,
    previous_secret_expires_at = now() + ${overlapSeconds}::int * interval '1 second', updated_at = now(),
    secret_changed_at = greatest(clock_timestamp(), w.secret_changed_at + interval '1 millisecond')
  where w.company_id = ${company} and w.unique_id = ${webhook} returning ${COLUMNS}`,
);

/** Encrypted secrets of an endpoint. */
interface WebhookSecrets extends WebhookKey {
  company: number;
  secret: string;
  previousSecret: string | null;
  encryptedHeaders: string | null;
}

/** Encrypted secrets of the endpoints of all companies. */
export const listWebhookSecrets = readStatement<object, WebhookSecrets>(
  'webhook.secrets',
  `select company_id as company, unique_id as webhook, secret, previous_secret as "previousSecret",
    encrypted_headers as "encryptedHeaders"
  from webhook order by company_id, unique_id`,
  'all companies',
);

/** Replaces a secret of an endpoint of the company wherever it is stored. No row if it was changed in the meantime. */
export const replaceWebhookSecret = defineStatement<WebhookKey & { before: string; after: string }, WebhookKey>(
  'webhook.replace-secret',
  ({ company, webhook, before, after }) => `update webhook
  set secret = case secret when ${before} then ${after} else secret end,
    previous_secret = case previous_secret when ${before} then ${after} else previous_secret end,
    encrypted_headers = case encrypted_headers when ${before} then ${after} else encrypted_headers end
  where company_id = ${company} and unique_id = ${webhook} and ${before} in (secret, previous_secret, encrypted_headers)
  returning unique_id as webhook`,
);

/**
 * Condition for endpoints that are due a checkpoint: the last one, or the creation, was in an earlier hour, and something has
 * happened since.
 * @param sequence SQL of the number of the last seal
 */
const isDue = (now: string, sequence: string) => `${IS_ACTIVE} and '${CHECKPOINT_TYPE}' = any(w.events)
  and date_trunc('hour', coalesce(w.checkpoint_at, w.created_at)) < date_trunc('hour', ${now}::timestamptz)
  and coalesce(w.checkpoint_sequence, 0) < ${sequence}`;

/** Companies with endpoints that are due a checkpoint. */
export const findCheckpointCompanies = readStatement<{ now: string }, { id: number }>(
  'webhook.checkpoint-companies',
  ({ now }) =>
    `select distinct w.company_id as id from webhook w ${JOIN_KEY} where ${isDue(now, lastSeal('w.company_id'))}`,
  'all companies',
);

/**
 * Adds a delivery of a checkpoint for each endpoint that is due one, and records it in the endpoint. Skips endpoints that another
 * process records, so that none gets two.
 */
export const insertCheckpoints = bookkeepingWrite<
  { now: string; sequence: number; messageId: string; checkpoint: object },
  { webhook: string }
>(
  'webhook.insert-checkpoints',
  ({ company, now, sequence, messageId, checkpoint }) => `with due as (
    select w.unique_id from webhook w ${JOIN_KEY}
    where w.company_id = ${company} and ${isDue(now, `${sequence}::bigint`)} for no key update of w skip locked),
  recorded as (
    update webhook w set checkpoint_sequence = ${sequence}, checkpoint_at = ${now}
    from due where w.company_id = ${company} and w.unique_id = due.unique_id returning w.unique_id)
  insert into webhook_delivery (company_id, webhook_id, message_id, type, test_event, next_attempt_at)
  select ${company}, unique_id, ${messageId}, '${CHECKPOINT_TYPE}', ${checkpoint}::jsonb, now() from recorded
  returning webhook_id as webhook`,
);
