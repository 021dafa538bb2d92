import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { EXPIRED_BATCH_SIZE, deleteExpiredSignIns } from '../../entities/sign-in/expired.ts';
import { startRetentionJob } from './retention-job.ts';

/** Milliseconds between two runs. No expired row works, but may stay stored for this long. */
const INTERVAL_MS = 600_000;

/**
 * Starts a retention job that deletes expired browser sessions, reset links and challenges. Returns a function that stops it.
 */
export function startSignInCleanup(
  database: Database,
  log: Pick<Logger, 'warn'>,
  intervalMs = INTERVAL_MS,
): () => Promise<void> {
  const session = new Session(database, null, 'delete-expired-sign-ins');
  const deleteBatch = async () => (await session.one(deleteExpiredSignIns, {})).deleted;
  return startRetentionJob({ subject: 'sign-ins', batchSize: EXPIRED_BATCH_SIZE, deleteBatch, intervalMs }, log);
}
