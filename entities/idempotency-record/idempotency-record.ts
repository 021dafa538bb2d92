import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';
import { isUnfrozen } from '../company/closing.ts';
import { NO_FRAMEWORK } from '../ids.ts';
import { defineStatement, readStatement, retentionStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';

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

/** A response without the headers that are specific to one request. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

/** The caller: an API key, or a member. */
const callerId = ({ key, user }: Placeholders<object>) => `coalesce(${key}::uuid, ${user}::uuid)`;

/** Tries to lock an idempotency key of a caller until the end of the transaction. */
export const lockIdempotencyKey = defineStatement<{ keyHash: Buffer }, { acquired: boolean }>(
  'idempotency-record.lock',
  (placeholders) => `select pg_try_advisory_xact_lock(hashtextextended(
    'idempotency ' || (${placeholders.company}::int)::text || ' ' || ${callerId(placeholders)}::text || ' ' || encode(${placeholders.keyHash}::bytea, 'hex'), 0)) as acquired`,
);

interface FoundRecord extends StoredResponse {
  /** True if the fingerprints are equal. */
  sameRequest: boolean;
  /** Framework of the task in the path; null if the path has none. */
  framework: number | null;
}

/** Finds the stored response. It runs after the lock as a separate statement, so that it sees a record committed by the previous holder. */
export const findRecord = readStatement<{ keyHash: Buffer; fingerprint: Buffer; resource: string }, FoundRecord>(
  'idempotency-record.find',
  (placeholders) => `select a.status, a.headers, a.body, a.fingerprint = ${placeholders.fingerprint} as "sameRequest", (
    select e.framework_id from audit_event e
    where e.company_id = ${placeholders.company} and e.resource_type = 'task' and e.resource_id = ${placeholders.resource}
      and e.framework_id <> ${NO_FRAMEWORK} limit 1) as framework
  from idempotency_record a
  where a.company_id = ${placeholders.company} and a.api_key_id = ${callerId(placeholders)} and a.key_hash = ${placeholders.keyHash}
    and a.created_at > now() - interval '${IDEMPOTENCY_TTL_HOURS} hours'`,
);

/**
 * Stores a response. It replaces an expired record that is not deleted yet. A frozen company gets no row: of a request that began
 * before the freeze and changed nothing.
 */
export const insertRecord = defineStatement<StoredResponse & { keyHash: Buffer; fingerprint: Buffer }, never>(
  'idempotency-record.insert',
  (
    placeholders,
  ) => `insert into idempotency_record (company_id, api_key_id, key_hash, fingerprint, status, headers, body)
  select ${placeholders.company}, ${callerId(placeholders)}, ${placeholders.keyHash}, ${placeholders.fingerprint}, ${placeholders.status}, ${placeholders.headers}::jsonb, ${placeholders.body}
  where ${isUnfrozen(placeholders.company)}
  on conflict (company_id, api_key_id, key_hash) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
      created_at = excluded.created_at`,
);

/** Deletes expired records. Skips records that another process is deleting. */
export const deleteExpiredRecords = retentionStatement('idempotency-record.delete-expired', (limit) => [
  `delete from idempotency_record a using (
    select company_id, api_key_id, key_hash from idempotency_record
    where created_at <= now() - interval '${IDEMPOTENCY_TTL_HOURS} hours' and ${isUnfrozen('company_id')}
    order by created_at limit ${limit} for update skip locked) old
  where a.company_id = old.company_id and a.api_key_id = old.api_key_id and a.key_hash = old.key_hash`,
]);
