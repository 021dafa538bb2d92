import { isServedOrMoved } from '../company/closing.ts';
import { pipelinedRead, defineStatement, readStatement } from '../statements/define-statement.ts';
import type { Principal } from '../principal.ts';
import { withImpliedScopes } from '../member/role.ts';
import type { UserKind } from '../company/user.ts';
import { toIso, toIsoOrNull } from '../statements/change-metadata.ts';
import type { ApiKeyState } from './api-key.ts';
import type { Scope } from './scope.ts';

interface ApiKeyRow {
  company_id: number;
  unique_id: string;
  enabled: boolean;
  expires_at: string | null;
  revoked_at: string | null;
  scopes: Scope[];
  frameworks: number[] | null;
  cidrs: string[] | null;
  user_id: string;
  user_name: string;
  /** End of the overlap if the hash is that of the previous secret; else null. */
  previous_hash_expires_at: string | null;
  /** URL of the cell to which the company was moved; null while it is in this one. */
  moved_to: string | null;
  is_frozen: boolean;
}

/** SQL that is true if the company of the key `k` is frozen. */
const IS_FROZEN = '(select c.frozen_at is not null from company c where c.id = k.company_id) as is_frozen';

/**
 * Finds a key and its integration user by hash, in all companies: authentication does not know the company yet. A key of a closed
 * company is not found. The user has the key's name.
 */
export const findApiKeyByHash = pipelinedRead<{ hash: Buffer }, ApiKeyRow>(
  'api-key.by-hash',
  ({
    hash,
  }) => `select k.company_id, k.unique_id, k.enabled, k.expires_at, k.revoked_at, k.scopes, k.frameworks, k.cidrs,
    k.user_id, k.name as user_name, case when k.hash <> ${hash} then k.previous_hash_expires_at end as previous_hash_expires_at,
    c.moved_to, c.frozen_at is not null as is_frozen
  from api_key k join company c on c.id = k.company_id
  where (k.hash = ${hash} or k.previous_hash = ${hash}) and ${isServedOrMoved('c')}`,
  'all companies',
);

/** Finds a key of the company, with the columns of `findApiKeyByHash`. */
export const findApiKeyById = pipelinedRead<{ uniqueId: string }, ApiKeyRow>(
  'api-key.by-id',
  ({
    company,
    uniqueId,
  }) => `select k.company_id, k.unique_id, k.enabled, k.expires_at, k.revoked_at, k.scopes, k.frameworks, k.cidrs,
    k.user_id, k.name as user_name, null as previous_hash_expires_at, null as moved_to, ${IS_FROZEN}
  from api_key k where k.company_id = ${company} and k.unique_id = ${uniqueId}`,
);

/** True if the company has a key, also a revoked one. */
export const hasApiKey = readStatement<object, { exists: boolean }>(
  'api-key.exists',
  ({ company }) => `select exists (select from api_key where company_id = ${company}) as exists`,
);

interface OwnKeyRow {
  unique_id: string;
  name: string;
  start: string;
  last4: string;
  user_id: string;
  user_name: string;
  user_kind: UserKind;
  scopes: Scope[];
  frameworks: number[] | null;
  cidrs: string[] | null;
  enabled: boolean;
  expires_at: string | null;
  revoked_at: string | null;
  previous_hash_expires_at: string | null;
  leaked_at: string | null;
  leaked_url: string | null;
  last_used_at: string | null;
  created_at: string;
  time_zone: string;
}

/** Record of the key that sends the request, with the time zone of its company. */
export const ownKey = pipelinedRead<object, OwnKeyRow>(
  'key.own',
  ({
    company,
    key,
  }) => `select k.unique_id, k.name, k.start, k.last4, u.unique_id as user_id, u.name as user_name, u.kind as user_kind,
    k.scopes, k.frameworks, k.cidrs, k.enabled, k.expires_at, k.revoked_at, k.previous_hash_expires_at, k.leaked_at, k.leaked_url,
    k.last_used_at, k.created_at, c.time_zone
  from api_key k join company_user u on u.company_id = k.company_id and u.unique_id = k.user_id
    join company c on c.id = k.company_id
  where k.company_id = ${company} and k.unique_id = ${key}`,
);

/** The record that a key reads of itself. Contract, section 5. */
export const toKeyRecord = (row: OwnKeyRow) => ({
  uniqueId: row.unique_id,
  name: row.name,
  start: row.start,
  last4: row.last4,
  user: { uniqueId: row.user_id, name: row.user_name, kind: row.user_kind },
  scopes: row.scopes,
  frameworks: row.frameworks,
  cidrs: row.cidrs,
  enabled: row.enabled,
  expiresAt: toIsoOrNull(row.expires_at),
  revokedAt: toIsoOrNull(row.revoked_at),
  rotatedUntil: toIsoOrNull(row.previous_hash_expires_at),
  leakedAt: toIsoOrNull(row.leaked_at),
  leakedUrl: row.leaked_url,
  lastUsedAt: toIsoOrNull(row.last_used_at),
  createdAt: toIso(row.created_at),
  timeZone: row.time_zone,
});

/** Principal and state of a key, for authentication. */
export interface CachedApiKey {
  principal: Principal & { key: string };
  state: ApiKeyState;
  /** URL of the cell to which the company was moved; null while it is in this one. */
  movedTo: string | null;
}

export function toCachedKey(row: ApiKeyRow): CachedApiKey {
  const { company_id: company, unique_id: key, scopes, frameworks, cidrs, is_frozen: isFrozen } = row;
  const user = { uniqueId: row.user_id, name: row.user_name, kind: 'integration' as const };
  const state = {
    enabled: row.enabled,
    expiresAt: parseTimestamp(row.expires_at),
    revokedAt: parseTimestamp(row.revoked_at),
    previousHashExpiresAt: parseTimestamp(row.previous_hash_expires_at),
  };
  const limits = { role: null, scopes: withImpliedScopes(scopes), frameworks, cidrs };
  return { principal: { company, user, key, ...limits, isFrozen }, state, movedTo: row.moved_to };
}

const parseTimestamp = (timestamptz: string | null) => (timestamptz === null ? null : new Date(timestamptz));

/** Updates the last use of many keys. It is not audited, so it needs no acting user. */
export const updateLastUsed = defineStatement<{ companies: number[]; keys: string[]; at: string[] }, never>(
  'api-key.update-last-used',
  ({ companies, keys, at }) => `update api_key k set last_used_at = u.at
  from unnest(${companies}::int[], ${keys}::uuid[], ${at}::timestamptz[]) as u (company_id, key, at)
  where k.company_id = u.company_id and k.unique_id = u.key and (k.last_used_at is null or k.last_used_at < u.at)`,
  'all companies',
);

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
