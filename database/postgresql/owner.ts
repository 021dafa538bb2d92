import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { datesAsText } from '../connection/connections.ts';
import type { Owner, OwnerQuery } from '../driver.ts';
import { isLockConflict } from '../errors.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';
import { connectionConfig, SESSION_OPTIONS } from './connection-url.ts';

/** Locks that a batch holds keep no request of another company waiting, but use the disk that they need too. */
const BATCH_MS = 200;
/** Longest wait for the locks of a request of the company that had begun before its close. */
const LOCK_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 5;
/** Milliseconds for which a lock is tried: the connection of a killed process may end later than the process. */
const LOCK_WAIT_MS = 5000;
const LOCK_POLL_MS = 200;

/** One connection of the role that owns the tables. */
export interface OwnerConnection extends Owner {
  query: OwnerQuery;
  /** Takes an advisory lock, until the connection ends. @returns false if another connection has it */
  lock(name: string): Promise<boolean>;
  close(): Promise<void>;
}

/** @param url without a pooler in between, as an advisory lock belongs to the connection */
export async function connectOwner(url: string): Promise<OwnerConnection> {
  const client = new Client({
    connectionTimeoutMillis: TIMEOUTS_MS.connect * 5,
    ...connectionConfig(url),
    ...SESSION_OPTIONS,
    lock_timeout: LOCK_TIMEOUT_MS,
    types: datesAsText(),
  });
  client.on('error', () => {}); // the next query fails with it
  await client.connect();
  const query: OwnerQuery = async <Row>(text: string, values: readonly unknown[] = []) => {
    const { rows } = await client.query(text, [...values]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each caller declares the type of its rows
    return rows as Row[];
  };
  const attempt = async <T>(work: (inside: OwnerQuery) => Promise<T>): Promise<T> => {
    await client.query('begin');
    try {
      const result = await work(query);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => {}); // the connection has ended
      throw error;
    }
  };
  return {
    batchMs: BATCH_MS,
    query,
    async transaction(work) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await attempt(work);
        } catch (error) {
          if (attempts === MAX_ATTEMPTS || !isLockConflict(error)) throw error;
        }
      }
    },
    async lock(name) {
      const text = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked';
      for (const end = performance.now() + LOCK_WAIT_MS; ; await wait(LOCK_POLL_MS)) {
        const [row] = await query<{ locked: boolean }>(text, [name]);
        if (row?.locked === true || performance.now() > end) return row?.locked === true;
      }
    },
    close: () => client.end(),
  };
}
