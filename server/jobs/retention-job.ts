import type { Logger } from 'pino';

/** A job that deletes expired rows in batches. */
interface RetentionJob {
  /** Subject of its log lines. */
  subject: string;
  batchSize: number;
  /** Deletes one batch. Returns the number of deleted rows; fewer than `batchSize` if no more remain. */
  deleteBatch: () => Promise<number>;
  /** Milliseconds between two runs. */
  intervalMs: number;
}

/**
 * Starts a retention job. Several processes on one database share the work.
 * @returns a function that stops the job and resolves when the current statement has ended
 */
export function startRetentionJob(
  { subject, batchSize, deleteBatch, intervalMs }: RetentionJob,
  log: Pick<Logger, 'warn'>,
): () => Promise<void> {
  const stopped = new AbortController();
  let currentRun = Promise.resolve();

  async function deleteExpired(): Promise<void> {
    try {
      for (let deleted = batchSize; deleted >= batchSize && !stopped.signal.aborted;) deleted = await deleteBatch();
    } catch (error) {
      log.warn({ err: error }, `${subject}: deleting expired rows failed`);
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
