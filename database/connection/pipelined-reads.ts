import type { PoolClient } from 'pg';
import type { ConnectionPool, Lease, QueryOptions } from './connection-pool.ts';
import { isStatementError } from '../errors.ts';
import { ACQUIRE_TIMEOUT } from './pool-queue.ts';
import { PreparedQuery } from './prepared-query.ts';
import type { QueryCallback, QueryResult } from './prepared-query.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';

// At most two connections carry pipelined reads: more than this process can keep busy.
/** Statements in flight on the first connection before a second one opens. */
const SECOND_PIPELINE_THRESHOLD = 32;
/** Maximum number of statements in flight on a connection. Each result waits for those before it. */
const MAX_PIPELINE_DEPTH = 128;

/** A pipelined connection and the statements waiting for it to open. */
interface Pipeline {
  inFlight: number;
  /** Number of statements, those that have ended included. */
  statements: number;
  lease: Lease | undefined;
  queue: ((lease: Lease | Error) => void)[];
  /** Options of the request for its connection. Its deadline is the latest of the waiting statements. It belongs to no company. */
  options: QueryOptions;
  isCorked: boolean;
}

/**
 * Pipelines short reads over shared connections, each in a separate transaction. Statements of one event loop turn are
 * written together, so PostgreSQL wakes up once. A connection returns to the pool when nothing is in flight on it.
 * decision 0038.
 */
export class PipelinedReads {
  readonly #pool: ConnectionPool;
  readonly #maxStatements: number;
  readonly #pipelines: Pipeline[] = [];

  /** @param maxStatements number of statements after which the connection must return to the pool, so that others get it */
  constructor(pool: ConnectionPool, maxStatements = Infinity) {
    this.#pool = pool;
    this.#maxStatements = maxStatements;
  }

  /** @returns undefined if the statement should run on an exclusive connection */
  run(bound: BoundStatement, options: QueryOptions): Promise<QueryResult> | undefined {
    const open = this.#leastBusy();
    const pipeline = open ?? newPipeline(options);
    if (pipeline.inFlight >= MAX_PIPELINE_DEPTH) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
    const callback: QueryCallback = (error, [rows = []] = []) => {
      pipeline.inFlight -= 1;
      // If the connection breaks, pg fails all statements on it. All are reads, so they are retried.
      if (error !== null && !isStatementError(error)) this.#release(pipeline, error);
      else if (pipeline.inFlight === 0) this.#release(pipeline);
      if (error === null) resolve({ rows });
      else reject(error);
    };
    pipeline.inFlight += 1;
    pipeline.statements += 1;
    if (pipeline.statements === this.#maxStatements) this.#leave(pipeline);
    const send = (lease: Lease | Error) => {
      if (lease instanceof Error) {
        callback(lease);
        return;
      }
      corkUntilImmediate(pipeline, lease.client);
      const deadline = lease.queryDeadline(options.deadline);
      lease.client.query(new PreparedQuery(lease.client, [bound], deadline, callback));
    };
    if (pipeline.lease !== undefined) {
      send(pipeline.lease);
      return promise;
    }
    // One of the other waiting statements may have a later deadline.
    pipeline.options.deadline = Math.max(pipeline.options.deadline, options.deadline);
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
    if (open === undefined) this.#open(pipeline); // may fail at once, so the statement is queued before
    return promise;
  }

  /** @returns undefined if another pipeline should open */
  #leastBusy(): Pipeline | undefined {
    const [first, second] = this.#pipelines;
    if (first === undefined || second === undefined)
      return first && first.inFlight < SECOND_PIPELINE_THRESHOLD ? first : undefined;
    return first.inFlight <= second.inFlight ? first : second;
  }

  #open(pipeline: Pipeline): void {
    this.#pipelines.push(pipeline);
    this.#pool.acquire(pipeline.options, (lease) => {
      if (!(lease instanceof Error)) pipeline.lease = lease;
      for (const send of pipeline.queue.splice(0)) send(lease);
      if (pipeline.inFlight === 0) this.#release(pipeline); // all waiting statements have timed out or failed
    });
  }

  /** Sends no further statements over a pipeline. */
  #leave(pipeline: Pipeline): void {
    const index = this.#pipelines.indexOf(pipeline);
    if (index >= 0) this.#pipelines.splice(index, 1);
  }

  #release(pipeline: Pipeline, error?: Error): void {
    this.#leave(pipeline);
    pipeline.lease?.release(error);
  }
}

const newPipeline = (options: QueryOptions): Pipeline => ({
  inFlight: 0,
  statements: 0,
  lease: undefined,
  queue: [],
  options: { ...options, company: undefined },
  isCorked: false,
});

/** Buffers writes until the end of this event loop turn. */
function corkUntilImmediate(pipeline: Pipeline, { connection: { stream } }: PoolClient): void {
  if (pipeline.isCorked) return;
  pipeline.isCorked = true;
  stream.cork();
  setImmediate(() => {
    pipeline.isCorked = false;
    stream.uncork();
  });
}
