import { AsyncLocalStorage } from 'node:async_hooks';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { ConnectionPool } from './connection-pool.ts';
import { acquireLease } from './connections.ts';
import { isStatementError } from '../errors.ts';
import { queryWithTimeout } from './prepared-query.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';

/** Deadline of the current unit of work, as a value of `performance.now()`. Kysely's pool interface cannot pass it. */
const deadlineStorage = new AsyncLocalStorage<number>();

const BEGIN_PATTERN = /^(begin|start transaction)\b/i;

/** Applies a deadline to all queries of entity managers in `work`. */
export const withDeadline = <T>(deadline: number, work: () => Promise<T>): Promise<T> =>
  deadlineStorage.run(deadline, work);

/**
 * Adapts the connection pool to the pool interface of Kysely, which the ORM uses.
 * @param begin maps the SQL that begins a transaction
 */
export function kyselyPool(pool: ConnectionPool, begin = (text: string) => text): PostgresPool {
  return {
    connect: () => leaseClient(pool, begin, deadlineStorage.getStore() ?? performance.now() + TIMEOUTS_MS.request),
    end: async () => {}, // the owner of the pool closes it
    options: {},
  };
}

async function leaseClient(
  pool: ConnectionPool,
  begin: (text: string) => string,
  deadline: number,
): Promise<PostgresPoolClient> {
  const { client, release: releaseLease, queryDeadline } = await acquireLease(pool, { write: true, deadline });
  // Kysely never releases a connection that breaks inside a transaction (kysely-org/kysely#1990).
  client.once('error', releaseLease);
  const query = async (text: string, values: unknown[] = []) => {
    try {
      const sql = BEGIN_PATTERN.test(text) ? begin(text) : text;
      return await client.query(queryWithTimeout(sql, queryDeadline(deadline), values));
    } catch (error) {
      // Closing the connection rolls back without another round trip to a server that does not respond.
      if (!isStatementError(error)) releaseLease(error);
      throw error;
    }
  };
  const release = () => {
    client.off('error', releaseLease);
    releaseLease();
  };
  const kyselyClient: unknown = { query, release };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- cursors for streaming are missing; nothing uses them
  return kyselyClient as PostgresPoolClient;
}
