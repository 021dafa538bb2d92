import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restoreBackup } from '../../cli/backup.ts';
import { openPglite } from '../../database/pglite/open.ts';
import { createArchive, extractArchive } from '../../server/backup/archive.ts';
import type { Manifest } from '../../server/backup/archive.ts';
import { databaseDir } from '../../server/config/data-dir.ts';
import { ConfigError } from '../../server/config/settings.ts';
import { databaseUrl } from '../support/database/database.ts';
import { createBackupFolder, startBackedUpService } from '../support/servers/backup.ts';
import type { BackupReport } from '../support/servers/backup.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';

const VENDORS = '/external/smart-inventory/vendor';

const { folder, pathTo, runBackup, backupReport, changeDatabase, companyNames } = await createBackupFolder();

// Starts separate processes with the embedded database, so one run is enough, whatever database the other tests use.
describe.runIf(databaseUrl === undefined)('of the embedded database,', () => {
  let service: ServiceProcess;
  let key: string;
  let backup: string;
  /** Backup after `backup`, with one more vendor and one more company. */
  const newer = pathTo('newer.tar.gz');
  let report: BackupReport;
  beforeAll(async () => {
    let createVendor: (name: string) => Promise<Response>;
    ({ service, key, backup, createVendor } = await startBackedUpService({ pathTo, backupReport }));
    // A DATA_DIR that every user of the machine can read.
    await mkdir(pathTo('restored'));
    await chmod(pathTo('restored'), 0o755);
    report = await backupReport('restored', 'restore', backup);
    await createVendor('Second');
    await runProgram('cli/manage.ts', ['company', 'create', '--name', 'New', '--server', service.url], {
      DATA_DIR: pathTo('data'),
    });
    await backupReport('data', 'create', newer, '--server', service.url);
  });
  afterAll(() => stopServiceProcess(service, 'SIGKILL'));

  const fileMode = async (path: string) => (await stat(path)).mode & 0o777;
  /** Copies the DATA_DIR into which the backup was restored. */
  const copyRestored = (name: string) => cp(pathTo('restored'), pathTo(name), { recursive: true });

  describe('a restored backup', () => {
    test('into an empty directory, it is private and serves the same keys and rows', async () => {
      expect(report.kept).toBeUndefined();
      expect(await fileMode(pathTo('restored', 'pglite'))).toBe(0o700);
      await copyRestored('served');
      const restored = await startServiceProcess({ DATA_DIR: pathTo('served') });
      expect(restored.output).not.toContain('svc_sk_live_');
      const headers = { 'X-API-Key': key };
      const list = await fetch(`${restored.url}${VENDORS}/list`, { headers });
      expect(await list.json()).toMatchObject([{ name: 'Cloud Ltd' }]);
      const verified = await runProgram('cli/manage.ts', ['audit', 'verify', '--server', restored.url], {
        DATA_DIR: pathTo('served'),
      });
      expect(verified.code).toBe(0);
      expect(await stopServiceProcess(restored)).toBe(0);
    });

    test('it moves an existing database aside only with --replace, and makes it private', async () => {
      await copyRestored('replaced');
      await chmod(pathTo('replaced', 'pglite'), 0o755);
      const rejected = await runBackup('replaced', ['restore', newer]);
      expect(rejected).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/--replace.*\n$/) });
      const { kept, rows } = await backupReport('replaced', 'restore', newer, '--replace');
      expect(rows['vendor']).toBe(2);
      expect(await readdir(kept ?? '')).toContain('PG_VERSION');
      for (const database of [kept ?? '', pathTo('replaced', 'pglite')]) expect(await fileMode(database)).toBe(0o700);
      expect((await readdir(pathTo('replaced'))).filter((name) => name.startsWith('.'))).toEqual([]);
    });

    test('into the DATA_DIR of a running server, it fails', async () => {
      const result = await runBackup('data', ['restore', backup, '--replace']);
      expect(result).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `DATA_DIR: ${pathTo('data')} is in use by process ${service.child.pid}\n`,
      });
    });
  });

  describe('an invalid backup is rejected and the existing database stays:', () => {
    const whole = pathTo('whole');
    const few = pathTo('few');
    /** Files of `few`: enough to find damage of an archive, and not enough for a database. */
    const FEW = ['PG_VERSION', 'global/pg_control', 'backup_label'];

    async function editManifest(from: string, to: string, edit: (manifest: Manifest) => object): Promise<void> {
      const manifest = JSON.parse(await readFile(join(from, 'manifest.json'), 'utf8')) as Manifest;
      await writeFile(join(to, 'manifest.json'), JSON.stringify(edit(manifest)));
    }

    beforeAll(async () => {
      await mkdir(whole);
      execFileSync('tar', ['-xzf', backup, '-C', whole]);
      for (const file of FEW) await cp(join(whole, 'pglite', file), join(few, 'pglite', file));
      await editManifest(whole, few, ({ files, ...all }) => ({
        ...all,
        files: Object.fromEntries(FEW.map((file) => [file, files[file]])),
      }));
    });

    /** Creates a backup of few files with changed content. */
    async function changedBackup(change: (inside: string) => Promise<unknown>): Promise<string> {
      const inside = await mkdtemp(pathTo('inside-'));
      await cp(few, inside, { recursive: true });
      await change(inside);
      execFileSync('tar', ['-czf', `${inside}.tar.gz`, '-C', inside, 'manifest.json', 'pglite']);
      return `${inside}.tar.gz`;
    }

    /** Creates a backup of all files with another manifest. */
    async function withManifest(edit: (manifest: Manifest) => object): Promise<string> {
      const edited = await mkdtemp(pathTo('edited-'));
      await editManifest(whole, edited, edit);
      const contents = ['-C', edited, 'manifest.json', '-C', whole, 'pglite'];
      execFileSync('tar', ['-I', 'gzip -1', '-cf', `${edited}.tar.gz`, ...contents]);
      return `${edited}.tar.gz`;
    }

    /** Creates a backup of data that need a newer version. */
    async function newerBackup(): Promise<string> {
      await copyRestored('newer');
      await changeDatabase('newer', `update data_version set data = '90.1.0', oldest = '90.0.0'`);
      const database = await openPglite(databaseDir(pathTo('newer')));
      const archive = await createArchive(
        async (copy) => {
          const contents = await database.files?.copyTo(copy);
          return contents ?? expect.fail('expected a database with files');
        },
        await mkdtemp(pathTo('staging-')),
      );
      await pipeline(archive, createWriteStream(pathTo('of-newer.tar.gz')));
      await database.close();
      return pathTo('of-newer.tar.gz');
    }

    /** Writes a file of the changed bytes of the backup. */
    async function changedBytes(change: (bytes: Buffer) => Uint8Array): Promise<string> {
      const file = join(await mkdtemp(pathTo('bytes-')), 'backup.tar.gz');
      await writeFile(file, change(await readFile(backup)));
      return file;
    }

    test('unless nothing was changed', async () => {
      await mkdir(pathTo('extracted'));
      const unchanged = await changedBackup(async () => {});
      expect((await extractArchive(unchanged, pathTo('extracted'))).rows).toMatchObject({ company: 1 });
    });

    test.for<[string, () => Promise<string>, string]>([
      [
        'truncated',
        () => changedBytes((bytes) => bytes.subarray(0, bytes.length / 2)),
        'not a complete backup: zlib: unexpected end of file',
      ],
      [
        // One changed bit may mean the same: it may copy from another place with equal bytes.
        'with corrupt bytes',
        () => changedBytes((bytes) => bytes.fill(0, bytes.length >> 1, (bytes.length >> 1) + 1024)),
        'not a complete backup: [^\\n]+',
      ],
      [
        'not an archive',
        () => changedBytes(() => Buffer.from('not a backup')),
        'not a complete backup: TAR_BAD_ARCHIVE: [^\\n]+',
      ],
      [
        'with a missing file',
        () => changedBackup((inside) => rm(join(inside, 'pglite/global/pg_control'))),
        'not a complete backup: global/pg_control does not match its checksum',
      ],
      [
        'with an extra file',
        () => changedBackup((inside) => copyFile(backup, join(inside, 'pglite/more'))),
        'not a complete backup: more does not match its checksum',
      ],
      [
        'with a replaced file',
        () => changedBackup((inside) => writeFile(join(inside, 'pglite/PG_VERSION'), '9')),
        'not a complete backup: PG_VERSION does not match its checksum',
      ],
      [
        'with a file named like a property of Object.prototype',
        () => changedBackup((inside) => writeFile(join(inside, 'pglite/__proto__'), 'unknown')),
        'not a complete backup: __proto__ does not match its checksum',
      ],
      ['that is a directory', () => mkdtemp(pathTo('folder-')), 'expected a backup file, not a directory'],
      ['that does not exist', async () => pathTo('missing'), 'does not exist'],
      [
        'with rows that do not match the manifest',
        () => withManifest((all) => ({ ...all, rows: { company: 2 } })),
        'the rows do not match the manifest',
      ],
      [
        'with migrations that do not match the manifest',
        () => withManifest((all) => ({ ...all, migrations: ['Migration99990101000000'] })),
        'the rows do not match the manifest',
      ],
      [
        'of a newer version',
        newerBackup,
        'contains data of version 90.1.0, and the oldest version that can run on them is 90.0.0; this is [\\d.]+',
      ],
      [
        'of an unknown format',
        () => changedBackup((inside) => editManifest(inside, inside, (all) => ({ ...all, format: 2 }))),
        'not a complete backup: this version does not support its format',
      ],
      [
        'with a symbolic link',
        () => changedBackup((inside) => symlink('/etc/passwd', join(inside, 'pglite/link'))),
        'not a complete backup: pglite/link is neither a file nor a folder',
      ],
    ])('%s', async ([, make, reason]) => {
      const file = await make();
      const restored = restoreBackup(file, { dataDir: pathTo('restored'), replace: true, anyTrail: true });
      await expect(restored).rejects.toThrow(new RegExp(`^${file}:? ${reason}$`));
      await expect(restored).rejects.toBeInstanceOf(ConfigError);
      expect(await readdir(pathTo('restored'))).toContain('pglite');
      expect((await readdir(pathTo('restored'))).filter((name) => /^\.|^re/.test(name))).toEqual([]);
    });

    test.for([
      ['verify', folder, ': expected a backup file, not a directory'],
      ['restore', pathTo('missing'), ' does not exist'],
    ] as const)('the command %s reports it in one line', async ([command, file, reason]) => {
      const result = await runBackup('none', [command, file]);
      expect(result).toMatchObject({ code: 1, stdout: '', stderr: `${file}${reason}\n` });
    });

    test('the existing database is unchanged', async () => {
      await copyRestored('unchanged');
      expect(await companyNames('unchanged')).toEqual(['Demo']);
    });
  });

  describe('a killed restore leaves either the old or the new database:', () => {
    /** Module that kills its process before or after one call of a function of fs/promises. */
    const killing = (name: string, call: number, when: 'before' | 'after') =>
      `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const real = fs.${name};
    let calls = 0;
    fs.${name} = async (...args) => {
      const isKilled = (calls += 1) === ${call};
      if (isKilled && ${when === 'before'}) process.kill(process.pid, 'SIGKILL');
      const result = await real(...args);
      if (isKilled && ${when === 'after'}) process.kill(process.pid, 'SIGKILL');
      return result;
    };
    syncBuiltinESMExports();`)}`;

    const OLD = ['Demo'];
    const NEW = ['Demo', 'New'];

    /** Kills a restore over a copy of the old database. Returns a function that lists the names in its DATA_DIR. */
    async function killRestore(dataDir: string, ...point: Parameters<typeof killing>) {
      await copyRestored(dataDir);
      const preload = { NODE_OPTIONS: `--import=${killing(...point)}` };
      const killed = await runBackup(dataDir, ['restore', newer, '--replace'], preload);
      expect(killed).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    }

    /** Expects one complete database in DATA_DIR, with these companies. */
    async function expectRecovered(dataDir: string, companies: readonly string[]) {
      expect(await companyNames(dataDir)).toEqual(companies);
      const names = await readdir(pathTo(dataDir));
      expect(names.filter((entry) => entry === 'restored' || entry.startsWith('.'))).toEqual([]);
      expect(names.filter((entry) => entry.startsWith('replaced-'))).toHaveLength(companies === NEW ? 1 : 0);
    }

    test.for([
      ['open', 5, 'before', OLD],
      ['rename', 1, 'before', OLD],
      ['rename', 1, 'after', NEW],
      ['rename', 3, 'after', NEW],
    ] as const)('at %s %i, %s', async ([name, call, when, expected]) => {
      const dataDir = `killed-${name}-${call}-${when}`;
      await killRestore(dataDir, name, call, when);
      await expectRecovered(dataDir, expected);
    });

    test('at rename 2, after: the next start completes the restore', async () => {
      await killRestore('ended', 'rename', 2, 'after');
      expect(await readdir(pathTo('ended'))).not.toContain('pglite');
      const next = await startServiceProcess({ DATA_DIR: pathTo('ended') });
      expect(next.output).not.toContain('svc_sk_live_');
      expect(await stopServiceProcess(next)).toBe(0);
      await expectRecovered('ended', NEW);
    });

    test('a killed backup does not get its final name', async () => {
      const file = pathTo('late.tar.gz');
      const args = ['create', file, '--server', service.url];
      const killed = await runBackup('data', args, { NODE_OPTIONS: `--import=${killing('rename', 1, 'before')}` });
      expect(killed).toMatchObject({ signal: 'SIGKILL', stdout: '' });
      const names = await readdir(folder);
      expect(names).not.toContain('late.tar.gz');
      expect(names.some((name) => /^late\.tar\.gz\.\w+\.part$/.test(name))).toBe(true);
      const unwritable = await runBackup('data', ['create', pathTo('none', 'at-all.tar.gz'), '--server', service.url]);
      expect(unwritable).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/at-all.tar.gz: write failed: ENOENT[^\n]*\n$/),
      });
    });
  });
});
