import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import type { PoolClient, PoolConfig } from 'pg';
import { isConnectionLost, isTimeout } from '../errors.ts';
import { PoolQueue, ACQUIRE_TIMEOUT } from './pool-queue.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';

/** Who may wait, for each connection: so many are served before they have waited too long, more would not be. */
const MAX_QUEUE_PER_CONNECTION = 100;

/** Of so many connections one is for reads alone. */
const CONNECTIONS_PER_READ_RESERVE = 4;

/**
 * Milliseconds for which a connection stays that nobody uses: a new one, which has prepared nothing yet, costs the first requests after
 * a pause 50 ms.
 */
const IDLE_TIMEOUT_MS = 600_000;
/** Milliseconds of silence after which the kernel asks whether the other side is there: routers forget who is silent for minutes. */
const KEEPALIVE_DELAY_MS = 60_000;

/** What for, and how long: `until` is by `performance.now()`. */
export interface QueryOptions {
  write: boolean;
  deadline: number;
  /** May share a connection with others of its kind. */
  pipelined?: boolean;
  /** Waits for the next connection that is free, behind nobody. */
  skipQueue?: boolean;
}

/** A connection that somebody has to itself. */
export interface Lease {
  client: PoolClient;
  /** Ends that; what comes after the first time is nothing. With an error the connection is not used again. */
  release: (error?: unknown) => void;
}

/** Numbers of a pool, as they are now. */
export interface PoolStats {
  /** Connections there are, and those of them that nobody uses. */
  readonly total: number;
  readonly idle: number;
  /** Who waits for one. */
  readonly waiting: number;
  /** Milliseconds for which the first of those that read, or that write, has waited for one. */
  oldestWait(write: boolean): number;
}

/** Connections to one server. Those that break, or may be broken, are closed and replaced, and nobody's place is lost. */
export class ConnectionPool implements PoolStats {
  readonly #pool: Pool;
  readonly #queue: PoolQueue;
  /** As often as connections were suspected: one that was sound before that may be as silent, or as broken, as the one that was found out. */
  #generation = 0;
  readonly #checkedIn = new WeakMap<PoolClient, number>();

  /** @param maxConnections connections at once */
  constructor(config: PoolConfig, maxConnections: number) {
    const readReserve = Math.min(maxConnections - 1, Math.ceil(maxConnections / CONNECTIONS_PER_READ_RESERVE));
    this.#queue = new PoolQueue(
      maxConnections,
      maxConnections - readReserve,
      MAX_QUEUE_PER_CONNECTION * maxConnections,
    );
    this.#pool = new Pool({
      ...config,
      max: maxConnections,
      connectionTimeoutMillis: TIMEOUTS_MS.connect,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
      pipeline: true, // for those that are shared
    });
    this.#pool.on('error', () => {}); // an idle connection that breaks is replaced
    this.#pool.on('connect', (client) => {
      this.#checkedIn.set(client, this.#generation);
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
    return this.#queue.waiting;
  }

  oldestWait(write: boolean): number {
    return this.#queue.oldestWait(write);
  }

  /** Calls back with a connection, to be given back, or with why there is none. */
  acquire({ write, deadline, skipQueue = false }: QueryOptions, callback: (lease: Lease | Error) => void): void {
    if (skipQueue) {
      this.#connect(deadline, () => {}, callback); // the pool's own queue is empty but for this: the gate lets in no more than fit
      return;
    }
    this.#queue.acquire(write, deadline - TIMEOUTS_MS.connect, (error) => {
      if (error === undefined) this.#connect(deadline, () => this.#queue.release(write), callback);
      else callback(error);
    });
  }

  #connect(deadline: number, releaseSlot: () => void, callback: (lease: Lease | Error) => void): void {
    const startedAt = performance.now();
    // Who begins late has less than a connection may take. The place is kept until there is one, or none.
    let timedOut = deadline <= startedAt;
    if (timedOut) {
      releaseSlot();
      callback(ACQUIRE_TIMEOUT);
      return;
    }
    const idleAvailable = this.#pool.idleCount > this.#pool.waitingCount;
    const onTimeout = () => {
      timedOut = true;
      callback(ACQUIRE_TIMEOUT);
    };
    const timer = idleAvailable ? undefined : setTimeout(onTimeout, deadline - startedAt);
    this.#pool.connect((error, client, releaseClient) => {
      clearTimeout(timer);
      if (client === undefined || timedOut) {
        if (client !== undefined) releaseClient();
        releaseSlot();
        if (!timedOut) callback(error ?? new Error('no connection'));
        return;
      }
      if (this.#checkedIn.get(client) !== this.#generation) {
        destroyConnection(client, releaseClient);
        this.#connect(deadline, releaseSlot, callback);
        return;
      }
      let isLeased = true;
      const releaseLease = (leaseError?: unknown) => {
        if (!isLeased) return;
        isLeased = false;
        if (leaseError === undefined) {
          this.#checkedIn.set(client, this.#generation);
          releaseClient();
        } else {
          // Who had hardly any time left heard nothing either, and knows nothing by it.
          const isUnresponsive = isTimeout(leaseError) && performance.now() - startedAt >= TIMEOUTS_MS.connect;
          // What ended one may end all, and not all at once: who reads again must not meet the next that is about to.
          if (isUnresponsive || isConnectionLost(leaseError)) this.#startGeneration(client);
          destroyConnection(client, releaseClient);
        }
        releaseSlot();
      };
      callback({ client, release: releaseLease });
    });
  }

  /** From now on suspects all that were sound no later than this one: whoever fails with it suspects nothing more. */
  #startGeneration(client: PoolClient): void {
    if (this.#checkedIn.get(client) === this.#generation) this.#generation += 1;
  }

  /** Closes all of them, and waits no longer than for a new one for those that do not end. */
  async end(): Promise<void> {
    await Promise.race([this.#pool.end(), wait(TIMEOUTS_MS.connect, undefined, { ref: false })]);
  }
}

/** Over a wire that is cut a farewell would wait for its acknowledgement: the socket is closed without one. */
function destroyConnection(client: PoolClient, release: (error: boolean) => void): void {
  client.connection.stream.destroy();
  release(true);
}
