import type { ConnectionPool, QueryOptions } from './connection-pool.ts';
import { FairQueue } from './fair-queue.ts';
import { isStatementError } from '../errors.ts';
import type { QueryResult } from './prepared-query.ts';
import { ACQUIRE_TIMEOUT } from './pool-queue.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';
import { execute, executeInTransaction } from './execute.ts';

/** Maximum number of concurrent batches. Other writes wait until one ends. */
const MAX_BATCHES_IN_FLIGHT = 2;
const MAX_BATCH_SIZE = 32;
/** Maximum number of waiting writes. Further writes run alone. */
const MAX_QUEUE_LENGTH = 256;
/** Writes with less time left run alone, because a batch has the earliest deadline of its writes. */
const MIN_TIME_LEFT_MS = 2000;

/** A write waiting for a lock delays its whole batch, so a batch waits only briefly. A write that runs alone waits longer. */
const SHORT_LOCK_TIMEOUT = `set_config('lock_timeout', '100', true)`;

interface QueuedWrite {
  bound: BoundStatement;
  options: QueryOptions;
  resolve: (rows: QueryResult) => void;
  reject: (error: unknown) => void;
}

/**
 * Batches concurrent writes in one transaction: one round trip and one WAL flush for all. Each statement sets its own company and
 * user, so row-level security and audit events are as if it ran alone. If a statement fails or waits for a lock, PostgreSQL
 * rolls the batch back and each write runs alone. decision 0039. Companies take turns, so that a batch has writes of
 * each that waits.
 */
export class WriteBatcher {
  readonly #pool: ConnectionPool;
  readonly #queue = new FairQueue<QueuedWrite>();
  #inFlight = 0;
  #isScheduled = false;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** @returns undefined if the queue is full and the write should run alone */
  run(bound: BoundStatement, options: QueryOptions): Promise<QueryResult> | undefined {
    if (this.#queue.length >= MAX_QUEUE_LENGTH) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
    this.#queue.push(options.company, { bound, options, resolve, reject });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#inFlight >= MAX_BATCHES_IN_FLIGHT || this.#queue.length === 0) return;
    this.#isScheduled = true;
    // Includes all writes of this event loop turn.
    setImmediate(() => {
      this.#isScheduled = false;
      this.#start(this.#takeBatch());
      this.#schedule();
    });
  }

  #takeBatch(): QueuedWrite[] {
    const writes: QueuedWrite[] = [];
    while (writes.length < MAX_BATCH_SIZE) {
      const next = this.#queue.take();
      if (next === undefined) break;
      writes.push(next);
    }
    return writes;
  }

  #start(writes: QueuedWrite[]): void {
    const minDeadline = performance.now() + MIN_TIME_LEFT_MS;
    const batch = writes.filter(({ options }) => options.deadline > minDeadline);
    for (const write of writes) if (write.options.deadline <= minDeadline) this.#runAlone(write);
    if (batch.length === 0) return;
    this.#inFlight += 1;
    void this.#runBatch(batch).finally(() => {
      this.#inFlight -= 1;
      this.#schedule();
    });
  }

  async #runBatch(writes: QueuedWrite[]): Promise<void> {
    const ordered = writes.toSorted((one, other) => compareLockKeys(one.bound.lockKey, other.bound.lockKey));
    const deadline = Math.min(...writes.map(({ options }) => options.deadline));
    const statements = ordered.map(({ bound }, index) => (index === 0 ? withShortLockTimeout(bound) : bound));
    try {
      const results = await executeInTransaction(this.#pool, statements, { write: true, deadline });
      for (const [index, { resolve }] of ordered.entries()) resolve({ rows: results[index] ?? [] });
    } catch (error) {
      // After a lost connection or a timeout, the batch may be committed, so its writes must not run again.
      const isNotCommitted = isStatementError(error) || error === ACQUIRE_TIMEOUT;
      for (const write of ordered) {
        if (isNotCommitted) this.#runAlone(write);
        else write.reject(error);
      }
    }
  }

  #runAlone({ bound, options, resolve, reject }: QueuedWrite): void {
    execute(this.#pool, bound, options).then(resolve, reject);
  }
}

/** Adds the short lock timeout to the session settings of the first statement. */
function withShortLockTimeout({ settings, ...bound }: BoundStatement): BoundStatement {
  if (settings === undefined) throw new Error(`${bound.name}: expected session settings`);
  return {
    ...bound,
    settings: { ...settings, name: 'settings.batch', text: `${settings.text}, ${SHORT_LOCK_TIMEOUT}` },
  };
}

const compareLockKeys = (one = '', other = '') => (one < other ? -1 : Number(one > other));
