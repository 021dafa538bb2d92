import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { tenantIsolation, companyKey, companyKeyWithoutForeignKey } from '../schema/tenancy.ts';
import { forbidTrigger } from '../schema/triggers.ts';

const auditSealSchema = defineEntity({
  name: 'AuditSeal',
  properties: {
    // No foreign keys to the company and the event: a seal must outlive its event to show that the event was removed.
    ...companyKeyWithoutForeignKey,
    seq: p.bigint().primary(),
    eventId: p.bigint(),
    hash: p.blob(),
  },
  ...tenantIsolation('select'),
  uniques: [{ name: 'audit_seal_event_unique', properties: ['company', 'eventId'] }],
  checks: [
    { name: 'audit_seal_seq', expression: 'seq > 0' },
    { name: 'audit_seal_hash_sha256', expression: `octet_length(hash) = ${SHA256_BYTES}` },
  ],
  triggers: [forbidTrigger('audit_seal', ['update', 'delete', 'truncate'])],
});

/**
 * Position of an event in the hash chain of its company. `seq` counts from 1 without gaps. `hash` is the SHA-256 of the
 * previous hash and the event's text (`audit_text`). `seal_audit_log` writes seals; they are never changed. Contract, section 6.
 */
export class AuditSeal extends auditSealSchema.class {
  /** None: `seal_current_company` writes both tables as their owner. */
  static readonly writePrivileges = [] as const;
}
auditSealSchema.setClass(AuditSeal);

const auditWatermarkSchema = defineEntity({
  name: 'AuditWatermark',
  properties: {
    company: () => companyKey.company().deleteRule('no action'),
    /** All events up to this id are sealed, and no further event gets an id up to it. */
    watermark: p.bigint().defaultRaw('0'),
    /** Next value of `watermark`, when every transaction older than `candidateXid` has ended. */
    candidate: p.bigint().defaultRaw('0'),
    candidateXid: p.string().columnType('xid8').defaultRaw(`'0'`),
    /** Number of vendors after the event with the seal `vendorsSeq`. */
    vendors: p.integer().nullable(),
    vendorsSeq: p.bigint().nullable(),
  },
  ...tenantIsolation('select'),
  triggers: [forbidTrigger('audit_watermark', ['delete', 'truncate'])],
});

/**
 * Start of the search for unsealed events in `seal_audit_log`, and its lock for the company. Ids are drawn before
 * commit, so an event can appear with a lower id than events that are already sealed.
 */
export class AuditWatermark extends auditWatermarkSchema.class {
  static readonly writePrivileges = [] as const;
}
auditWatermarkSchema.setClass(AuditWatermark);
