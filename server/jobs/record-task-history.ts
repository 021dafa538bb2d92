import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { DELETE_BATCH_SIZE, deleteOldTaskHistory, recordTaskHistory } from '../../entities/task/status-history.ts';

/** Milliseconds between two runs. */
const INTERVAL_MS = 900_000;

/**
 * Starts a job that stores the numbers of tasks of today, now and then at an interval, and deletes old days. Several processes on one database
 * store the same numbers.
 * @returns a function that stops the job and resolves when the current statement has ended
 */
export function startTaskHistory(
  database: Database,
  log: Pick<Logger, 'warn'>,
  intervalMs = INTERVAL_MS,
): () => Promise<void> {
  const stopped = new AbortController();
  const session = new Session(database, null, 'record-task-history');

  async function run(): Promise<void> {
    if (stopped.signal.aborted) return;
    try {
      await session.one(recordTaskHistory, {});
      for (let deleted = DELETE_BATCH_SIZE; deleted === DELETE_BATCH_SIZE && !stopped.signal.aborted;)
        ({ deleted } = await session.one(deleteOldTaskHistory, {}));
    } catch (error) {
      log.warn({ err: error }, 'task history: recording failed');
    }
  }

  let currentRun = run();
  const timer = setInterval(() => {
    currentRun = currentRun.then(run);
  }, intervalMs).unref();
  return () => {
    stopped.abort();
    clearInterval(timer);
    return currentRun;
  };
}
