import { setInterval } from 'node:timers';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import {
  countOpenProofs,
  findProvingCompanies,
  lockProofRun,
  takeProof,
  completeProof,
  failProof,
  releaseProof,
  signProof,
} from '../../entities/proof/making.ts';
import type { TakenProof } from '../../entities/proof/making.ts';
import { FrozenError } from '../../entities/company/freezing.ts';
import { MAX_PROOF_ATTEMPTS, MAX_PROOF_REASON_LENGTH } from '../../entities/proof/proof.ts';
import { countFiles, lockFiles, takeFile } from '../../entities/file/statements.ts';
import type { CompaniesHandler, CompaniesJob } from '../jobs/job.ts';
import type { Storage, SpooledFile } from '../core/storage.ts';
import type { SigningKeys, TimestampAuthority } from '../core/signing.ts';
import { abandon, putFile, removedBeforeUse } from '../evidence/put-file.ts';
import { ProofError } from './making/events.ts';
import { makeProof } from './making/make.ts';

/** Milliseconds between two signs that this process makes the proof. `LEASE_SECONDS` is a multiple. */
const SIGN_INTERVAL_MS = 5000;

interface RunServices {
  storage: Storage;
  signing: SigningKeys;
  timestamp: TimestampAuthority | undefined;
  warn: (error: unknown, line: string) => void;
}

/** A proof was deleted, or another process makes it. */
class LostProofError extends Error {}

/** Makes one proof: done, failed with a reason, or back in the queue. */
class ProofRun {
  readonly #session: Session;
  readonly #proof: TakenProof;
  readonly #services: RunServices;
  readonly #abort = new AbortController();
  #percent = 0;
  /** Resolves when it has ended; with undefined if it will be made again, or was deleted. */
  readonly ended: Promise<'done' | 'failed' | undefined>;

  constructor(session: Session, proof: TakenProof, services: RunServices) {
    this.#session = session;
    this.#proof = proof;
    this.#services = services;
    this.ended = this.#run().catch((error: unknown) => {
      services.warn(error, 'proof: its end could not be stored; it is made again');
      return undefined;
    });
  }

  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  async #run(): Promise<'done' | 'failed' | undefined> {
    const key = { uniqueId: this.#proof.uniqueId, attempt: this.#proof.attempt };
    const timer = setInterval(() => void this.#sign(), SIGN_INTERVAL_MS);
    try {
      if (key.attempt > MAX_PROOF_ATTEMPTS)
        throw new ProofError(`The service ended ${MAX_PROOF_ATTEMPTS} times while it made the proof`);
      await this.#make();
      return 'done';
    } catch (error) {
      // The freeze of a company returned its proofs to the queue.
      if (error instanceof LostProofError || error instanceof FrozenError) return undefined;
      // The service stops, or the database is away: the next process makes it again.
      if (error instanceof ApiError && error.code === 'unavailable') {
        await this.#session.run(releaseProof, key);
        return undefined;
      }
      if (!(error instanceof ProofError)) this.#services.warn(error, 'proof: making one failed');
      await this.#session.first(failProof, { ...key, reason: reasonOf(error).slice(0, MAX_PROOF_REASON_LENGTH) });
      return 'failed';
    } finally {
      clearInterval(timer);
    }
  }

  async #make(): Promise<void> {
    const { uniqueId, attempt } = this.#proof;
    const { storage, signing, timestamp } = this.#services;
    const { signal } = this.#abort;
    const services = { storage, signing: signing.current, timestamp };
    const { bytes } = await this.#session.one(countFiles, { purpose: 'proof' });
    const { zip, head } = await makeProof(this.#session, services, this.#proof, {
      signal,
      maxBytes: Math.max(0, storage.quotaBytes - bytes),
      onProgress: (percent) => (this.#percent = Math.floor(percent)),
    }).catch((error: unknown) => {
      if (signal.aborted && signal.reason instanceof Error) throw signal.reason;
      throw error instanceof ApiError && error.code === 'payload_too_large' ? quotaExceeded(storage) : error;
    });
    try {
      signal.throwIfAborted();
      await storeProof(this.#session, storage, zip, async (inside, fileId) => {
        const { size, sha256 } = zip;
        const done = await inside.first(completeProof, {
          uniqueId,
          attempt,
          fileId,
          size,
          sha256,
          sequence: head.sequence,
          hash: head.hash,
        });
        if (done === undefined) throw new LostProofError();
      });
    } finally {
      await storage.discard(zip);
    }
  }

  /** Renews the lease. A proof that was deleted, or whose company was frozen, is no longer made. */
  async #sign(): Promise<void> {
    const { uniqueId, attempt } = this.#proof;
    const row = await this.#session
      .first(signProof, { uniqueId, attempt, percent: this.#percent })
      // After another error the next sign may succeed.
      .catch((error: unknown) => (error instanceof FrozenError ? undefined : ('unknown' as const)));
    if (row === undefined) this.abort(new LostProofError());
  }
}

