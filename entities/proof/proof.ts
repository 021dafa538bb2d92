import { defineEntity, p } from '@mikro-orm/core';
import { actingUserReference } from '../company/user.ts';
import { File } from '../file/file.ts';
import { SHA256_PATTERN } from '../member/identity-digest.ts';
import { auditedResource } from '../schema/audited-resource.ts';
import { companyKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { auditTrigger, defineTrigger, forbidTrigger, frozenTrigger, unlessReceiving } from '../schema/triggers.ts';

export const PROOF_STATES = ['queued', 'running', 'done', 'failed'] as const;
export type ProofState = (typeof PROOF_STATES)[number];

/** Maximum number of proofs of a company that are queued or running. */
export const MAX_OPEN_PROOFS = 10;
/** Days for which a proof is kept after its end. */
export const PROOF_RETENTION_DAYS = 30;
/** Attempts to make a proof. A process that ends while it makes one leaves it to the next attempt. */
export const MAX_PROOF_ATTEMPTS = 3;
export const MAX_PROOF_REASON_LENGTH = 500;

const properties = {
  uniqueId: p.uuid().primary(),
  /** Start of the period; null for the beginning of the log. */
  periodStart: p.datetime(3).nullable(),
  asOf: p.datetime(3),
  /** Frameworks of the tasks in it; null for all. */
  frameworks: p.integer().array().columnType('int[]').nullable(),
  /** True if it has the files of evidence. */
  evidence: p.boolean().default(true),
  createdAt: p.datetime(3).defaultRaw('now()'),
  createdBy: () => actingUserReference('created_by_id'),
  state: p.enum(PROOF_STATES).default('queued'),
  attempts: p.integer().default(0),
  startedAt: p.datetime(3).nullable(),
  /** Share of the work that is done, in percent. */
  progress: p.integer().default(0),
  /** Time until which a process makes it. Another one then starts again. */
  leaseUntil: p.datetime(6).nullable(),
  endedAt: p.datetime(3).nullable(),
  reason: p.string().length(MAX_PROOF_REASON_LENGTH).nullable(),
  /** The ZIP, and its size in bytes, which may be larger than the largest file of evidence. */
  file: () => companyReference(File, 'file_id').nullable().deleteRule('no action'),
  size: p.bigint().nullable(),
  sha256: p.string().length(64).nullable(),
  /** Number and hash of the last seal in it. */
  sequence: p.bigint().nullable(),
  hash: p.string().length(64).nullable(),
  /** Set in the transaction that deletes it, so that the deletion has an event. The end of its time has none. */
  deletedAt: p.datetime(3).nullable(),
};

const proofResource = auditedResource('proof', properties, {
  name: null,
  names: { periodStart: 'from' },
  unaudited: [
    ...(['state', 'attempts', 'startedAt', 'progress', 'leaseUntil', 'endedAt', 'reason', 'file', 'size'] as const),
    ...(['sha256', 'sequence', 'hash', 'deletedAt'] as const),
  ],
  verbs: { deletedAt: 'delete' },
  operations: ['create'],
});

const RESULT = ['file_id', 'size', 'sha256', 'sequence', 'hash'];

const proofSchema = defineEntity({
  name: 'Proof',
  properties: { company: () => companyKey.company().deleteRule('no action'), ...properties },
  ...tenantIsolation('select', 'delete'),
  indexes: [
    // Without company_id: jobs look for the work of all companies at once.
    {
      name: 'proof_open',
      expression: `create index proof_open on proof (company_id, created_at) where state in ('queued', 'running')`,
    },
    { name: 'proof_by_ended_at', properties: ['endedAt'] },
  ],
  checks: [
    { name: 'proof_period', expression: 'period_start <= as_of' },
    { name: 'proof_frameworks', expression: 'cardinality(frameworks) > 0' },
    { name: 'proof_progress', expression: 'progress >= 0 AND progress <= 100' },
    {
      name: 'proof_ended_at',
      expression: `(state = ANY (ARRAY['done'::text, 'failed'::text])) = (ended_at IS NOT NULL)`,
    },
    { name: 'proof_reason', expression: `(state = 'failed'::text) = (reason IS NOT NULL)` },
    {
      name: 'proof_result',
      expression: `num_nonnulls(${RESULT.join(', ')}) = CASE WHEN state = 'done'::text THEN ${RESULT.length} ELSE 0 END`,
    },
    { name: 'proof_sha256', expression: `sha256::text ~ '${SHA256_PATTERN}'::text` },
  ],
  triggers: [
    auditTrigger(proofResource, {}, { hasDelete: false }),
    forbidTrigger('proof', ['update of unique_id', 'truncate']),
    frozenTrigger('proof'),
    defineTrigger(
      'proof_file_uses',
      'after',
      ['insert', 'update of file_id', 'delete'],
      'proof',
      'row',
      'count_file_uses()',
      { when: unlessReceiving('proof') },
    ),
  ],
});

/** A file for an auditor, which proves what the log and the registers were. Contract, section 20. */
export class Proof extends proofSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = proofResource;
}
proofSchema.setClass(Proof);
