import { defineEntity, p } from '@mikro-orm/core';
import { keptApart, ofCompany, ofCompanyThroughAnother } from './tenancy.ts';
import { refuses } from './triggers.ts';
import type { WritePrivileges } from './policies.ts';

/** Bytes of a SHA-256, which each seal's hash is. */
const HASH_BYTES = 32;

const seal = defineEntity({
  name: 'AuditSeal',
  properties: {
    // No foreign key, neither to the company nor to the event: a seal must outlive its event to show that it is gone.
    ...ofCompanyThroughAnother,
    seq: p.bigint().primary(),
    eventId: p.bigint(),
    hash: p.blob(),
  },
  ...keptApart(),
  uniques: [{ name: 'audit_seal_event_unique', properties: ['company', 'eventId'] }],
  checks: [
    { name: 'audit_seal_seq', expression: 'seq > 0' },
    { name: 'audit_seal_hash_sha256', expression: `octet_length(hash) = ${HASH_BYTES}` },
  ],
  triggers: [refuses('audit_seal', ['update', 'delete', 'truncate'])],
});

/**
 * The place of one event in its company's chain: `seq` counts from 1 without a gap, `hash` is the SHA-256 of the hash
 * before it and the event's text (`audit_text`). Written by `seal_audit`, final. Contract, section 6.
 */
export class AuditSeal extends seal.class {
  /** None: `seal_told` writes both tables, as their owner. */
  static readonly writePrivileges: WritePrivileges = [];
}
seal.setClass(AuditSeal);

const horizon = defineEntity({
  name: 'AuditHorizon',
  properties: {
    company: () => ofCompany.company().deleteRule('no action'),
    /** No event with an id up to this one is still to come, and all of them are sealed. */
    settled: p.bigint().defaultRaw('0'),
    /** What `settled` becomes when every transaction older than `markedBy` has ended. */
    marked: p.bigint().defaultRaw('0'),
    markedBy: p.string().columnType('xid8').defaultRaw(`'0'`),
  },
  ...keptApart('select'),
  triggers: [refuses('audit_horizon', ['delete', 'truncate'])],
});

/**
 * From where `seal_audit` looks for events that are not sealed, and the lock that it takes for the company. Ids are
 * drawn before events are committed, so an event can appear below others that are sealed already.
 */
export class AuditHorizon extends horizon.class {
  static readonly writePrivileges: WritePrivileges = [];
}
horizon.setClass(AuditHorizon);
