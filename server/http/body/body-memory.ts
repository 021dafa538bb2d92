import type { ParameterizedContext } from 'koa';
import { ApiError } from '../../../entities/api-error.ts';
import type { RequestState } from '../request-state.ts';

/** Bytes of a body that are not counted, so that large bodies never keep a small one out. */
export const UNCOUNTED_BODY_BYTES = 4 * 1024;
/** Maximum bytes of bodies in memory. A caller is a company, its caller that uploads files, or an address before authentication. */
const MAX_BYTES = { perCaller: 32 * 1024 * 1024, perProcess: 128 * 1024 * 1024 };

/** Bytes of the request bodies that this process holds. */
export class BodyMemory {
  readonly #maxBytes: typeof MAX_BYTES;
  readonly #byCaller = new Map<string, number>();
  #total = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#total;
  }

  /** @throws ApiError 503 if the caller or the process would hold too much */
  acquire(caller: string, bytes: number): void {
    const held = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (held > this.#maxBytes.perCaller || this.#total + bytes > this.#maxBytes.perProcess) throw TOO_MANY_BYTES;
    this.#byCaller.set(caller, held);
    this.#total += bytes;
  }

  release(caller: string, bytes: number): void {
    this.#total -= bytes;
    const held = (this.#byCaller.get(caller) ?? 0) - bytes;
    if (held > 0) this.#byCaller.set(caller, held);
    else this.#byCaller.delete(caller);
  }
}

// Created once: under load errors must be cheap, and capturing a stack for each is not.
const TOO_MANY_BYTES = new ApiError('unavailable', 'Too many large requests are in progress. Try again shortly.', {
  retryAfter: 1,
});

const bodyMemory = new BodyMemory();

/**
 * Counts the bytes that a request holds in memory, until its response has ended.
 * @param caller that it counts for; by default the company or the address
 * @returns a function of further bytes. It throws an ApiError 503 if they are too many
 */
export function bodyCounter(
  { state, ip, res }: Pick<ParameterizedContext<Partial<RequestState>>, 'state' | 'ip' | 'res'>,
  caller = state.principal ? `company ${state.principal.company}` : ip,
): (bytes: number) => void {
  let held = 0;
  let isEnded = false;
  res.once('close', () => {
    isEnded = true;
    bodyMemory.release(caller, held);
  });
  return (bytes) => {
    if (isEnded) return;
    bodyMemory.acquire(caller, bytes);
    held += bytes;
  };
}
