import { DatabaseError } from 'pg';
import type { ClientBase } from 'pg';
import type { ConnectionPool, QueryOptions } from './connection-pool.ts';
import { isStatementError } from '../errors.ts';
import { PreparedQuery, clearPreparedStatements } from './prepared-query.ts';
import type { QueryCallback, Row, QueryResult } from './prepared-query.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';

/** The connection has no prepared statement of this name. */
const INVALID_SQL_STATEMENT_NAME = '26000';

/** Runs a statement on a leased connection. */
export function executeOn(client: ClientBase, bound: BoundStatement, deadline: number): Promise<QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  const callback: QueryCallback = (error, [rows = []] = []) => (error === null ? resolve({ rows }) : reject(error));
  client.query(new PreparedQuery(client, [bound], deadline, callback));
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
    let hasRetried = false;
    const callback: QueryCallback = (error, results = []) => {
      if (!hasRetried && error instanceof DatabaseError && error.code === INVALID_SQL_STATEMENT_NAME) {
        // The pooler has switched to another server connection. PostgreSQL has executed nothing.
        hasRetried = true;
        clearPreparedStatements(client);
        client.query(new PreparedQuery(client, statements, options.deadline, callback));
        return;
      }
      lease.release(error === null || isStatementError(error) ? undefined : error);
      if (error === null) resolve(results);
      else reject(error);
    };
    client.query(new PreparedQuery(client, statements, options.deadline, callback));
  });
  return promise;
}
