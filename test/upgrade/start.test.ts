import { mkdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { restoreBackup } from '../../cli/backup.ts';
import { openPglite } from '../../database/pglite/open.ts';
import { VERSION } from '../../database/version.ts';
import { checksumFile, listFiles } from '../../server/backup/archive.ts';
import { backUpBeforeUpgrade, deleteOldUpgradeBackups, listUpgradeBackups } from '../../server/backup/upgrade.ts';
import { databaseDir } from '../../server/config/data-dir.ts';
import { ConfigError, loadSettings } from '../../server/config/settings.ts';
import { openDatabase } from '../../server/process/database.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { prepareDataDir } from '../support/database/template.ts';
import { createBackupFolder } from '../support/servers/backup.ts';
import { TO_FIRST_VERSION } from './first-version.ts';
import { NODE_COMPILE_CACHE, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';

const DAY_MS = 86_400_000;
const { pathTo, changeDatabase, companyNames } = await createBackupFolder();
const dataDir = pathTo('data');
const preparedBy = join(databaseDir(dataDir), 'prepared-by');
const log = createLog('silent', []);
afterAll(() => void vi.unstubAllEnvs());

/** Changes the database of a stopped service, as another version could have left it. */
const change = (...statements: string[]) => changeDatabase('data', ...statements);

/** Prepares and opens the database as a start does, and closes it. */
async function start(settings: Record<string, string> = {}): Promise<void> {
  await using stack = new AsyncDisposableStack();
  await openDatabase(loadSettings({ DATA_DIR: dataDir, ...settings }), { log }, stack);
}

/** File without content on the disk, larger than any disk. */
const SPARSE_FILE = join(databaseDir(dataDir), 'sparse');

/** SHA-256 of each file below DATA_DIR, except those of the lock. */
async function checksums(): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  for (const file of await listFiles(dataDir)) {
    const isOfLock = /^(?:lock|lock-journal|holder)$/.test(relative(dataDir, file));
    if (!isOfLock && file !== SPARSE_FILE) sums[relative(dataDir, file)] = await checksumFile(file);
  }
  return sums;
}

/** Expects that a start ends with one line and changes no file. */
async function expectRefusal(line: string | RegExp): Promise<void> {
  const before = await checksums();
  const error: unknown = await start().catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ConfigError);
  expect(error).toMatchObject({ message: typeof line === 'string' ? line : expect.stringMatching(line) });
  expect(await checksums()).toEqual(before);
}

beforeAll(async () => {
  vi.stubEnv('NODE_COMPILE_CACHE', NODE_COMPILE_CACHE); // for the processes that prepare the database
  await prepareDataDir(dataDir);
  await rm(preparedBy);
  await start();
});

test('a start records the version that prepared the database', async () => {
  expect(await readFile(preparedBy, 'utf8')).toBe(VERSION);
});

describe('a start on data of an older version', () => {
  beforeAll(async () => {
    await change(...TO_FIRST_VERSION);
    await rm(preparedBy);
  });

  test('without room for the backup ends with the missing size', async () => {
    await writeFile(SPARSE_FILE, '');
    await truncate(SPARSE_FILE, 2 ** 43);
    await expectRefusal(
      /^DATA_DIR: \S+ lacks \d{7,} MiB for the backup before the upgrade; free that much space, or set UPGRADE_BACKUP=false$/,
    );
    await rm(SPARSE_FILE);
  });

  test('writes a backup that can be restored, and migrates', async () => {
    await start();
    const [backup] = await listUpgradeBackups(dataDir);
    expect(backup).toMatchObject({ version: VERSION, file: join(dataDir, 'backups', `before-${VERSION}.tar.gz`) });
    const options = { dataDir: pathTo('restored'), replace: false, anyTrail: false };
    const restored = await restoreBackup(backup?.file ?? '', options);
    expect(restored.rows).not.toHaveProperty('data_version');
    expect(restored.trails).toMatchObject([{ name: 'Demo', intact: true }]);
    expect(await companyNames('restored')).toEqual(['Demo']);
    expect(await readFile(preparedBy, 'utf8')).toBe(VERSION);
  });

  test('that was interrupted keeps the backup of the data before it', async () => {
    const backups = await listUpgradeBackups(dataDir);
    expect(backups).toHaveLength(1);
    // A later migration of the same version was applied, an earlier one was not.
    await change(
      ...TO_FIRST_VERSION,
      `insert into mikro_orm_migrations (name) values ('Migration99990101000000_later')`,
    );
    await backUpBeforeUpgrade(dataDir, openPglite);
    expect(await listUpgradeBackups(dataDir)).toEqual(backups);
  });

  test('writes no backup with UPGRADE_BACKUP=false, and none if no migration is pending', async () => {
    await rm(join(dataDir, 'backups'), { recursive: true });
    await rm(preparedBy);
    await start({ UPGRADE_BACKUP: 'false' });
    expect(await readFile(preparedBy, 'utf8')).toBe(VERSION);
    expect(await listUpgradeBackups(dataDir)).toEqual([]);
    await backUpBeforeUpgrade(dataDir, openPglite);
    expect(await listUpgradeBackups(dataDir)).toEqual([]);
  });
});

