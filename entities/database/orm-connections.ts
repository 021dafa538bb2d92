import { AsyncLocalStorage } from 'node:async_hooks';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Connections } from './connections.ts';
import { isAnswer } from './failure.ts';
import { boundedQuery } from './prepared.ts';
import { TIMEOUTS } from './timeouts.ts';

/** When the unit of work that runs must have ended, by `performance.now()`: Kysely asks for connections in its own words. */
const ends = new AsyncLocalStorage<number>();

const BEGINS = /^(begin|start transaction)\b/i;

/** Does the work of an entity manager, of which nothing waits longer than that. */
export const untilThen = <T>(until: number, work: () => Promise<T>): Promise<T> => ends.run(until, work);

/**
 * What the ORM takes for a pool: the same connections, for as long as a unit of work may have one.
 * @param begin what is sent for the beginning of a transaction
 */
export function ormConnections(connections: Connections, begin = (text: string) => text): PostgresPool {
  return {
    connect: () => lend(connections, begin, ends.getStore() ?? performance.now() + TIMEOUTS.request),
    end: async () => {}, // they are not the ORM's to close
    options: {},
  };
}

function lend(connections: Connections, begin: (text: string) => string, until: number): Promise<PostgresPoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<PostgresPoolClient>();
  connections.take({ writes: true, until }, (held) => {
    if (held instanceof Error) {
      reject(held);
      return;
    }
    const { client, giveBack } = held;
    // One that dies inside a transaction is never given back by Kysely (kysely-org/kysely#1990).
    client.once('error', giveBack);
    const query = async (text: string, values: unknown[] = []) => {
      try {
        return await client.query(boundedQuery(BEGINS.test(text) ? begin(text) : text, until, values));
      } catch (error) {
        // Who waited for the server in vain does not wait for it to roll back: that comes with the end of the connection.
        if (!isAnswer(error)) giveBack(error);
        throw error;
      }
    };
    const release = () => {
      client.off('error', giveBack);
      giveBack();
    };
    const lent: unknown = { query, release };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without the cursors of streams, which nothing here uses
    resolve(lent as PostgresPoolClient);
  });
  return promise;
}
