import type { IncomingHttpHeaders } from 'node:http';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { PoolStats } from '../../database/connection/connection-pool.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { RequestSlot, RequestState } from './request-state.ts';
import { processCounters } from './process-counters.ts';

/** Returns the company of a request if its credentials are known without a query. */
export type CompanyOf = (headers: IncomingHttpHeaders) => number | undefined;

/** Milliseconds between two checks for overload. */
const CHECK_INTERVAL_MS = 50;
/** Consecutive overloaded checks before the limit decreases. Fewer are a short spike. */
const OVERLOADED_CHECKS = 4;
/** Maximum delay, in milliseconds, of the event loop and of the oldest query in the pool queue. */
const MAX_DELAY_MS = { eventLoop: 150, poolQueue: 250 };
/** Bounds of the concurrency limit, one for reads and one for writes. `min` applies during any overload. */
const CONCURRENCY = { max: 1000, min: 50 };
/** Limit changes: multiplied by the factor after sustained overload, increased by the step after a check without it. */
const DECREASE_FACTOR = 0.7;
const INCREASE_STEP = 10;
/** Maximum number of rejections in one iteration of the event loop. */
const MAX_REJECTIONS_PER_TICK = 50;
/** Minimum number of milliseconds between two log lines about overload. */
const LOG_INTERVAL_MS = 10_000;

/** Health checks, which are never shed: a load balancer needs their response to route traffic. */
const NEVER_SHED = new Set(['/healthz', '/readyz']);
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

// Created once: rejections must stay cheap, and capturing a stack for each would be expensive.
const OVERLOADED = new ApiError('unavailable', 'The service is overloaded. Try again shortly.');

/** The sender of a request: a company, or undefined before authentication. */
type Sender = number | undefined;

/**
 * Adaptive limit of concurrent requests (additive increase, multiplicative decrease). Decreases during overload. Beyond the limit a
 * company keeps its share of it, so that only those are rejected that use more.
 */
export class ConcurrencyLimit {
  /** Maximum number of slots in use. Requests beyond it are rejected, except those of a company that uses less than its share. */
  limit = CONCURRENCY.max;
  inUse = 0;
  readonly #inUseBy = new Map<Sender, number>();
  #overloadedChecks = 0;

  /** @returns true if a slot was free, or the sender has its share of them not in use */
  tryAcquire(sender?: Sender): boolean {
    if (this.inUse >= this.limit && !this.#hasShare(sender)) return false;
    this.occupy(sender);
    return true;
  }

  /**
   * Counts a slot for its company once it is known, instead of for nobody.
   * @returns false if there are too many slots in use, and the company has its share. Then the slot stays as it is.
   */
  tryAssign(company: number): boolean {
    if (this.inUse > this.limit && !this.#hasShare(company)) return false;
    this.release(undefined);
    this.occupy(company);
    return true;
  }

  /** Takes a slot, also beyond the limit. */
  occupy(sender: Sender): void {
    this.inUse += 1;
    this.#inUseBy.set(sender, this.#usedBy(sender) + 1);
  }

  release(sender: Sender): void {
    this.inUse -= 1;
    const used = this.#usedBy(sender) - 1;
    if (used === 0) this.#inUseBy.delete(sender);
    else this.#inUseBy.set(sender, used);
  }

  adapt(isOverloaded: boolean): void {
    this.#overloadedChecks = isOverloaded ? this.#overloadedChecks + 1 : 0;
    if (!isOverloaded) this.limit = Math.min(CONCURRENCY.max, this.limit + INCREASE_STEP);
    // A few concurrent requests do not cause the overload, so rejecting others would not help.
    else if (this.#overloadedChecks >= OVERLOADED_CHECKS && this.inUse > CONCURRENCY.min) {
      this.#overloadedChecks = 0;
      this.limit = Math.max(CONCURRENCY.min, Math.floor(Math.min(this.limit, this.inUse) * DECREASE_FACTOR));
    }
  }

  #usedBy(sender: Sender): number {
    return this.#inUseBy.get(sender) ?? 0;
  }

  /** True if the sender uses less than an equal share of the slots. */
  #hasShare(sender: Sender): boolean {
    const used = this.#usedBy(sender);
    const senders = this.#inUseBy.size + (used === 0 ? 1 : 0);
    return used < Math.floor(this.limit / senders);
  }
}

/** Slot of a request in its concurrency limit. */
class Slot implements RequestSlot {
  readonly #limit: ConcurrencyLimit;
  readonly #reject: () => Promise<never>;
  #sender: Sender;

  /** @param reject counts a rejection, and throws its error when it is its turn */
  constructor(limit: ConcurrencyLimit, sender: Sender, reject: () => Promise<never>) {
    this.#limit = limit;
    this.#sender = sender;
    this.#reject = reject;
  }

