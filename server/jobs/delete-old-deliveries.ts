import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { DELETE_BATCH_SIZE, deleteOldDeliveries } from '../../entities/webhook/delivery-statements.ts';
import { startRetentionJob } from './retention-job.ts';

/** Milliseconds between two runs. */
const INTERVAL_MS = 600_000;

/** Starts a retention job that deletes old deliveries of webhooks. Returns a function that stops it. */
export function startDeliveryCleanup(
  database: Database,
  log: Pick<Logger, 'warn'>,
  intervalMs = INTERVAL_MS,
): () => Promise<void> {
  const session = new Session(database, null, 'delete-old-deliveries');
  const deleteBatch = async () => (await session.one(deleteOldDeliveries, {})).deleted;
  return startRetentionJob({ subject: 'webhook', batchSize: DELETE_BATCH_SIZE, deleteBatch, intervalMs }, log);
}
