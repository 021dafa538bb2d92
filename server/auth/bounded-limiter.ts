import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Maximum number of counters, of about 600 bytes each. */
export const MAX_COUNTERS = 20_000;

/** Counters in memory. Beyond their maximum number, the one that has been unused longest is dropped. */
export class BoundedLimiter extends RateLimiterMemory {
  /** Keys with a counter, the last used one at the end. */
  readonly #keys = new Set<string | number>();

  /** Number of counters, those that have expired included. */
  get count(): number {
    return this.#keys.size;
  }

  override consume(...call: Parameters<RateLimiterMemory['consume']>) {
    this.#use(call[0]);
    return super.consume(...call);
  }

  override penalty(...call: Parameters<RateLimiterMemory['penalty']>) {
    this.#use(call[0]);
    return super.penalty(...call);
  }

  override reward(...call: Parameters<RateLimiterMemory['reward']>) {
    this.#use(call[0]);
    return super.reward(...call);
  }

  #use(key: string | number): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= MAX_COUNTERS) return;
    const [oldest = key] = this.#keys;
    this.#keys.delete(oldest);
    void this.delete(oldest);
  }
}
