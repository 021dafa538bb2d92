import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { DELETE_BATCH_SIZE, deleteExpiredRecords } from '../../entities/statements/idempotency-record.ts';

/** Milliseconds between two rounds: for about so long an answer that has expired is still stored, and not given. */
const INTERVAL_MS = 60_000;

/**
 * Removes remembered answers that have expired, outside any request; several processes on one database share the work.
 * @param intervalMs milliseconds between two rounds
 * @returns stops it: resolves when the statement that runs, if any, has ended
 */
export function startIdempotencyCleanup(
  database: Database,
  log: Pick<Logger, 'warn'>,
  intervalMs = INTERVAL_MS,
): () => Promise<void> {
  const session = new Session(database, null, 'delete-expired-idempotency-records');
  const stopped = new AbortController();
  let round = Promise.resolve();

  async function deleteExpired(): Promise<void> {
    try {
      for (let deleted = DELETE_BATCH_SIZE; deleted === DELETE_BATCH_SIZE && !stopped.signal.aborted;) {
        deleted = (await session.one(deleteExpiredRecords, {})).deleted;
      }
    } catch (error) {
      log.warn({ err: error }, 'expired answers were not removed');
    }
  }

  const timer = setInterval(() => {
    round = round.then(deleteExpired);
  }, intervalMs).unref();
  return () => {
    stopped.abort();
    clearInterval(timer);
    return round;
  };
}
