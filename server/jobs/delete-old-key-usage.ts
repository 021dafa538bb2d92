import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { USAGE_DELETE_BATCH_SIZE, deleteOldUsage } from '../../entities/api-key/usage-statements.ts';
import { startRetentionJob } from './retention-job.ts';

/** Milliseconds between two runs. */
const INTERVAL_MS = 600_000;

/** Starts a retention job that deletes the usage of API keys on old days. Returns a function that stops it. */
export function startKeyUsageCleanup(
  database: Database,
  log: Pick<Logger, 'warn'>,
  intervalMs = INTERVAL_MS,
): () => Promise<void> {
  const session = new Session(database, null, 'delete-old-key-usage');
  const deleteBatch = async () => (await session.one(deleteOldUsage, {})).deleted;
  return startRetentionJob(
    { subject: 'API key usage', batchSize: USAGE_DELETE_BATCH_SIZE, deleteBatch, intervalMs },
    log,
  );
}
