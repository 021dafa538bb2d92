import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { tenantIsolation, companyKeyWithoutForeignKey } from '../schema/tenancy.ts';
import { auditedResource } from '../schema/audited-resource.ts';
import { DEFAULT_SCOPES, SCOPES } from './scope.ts';
import type { Scope } from './scope.ts';
import { auditTrigger, forbidTrigger, defineTrigger } from '../schema/triggers.ts';
import { userReference } from '../company/user.ts';
import { SHA256_BYTES } from './raw-key.ts';

/** Maximum number of keys of a company that are not revoked. Contract, section 32. */
export const MAX_KEYS = 500;

/** Maximum length of the URL of a leak, in characters. Longer URLs are truncated. */
export const MAX_LEAKED_URL_LENGTH = 2048;

const properties = {
  uniqueId: p.uuid().primary(),
  user: () => userReference('user_id'),
  name: p.string().length(MAX_NAME_LENGTH),
  hash: p.blob().hidden(),
  /** Hash of the secret before the last rotation, and the end of its overlap with the new one. */
  previousHash: p.blob().hidden().nullable(),
  previousHashExpiresAt: p.datetime(3).nullable(),
  start: p.string().length(16),
  last4: p.string().length(4),
  scopes: p.string().$type<Scope>().array().columnType('text[]').default(DEFAULT_SCOPES),
  /** Null for all frameworks of the company. */
  frameworks: p.integer().array().columnType('int[]').nullable(),
  /** Null for all addresses. */
  cidrs: p.string().array().columnType('text[]').nullable(),
  enabled: p.boolean().default(true),
  expiresAt: p.datetime(3).nullable(),
  revokedAt: p.datetime(3).nullable(),
  /** To the minute. Written in batches, outside requests. */
  lastUsedAt: p.datetime(3).nullable(),
  /** Time and URL of the last report from a new place. The URL is null if the report has none. */
  leakedAt: p.datetime(3).nullable(),
  leakedUrl: p.string().length(MAX_LEAKED_URL_LENGTH).nullable(),
  createdAt: p.datetime(3).defaultRaw('now()'),
};

const apiKeyResource = auditedResource('apiKey', properties, {
  name: 'name',
  names: { previousHashExpiresAt: 'rotatedUntil' },
  unaudited: ['hash', 'previousHash', 'lastUsedAt'],
  verbs: { revokedAt: 'revoke', hash: 'rotate' },
});

const apiKeySchema = defineEntity({
  name: 'ApiKey',
  properties: { ...companyKeyWithoutForeignKey, ...properties },
  ...tenantIsolation('select', 'update'),
  uniques: [
    { name: 'api_key_user_unique', properties: ['company', 'user'] },
    // Without company_id: authentication finds the company by the hash.
    { name: 'api_key_hash_unique', properties: ['hash'] },
    { name: 'api_key_previous_hash_unique', properties: ['previousHash'] },
  ],
  checks: [
    { name: 'api_key_name_not_empty', expression: `name::text <> ''::text` },
    { name: 'api_key_hash_sha256', expression: `octet_length(hash) = ${SHA256_BYTES}` },
    { name: 'api_key_previous_hash_sha256', expression: `octet_length(previous_hash) = ${SHA256_BYTES}` },
    {
      name: 'api_key_previous_hash_complete',
      expression: '(previous_hash IS NULL) = (previous_hash_expires_at IS NULL)',
    },
    {
      name: 'api_key_scopes',
      expression: `cardinality(scopes) > 0 AND scopes <@ ARRAY[${SCOPES.map((scope) => `'${scope}'::text`).join(', ')}]`,
    },
    { name: 'api_key_frameworks', expression: 'cardinality(frameworks) > 0' },
    { name: 'api_key_cidrs', expression: 'cardinality(cidrs) > 0' },
    { name: 'api_key_leaked_url_requires_leaked_at', expression: 'leaked_url IS NULL OR leaked_at IS NOT NULL' },
  ],
  triggers: [
    auditTrigger(apiKeyResource),
    forbidTrigger('api_key', ['delete', 'truncate']),
    defineTrigger('api_key_frameworks_check', 'after', ['insert', 'update'], 'api_key', 'row', 'check_frameworks()'),
    defineTrigger('api_key_notify', 'after', ['update'], 'api_key', 'row', 'notify_api_key_changed()'),
  ],
});

/** Credential of the callers of `/external`. Only the secret's hash, first 16 and last 4 characters are stored. */
export class ApiKey extends apiKeySchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = apiKeyResource;
}
apiKeySchema.setClass(ApiKey);

/** State that decides if a secret is valid. */
export interface ApiKeyState {
  enabled: boolean;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** End of the overlap for the secret before the last rotation; null for the current secret. */
  previousHashExpiresAt: Date | null;
}

/** Error code of an existing key; null if it is valid. A key is valid while `now` is before `expiresAt`, to the millisecond. */
export function keyError(key: ApiKeyState, now: Date): 'unauthorized' | 'key_disabled' | 'key_expired' | null {
  if (key.revokedAt !== null) return 'unauthorized';
  if (!key.enabled) return 'key_disabled';
  if (key.expiresAt !== null && now >= key.expiresAt) return 'key_expired';
  if (key.previousHashExpiresAt !== null && now >= key.previousHashExpiresAt) return 'unauthorized';
  return null;
}
