import type { UserKind } from '../company/user.ts';
import { toIso, toIsoOrNull } from '../statements/change-metadata.ts';
import { defineStatement, pipelinedRead, readStatement } from '../statements/define-statement.ts';
import { MAX_OPEN_PROOFS } from './proof.ts';
import type { ProofState } from './proof.ts';

interface ProofKey {
  uniqueId: string;
}

/** Request for a proof. Times are ISO 8601 texts. */
export interface ProofRequest {
  /** Null for the beginning of the log. */
  from: string | null;
  asOf: string;
  /** Null for all. */
  frameworks: readonly number[] | null;
  /** True if it has the files of evidence. */
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

/** Queues a proof; no row if the company has too many open ones. Needs `lockProofs` in the same transaction. */
export const insertProof = defineStatement<ProofKey & ProofRequest, ProofKey>(
  'proof.insert',
  ({ company, user, uniqueId, from, asOf, frameworks, evidence }) => `insert into proof
    (company_id, unique_id, period_start, as_of, frameworks, evidence, created_by_id)
  select ${company}, ${uniqueId}, ${from}::timestamptz, ${asOf}::timestamptz, ${frameworks}::int[], ${evidence}, ${user}
  where (select count(*) from proof p where p.company_id = ${company} and p.state in ('queued', 'running')) < ${MAX_OPEN_PROOFS}
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