describe('a start on data of a newer version', () => {
  test('on which this one can run has a warning', async () => {
    await change(`update data_version set data = '90.1.0'`);
    await writeFile(preparedBy, '90.1.0');
    const service = await startServiceProcess({ DATA_DIR: dataDir });
    const { warnings } = (await (await fetch(`${service.url}/readyz`)).json()) as { warnings: string[] };
    expect(warnings).toEqual([`data: version 90.1.0 has already run on these data, and this is version ${VERSION}`]);
    expect(service.stdout).toContain('"msg":"data: a newer version has run on them"');
    expect(await stopServiceProcess(service)).toBe(0);
  });

  test('that need a newer one ends with the versions and the backup, before any file changes', async () => {
    await change(`update data_version set oldest = '90.0.0'`);
    await writeFile(preparedBy, '90.1.0');
    const line = `DATA_DIR: ${dataDir} contains data of version 90.1.0, and the oldest version that can run on them is 90.0.0; this is ${VERSION}; start a newer version`;
    await expectRefusal(line);
    await mkdir(join(dataDir, 'backups'));
    for (const version of ['100.0.0', '90.0.0', '0.0.1']) {
      await writeFile(join(dataDir, 'backups', `before-${version}.tar.gz`), version);
    }
    const backup = join(dataDir, 'backups', 'before-90.0.0.tar.gz');
    await expectRefusal(`${line}, or restore the backup: npx --no compliance backup restore ${backup} --replace`);
  });

  test('ends so too if this version prepared the database last', async () => {
    await writeFile(preparedBy, VERSION);
    const service = await startServiceProcess({ DATA_DIR: dataDir });
    expect(service.child.exitCode ?? (await stopServiceProcess(service))).toBe(1);
    expect(service.stderr).toMatch(/^DATA_DIR: \S+ contains data of version 90\.1\.0, [^\n]+\n$/);
  });
});

test('a start on tables that no version created ends with their names, before any file changes', async () => {
  await change(`update mikro_orm_migrations set name = name || '_else'`, 'drop table data_version, service_process');
  await rm(preparedBy);
  await expectRefusal(
    `DATA_DIR: ${dataDir} contains tables that no version of this service created (api_key, api_key_request, api_key_usage and 59 more); use another one, or move them away`,
  );
});

test('a start on files of another PostgreSQL ends with both versions, before any file changes', async () => {
  await writeFile(join(databaseDir(dataDir), 'PG_VERSION'), '17\n');
  await expectRefusal(
    `DATA_DIR: ${dataDir} has files of PostgreSQL 17, but this version includes PostgreSQL 18; start the version that wrote them`,
  );
});

test('the newest three backups are kept for 30 days', async () => {
  const folder = pathTo('kept');
  await mkdir(join(folder, 'backups'), { recursive: true });
  const age = { '0.2.0': 31, '0.3.0': 20, '0.4.0': 10, '0.5.0': 29, '0.6.0': 5 };
  for (const [version, days] of Object.entries(age)) {
    const file = join(folder, 'backups', `before-${version}.tar.gz`);
    await writeFile(file, version);
    const writtenAt = new Date(Date.now() - days * DAY_MS);
    await utimes(file, writtenAt, writtenAt);
  }
  await writeFile(join(folder, 'backups', 'mine.tar.gz'), 'kept');
  expect(await deleteOldUpgradeBackups(folder)).toBe(2);
  expect((await listUpgradeBackups(folder)).map(({ version }) => version)).toEqual(['0.6.0', '0.4.0', '0.3.0']);
  const thirtyDaysAgo = new Date(Date.now() - 30 * DAY_MS - 1000);
  await utimes(join(folder, 'backups', 'before-0.3.0.tar.gz'), thirtyDaysAgo, thirtyDaysAgo);
  expect(await deleteOldUpgradeBackups(folder)).toBe(1);
  expect(await readFile(join(folder, 'backups', 'mine.tar.gz'), 'utf8')).toBe('kept');
});
