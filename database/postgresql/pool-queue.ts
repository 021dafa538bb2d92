import { ApiError } from '../../entities/api-error.ts';

/** Milliseconds between two looks for who has waited too long; none while nobody waits. */
const CHECK_INTERVAL_MS = 50;

// Made once: under load a refusal must stay cheap, and a stack for each of them is not.
const QUEUE_FULL = new ApiError('unavailable', 'Too many requests wait for the database. Try again shortly.');
/** Why there is none for who has waited for as long as it may. */
export const ACQUIRE_TIMEOUT = new ApiError('unavailable', 'The database is busy. Try again shortly.');

interface QueuedRequest {
  write: boolean;
  queuedAt: number;
  deadline: number;
  callback: (error?: ApiError) => void;
}

/**
 * Lets so many in at once, and fewer who write: whoever waits for a lock keeps its place meanwhile, and readers, who wait for
 * none, must find one. The others wait in the order of their coming, so many and so long at most; then they are refused.
 */
export class PoolQueue {
  readonly #capacity: number;
  readonly #writeCapacity: number;
  readonly #maxLength: number;
  #active = 0;
  #activeWrites = 0;
  #queue: QueuedRequest[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param maxLength who may wait */
  constructor(capacity: number, writeCapacity: number, maxLength: number) {
    this.#capacity = capacity;
    this.#writeCapacity = writeCapacity;
    this.#maxLength = maxLength;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Milliseconds for which the first of those that read, or that write, has waited for its place. */
  oldestWait(write: boolean): number {
    const first = this.#queue.find((queued) => queued.write === write);
    return first === undefined ? 0 : performance.now() - first.queuedAt;
  }

  /**
   * Calls back with nothing once there is a place, which `leave` gives up, or with why there is none: at once where too many
   * wait.
   * @param deadline by `performance.now()`
   */
  acquire(write: boolean, deadline: number, callback: QueuedRequest['callback']): void {
    if (this.#hasCapacity(write)) this.#grant(write, callback);
    else if (this.#queue.length >= this.#maxLength) callback(QUEUE_FULL);
    else {
      this.#queue.push({ write, queuedAt: performance.now(), deadline, callback });
      this.#timer ??= setInterval(() => this.#rejectExpired(), CHECK_INTERVAL_MS).unref();
    }
  }

  release(write: boolean): void {
    this.#active -= 1;
    if (write) this.#activeWrites -= 1;
    const next = this.#queue.findIndex((queued) => this.#hasCapacity(queued.write));
    if (next < 0) return;
    const [queued] = this.#queue.splice(next, 1);
    if (queued !== undefined) this.#grant(queued.write, queued.callback);
  }

  #hasCapacity(write: boolean): boolean {
    return this.#active < this.#capacity && (!write || this.#activeWrites < this.#writeCapacity);
  }

  #grant(write: boolean, callback: QueuedRequest['callback']): void {
    this.#active += 1;
    if (write) this.#activeWrites += 1;
    callback();
  }

  #rejectExpired(): void {
    const now = performance.now();
    const expired = this.#queue.filter(({ deadline }) => deadline <= now);
    if (expired.length > 0) this.#queue = this.#queue.filter(({ deadline }) => deadline > now);
    for (const { callback } of expired) callback(ACQUIRE_TIMEOUT);
    if (this.#queue.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
