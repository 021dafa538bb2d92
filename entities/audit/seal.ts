import { defineEntity, p } from '@mikro-orm/core';
import { tenantIsolation, companyKey, companyKeyWithoutForeignKey } from '../schema/tenancy.ts';
import { forbidTrigger } from '../schema/triggers.ts';
import type { WritePrivileges } from '../schema/row-level-security.ts';

/** Bytes of a SHA-256, which each seal's hash is. */
const SHA256_BYTES = 32;

const auditSealSchema = defineEntity({
  name: 'AuditSeal',
  properties: {
    // No foreign key, neither to the company nor to the event: a seal must outlive its event to show that it is gone.
    ...companyKeyWithoutForeignKey,
    seq: p.bigint().primary(),
    eventId: p.bigint(),
    hash: p.blob(),
  },
  ...tenantIsolation(),
  uniques: [{ name: 'audit_seal_event_unique', properties: ['company', 'eventId'] }],
  checks: [
    { name: 'audit_seal_seq', expression: 'seq > 0' },
    { name: 'audit_seal_hash_sha256', expression: `octet_length(hash) = ${SHA256_BYTES}` },
  ],
  triggers: [forbidTrigger('audit_seal', ['update', 'delete', 'truncate'])],
});

/**
 * The place of one event in its company's chain: `seq` counts from 1 without a gap, `hash` is the SHA-256 of the hash
 * before it and the event's text (`audit_text`). Written by `seal_audit_log`, final. Contract, section 6.
 */
export class AuditSeal extends auditSealSchema.class {
  /** None: `seal_told` writes both tables, as their owner. */
  static readonly writePrivileges: WritePrivileges = [];
}
auditSealSchema.setClass(AuditSeal);

const auditWatermarkSchema = defineEntity({
  name: 'AuditWatermark',
  properties: {
    company: () => companyKey.company().deleteRule('no action'),
    /** No event with an id up to this one is still to come, and all of them are sealed. */
    watermark: p.bigint().defaultRaw('0'),
    /** What `settled` becomes when every transaction older than `markedBy` has ended. */
    candidate: p.bigint().defaultRaw('0'),
    candidateXid: p.string().columnType('xid8').defaultRaw(`'0'`),
  },
  ...tenantIsolation('select'),
  triggers: [forbidTrigger('audit_watermark', ['delete', 'truncate'])],
});

/**
 * From where `seal_audit_log` looks for events that are not sealed, and the lock that it takes for the company. Ids are
 * drawn before events are committed, so an event can appear below others that are sealed already.
 */
export class AuditWatermark extends auditWatermarkSchema.class {
  static readonly writePrivileges: WritePrivileges = [];
}
auditWatermarkSchema.setClass(AuditWatermark);
