import type { ConnectionPool, Lease, QueryOptions } from './connection-pool.ts';
import { isStatementError } from '../errors.ts';
import { PreparedQuery } from './prepared-query.ts';
import type { QueryCallback, Row, QueryResult } from './prepared-query.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';

/** Runs a statement on a connection that is held. */
export function executeOn(
  { client, queryDeadline }: Lease,
  bound: BoundStatement,
  deadline: number,
): Promise<QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  const callback: QueryCallback = (error, [rows = []] = []) => (error === null ? resolve({ rows }) : reject(error));
  client.query(new PreparedQuery(client, [bound], queryDeadline(deadline), callback));
  return promise;
}

/** Runs a statement in a separate transaction on a connection from the pool. */
export async function execute(
  pool: ConnectionPool,
  bound: BoundStatement,
  options: QueryOptions,
): Promise<QueryResult> {
  const [rows = []] = await executeInTransaction(pool, [bound], options);
  return { rows };
}

/** Runs statements in one transaction on a connection from the pool. Closes the connection if it may be broken. */
export function executeInTransaction(
  pool: ConnectionPool,
  statements: readonly BoundStatement[],
  options: QueryOptions,
): Promise<readonly Row[][]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Row[][]>();
  pool.acquire(options, (lease) => {
    if (lease instanceof Error) {
      reject(lease);
      return;
    }
    const { client } = lease;
    const callback: QueryCallback = (error, results = []) => {
      lease.release(error === null || isStatementError(error) ? undefined : error);
      if (error === null) resolve(results);
      else reject(error);
    };
    client.query(new PreparedQuery(client, statements, lease.queryDeadline(options.deadline), callback));
  });
  return promise;
}
