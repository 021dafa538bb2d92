import { USAGE_DELETE_BATCH_SIZE, deleteOldUsage } from '../../entities/api-key/usage-statements.ts';
import {
  DELETE_BATCH_SIZE as RECORD_BATCH_SIZE,
  deleteExpiredRecords,
} from '../../entities/idempotency-record/statements.ts';
import { DELETE_BATCH_SIZE as IMPORT_BATCH_SIZE, deleteOldImports } from '../../entities/import/progress.ts';
import { EXPIRED_BATCH_SIZE, deleteExpiredSignIns } from '../../entities/sign-in/expired.ts';
import { DELETE_BATCH_SIZE as HISTORY_BATCH_SIZE, deleteOldTaskHistory } from '../../entities/task/status-history.ts';
import {
  DELETE_BATCH_SIZE as DELIVERY_BATCH_SIZE,
  deleteOldDeliveries,
} from '../../entities/webhook/delivery-statements.ts';
import { sealing } from '../audit/sealing.ts';
import { importing } from '../import/job.ts';
import { taskHistory } from '../overview/history-job.ts';
import { endedWebhooks, sending } from '../webhook/jobs.ts';
import type { Job, RetentionJob } from './job.ts';

const MINUTE_MS = 60_000;

/** Every job on the database. A new one is a definition with its handler in the folder of its resource, and an entry here. */
export const JOBS: readonly Job[] = [
  sealing,
  importing,
  sending,
  endedWebhooks,
  taskHistory,
  retention('idempotency records', deleteExpiredRecords, RECORD_BATCH_SIZE, MINUTE_MS),
  retention('sign-ins', deleteExpiredSignIns, EXPIRED_BATCH_SIZE, 10 * MINUTE_MS),
  retention('API key usage', deleteOldUsage, USAGE_DELETE_BATCH_SIZE, 10 * MINUTE_MS),
  retention('webhook', deleteOldDeliveries, DELIVERY_BATCH_SIZE, 10 * MINUTE_MS),
  retention('import', deleteOldImports, IMPORT_BATCH_SIZE, MINUTE_MS, 'old imports'),
  retention('task history', deleteOldTaskHistory, HISTORY_BATCH_SIZE, 15 * MINUTE_MS),
];

/**
 * Defines a retention job. A row without use may stay stored for an interval more.
 * @param subject subject of its log lines
 */
function retention(
  subject: string,
  statement: RetentionJob['statement'],
  batchSize: number,
  intervalMs: number,
  rows = 'expired rows',
): RetentionJob {
  const failure = `${subject}: deleting ${rows} failed`;
  return { kind: 'retention', name: statement.name, failure, statement, batchSize, intervalMs, startsIdle: true };
}