const quotaExceeded = ({ quotaBytes }: Storage) =>
  new ProofError(
    `EVIDENCE_QUOTA_BYTES: the proofs of the company would exceed their quota of ${quotaBytes} bytes; delete one`,
  );

/** Words for the reason, which name nothing internal. */
function reasonOf(error: unknown): string {
  if (error instanceof ProofError || error instanceof ApiError) return error.message;
  return 'The service had an error; its log has the details';
}

/** Proofs that this process ended, by result. */
const results = { done: 0, failed: 0 };

/** Makes the queued proofs of all companies. A process makes one at a time. */
export const proving: CompaniesJob = {
  kind: 'companies',
  name: 'make-proofs',
  failure: 'proof: making proofs failed',
  companyFailure: 'proof: taking one failed',
  intervalMs: 500,
  gauges: [
    {
      name: 'proofs',
      help: 'Queued and running proofs of all companies; NaN if the query fails',
      statement: countOpenProofs,
      columns: ['queued', 'running'],
      label: 'state',
    },
  ],
  counters: [{ name: 'proofs_total', help: 'Proofs that this process ended, by result', counts: results }],
  open: ({ database, storage, signing, timestamp, warn }) =>
    storage === undefined || signing === undefined
      ? undefined
      : new ProofMaker(database, { storage, signing, timestamp, warn }),
};

class ProofMaker implements CompaniesHandler {
  readonly #database: Database;
  readonly #services: RunServices;
  #current: ProofRun | undefined;

  constructor(database: Database, services: RunServices) {
    this.#database = database;
    this.#services = services;
  }

  async companies(): Promise<number[]> {
    if (this.#current !== undefined) return [];
    return (await this.#session().run(findProvingCompanies, {})).map(({ id }) => id);
  }

  /** Takes the next proof of a company, and begins to make it. */
  async runSlice(company: number): Promise<boolean> {
    if (this.#current !== undefined) return false;
    const session = this.#session().asOperator(company);
    const proof: TakenProof | undefined = await session.transaction(async (inside) => {
      await inside.run(lockProofRun, {});
      return inside.first(takeProof, {});
    });
    if (proof === undefined) return false;
    const run = new ProofRun(session, proof, this.#services);
    this.#current = run;
    void this.#follow(run);
    return false;
  }

  async #follow(run: ProofRun): Promise<void> {
    const result = await run.ended;
    this.#current = undefined;
    if (result !== undefined) results[result] += 1;
  }

  /** Resolves when the proof that is being made has ended. Without one, the interval decides. */
  async next(): Promise<void> {
    await (this.#current === undefined ? new Promise(() => {}) : this.#current.ended);
  }

  /** Returns the proof that is being made to the queue. */
  async stop(): Promise<void> {
    this.#current?.abort(new ApiError('unavailable', 'The service stops.'));
    await this.#current?.ended;
  }

  #session(): Session<null> {
    return new Session(this.#database, null, proving.name);
  }
}

/**
 * Puts the ZIP of a proof into the present store, and records its use. Nothing is kept after an error.
 * @param use records the file, in the transaction that takes it into use
 */
async function storeProof(
  session: Session,
  storage: Storage,
  zip: SpooledFile,
  use: (inside: Session, fileId: string) => Promise<void>,
): Promise<void> {
  const uniqueId = await putFile(session, storage, zip, 'proof');
  try {
    await session.transaction(async (inside) => {
      await inside.run(lockFiles, {});
      const { size, sha256 } = zip;
      const { quotaBytes } = storage;
      const file = { uniqueId, sha256, purpose: 'proof', quotaBytes, countsTwice: false } as const;
      const taken = await inside.first(takeFile, file);
      if (taken === undefined) {
        const { bytes } = await inside.one(countFiles, { purpose: 'proof' });
        throw bytes + size > quotaBytes ? quotaExceeded(storage) : removedBeforeUse();
      }
      await use(inside, taken.uniqueId);
    });
  } catch (error) {
    await abandon(session, storage, uniqueId);
    throw error;
  }
}
