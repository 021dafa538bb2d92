import type { PoolConfig } from 'pg';
import { TypeOverrides, types } from 'pg';
import type { RunStatement, TransactionOptions } from '../driver.ts';
import { asApiError } from '../errors.ts';
import { FrozenError } from '../../entities/company/freezing.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { Lease, PoolLimits, QueryOptions } from './connection-pool.ts';
import { execute, executeOn } from './execute.ts';
import { PipelinedReads } from './pipelined-reads.ts';
import { queryWithTimeout } from './prepared-query.ts';
import { WriteBatcher } from './write-batcher.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';

/** Options for the connections to one server. */
interface Options extends PoolLimits {
  /** Number of pipelined reads after which a connection returns to the pool. */
  maxPipelinedReads?: number;
  /** Adapts each statement to a pooler. Reads are then not pipelined, and writes not batched. */
  adapt?: ((bound: BoundStatement) => BoundStatement) | undefined;
}

/** Statements and transactions on the connections to one server, which is PostgreSQL or the embedded database. */
export interface Connections {
  pool: ConnectionPool;
  run: (bound: BoundStatement, options: QueryOptions) => Promise<{ rows: Record<string, unknown>[] }>;
  transaction: <T>(work: (run: RunStatement) => Promise<T>, options: TransactionOptions) => Promise<T>;
  close: () => Promise<void>;
}

/** Makes pg return dates and times as text in the format of PostgreSQL. */
export function datesAsText(): TypeOverrides {
  const overrides = new TypeOverrides();
  for (const type of [types.builtins.DATE, types.builtins.TIMESTAMP, types.builtins.TIMESTAMPTZ]) {
    overrides.setTypeParser(type, (text: string) => text);
  }
  return overrides;
}

/** Opens a pool of connections to a server. The first query connects. */
export function openConnections(config: PoolConfig, { maxPipelinedReads, adapt, ...limits }: Options): Connections {
  const pool = new ConnectionPool({ ...config, types: datesAsText() }, limits);
  const pipelinedReads = adapt === undefined ? new PipelinedReads(pool, maxPipelinedReads) : undefined;
  const writeBatcher = adapt === undefined ? new WriteBatcher(pool) : undefined;
  const run = (bound: BoundStatement, options: QueryOptions) =>
    (bound.lockKey === undefined ? undefined : writeBatcher?.run(bound, options)) ??
    (options.pipelined === true ? pipelinedReads?.run(bound, options) : undefined) ??
    execute(pool, adapt?.(bound) ?? bound, options);
  return {
    pool,
    run,
    transaction: (work, options) => runTransaction(pool, work, options, adapt),
    close: () => pool.end(),
  };
}

async function runTransaction<T>(
  pool: ConnectionPool,
  work: (run: RunStatement) => Promise<T>,
  { deadline, company }: TransactionOptions,
  adapt?: (bound: BoundStatement) => BoundStatement,
): Promise<T> {
  const lease = await acquireLease(pool, { write: true, deadline, company });
  const { client, release, queryDeadline } = lease;
  const query = (text: string) => client.query(queryWithTimeout(text, queryDeadline(deadline)));
  try {
    await query('begin');
    const result = await work((bound) => executeOn(lease, adapt?.(bound) ?? bound, deadline));
    const { command } = await query('commit');
    if (command !== 'COMMIT')
      throw new Error('transaction: rolled back, because it continued after a failed statement');
    release();
    return result;
  } catch (error) {
    // Closing the connection rolls back without another round trip to a server that does not respond.
    const apiError = asApiError(error);
    if (apiError?.code === 'unavailable' && !(apiError instanceof FrozenError)) release(error);
    else await query('rollback').then(() => release(), release);
    throw error;
  }
}

/** Leases a connection for exclusive use. */
export function acquireLease(pool: ConnectionPool, options: QueryOptions): Promise<Lease> {
  const { promise, resolve, reject } = Promise.withResolvers<Lease>();
  pool.acquire(options, (lease) => (lease instanceof Error ? reject(lease) : resolve(lease)));
  return promise;
}
