import type { ConnectionPool } from '../connection/connection-pool.ts';
import { acquireLease } from '../connection/connections.ts';
import { queryWithTimeout } from '../connection/prepared-query.ts';
import type { Owner } from '../driver.ts';

/** PGlite's default role. The service runs as a role that is subject to row-level security. */
const SUPERUSER = 'postgres';
/** Maximum number of milliseconds for one statement or transaction, waiting for the connection included. */
const TIMEOUT_MS = 60_000;

/** Runs a statement without parameters as the superuser. */
export type SuperuserQuery = <Row>(text: string) => Promise<Row[]>;

/** Returns a function that runs statements of the superuser, each in a separate transaction. */
export function superuserQuery(pool: ConnectionPool): SuperuserQuery {
  return async <Row>(text: string) => {
    const deadline = performance.now() + TIMEOUT_MS;
    const { client, release } = await acquireLease(pool, { write: false, deadline });
    try {
      await client.query(`begin; set local role ${SUPERUSER}`);
      const { rows } = await client.query(queryWithTimeout(text, deadline));
      await client.query('commit');
      release();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each caller declares the type of its rows
      return rows as Row[];
    } catch (error) {
      release(error); // a new session rolls back
      throw error;
    }
  };
}

/** Other requests wait for a batch, as all share one connection. The wait of a request is at most some batches. */
const BATCH_MS = 60;

/** Transactions of the superuser, who owns the tables. */
export const embeddedOwner = (pool: ConnectionPool): Owner => ({
  batchMs: BATCH_MS,
  async transaction(work) {
    const { client, release } = await acquireLease(pool, { write: true, deadline: performance.now() + TIMEOUT_MS });
    try {
      await client.query(`begin; set local role ${SUPERUSER}`);
      const result = await work(async <Row>(text: string, values: readonly unknown[] = []) => {
        const { rows } = await client.query(text, [...values]);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each caller declares the type of its rows
        return rows as Row[];
      });
      await client.query('commit');
      release();
      return result;
    } catch (error) {
      release(error); // a new session rolls back
      throw error;
    }
  },
});
