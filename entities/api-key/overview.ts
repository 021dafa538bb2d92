import { readStatement } from '../statements/define-statement.ts';

/** Days before and after now in which an expiry or a leak is listed. */
const ATTENTION_DAYS = 30;
/** Maximum number of listed keys. */
export const MAX_ATTENTION_KEYS = 100;

export const ATTENTION_REASONS = ['leaked', 'expired', 'expires'] as const;
type AttentionReason = (typeof ATTENTION_REASONS)[number];

interface AttentionRow {
  uniqueId: string;
  name: string;
  start: string;
  last4: string;
  reason: AttentionReason;
  enabled: boolean;
  expiresAt: string | null;
  leakedAt: string | null;
  leakedUrl: string | null;
  lastUsedAt: string | null;
}

const DAYS = `interval '${ATTENTION_DAYS} days'`;

/** Keys that need attention, the most urgent first. Revoked keys need none, and a leaked key is listed until it is used again. */
export const keysForAttention = readStatement<object, AttentionRow>(
  'overview.api-keys',
  ({ company }) => `select * from (
    select k.unique_id as "uniqueId", k.name, k.start, k.last4, k.enabled, k.expires_at as "expiresAt",
      k.leaked_at as "leakedAt", k.leaked_url as "leakedUrl", k.last_used_at as "lastUsedAt",
      case when k.leaked_at > now() - ${DAYS} or (k.leaked_at is not null and not k.enabled) then 'leaked'
        when k.expires_at <= now() and k.expires_at > now() - ${DAYS} then 'expired'
        when k.enabled and k.expires_at > now() and k.expires_at <= now() + ${DAYS} then 'expires' end as reason
    from api_key k where k.company_id = ${company} and k.revoked_at is null) keys
  where reason is not null
  order by array_position(array[${ATTENTION_REASONS.map((reason) => `'${reason}'`).join(', ')}], reason), "expiresAt", "uniqueId"
  limit ${MAX_ATTENTION_KEYS}`,
);
