import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { PoolStats } from '../../database/postgresql/connection-pool.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { RequestState } from './error-handler.ts';
import { processCounters } from './tally.ts';

/** Milliseconds between two looks at how late everything is. */
const CHECK_INTERVAL_MS = 50;
/** Looks in a row that find it late, each time that places are taken away: fewer are a hiccup. */
const OVERLOADED_CHECKS = 4;
/** Milliseconds by which the event loop may be late, and for which the first in the queue for the database may have waited. */
const MAX_DELAY_MS = { eventLoop: 150, poolQueue: 250 };
/** Requests at work, of those that read and of those that write: at most, and how many are let in however late it is. */
const CONCURRENCY = { max: 1000, min: 50 };
/** What is left of the places when it stays late, and how many come back after one that is not. */
const DECREASE_FACTOR = 0.7;
const INCREASE_STEP = 10;
/** Refusals in one turn of the event loop. */
const MAX_REJECTIONS_PER_TICK = 50;
/** Milliseconds between two lines in the log about it. */
const LOG_INTERVAL_MS = 10_000;

/** What is answered however late it is: who asks wants to know whether to send somebody else here. */
const NEVER_SHED = new Set(['/healthz', '/readyz']);
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

// Made once: a refusal must stay cheap, and a stack for each of them is not.
const OVERLOADED = new ApiError('unavailable', 'The service is overloaded. Try again shortly.');

/** So many requests at work as can be served in time: fewer while it is late, more again while it is not. */
export class ConcurrencyLimit {
  /** How many are refused beyond. */
  limit = CONCURRENCY.max;
  inUse = 0;
  #overloadedChecks = 0;

  /** @returns whether there was a place */
  tryAcquire(): boolean {
    if (this.inUse >= this.limit) return false;
    this.inUse += 1;
    return true;
  }

  adapt(isOverloaded: boolean): void {
    this.#overloadedChecks = isOverloaded ? this.#overloadedChecks + 1 : 0;
    if (!isOverloaded) this.limit = Math.min(CONCURRENCY.max, this.limit + INCREASE_STEP);
    // Where few are at work it is not they who make it late, and to refuse others would not help.
    else if (this.#overloadedChecks >= OVERLOADED_CHECKS && this.inUse > CONCURRENCY.min) {
      this.#overloadedChecks = 0;
      this.limit = Math.max(CONCURRENCY.min, Math.floor(Math.min(this.limit, this.inUse) * DECREASE_FACTOR));
    }
  }
}

/**
 * Refuses requests at once where more would only make all of them late. Those that read and those that write have places of
 * their own: writers that wait for a lock must not keep readers out.
 */
export class LoadShedder {
  readonly #log: Logger;
  readonly #pools: readonly Pick<PoolStats, 'oldestWait'>[];
  readonly #readers = new ConcurrencyLimit();
  readonly #writers = new ConcurrencyLimit();
  readonly #timer: NodeJS.Timeout;
  #checkedAt = performance.now();
  #rejectedCount = 0;
  /** The same in this turn of the event loop, and who is refused in the next ones. */
  #rejectedInTick = 0;
  #delayedRejections: (() => void)[] = [];
  #loggedAt = -Infinity;

  /** @param pools whose queues are watched */
  constructor(log: Logger, pools: readonly Pick<PoolStats, 'oldestWait'>[]) {
    this.#log = log;
    this.#pools = pools;
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  /** @throws Refusal 503 for what is refused */
  get middleware(): Middleware<RequestState> {
    return async (ctx, next) => {
      if (NEVER_SHED.has(ctx.path)) {
        await next();
        return;
      }
      const slot = SAFE_METHODS.has(ctx.method) ? this.#readers : this.#writers;
      if (!slot.tryAcquire()) {
        this.#rejectedCount += 1;
        processCounters.shedRequests += 1;
        await this.#waitForTick();
        throw OVERLOADED;
      }
      ctx.state.slot = slot;
      try {
        await next();
      } finally {
        slot.inUse -= 1;
      }
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * A turn of the event loop gives each connection to the database one statement at most. Were all who ask again at once refused
   * in one turn, hardly any time would be left for those who were let in.
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
    const waited = { loop: Math.round(eventLoopDelay), reads: Math.round(reads), writes: Math.round(writes) };
    this.#log.warn(
      { refused: this.#rejectedCount, waited },
      'requests were refused, as there are more than can be served',
    );
    this.#rejectedCount = 0;
    this.#loggedAt = now;
  }
}

/**
 * Does what lasts as long as a client likes: sends its body, takes its answer. Meanwhile its request has no place, which slow
 * clients would keep from others.
 */
export async function withoutSlot<T>(
  { state }: { state: Pick<RequestState, 'slot'> },
  work: () => Promise<T>,
): Promise<T> {
  const { slot } = state;
  if (slot === undefined) return work();
  slot.inUse -= 1;
  try {
    return await work();
  } finally {
    slot.inUse += 1;
  }
}
