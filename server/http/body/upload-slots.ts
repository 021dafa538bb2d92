import { ApiError } from '../../../entities/api-error.ts';
import type { Principal } from '../../../entities/principal.ts';

/** Maximum files that arrive at the same time. A caller is an API key or a member. */
const MAX_UPLOADS = { perCaller: 32, perProcess: 128 };
/** Seconds after which a rejected client may try again. */
const RETRY_AFTER_SECONDS = 5;

// Created once: a client that ignores the bound must cost little, and capturing a stack for each error is not cheap.
const TOO_MANY_UPLOADS = new ApiError('unavailable', 'Too many files are arriving. Try again shortly.', {
  retryAfter: RETRY_AFTER_SECONDS,
});

/**
 * Counts the files that this process receives. An upload may take minutes and costs its client nothing, so one caller must not
 * keep others out, nor a few companies all others: a company has at most half of the places that the others leave, and at least one.
 */
export class UploadSlots {
  readonly #max: typeof MAX_UPLOADS;
  readonly #inUse = new Map<string, number>();

  constructor(max = MAX_UPLOADS) {
    this.#max = max;
  }

  /**
   * @returns a function that releases the slot
   * @throws ApiError 503
   */
  acquire({ company, key, user }: Pick<Principal, 'company' | 'key' | 'user'>): () => void {
    const { perCaller, perProcess } = this.#max;
    const names = ['process', `company ${company}`, `caller ${company} ${key ?? user.uniqueId}`] as const;
    const [process, ofCompany, ofCaller] = names;
    const others = this.#count(process) - this.#count(ofCompany);
    const bounds = [
      [process, perProcess],
      [ofCompany, Math.max(1, Math.floor((perProcess - others) / 2))],
      [ofCaller, perCaller],
    ] as const;
    if (bounds.some(([name, max]) => this.#count(name) >= max)) throw TOO_MANY_UPLOADS;
    for (const name of names) this.#inUse.set(name, this.#count(name) + 1);
    return () => {
      for (const name of names) {
        const count = this.#count(name) - 1;
        if (count > 0) this.#inUse.set(name, count);
        else this.#inUse.delete(name);
      }
    };
  }

  #count(name: string): number {
    return this.#inUse.get(name) ?? 0;
  }
}

/** The slots of this process. */
export const uploadSlots = new UploadSlots();
