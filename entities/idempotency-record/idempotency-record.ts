import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';

/** Hours for which a response is replayed. Expired records are deleted. Contract, section 2. */
export const IDEMPOTENCY_TTL_HOURS = 24;

const idempotencyRecordSchema = defineEntity({
  name: 'IdempotencyRecord',
  properties: {
    ...companyKey,
    /** uniqueId of the key, or of the member. The column keeps the name that processes of earlier versions use. */
    caller: p.uuid().name('api_key_id').primary(),
    /** SHA-256 of the `Idempotency-Key`, which may contain a secret of the client. */
    keyHash: p.blob().primary(),
    /** SHA-256 of the request. */
    fingerprint: p.blob(),
    status: p.smallint(),
    headers: p.json<Record<string, string>>(),
    body: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...tenantIsolation('select', 'update', 'delete'),
  // Without company_id: expired records are deleted for all companies at once.
  indexes: [{ name: 'idempotency_record_by_created_at', properties: ['createdAt'] }],
  checks: [
    { name: 'idempotency_record_key_hash_sha256', expression: `octet_length(key_hash) = ${SHA256_BYTES}` },
    { name: 'idempotency_record_fingerprint_sha256', expression: `octet_length(fingerprint) = ${SHA256_BYTES}` },
    { name: 'idempotency_record_status_success', expression: 'status >= 200 AND status <= 299' },
  ],
});

/** Stored response to a request with an `Idempotency-Key`. A retry of the request gets the same response. Contract, section 2. */
export class IdempotencyRecord extends idempotencyRecordSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
idempotencyRecordSchema.setClass(IdempotencyRecord);
