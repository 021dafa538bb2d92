import { AsyncLocalStorage } from 'node:async_hooks';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { ConnectionPool } from './connection-pool.ts';
import { acquireLease } from './connections.ts';
import type { TransactionOptions } from '../driver.ts';
import { isStatementError } from '../errors.ts';
import { queryWithTimeout } from './prepared-query.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';

/** Options of the current unit of work. Kysely's pool interface cannot pass them. */
const optionsStorage = new AsyncLocalStorage<TransactionOptions>();

const BEGIN_PATTERN = /^(begin|start transaction)\b/i;

/** Applies a deadline and a company to all queries of entity managers in `work`. */
export const withOptions = <T>(options: TransactionOptions, work: () => Promise<T>): Promise<T> =>
  optionsStorage.run(options, work);

/**
 * Adapts the connection pool to the pool interface of Kysely, which the ORM uses.
 * @param begin maps the SQL that begins a transaction
 */
export function kyselyPool(pool: ConnectionPool, begin = (text: string) => text): PostgresPool {
  return {
    connect: () =>
      leaseClient(pool, begin, optionsStorage.getStore() ?? { deadline: performance.now() + TIMEOUTS_MS.request }),
    end: async () => {}, // the owner of the pool closes it
    options: {},
  };
}

async function leaseClient(
  pool: ConnectionPool,
  begin: (text: string) => string,
  { deadline, company }: TransactionOptions,
): Promise<PostgresPoolClient> {
  const lease = await acquireLease(pool, { write: true, deadline, company });
  const { client, release: releaseLease, queryDeadline } = lease;
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
