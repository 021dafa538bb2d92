import { AsyncLocalStorage } from 'node:async_hooks';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { ConnectionPool } from '../postgresql/connection-pool.ts';
import { isStatementError } from '../errors.ts';
import { queryWithTimeout } from '../postgresql/prepared-query.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';

/** When the unit of work that runs must have ended, by `performance.now()`: Kysely asks for connections in its own words. */
const deadlineStorage = new AsyncLocalStorage<number>();

const BEGIN_PATTERN = /^(begin|start transaction)\b/i;

/** Does the work of an entity manager, of which nothing waits longer than that. */
export const withDeadline = <T>(deadline: number, work: () => Promise<T>): Promise<T> =>
  deadlineStorage.run(deadline, work);

/**
 * What the ORM takes for a pool: the same connections, for as long as a unit of work may have one.
 * @param begin what is sent for the beginning of a transaction
 */
export function kyselyPool(pool: ConnectionPool, begin = (text: string) => text): PostgresPool {
  return {
    connect: () => leaseClient(pool, begin, deadlineStorage.getStore() ?? performance.now() + TIMEOUTS_MS.request),
    end: async () => {}, // they are not the ORM's to close
    options: {},
  };
}

function leaseClient(
  pool: ConnectionPool,
  begin: (text: string) => string,
  deadline: number,
): Promise<PostgresPoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<PostgresPoolClient>();
  pool.acquire({ write: true, deadline }, (lease) => {
    if (lease instanceof Error) {
      reject(lease);
      return;
    }
    const { client, release: releaseLease } = lease;
    // One that dies inside a transaction is never given back by Kysely (kysely-org/kysely#1990).
    client.once('error', releaseLease);
    const query = async (text: string, values: unknown[] = []) => {
      try {
        return await client.query(queryWithTimeout(BEGIN_PATTERN.test(text) ? begin(text) : text, deadline, values));
      } catch (error) {
        // Who waited for the server in vain does not wait for it to roll back: that comes with the end of the connection.
        if (!isStatementError(error)) releaseLease(error);
        throw error;
      }
    };
    const release = () => {
      client.off('error', releaseLease);
      releaseLease();
    };
    const kyselyClient: unknown = { query, release };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without the cursors of streams, which nothing here uses
    resolve(kyselyClient as PostgresPoolClient);
  });
  return promise;
}
