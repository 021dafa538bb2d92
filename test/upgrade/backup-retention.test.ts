import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Database } from '../../database/database.ts';
import { BACKUP_RETENTION_DAYS, listUpgradeBackups, backupCleanup } from '../../server/backup/upgrade.ts';
import { startJob } from '../../server/jobs/runner.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { stubDriver } from '../support/database/stub-driver.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

test('a start deletes backups of upgrades and replaced databases that are older than 30 days, without an upgrade', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'backups'));
  const ages = { '0.4.0': BACKUP_RETENTION_DAYS + 1, '0.5.0': BACKUP_RETENTION_DAYS - 1 };
  for (const [version, days] of Object.entries(ages)) {
    const file = join(folder, 'backups', `before-${version}.tar.gz`);
    await writeFile(file, version);
    await utimes(file, daysAgo(days), daysAgo(days));
  }
  const replaced = (days: number) => `replaced-${daysAgo(days).toISOString().replaceAll(/[:.]/g, '-')}`;
  const [old, ...kept] = [replaced(BACKUP_RETENTION_DAYS + 1), replaced(BACKUP_RETENTION_DAYS - 1), 'replaced-mine'];
  for (const name of [old, ...kept]) await mkdir(join(folder, name, 'base'), { recursive: true });
  const stop = startJob(backupCleanup(folder), { database: new Database(stubDriver({})), log: createLog('silent') });
  await vi.waitFor(async () => expect(await readdir(folder)).not.toContain(old));
  await stop();
  expect((await readdir(folder)).toSorted()).toEqual(['backups', ...kept].toSorted());
  expect((await listUpgradeBackups(folder)).map(({ version }) => version)).toEqual(['0.5.0']);
});
