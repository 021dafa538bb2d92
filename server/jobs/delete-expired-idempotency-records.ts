import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { DELETE_BATCH_SIZE, deleteExpiredRecords } from '../../entities/statements/idempotency-record.ts';

/** Milliseconds between two runs. An expired record is no longer used, but may stay stored for this long. */
const INTERVAL_MS = 60_000;

/**
 * Starts a retention job that deletes expired idempotency records. Several processes on one database share the work.
 * @param intervalMs milliseconds between two runs
 * @returns a function that stops the job and resolves when the current statement has ended
 */
export function startIdempotencyCleanup(
  database: Database,
  log: Pick<Logger, 'warn'>,
  intervalMs = INTERVAL_MS,
): () => Promise<void> {
  const session = new Session(database, null, 'delete-expired-idempotency-records');
  const stopped = new AbortController();
  let currentRun = Promise.resolve();

  async function deleteExpired(): Promise<void> {
    try {
      for (let deleted = DELETE_BATCH_SIZE; deleted === DELETE_BATCH_SIZE && !stopped.signal.aborted;) {
        deleted = (await session.one(deleteExpiredRecords, {})).deleted;
      }
    } catch (error) {
      log.warn({ err: error }, 'idempotency records: deleting expired records failed');
    }
  }

  const timer = setInterval(() => {
    currentRun = currentRun.then(deleteExpired);
  }, intervalMs).unref();
  return () => {
    stopped.abort();
    clearInterval(timer);
    return currentRun;
  };
}
