import { defineEntity, p } from '@mikro-orm/core';
import { actingUserReference } from '../company/user.ts';
import type { UserKind } from '../company/user.ts';
import { File } from '../file/file.ts';
import { SHA256_PATTERN } from '../member/identity-digest.ts';
import { auditedResource } from '../schema/audited-resource.ts';
import { companyKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { auditTrigger, defineTrigger, forbidTrigger, frozenTrigger, unlessReceiving } from '../schema/triggers.ts';
import { toIso, toIsoOrNull } from '../statements/change-metadata.ts';
import { defineStatement, pipelinedRead, readStatement } from '../statements/define-statement.ts';

export const PROOF_STATES = ['queued', 'running', 'done', 'failed'] as const;
type ProofState = (typeof PROOF_STATES)[number];

/** Maximum number of proofs of a company that are queued or running. */
export const MAX_OPEN_PROOFS = 10;
/** Maximum number of proofs of a company, those that have ended included. Contract, section 32. */
export const MAX_PROOFS = 50;
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
  /** Frameworks of the tasks and requirements in it; null for all. */
  frameworks: p.integer().array().columnType('int[]').nullable(),
  /** True if it includes the files of evidence. */
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

interface ProofKey {
  uniqueId: string;
}

/** Request for a proof. Times are ISO 8601 texts. */
interface ProofRequest {
  /** Null for the beginning of the log. */
  from: string | null;
  asOf: string;
  /** Null for all. */
  frameworks: readonly number[] | null;
  /** True if it includes the files of evidence. */
  evidence: boolean;
}

/** Makes the creations of proofs of a company wait for each other until the end of the transaction. Returns the time in milliseconds. */
export const lockProofs = defineStatement<object, { now: string }>(
  'proof.lock',
  ({ company }) => `select pg_advisory_xact_lock(hashtextextended('proofs ' || (${company}::int)::text, 0)),
    date_trunc('milliseconds', clock_timestamp()) as now`,
);

/** Those frameworks that the company has. */
export const findKnownFrameworks = readStatement<{ frameworks: readonly number[] }, { id: number }>(
  'proof.frameworks',
  ({ company, frameworks }) =>
    `select id from framework where company_id = ${company} and id = any(${frameworks}::int[])`,
);

/** Number of proofs of the company, and of those that are queued or running. Needs `lockProofs` in the same transaction. */
export const countProofs = readStatement<object, { open: number; all: number }>(
  'proof.count',
  ({ company }) => `select count(*) filter (where state in ('queued', 'running'))::int as open, count(*)::int as all
  from proof where company_id = ${company}`,
);

/** Queues a proof. */
export const insertProof = defineStatement<ProofKey & ProofRequest, ProofKey>(
  'proof.insert',
  ({ company, user, uniqueId, from, asOf, frameworks, evidence }) => `insert into proof
    (company_id, unique_id, period_start, as_of, frameworks, evidence, created_by_id)
  values (${company}, ${uniqueId}, ${from}::timestamptz, ${asOf}::timestamptz, ${frameworks}::int[], ${evidence}, ${user})
  returning unique_id as "uniqueId"`,
);

interface ProofRow {
  uniqueId: string;
  state: ProofState;
  from: string | null;
  asOf: string;
  frameworks: number[] | null;
  evidence: boolean;
  size: number | null;
  sha256: string | null;
  sequence: number | null;
  hash: string | null;
  createdAt: string;
  endedAt: string | null;
  reason: string | null;
  user_id: string;
  user_name: string;
  user_kind: UserKind;
}

const COLUMNS = `p.unique_id as "uniqueId", p.state, p.period_start as "from", p.as_of as "asOf", p.frameworks, p.evidence,
    p.size::float8 as size, p.sha256, p.sequence::float8 as sequence, p.hash, p.created_at as "createdAt",
    p.ended_at as "endedAt", p.reason, u.unique_id as user_id, u.name as user_name, u.kind as user_kind`;
const JOIN_CREATOR = `join company_user u on u.company_id = p.company_id and u.unique_id = p.created_by_id`;

/** The proof object of the API. Contract, section 20. */
export const toProofRecord = ({ user_id, user_name, user_kind, from, asOf, createdAt, endedAt, ...row }: ProofRow) => ({
  ...row,
  from: toIsoOrNull(from),
  asOf: toIso(asOf),
  createdAt: toIso(createdAt),
  endedAt: toIsoOrNull(endedAt),
  createdBy: { uniqueId: user_id, name: user_name, kind: user_kind },
});

export const findProof = pipelinedRead<ProofKey, ProofRow>(
  'proof.get',
  ({ company, uniqueId }) =>
    `select ${COLUMNS} from proof p ${JOIN_CREATOR} where p.company_id = ${company} and p.unique_id = ${uniqueId}`,
);

/** Proofs before an id, newest first. */
export const pageProofs = readStatement<{ before: string; limit: number }, ProofRow>(
  'proof.page',
  ({ company, before, limit }) => `select ${COLUMNS} from proof p ${JOIN_CREATOR}
  where p.company_id = ${company} and p.unique_id < ${before}::uuid order by p.unique_id desc limit ${limit}`,
);

/** The ZIP of a proof that is done. */
export const findProofFile = readStatement<
  ProofKey,
  {
    evidence: boolean;
    fileId: string;
    size: number;
    sha256: string;
    companyName: string;
    /** Calendar date of `asOf` in the time zone of the company. */
    date: string;
  }
>(
  'proof.file',
  ({ company, uniqueId }) => `select p.evidence, p.file_id as "fileId", p.size::float8 as size, p.sha256,
    c.name as "companyName", to_char(p.as_of at time zone c.time_zone, 'YYYY-MM-DD') as date
  from proof p join company c on c.id = p.company_id
  where p.company_id = ${company} and p.unique_id = ${uniqueId} and p.state = 'done'`,
);

/** Progress of a proof, and the seconds since its start. Null before it. */
export const findProofProgress = readStatement<ProofKey, { percent: number; runningSeconds: number | null }>(
  'proof.progress',
  ({ company, uniqueId }) => `select case state when 'done' then 100 else progress end as percent,
    case state when 'running' then extract(epoch from now() - started_at)::float8 end as "runningSeconds"
  from proof where company_id = ${company} and unique_id = ${uniqueId}`,
);

/** Marks a proof as deleted, which writes the event. No row if there is none. */
export const markProofDeleted = defineStatement<ProofKey, ProofKey>(
  'proof.mark-deleted',
  ({ company, uniqueId }) => `update proof set deleted_at = now()
  where company_id = ${company} and unique_id = ${uniqueId} and deleted_at is null returning unique_id as "uniqueId"`,
);

/** Deletes a proof that is marked. A process that makes it stops at its next sign. */
export const deleteProof = defineStatement<ProofKey, never>(
  'proof.delete',
  ({ company, uniqueId }) =>
    `delete from proof where company_id = ${company} and unique_id = ${uniqueId} and deleted_at is not null`,
);
