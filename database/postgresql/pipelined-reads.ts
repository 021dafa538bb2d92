import type { PoolClient } from 'pg';
import type { ConnectionPool, Lease, QueryOptions } from './connection-pool.ts';
import { isStatementError } from '../errors.ts';
import { ACQUIRE_TIMEOUT } from './pool-queue.ts';
import { PreparedQuery } from './prepared-query.ts';
import type { QueryCallback, QueryResult } from './prepared-query.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';

// At most two connections are shared: more than this process can keep busy.
/** Statements under way on the first before a second is opened. */
const SECOND_PIPELINE_THRESHOLD = 32;
/** Statements under way on each, at most: each answer waits for those before it. */
const MAX_PIPELINE_DEPTH = 128;

/** A connection, or who waits for it to be there. */
interface Pipeline {
  inFlight: number;
  lease: Lease | undefined;
  queue: ((lease: Lease | Error) => void)[];
  isCorked: boolean;
}

/**
 * Runs brief statements several on one connection, each in a transaction of its own, without waiting for the answers to
 * those before: what is asked in one turn of the event loop is written at once, and PostgreSQL wakes up once for it. A
 * connection goes back when nothing is under way on it. docs/decisions, 0038.
 */
export class PipelinedReads {
  readonly #pool: ConnectionPool;
  readonly #pipelines: Pipeline[] = [];

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** @returns undefined where the statement should rather have a connection of its own */
  run(bound: BoundStatement, options: QueryOptions): Promise<QueryResult> | undefined {
    const open = this.#leastBusy();
    const pipeline = open ?? { inFlight: 0, lease: undefined, queue: [], isCorked: false };
    if (pipeline.inFlight >= MAX_PIPELINE_DEPTH) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
    const callback: QueryCallback = (error, [rows = []] = []) => {
      pipeline.inFlight -= 1;
      // Of one that broke the others are told by pg, and run again: all of them only read.
      if (error !== null && !isStatementError(error)) this.#release(pipeline, error);
      else if (pipeline.inFlight === 0) this.#release(pipeline);
      if (error === null) resolve({ rows });
      else reject(error);
    };
    pipeline.inFlight += 1;
    const send = (lease: Lease | Error) => {
      if (lease instanceof Error) {
        callback(lease);
        return;
      }
      corkUntilImmediate(pipeline, lease.client);
      lease.client.query(new PreparedQuery(lease.client, [bound], options.deadline, callback));
    };
    if (pipeline.lease !== undefined) {
      send(pipeline.lease);
      return promise;
    }
    // Whoever had it opened may wait for it longer than this one.
    const timer = setTimeout(() => {
      pipeline.queue.splice(pipeline.queue.indexOf(sendInTime), 1);
      pipeline.inFlight -= 1;
      reject(ACQUIRE_TIMEOUT);
    }, options.deadline - performance.now());
    const sendInTime = (lease: Lease | Error) => {
      clearTimeout(timer);
      send(lease);
    };
    pipeline.queue.push(sendInTime);
    if (open === undefined) this.#open(pipeline, options); // which may fail at once, and then tells who waits
    return promise;
  }

  /** @returns undefined where another should be opened */
  #leastBusy(): Pipeline | undefined {
    const [first, second] = this.#pipelines;
    if (first === undefined || second === undefined)
      return first && first.inFlight < SECOND_PIPELINE_THRESHOLD ? first : undefined;
    return first.inFlight <= second.inFlight ? first : second;
  }

  #open(pipeline: Pipeline, options: QueryOptions): void {
    this.#pipelines.push(pipeline);
    this.#pool.acquire(options, (lease) => {
      if (!(lease instanceof Error)) pipeline.lease = lease;
      for (const send of pipeline.queue.splice(0)) send(lease);
      if (pipeline.inFlight === 0) this.#release(pipeline); // nobody waits for it any more
    });
  }

  #release(pipeline: Pipeline, error?: Error): void {
    const index = this.#pipelines.indexOf(pipeline);
    if (index >= 0) this.#pipelines.splice(index, 1);
    pipeline.lease?.release(error);
  }
}

/** Holds back what is written until this turn of the event loop has asked all that it asks. */
function corkUntilImmediate(pipeline: Pipeline, { connection: { stream } }: PoolClient): void {
  if (pipeline.isCorked) return;
  pipeline.isCorked = true;
  stream.cork();
  setImmediate(() => {
    pipeline.isCorked = false;
    stream.uncork();
  });
}
