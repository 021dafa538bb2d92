import type { Database } from '../../../database/database.ts';
import { Session } from '../../../database/session.ts';
import { ApiError } from '../../../entities/api-error.ts';
import { countOpenProofs, findProvingCompanies, lockProofRun, takeProof } from '../../../entities/proof/making.ts';
import type { TakenProof } from '../../../entities/proof/making.ts';
import type { CompaniesHandler, CompaniesJob } from '../../jobs/job.ts';
import { ProofRun } from './run.ts';
import type { RunServices } from './run.ts';

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
