import { defineEntity, p } from '@mikro-orm/core';
import { NAME_LENGTH } from './company.ts';
import { companyFilter, ofCompanyThroughAnother } from './tenancy.ts';
import { audited, refuses } from './triggers.ts';
import { byUser } from './user.ts';
import { HASH_BYTES } from './raw-key.ts';

const schema = defineEntity({
  name: 'ApiKey',
  properties: {
    ...ofCompanyThroughAnother,
    uniqueId: p.uuid().primary(),
    user: () => byUser('user_id'),
    name: p.string().length(NAME_LENGTH),
    hash: p.blob().hidden(),
    start: p.string().length(16),
    last4: p.string().length(4),
    enabled: p.boolean().default(true),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  filters: companyFilter,
  uniques: [
    { name: 'api_key_user_unique', properties: ['company', 'user'] },
    // The one key without company_id in front: the company is what the hash is asked for.
    { name: 'api_key_hash_unique', properties: ['hash'] },
  ],
  checks: [
    { name: 'api_key_named', expression: `name::text <> ''::text` },
    { name: 'api_key_hash_sha256', expression: `octet_length(hash) = ${HASH_BYTES}` },
  ],
  triggers: [
    audited('api_key', {
      type: 'apiKey',
      id: 'unique_id',
      unrecorded: ['hash'],
      verbs: { revoked_at: 'revoke', hash: 'rotate' },
    }),
    refuses('api_key', ['delete', 'truncate']),
  ],
});

/** What a caller of `/external` shows. The secret itself is nowhere: only its hash, its start and its last four. */
export class ApiKey extends schema.class {}
schema.setClass(ApiKey);

/** Why a key that exists does not work; null when it does. Usable while now is before expiresAt, to the millisecond. */
export function keyRefusal(
  key: { enabled: boolean; expiresAt: Date | null; revokedAt: Date | null },
  now: Date,
): 'unauthorized' | 'key_disabled' | 'key_expired' | null {
  if (key.revokedAt !== null) return 'unauthorized';
  if (!key.enabled) return 'key_disabled';
  if (key.expiresAt !== null && now >= key.expiresAt) return 'key_expired';
  return null;
}
