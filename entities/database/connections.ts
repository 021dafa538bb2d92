import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import type { PoolClient, PoolConfig } from 'pg';
import { isLost, isSilence } from './failure.ts';
import { Gate, LATE } from './gate.ts';
import { TIMEOUTS } from './timeouts.ts';

/** Who may wait, for each connection: so many are served before they have waited too long, more would not be. */
const WAITING = 100;

/** Of so many connections one is for reads alone. */
const KEPT_FOR_READS = 4;

/**
 * Milliseconds for which a connection stays that nobody uses: a new one, which has prepared nothing yet, costs the first requests after
 * a pause 50 ms.
 */
const IDLE = 600_000;
/** Milliseconds of silence after which the kernel asks whether the other side is there: routers forget who is silent for minutes. */
const PROBED = 60_000;

/** What for, and how long: `until` is by `performance.now()`. */
export interface Terms {
  writes: boolean;
  until: number;
  /** May share a connection with others of its kind. */
  isBrief?: boolean;
  /** Waits for the next connection that is free, behind nobody. */
  isFirst?: boolean;
}

/** A connection that somebody has to itself. */
export interface Held {
  client: PoolClient;
  /** Ends that; what comes after the first time is nothing. With an error the connection is not used again. */
  giveBack: (failure?: unknown) => void;
}

/** Numbers of a pool, as they are now. */
export interface PoolNumbers {
  /** Connections there are, and those of them that nobody uses. */
  readonly total: number;
  readonly idle: number;
  /** Who waits for one. */
  readonly waiting: number;
  /** Milliseconds for which the first of those that read, or that write, has waited for one. */
  waited(writes: boolean): number;
}

/** Connections to one server. Those that break, or may be broken, are closed and replaced, and nobody's place is lost. */
export class Connections implements PoolNumbers {
  readonly #pool: Pool;
  readonly #gate: Gate;
  /** As often as connections were suspected: one that was sound before that may be as silent, or as broken, as the one that was found out. */
  #suspected = 0;
  readonly #soundAt = new WeakMap<PoolClient, number>();

  /** @param most connections at once */
  constructor(config: PoolConfig, most: number) {
    const kept = Math.min(most - 1, Math.ceil(most / KEPT_FOR_READS));
    this.#gate = new Gate(most, most - kept, WAITING * most);
    this.#pool = new Pool({
      ...config,
      max: most,
      connectionTimeoutMillis: TIMEOUTS.connect,
      idleTimeoutMillis: IDLE,
      keepAlive: true,
      keepAliveInitialDelayMillis: PROBED,
      pipeline: true, // for those that are shared
    });
    this.#pool.on('error', () => {}); // an idle connection that breaks is replaced
    this.#pool.on('connect', (client) => {
      this.#soundAt.set(client, this.#suspected);
      client.on('error', () => {}); // whoever holds it hears of it by what it runs
    });
  }

  get total(): number {
    return this.#pool.totalCount;
  }

  get idle(): number {
    return this.#pool.idleCount;
  }

  get waiting(): number {
    return this.#gate.waiting;
  }

  waited(writes: boolean): number {
    return this.#gate.waited(writes);
  }

  /** Calls back with a connection, to be given back, or with why there is none. */
  take({ writes, until, isFirst = false }: Terms, taken: (held: Held | Error) => void): void {
    if (isFirst) {
      this.#connect(until, () => {}, taken); // the pool's own queue is empty but for this: the gate lets in no more than fit
      return;
    }
    this.#gate.enter(writes, until - TIMEOUTS.connect, (refusal) => {
      if (refusal === undefined) this.#connect(until, () => this.#gate.leave(writes), taken);
      else taken(refusal);
    });
  }

  #connect(until: number, leave: () => void, taken: (held: Held | Error) => void): void {
    const began = performance.now();
    // Who begins late has less than a connection may take. The place is kept until there is one, or none.
    let isLate = until <= began;
    if (isLate) {
      leave();
      taken(LATE);
      return;
    }
    const isAtHand = this.#pool.idleCount > this.#pool.waitingCount;
    const giveUp = () => {
      isLate = true;
      taken(LATE);
    };
    const late = isAtHand ? undefined : setTimeout(giveUp, until - began);
    this.#pool.connect((error, client, release) => {
      clearTimeout(late);
      if (client === undefined || isLate) {
        if (client !== undefined) release();
        leave();
        if (!isLate) taken(error ?? new Error('no connection'));
        return;
      }
      if (this.#soundAt.get(client) !== this.#suspected) {
        close(client, release);
        this.#connect(until, leave, taken);
        return;
      }
      let isHeld = true;
      const giveBack = (failure?: unknown) => {
        if (!isHeld) return;
        isHeld = false;
        if (failure === undefined) {
          this.#soundAt.set(client, this.#suspected);
          release();
        } else {
          // Who had hardly any time left heard nothing either, and knows nothing by it.
          const isSilent = isSilence(failure) && performance.now() - began >= TIMEOUTS.connect;
          // What ended one may end all, and not all at once: who reads again must not meet the next that is about to.
          if (isSilent || isLost(failure)) this.#suspectLike(client);
          close(client, release);
        }
        leave();
      };
      taken({ client, giveBack });
    });
  }

  /** From now on suspects all that were sound no later than this one: whoever fails with it suspects nothing more. */
  #suspectLike(client: PoolClient): void {
    if (this.#soundAt.get(client) === this.#suspected) this.#suspected += 1;
  }

  /** Closes all of them, and waits no longer than for a new one for those that do not end. */
  async end(): Promise<void> {
    await Promise.race([this.#pool.end(), wait(TIMEOUTS.connect, undefined, { ref: false })]);
  }
}

/** Over a wire that is cut a farewell would wait for its acknowledgement: the socket is closed without one. */
function close(client: PoolClient, release: (error: boolean) => void): void {
  client.connection.stream.destroy();
  release(true);
}
