import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { DELETE_BATCH_SIZE, deleteExpiredRecords } from '../../entities/idempotency-record/statements.ts';
import { startRetentionJob } from './retention-job.ts';

/** Milliseconds between two runs. An expired record is no longer used, but may stay stored for this long. */
const INTERVAL_MS = 60_000;

/** Starts a retention job that deletes expired idempotency records. Returns a function that stops it. */
export function startIdempotencyCleanup(
  database: Database,
  log: Pick<Logger, 'warn'>,
  intervalMs = INTERVAL_MS,
): () => Promise<void> {
  const session = new Session(database, null, 'delete-expired-idempotency-records');
  const deleteBatch = async () => (await session.one(deleteExpiredRecords, {})).deleted;
  return startRetentionJob(
    { subject: 'idempotency records', batchSize: DELETE_BATCH_SIZE, deleteBatch, intervalMs },
    log,
  );
}
