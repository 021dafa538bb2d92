import { ApiError } from '../../entities/api-error.ts';
import { FairQueue } from './fair-queue.ts';
import type { Company } from './fair-queue.ts';

/** Interval of checks for expired requests, while the queue is not empty. */
const CHECK_INTERVAL_MS = 50;

// Created once: under load errors must be cheap, and capturing a stack for each is not.
const QUEUE_FULL = new ApiError('unavailable', 'Too many requests are waiting for the database. Try again shortly.');
/** Error for a request that has waited until its deadline. */
export const ACQUIRE_TIMEOUT = new ApiError('unavailable', 'The database is busy. Try again shortly.');

/** Request for a connection. */
export interface PoolRequest {
  readonly write: boolean;
  /** A value of `performance.now()`. It may change while the request is queued. */
  readonly deadline: number;
  readonly company?: Company;
}

interface QueuedRequest {
  request: PoolRequest;
  queuedAt: number;
  callback: (error?: ApiError) => void;
}

/** Maximum numbers of requests. */
export interface PoolQueueLimits {
  /** Requests that are granted at a time. */
  capacity: number;
  writes: number;
  /** Requests of one company that are granted at a time. */
  perCompany: number;
  /** Requests that wait. */
  queueLength: number;
}

/**
 * Limits concurrent queries. Writes get fewer slots, so writers waiting for locks cannot block readers, and so does one company.
 * Other requests wait until their deadline, and companies take turns. The length of the queue is limited: of the company that has most
 * requests in it, the last one is rejected.
 */
export class PoolQueue {
  readonly #limits: PoolQueueLimits;
  readonly #reserveMs: number;
  #active = 0;
  #activeWrites = 0;
  readonly #activeByCompany = new Map<number, number>();
  #writesArePaused = false;
  /** True while the free slot belongs to whoever is next in the queue soon. */
  #isGrantDeferred = false;
  readonly #queue = new FairQueue<QueuedRequest>();
  #timer: NodeJS.Timeout | undefined;

  /** @param reserveMs milliseconds before its deadline at which a request leaves the queue */
  constructor(limits: PoolQueueLimits, reserveMs = 0) {
    this.#limits = limits;
    this.#reserveMs = reserveMs;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Waiting time of the oldest queued read or write, in milliseconds. */
  oldestWait(write: boolean): number {
    let oldest = Infinity;
    for (const { request, queuedAt } of this.#queue) if (request.write === write) oldest = Math.min(oldest, queuedAt);
    return oldest === Infinity ? 0 : performance.now() - oldest;
  }

  /**
   * Calls back without an error when a slot is free, which the caller must `release`. Calls back with an error after the
   * deadline, or at once if the queue is full.
   */
  acquire(request: PoolRequest, callback: QueuedRequest['callback']): void {
    if (!this.#isGrantDeferred && this.#hasCapacity(request)) {
      this.#grant(request, callback);
      return;
    }
    if (this.#queue.length >= this.#limits.queueLength) {
      const dropped = this.#queue.dropForOther(request.company);
      if (dropped === undefined) {
        callback(QUEUE_FULL);
        return;
      }
      dropped.callback(QUEUE_FULL);
    }
    this.#queue.push(request.company, { request, queuedAt: performance.now(), callback });
    this.#timer ??= setInterval(() => this.#rejectExpired(), CHECK_INTERVAL_MS).unref();
  }

  /** Grants no further writes until `resumeWrites`. */
  pauseWrites(): void {
    this.#writesArePaused = true;
  }

  resumeWrites(): void {
    this.#writesArePaused = false;
    while (this.#grantNext());
  }

  /** @param usedMs milliseconds for which the slot was taken */
  release({ write, company }: Pick<PoolRequest, 'write' | 'company'>, usedMs = 0): void {
    this.#active -= 1;
    if (write) this.#activeWrites -= 1;
    if (company !== undefined) this.#countActive(company, -1);
    this.#queue.charge(company, usedMs);
    // The request that releases the only slot may need it again at once, ahead of a company that uses more time.
    if (this.#limits.capacity > 1 || this.#queue.length === 0) {
      this.#grantNext();
      return;
    }
    this.#isGrantDeferred = true;
    setImmediate(() => {
      this.#isGrantDeferred = false;
      this.#grantNext();
    });
  }

  /** @returns false if no request could be granted */
  #grantNext(): boolean {
    const queued = this.#queue.take(({ request }) => this.#hasCapacity(request));
    if (queued === undefined) return false;
    this.#grant(queued.request, queued.callback);
    return true;
  }

  #hasCapacity({ write, company }: PoolRequest): boolean {
    if (this.#active >= this.#limits.capacity) return false;
    if (company !== undefined && this.#activeOf(company) >= this.#limits.perCompany) return false;
    return !write || (!this.#writesArePaused && this.#activeWrites < this.#limits.writes);
  }

  #grant({ write, company }: PoolRequest, callback: QueuedRequest['callback']): void {
    this.#active += 1;
    if (write) this.#activeWrites += 1;
    if (company !== undefined) this.#countActive(company, 1);
    callback();
  }

  #activeOf(company: number): number {
    return this.#activeByCompany.get(company) ?? 0;
  }

  #countActive(company: number, change: number): void {
    const count = this.#activeOf(company) + change;
    if (count === 0) this.#activeByCompany.delete(company);
    else this.#activeByCompany.set(company, count);
  }

  #rejectExpired(): void {
    const latest = performance.now() + this.#reserveMs;
    const expired = this.#queue.removeExpired(({ request }) => request.deadline <= latest);
    for (const { callback } of expired) callback(ACQUIRE_TIMEOUT);
    if (this.#queue.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
