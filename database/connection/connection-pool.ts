import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import type { PoolClient, PoolConfig } from 'pg';
import { isConnectionLost, isTimeout } from '../errors.ts';
import { PoolQueue, ACQUIRE_TIMEOUT } from './pool-queue.ts';
import type { PoolRequest } from './pool-queue.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';

/** Default of the maximum queue length per connection. Requests beyond it would time out. */
const MAX_QUEUE_PER_CONNECTION = 100;

/** One of this number of connections is reserved for reads, and no company has all of the others. */
const CONNECTIONS_PER_RESERVE = 4;

/** Idle time before a connection closes. It is long because a new connection has no prepared statements. */
const IDLE_TIMEOUT_MS = 600_000;
/** Idle time before the kernel sends TCP keep-alive probes. Routers drop connections that are idle for minutes. */
const KEEPALIVE_DELAY_MS = 60_000;

export interface QueryOptions extends PoolRequest {
  deadline: number;
  /** May share a connection with other pipelined reads. */
  pipelined?: boolean;
  /** Takes the next free connection, ahead of the queue. */
  skipQueue?: boolean;
}

/** Exclusive use of a connection. */
export interface Lease {
  client: PoolClient;
  /** Ends the lease; further calls have no effect. With an error, the pool closes the connection. */
  release: (error?: unknown) => void;
  /** Deadline of a query that starts now, as a value of `performance.now()`: at most `deadline`. */
  queryDeadline: (deadline: number) => number;
}

/** Limits of a pool. */
export interface PoolLimits {
  connections: number;
  /** Maximum number of requests in the queue. */
  queueLength?: number;
  /** Client-side limit of one query in milliseconds. */
  queryTimeoutMs?: number;
  /**
   * Milliseconds to open a connection. A request leaves the queue so long before its deadline, at most the default. 0: only the
   * deadline applies.
   */
  connectTimeoutMs?: number;
}

/** Current statistics of a pool. */
export interface PoolStats {
  /** Number of connections. */
  readonly total: number;
  readonly idle: number;
  /** Number of requests in the queue. */
  readonly waiting: number;
  /** Waiting time of the oldest queued read or write, in milliseconds. */
  oldestWait(write: boolean): number;
}

/** Pool of connections to one server. Broken and suspect connections are replaced, and queued requests keep their position. */
export class ConnectionPool implements PoolStats {
  readonly #pool: Pool;
  readonly #queue: PoolQueue;
  readonly #queryTimeoutMs: number;
  /** Increased when a connection fails. Connections last checked in an earlier generation are replaced. */
  #generation = 0;
  readonly #checkedIn = new WeakMap<PoolClient, number>();

  constructor(
    config: PoolConfig,
    {
      connections,
      queueLength = MAX_QUEUE_PER_CONNECTION * connections,
      queryTimeoutMs = TIMEOUTS_MS.query,
      connectTimeoutMs = TIMEOUTS_MS.connect,
    }: PoolLimits,
  ) {
    this.#queryTimeoutMs = queryTimeoutMs;
    const unreserved = connections - Math.min(connections - 1, Math.ceil(connections / CONNECTIONS_PER_RESERVE));
    this.#queue = new PoolQueue(
      { capacity: connections, writes: unreserved, perCompany: unreserved, queueLength },
      Math.min(connectTimeoutMs, TIMEOUTS_MS.connect),
    );
    this.#pool = new Pool({
      ...config,
      max: connections,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
      pipeline: true, // for pipelined reads
    });
    this.#pool.on('error', () => {}); // an idle connection that breaks is replaced
    this.#pool.on('connect', (client) => {
      this.#checkedIn.set(client, this.#generation);
      client.on('error', () => {}); // its running query fails with the error
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

  /** Calls back with a lease, which the caller must release, or with an error. The deadline may change until then. */
  acquire(options: QueryOptions, callback: (lease: Lease | Error) => void): void {
    const { write, company, skipQueue = false } = options;
    const connect = (releaseSlot: () => void) => this.#connect(options.deadline, releaseSlot, callback);
    // PoolQueue limits all other requests to the number of connections, so pg's queue holds only such requests.
    if (skipQueue) connect(() => {});
    else
      this.#queue.acquire(options, (error) => {
        const grantedAt = performance.now();
        if (error !== undefined) callback(error);
        else connect(() => this.#queue.release({ write, company }, performance.now() - grantedAt));
      });
  }

  /** Runs `work` while no write gets a connection. With one connection, no write runs then. */
  async withoutWrites<T>(work: () => Promise<T>): Promise<T> {
    this.#queue.pauseWrites();
    try {
      return await work();
    } finally {
      this.#queue.resumeWrites();
    }
  }

  #connect(deadline: number, releaseSlot: () => void, callback: (lease: Lease | Error) => void): void {
    const startedAt = performance.now();
    // The remaining time may be shorter than the connect timeout. After a timeout the slot stays taken until pg calls back.
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
        if (!timedOut) callback(error ?? new Error('pool: no connection'));
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
          // A timeout soon after the start says nothing about the connection.
          const isUnresponsive = isTimeout(leaseError) && performance.now() - startedAt >= TIMEOUTS_MS.connect;
          // The cause may break all connections one after another. A retried read must not get the next one to break.
          if (isUnresponsive || isConnectionLost(leaseError)) this.#startGeneration(client);
          destroyConnection(client, releaseClient);
        }
        releaseSlot();
      };
      const queryDeadline = (latest: number) => Math.min(latest, performance.now() + this.#queryTimeoutMs);
      callback({ client, release: releaseLease, queryDeadline });
    });
  }

  /** Starts a generation unless this connection is from an earlier one, so that one incident starts only one. */
  #startGeneration(client: PoolClient): void {
    if (this.#checkedIn.get(client) === this.#generation) this.#generation += 1;
  }

  /** Closes all connections. Waits at most the connect timeout for busy ones. */
  async end(): Promise<void> {
    await Promise.race([this.#pool.end(), wait(TIMEOUTS_MS.connect, undefined, { ref: false })]);
  }
}

/** Closes the socket without a Terminate message, which a broken network would never acknowledge. */
function destroyConnection(client: PoolClient, release: (error: boolean) => void): void {
  client.connection.stream.destroy();
  release(true);
}
