import { setInterval } from 'node:timers';
import type { Session } from '../../../database/session.ts';
import { ApiError } from '../../../entities/api-error.ts';
import { FrozenError } from '../../../entities/company/freezing.ts';
import { completeProof, failProof, releaseProof, signProof } from '../../../entities/proof/making.ts';
import type { TakenProof } from '../../../entities/proof/making.ts';
import { MAX_PROOF_ATTEMPTS, MAX_PROOF_REASON_LENGTH } from '../../../entities/proof/proof.ts';
import type { Storage } from '../../core/storage.ts';
import type { SigningKeys, TimestampAuthority } from '../../core/signing.ts';
import { storeProof } from './storing.ts';
import { ProofError } from '../making/events.ts';
import { makeProof } from '../making/make.ts';

/** Milliseconds between two signs that this process makes the proof. `LEASE_SECONDS` is a multiple. */
const SIGN_INTERVAL_MS = 5000;

export interface RunServices {
  storage: Storage;
  signing: SigningKeys;
  timestamp: TimestampAuthority | undefined;
  warn: (error: unknown, line: string) => void;
}

/** A proof was deleted, or another process makes it. */
class LostProofError extends Error {}

/** Makes one proof: done, failed with a reason, or back in the queue. */
export class ProofRun {
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
    const { zip, head } = await makeProof(this.#session, services, this.#proof, {
      signal,
      onProgress: (percent) => (this.#percent = Math.floor(percent)),
    }).catch((error: unknown) => {
      throw signal.aborted && signal.reason instanceof Error ? signal.reason : error;
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

  /** Renews the lease. A proof that was deleted, or whose company was frozen, is given up. */
  async #sign(): Promise<void> {
    const { uniqueId, attempt } = this.#proof;
    const row = await this.#session
      .first(signProof, { uniqueId, attempt, percent: this.#percent })
      // After another error the next sign may succeed.
      .catch((error: unknown) => (error instanceof FrozenError ? undefined : ('unknown' as const)));
    if (row === undefined) this.abort(new LostProofError());
  }
}

/** Words for the reason, which name nothing internal. */
function reasonOf(error: unknown): string {
  if (error instanceof ProofError || error instanceof ApiError) return error.message;
  return 'An error of the service; its log has the details';
}
