import { isUnfrozen, isWritable } from '../company/closing.ts';
import {
  bookkeepingWrite,
  defineStatement,
  readStatement,
  retentionStatement,
} from '../statements/define-statement.ts';
import { PROOF_RETENTION_DAYS } from './proof.ts';

/** Seconds without a sign of its process after which a proof is made again. */
const LEASE_SECONDS = 30;

const IS_DUE = `(p.state = 'queued' or p.state = 'running' and p.lease_until < now())`;

/** Open companies that have a proof to make. */
export const findProvingCompanies = readStatement<object, { id: number }>(
  'proof.companies',
  `select distinct p.company_id as id from proof p
  where p.state in ('queued', 'running') and ${IS_DUE} and ${isWritable('p.company_id')} order by 1`,
  'all companies',
);

/** Makes the processes that take a proof of a company wait for each other until the end of the transaction. */
export const lockProofRun = defineStatement<object, never>(
  'proof.lock-run',
  ({ company }) => `select pg_advisory_xact_lock(hashtextextended('proof run ' || (${company}::int)::text, 0))`,
);

/** A proof that this process makes. `attempt` tells it from an earlier attempt. */
export interface TakenProof {
  uniqueId: string;
  attempt: number;
  from: string | null;
  asOf: string;
  frameworks: number[] | null;
  evidence: boolean;
}

/**
 * Takes the proof of the company that is due longest. No row while another one runs. Needs `lockProofRun` in the same transaction.
 */
export const takeProof = bookkeepingWrite<object, TakenProof>(
  'proof.take',
  ({ company }) => `update proof p set state = 'running', attempts = p.attempts + 1, progress = 0, started_at = now(),
    lease_until = now() + interval '${LEASE_SECONDS} seconds'
  where p.company_id = ${company} and p.unique_id = (
    select p.unique_id from proof p where p.company_id = ${company} and ${IS_DUE} and ${isWritable('p.company_id')}
      and not exists (select from proof r where r.company_id = ${company} and r.state = 'running' and r.lease_until >= now())
    order by p.state desc, p.created_at, p.unique_id limit 1)
  returning p.unique_id as "uniqueId", p.attempts as attempt, p.period_start as "from", p.as_of as "asOf", p.frameworks, p.evidence`,
);

interface Attempt {
  uniqueId: string;
  attempt: number;
}

const isCurrent = (company: string, uniqueId: string, attempt: string) =>
  `company_id = ${company} and unique_id = ${uniqueId} and state = 'running' and attempts = ${attempt}::int`;

/** Shows that a process still makes a proof. No row if it was deleted, or another process makes it. */
export const signProof = bookkeepingWrite<Attempt & { percent: number }, { uniqueId: string }>(
  'proof.sign',
  ({ company, uniqueId, attempt, percent }) => `update proof
  set progress = ${percent}::int, lease_until = now() + interval '${LEASE_SECONDS} seconds'
  where ${isCurrent(company, uniqueId, attempt)} returning unique_id as "uniqueId"`,
);

/** Returns a proof to the queue, because its process stops. The attempt does not count. */
export const releaseProof = bookkeepingWrite<Attempt, never>(
  'proof.release',
  ({ company, uniqueId, attempt }) => `update proof
  set state = 'queued', attempts = attempts - 1, progress = 0, lease_until = null where ${isCurrent(company, uniqueId, attempt)}`,
);

/** Returns the proofs of the company that are being made to the queue, before it is frozen. The attempts do not count. */
export const releaseProofs = bookkeepingWrite<object, never>(
  'proof.release-all',
  ({ company }) => `update proof set state = 'queued', attempts = attempts - 1, progress = 0, lease_until = null
  where company_id = ${company} and state = 'running'`,
);

/** Item in the inbox of the member who created a proof that has ended. */
const itemOf = (ended: string) => `insert into inbox_item
    (company_id, member_id, unique_id, at, reason, resource_type, resource_id, occasion)
  select e.company_id, m.unique_id, uuid_v7(), e.ended_at, 'proof', 'proof', e.unique_id, 'ended'
  from ${ended} e join member m on m.company_id = e.company_id and m.unique_id = e.created_by_id and m.ended_at is null`;

/** Ends a proof with its ZIP. No row if it was deleted, or another process makes it. */
export const completeProof = defineStatement<
  Attempt & { fileId: string; size: number; sha256: string; sequence: number; hash: string },
  { uniqueId: string }
>(
  'proof.complete',
  ({ company, uniqueId, attempt, fileId, size, sha256, sequence, hash }) => `with ended as (
    update proof set state = 'done', progress = 100, ended_at = now(), lease_until = null, file_id = ${fileId}, size = ${size}::bigint,
      sha256 = ${sha256}, sequence = ${sequence}::bigint, hash = ${hash}
    where ${isCurrent(company, uniqueId, attempt)} returning company_id, unique_id, created_by_id, ended_at),
  item as (${itemOf('ended')})
  select unique_id as "uniqueId" from ended`,
);

/** Ends a proof that cannot be made. */
export const failProof = defineStatement<Attempt & { reason: string }, { uniqueId: string }>(
  'proof.fail',
  ({ company, uniqueId, attempt, reason }) => `with ended as (
    update proof set state = 'failed', ended_at = now(), lease_until = null, reason = ${reason}
    where ${isCurrent(company, uniqueId, attempt)} returning company_id, unique_id, created_by_id, ended_at),
  item as (${itemOf('ended')})
  select unique_id as "uniqueId" from ended`,
);

/**
 * True if a transaction that began by a time may still write. The service sees the transactions of its own role, which are those
 * that write events.
 */
export const hasOlderTransactions = defineStatement<{ asOf: string }, { exists: boolean }>(
  'proof.older-transactions',
  ({ asOf }) => `select clock_timestamp() <= ${asOf}::timestamptz + interval '1 second' or exists (
    select from pg_stat_activity a where a.datname = current_database() and a.usename = current_user
      and a.pid <> pg_backend_pid() and a.xact_start <= ${asOf}::timestamptz) as exists`,
);

/** Deletes proofs that ended long ago, without an event. */
export const deleteOldProofs = retentionStatement('proof.delete-old', (limit, now) => [
  `delete from proof a using (
    select company_id, unique_id from proof
    where ended_at <= ${now}::timestamptz - interval '${PROOF_RETENTION_DAYS} days' and ${isUnfrozen('company_id')} limit ${limit}) old
  where a.company_id = old.company_id and a.unique_id = old.unique_id`,
]);

/** Number of proofs by state, for metrics. */
export const countOpenProofs = readStatement<object, { queued: number; running: number }>(
  'proof.count-open',
  `select count(*) filter (where state = 'queued')::int as queued, count(*) filter (where state = 'running')::int as running
  from proof where state in ('queued', 'running')`,
  'all companies',
);
