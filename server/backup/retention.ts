import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '../../procedures/jobs/job.ts';
import { replacedAt } from '../config/data-dir.ts';
import { BACKUP_RETENTION_DAYS, deleteOldUpgradeBackups } from './upgrade.ts';

const DAY_MS = 86_400_000;

/** Deletes databases that a restore replaced more than 30 days ago: they hold people who were forgotten since. Returns their number. */
async function deleteReplacedDatabases(dataDir: string): Promise<number> {
  const oldest = Date.now() - BACKUP_RETENTION_DAYS * DAY_MS;
  const old = (await readdir(dataDir)).filter((name) => (replacedAt(name) ?? Infinity) < oldest);
  for (const name of old) await rm(join(dataDir, name), { recursive: true, force: true });
  return old.length;
}

/** Deletes old backups of upgrades and replaced databases in DATA_DIR, at the start and each hour. */
export const backupCleanup = (dataDir: string): Job => ({
  kind: 'interval',
  name: 'delete-old-backups',
  failure: 'backups of upgrades: deleting expired rows failed',
  intervalMs: 3_600_000,
  run: async () => {
    await deleteOldUpgradeBackups(dataDir);
    await deleteReplacedDatabases(dataDir);
  },
});
