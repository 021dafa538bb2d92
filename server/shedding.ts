import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { PoolNumbers } from '../entities/database/connections.ts';
import { Refusal } from '../entities/refusal.ts';
import type { State } from './refuse.ts';
import { tally } from './tally.ts';

/** Milliseconds between two looks at how late everything is. */
const LOOK = 50;
/** Looks in a row that find it late, each time that places are taken away: fewer are a hiccup. */
const LATE_LOOKS = 4;
/** Milliseconds by which the event loop may be late, and for which the first in the queue for the database may have waited. */
const LATE = { loop: 150, queue: 250 };
/** Requests at work, of those that read and of those that write: at most, and how many are let in however late it is. */
const PLACES = { most: 1000, least: 50 };
/** What is left of the places when it stays late, and how many come back after one that is not. */
const SINKS = 0.7;
const RISES = 10;
/** Refusals in one turn of the event loop. */
const IN_A_TURN = 50;
/** Milliseconds between two lines in the log about it. */
const TOLD = 10_000;

/** What is answered however late it is: who asks wants to know whether to send somebody else here. */
const NEVER_SHED = new Set(['/healthz', '/readyz']);
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

// Made once: a refusal must stay cheap, and a stack for each of them is not.
const SHED = new Refusal('unavailable', 'The service is overloaded. Try again shortly.');

/** So many requests at work as can be served in time: fewer while it is late, more again while it is not. */
export class Places {
  /** How many are refused beyond. */
  places = PLACES.most;
  taken = 0;
  #lateLooks = 0;

  /** @returns whether there was a place */
  take(): boolean {
    if (this.taken >= this.places) return false;
    this.taken += 1;
    return true;
  }

  adapt(isLate: boolean): void {
    this.#lateLooks = isLate ? this.#lateLooks + 1 : 0;
    if (!isLate) this.places = Math.min(PLACES.most, this.places + RISES);
    // Where few are at work it is not they who make it late, and to refuse others would not help.
    else if (this.#lateLooks >= LATE_LOOKS && this.taken > PLACES.least) {
      this.#lateLooks = 0;
      this.places = Math.max(PLACES.least, Math.floor(Math.min(this.places, this.taken) * SINKS));
    }
  }
}

/**
 * Refuses requests at once where more would only make all of them late. Those that read and those that write have places of
 * their own: writers that wait for a lock must not keep readers out.
 */
export class Shedding {
  readonly #log: Logger;
  readonly #pools: readonly Pick<PoolNumbers, 'waited'>[];
  readonly #readers = new Places();
  readonly #writers = new Places();
  readonly #clock: NodeJS.Timeout;
  #lookedAt = performance.now();
  #refused = 0;
  /** The same in this turn of the event loop, and who is refused in the next ones. */
  #inTurn = 0;
  #later: (() => void)[] = [];
  #toldAt = -Infinity;

  /** @param pools whose queues are watched */
  constructor(log: Logger, pools: readonly Pick<PoolNumbers, 'waited'>[]) {
    this.#log = log;
    this.#pools = pools;
    this.#clock = setInterval(() => this.#look(), LOOK).unref();
  }

  /** @throws Refusal 503 for what is refused */
  get middleware(): Middleware<State> {
    return async (ctx, next) => {
      if (NEVER_SHED.has(ctx.path)) {
        await next();
        return;
      }
      const places = READING.has(ctx.method) ? this.#readers : this.#writers;
      if (!places.take()) {
        this.#refused += 1;
        tally.shed += 1;
        await this.#turn();
        throw SHED;
      }
      ctx.state.places = places;
      try {
        await next();
      } finally {
        places.taken -= 1;
      }
    };
  }

  stop(): void {
    clearInterval(this.#clock);
  }

  /**
   * A turn of the event loop gives each connection to the database one statement at most. Were all who ask again at once refused
   * in one turn, hardly any time would be left for those who were let in.
   */
  #turn(): Promise<void> | undefined {
    if (this.#inTurn === 0) setImmediate(() => this.#nextTurn());
    this.#inTurn += 1;
    if (this.#inTurn <= IN_A_TURN) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#later.push(resolve);
    return promise;
  }

  #nextTurn(): void {
    const refused = this.#later.splice(0, IN_A_TURN);
    this.#inTurn = refused.length;
    if (this.#inTurn > 0) setImmediate(() => this.#nextTurn());
    for (const refuse of refused) refuse();
  }

  #look(): void {
    const now = performance.now();
    const loop = now - this.#lookedAt - LOOK;
    this.#lookedAt = now;
    const waitedTo = (write: boolean) => Math.max(0, ...this.#pools.map((pool) => pool.waited(write)));
    const reads = waitedTo(false);
    const writes = waitedTo(true);
    this.#readers.adapt(loop > LATE.loop || reads > LATE.queue);
    this.#writers.adapt(loop > LATE.loop || writes > LATE.queue);
    if (this.#refused === 0 || now - this.#toldAt < TOLD) return;
    const waited = { loop: Math.round(loop), reads: Math.round(reads), writes: Math.round(writes) };
    this.#log.warn({ refused: this.#refused, waited }, 'requests were refused, as there are more than can be served');
    this.#refused = 0;
    this.#toldAt = now;
  }
}

/**
 * Does what lasts as long as a client likes: sends its body, takes its answer. Meanwhile its request has no place, which slow
 * clients would keep from others.
 */
export async function atClientsPace<T>(
  { state }: { state: Pick<State, 'places'> },
  work: () => Promise<T>,
): Promise<T> {
  const { places } = state;
  if (places === undefined) return work();
  places.taken -= 1;
  try {
    return await work();
  } finally {
    places.taken += 1;
  }
}
