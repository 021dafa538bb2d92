import { ApiError } from '../../entities/api-error.ts';

/** Interval of checks for expired requests, while the queue is not empty. */
const CHECK_INTERVAL_MS = 50;

// Created once: under load errors must be cheap, and capturing a stack for each is not.
const QUEUE_FULL = new ApiError('unavailable', 'Too many requests are waiting for the database. Try again shortly.');
/** Error for a request that has waited until its deadline. */
export const ACQUIRE_TIMEOUT = new ApiError('unavailable', 'The database is busy. Try again shortly.');

interface Request {
  readonly write: boolean;
  /** A value of `performance.now()`. It may change while the request is queued. */
  readonly deadline: number;
}

interface QueuedRequest {
  request: Request;
  queuedAt: number;
  callback: (error?: ApiError) => void;
}

/**
 * Limits concurrent queries. Writes get fewer slots, so writers waiting for locks cannot block readers.
 * Other requests wait in first-come order until their deadline. The length of the queue is limited.
 */
export class PoolQueue {
  readonly #capacity: number;
  readonly #writeCapacity: number;
  readonly #maxLength: number;
  readonly #reserveMs: number;
  #active = 0;
  #activeWrites = 0;
  #writesArePaused = false;
  #queue: QueuedRequest[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param reserveMs milliseconds before its deadline at which a request leaves the queue */
  constructor(capacity: number, writeCapacity: number, maxLength: number, reserveMs = 0) {
    this.#capacity = capacity;
    this.#writeCapacity = writeCapacity;
    this.#maxLength = maxLength;
    this.#reserveMs = reserveMs;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Waiting time of the oldest queued read or write, in milliseconds. */
  oldestWait(write: boolean): number {
    const first = this.#queue.find(({ request }) => request.write === write);
    return first === undefined ? 0 : performance.now() - first.queuedAt;
  }

  /**
   * Calls back without an error when a slot is free, which the caller must `release`. Calls back with an error after the
   * deadline, or at once if the queue is full.
   */
  acquire(request: Request, callback: QueuedRequest['callback']): void {
    if (this.#hasCapacity(request.write)) this.#grant(request.write, callback);
    else if (this.#queue.length >= this.#maxLength) callback(QUEUE_FULL);
    else {
      this.#queue.push({ request, queuedAt: performance.now(), callback });
      this.#timer ??= setInterval(() => this.#rejectExpired(), CHECK_INTERVAL_MS).unref();
    }
  }

  /** Grants no further writes until `resumeWrites`. */
  pauseWrites(): void {
    this.#writesArePaused = true;
  }

  resumeWrites(): void {
    this.#writesArePaused = false;
    while (this.#grantNext());
  }

  release(write: boolean): void {
    this.#active -= 1;
    if (write) this.#activeWrites -= 1;
    this.#grantNext();
  }

  /** @returns false if no request could be granted */
  #grantNext(): boolean {
    const next = this.#queue.findIndex(({ request }) => this.#hasCapacity(request.write));
    const [queued] = next < 0 ? [] : this.#queue.splice(next, 1);
    if (queued === undefined) return false;
    this.#grant(queued.request.write, queued.callback);
    return true;
  }

  #hasCapacity(write: boolean): boolean {
    if (this.#active >= this.#capacity) return false;
    return !write || (!this.#writesArePaused && this.#activeWrites < this.#writeCapacity);
  }

  #grant(write: boolean, callback: QueuedRequest['callback']): void {
    this.#active += 1;
    if (write) this.#activeWrites += 1;
    callback();
  }

  #rejectExpired(): void {
    const latest = performance.now() + this.#reserveMs;
    const expired = this.#queue.filter(({ request }) => request.deadline <= latest);
    if (expired.length > 0) this.#queue = this.#queue.filter(({ request }) => request.deadline > latest);
    for (const { callback } of expired) callback(ACQUIRE_TIMEOUT);
    if (this.#queue.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
