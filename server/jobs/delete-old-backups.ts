import type { Logger } from 'pino';
import { deleteOldUpgradeBackups } from '../backup/upgrade.ts';
import { startRetentionJob } from './retention-job.ts';

/** Milliseconds between two runs. */
const INTERVAL_MS = 3_600_000;

/** Starts a retention job that deletes old backups of upgrades in DATA_DIR. Returns a function that stops it. */
export const startBackupCleanup = (dataDir: string, log: Pick<Logger, 'warn'>): (() => Promise<void>) =>
  startRetentionJob(
    {
      subject: 'backups of upgrades',
      batchSize: Infinity,
      deleteBatch: () => deleteOldUpgradeBackups(dataDir),
      intervalMs: INTERVAL_MS,
    },
    log,
  );
