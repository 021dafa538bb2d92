import { FairQueue } from '../../database/connection/fair-queue.ts';
import type { Company } from '../../database/connection/fair-queue.ts';

/** Milliseconds of work in one iteration of the event loop. The last piece may take a few more. */
const MAX_MS_PER_ITERATION = 4;

/**
 * Runs pieces of synchronous work, such as the validation of an item, without keeping other requests waiting: only some in each
 * iteration of the event loop, of all requests together. Companies take turns.
 */
export class Slices {
  readonly #queue = new FairQueue<() => void>();
  readonly #maxMs: number;
  #isScheduled = false;

  constructor(maxMs = MAX_MS_PER_ITERATION) {
    this.#maxMs = maxMs;
  }

  /** Runs one piece when it is its turn. */
  run<T>(company: Company, work: () => T | Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#queue.push(company, () => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const endsAt = performance.now() + this.#maxMs;
      do this.#queue.take()?.();
      while (this.#queue.length > 0 && performance.now() < endsAt);
      this.#schedule();
    });
  }
}

/** The slices of this process. */
export const slices = new Slices();