  assign(company: number): Promise<never> | undefined {
    if (this.#sender !== undefined) return undefined;
    if (!this.#limit.tryAssign(company)) return this.#reject();
    this.#sender = company;
    return undefined;
  }

  release(): void {
    this.#limit.release(this.#sender);
  }

  occupy(): void {
    this.#limit.occupy(this.#sender);
  }
}

/**
 * Rejects requests with 503 when the server is overloaded. Accepting them would delay every request. Reads and writes have
 * separate limits, so writers that wait for a lock cannot block readers. Those of the company that sends most are rejected first.
 */
export class LoadShedder {
  readonly #log: Logger;
  readonly #pools: readonly Pick<PoolStats, 'oldestWait'>[];
  readonly #companyOf: CompanyOf;
  readonly #readers = new ConcurrencyLimit();
  readonly #writers = new ConcurrencyLimit();
  readonly #timer: NodeJS.Timeout;
  #checkedAt = performance.now();
  #rejectedCount = 0;
  /** Rejections in this iteration of the event loop, and those deferred to later iterations. */
  #rejectedInTick = 0;
  #delayedRejections: (() => void)[] = [];
  #loggedAt = -Infinity;

  /**
   * @param pools connection pools whose queues are checked for overload
   * @param companyOf guesses the company of a request that is not authenticated yet
   */
  constructor(log: Logger, pools: readonly Pick<PoolStats, 'oldestWait'>[], companyOf: CompanyOf = () => undefined) {
    this.#companyOf = companyOf;
    this.#log = log;
    this.#pools = pools;
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  /** @throws ApiError 503 if the request is rejected */
  get middleware(): Middleware<RequestState> {
    return async (ctx, next) => {
      if (NEVER_SHED.has(ctx.path)) {
        await next();
        return;
      }
      const limit = SAFE_METHODS.has(ctx.method) ? this.#readers : this.#writers;
      const sender = limit.inUse < limit.limit ? undefined : this.#companyOf(ctx.req.headers);
      if (!limit.tryAcquire(sender)) await this.#reject();
      const slot = new Slot(limit, sender, () => this.#reject());
      ctx.state.slot = slot;
      try {
        await next();
      } finally {
        slot.release();
      }
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #reject(): Promise<never> {
    this.#rejectedCount += 1;
    processCounters.shedRequests += 1;
    await this.#waitForTick();
    throw OVERLOADED;
  }

  /**
   * Defers rejections beyond the maximum to later iterations of the event loop. In one iteration each database connection
   * starts at most one statement. Rejecting a burst of retries at once would leave little time for accepted requests.
   */
  #waitForTick(): Promise<void> | undefined {
    if (this.#rejectedInTick === 0) setImmediate(() => this.#nextTick());
    this.#rejectedInTick += 1;
    if (this.#rejectedInTick <= MAX_REJECTIONS_PER_TICK) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#delayedRejections.push(resolve);
    return promise;
  }

  #nextTick(): void {
    const rejections = this.#delayedRejections.splice(0, MAX_REJECTIONS_PER_TICK);
    this.#rejectedInTick = rejections.length;
    if (this.#rejectedInTick > 0) setImmediate(() => this.#nextTick());
    for (const reject of rejections) reject();
  }

  #check(): void {
    const now = performance.now();
    const eventLoopDelay = now - this.#checkedAt - CHECK_INTERVAL_MS;
    this.#checkedAt = now;
    const oldestWait = (write: boolean) => Math.max(0, ...this.#pools.map((pool) => pool.oldestWait(write)));
    const reads = oldestWait(false);
    const writes = oldestWait(true);
    this.#readers.adapt(eventLoopDelay > MAX_DELAY_MS.eventLoop || reads > MAX_DELAY_MS.poolQueue);
    this.#writers.adapt(eventLoopDelay > MAX_DELAY_MS.eventLoop || writes > MAX_DELAY_MS.poolQueue);
    if (this.#rejectedCount === 0 || now - this.#loggedAt < LOG_INTERVAL_MS) return;
    const delayMs = { eventLoop: Math.round(eventLoopDelay), reads: Math.round(reads), writes: Math.round(writes) };
    this.#log.warn({ rejected: this.#rejectedCount, delayMs }, 'overloaded: requests rejected');
    this.#rejectedCount = 0;
    this.#loggedAt = now;
  }
}

/**
 * Releases the slot of a request while it waits for its client, which sends a body or reads a response. Otherwise slow
 * clients would occupy slots that other requests need.
 */
export async function withoutSlot<T>(
  { state }: { state: Pick<RequestState, 'slot'> },
  work: () => Promise<T>,
): Promise<T> {
  const { slot } = state;
  if (slot === undefined) return work();
  slot.release();
  try {
    return await work();
  } finally {
    slot.occupy();
  }
}

/**
 * Sets the caller of a request, and counts the request for its company.
 * @throws ApiError 503 if the server is overloaded, and by this company
 */
export async function identify(
  { state }: { state: Pick<RequestState, 'slot' | 'principal'> },
  principal: Exclude<RequestState['principal'], undefined>,
): Promise<void> {
  state.principal = principal;
  if (principal !== null) await state.slot?.assign(principal.company);
}
