import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { openPglite } from '../../../database/pglite/open.ts';
import { Session } from '../../../database/session.ts';
import { createCaller } from '../../../procedures/index.ts';
import { databaseDir, recoverDataDir } from '../../../server/config/data-dir.ts';
import { prepareDataDir } from '../database/template.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from './service-process.ts';

const VENDORS = '/external/smart-inventory/vendor';

export interface BackupReport {
  file: string;
  sha256: string;
  rows: Record<string, number>;
  trails: { name: string; intact: boolean; sealed: number }[];
  kept?: string;
}

/** Creates a temporary directory for DATA_DIRs and backup files, with the backup commands. */
export async function createBackupFolder() {
  const folder = await temporaryFolder();
  const pathTo = (...names: string[]) => join(folder, ...names);

  /** Runs a backup command with this DATA_DIR. */
  const runBackup = (dataDir: string, args: string[], environment: Record<string, string> = {}) =>
    runProgram('cli/manage.ts', ['backup', ...args], { DATA_DIR: pathTo(dataDir), ...environment });

  /** Runs a backup command that succeeds. */
  async function backupReport(dataDir: string, ...args: string[]): Promise<BackupReport> {
    const result = await runBackup(dataDir, args);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(result.stdout) as BackupReport;
  }

  /** Recovers a DATA_DIR that no server uses, and returns the companies in its database. */
  async function companyNames(dataDir: string): Promise<string[]> {
    await recoverDataDir(pathTo(dataDir));
    const database = await openPglite(databaseDir(pathTo(dataDir)));
    const session = new Session(database, null, 'test');
    const { management } = createCaller({ requestId: 'test', caller: 'operator', address: null, session });
    const names = (await management.company.list()).flatMap((one) => ('name' in one ? [one.name] : []));
    await database.close();
    return names;
  }

  /** Changes a database that no server uses as its superuser, as a fault or another version could have left it. */
  async function changeDatabase(dataDir: string, ...statements: string[]): Promise<void> {
    const database = await openPglite(databaseDir(pathTo(dataDir)));
    for (const [index, statement] of ['reset role', ...statements].entries())
      await database.query(`test.change-${index}`, statement, []);
    await database.close();
  }

  return { folder, pathTo, runBackup, backupReport, changeDatabase, companyNames };
}

/** Starts a server with one vendor and makes a backup of it, `first.tar.gz`. */
export async function startBackedUpService({
  pathTo,
  backupReport,
}: Pick<Awaited<ReturnType<typeof createBackupFolder>>, 'pathTo' | 'backupReport'>) {
  await prepareDataDir(pathTo('data'));
  const service = await startServiceProcess({ DATA_DIR: pathTo('data') });
  const key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? '';
  const createVendor = (name: string) =>
    fetch(`${service.url}${VENDORS}/new`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name }),
    });
  // A busy service rejects requests right after its start.
  await vi.waitUntil(async () => (await createVendor('Cloud Ltd')).status === 201, { timeout: 60_000, interval: 200 });
  const backup = pathTo('first.tar.gz');
  await backupReport('data', 'create', backup, '--server', service.url);
  return { service, key, backup, createVendor, stop: () => stopServiceProcess(service, 'SIGKILL') };
}
