import type { ConnectionPool, QueryOptions } from './connection-pool.ts';
import { isStatementError } from '../errors.ts';
import type { QueryResult } from './prepared-query.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';
import { execute, executeInTransaction } from './execute.ts';

/** Transactions under way; what comes meanwhile waits for one of them to end. */
const MAX_BATCHES_IN_FLIGHT = 2;
/** Changes in each, at most. */
const MAX_BATCH_SIZE = 32;
/** Changes that wait, at most: further ones go by themselves. */
const MAX_QUEUE_LENGTH = 256;
/** Milliseconds that a change must have left, so that it cuts none of the others short. */
const MIN_TIME_LEFT_MS = 2000;

/** Who waits for a lock keeps others waiting, and whoever comes next: by itself it may wait longer. */
const SHORT_LOCK_TIMEOUT = `set_config('lock_timeout', '100', true)`;

interface QueuedWrite {
  bound: BoundStatement;
  options: QueryOptions;
  resolve: (rows: QueryResult) => void;
  reject: (error: unknown) => void;
}

/**
 * Carries out changes that are asked for at the same time in one transaction: one round trip and one write to PostgreSQL's log for
 * all of them. Each is told its own company and user, and its audit event is its own. Where one is refused, or waits for a
 * lock, nothing of the others is left either, and each is carried out by itself. docs/decisions, 0039.
 */
export class WriteBatcher {
  readonly #pool: ConnectionPool;
  #queue: QueuedWrite[] = [];
  #inFlight = 0;
  #isScheduled = false;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** @returns undefined where it should rather go by itself */
  run(bound: BoundStatement, options: QueryOptions): Promise<QueryResult> | undefined {
    if (this.#queue.length >= MAX_QUEUE_LENGTH) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
    this.#queue.push({ bound, options, resolve, reject });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#inFlight >= MAX_BATCHES_IN_FLIGHT || this.#queue.length === 0) return;
    this.#isScheduled = true;
    // With whatever else this turn of the event loop asks.
    setImmediate(() => {
      this.#isScheduled = false;
      this.#start(this.#queue.splice(0, MAX_BATCH_SIZE));
      this.#schedule();
    });
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
      for (const write of ordered) {
        // Where there was no answer they may be committed or not.
        if (isStatementError(error)) this.#runAlone(write);
        else write.reject(error);
      }
    }
  }

  #runAlone({ bound, options, resolve, reject }: QueuedWrite): void {
    execute(this.#pool, bound, options).then(resolve, reject);
  }
}

/** With what the transaction is told of locks beside what the change is told. */
function withShortLockTimeout({ settings, ...bound }: BoundStatement): BoundStatement {
  if (settings === undefined) throw new Error(`${bound.name} is told nothing`);
  return {
    ...bound,
    settings: { ...settings, name: 'settings.batch', text: `${settings.text}, ${SHORT_LOCK_TIMEOUT}` },
  };
}

const compareLockKeys = (one = '', other = '') => (one < other ? -1 : Number(one > other));
