import { execFileSync } from 'node:child_process';
import { copyFile, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restoreBackup } from '../../cli/backup/files.ts';
import { ConfigError } from '../../server/config/settings.ts';
import { databaseUrl } from '../support/database/database.ts';
import { createBackupFolder, startBackedUpService } from '../support/servers/backup.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';

const VENDORS = '/external/smart-inventory/vendor';

const { folder, pathTo, runBackup, backupReport, companyNames, remove } = await createBackupFolder();
afterAll(remove);

// Starts separate processes with the embedded database, so one run is enough, whatever database the other tests use.
describe.runIf(databaseUrl === undefined)('of the embedded database,', () => {
  let service: ServiceProcess;
  let key: string;
  let backup: string;
  let createVendor: (name: string) => Promise<Response>;
  let stop: () => Promise<unknown>;
  beforeAll(async () => {
    ({ service, key, backup, createVendor, stop } = await startBackedUpService({ pathTo, backupReport }));
  });
  afterAll(() => stop());

  describe('a restored backup', () => {
    test('into an empty directory, it serves the same keys and rows', async () => {
      const { kept } = await backupReport('empty', 'restore', backup);
      expect(kept).toBeUndefined();
      const restored = await startServiceProcess({ DATA_DIR: pathTo('empty') });
      expect(restored.output).not.toContain('svc_sk_live_');
      const headers = { 'X-API-Key': key };
      const list = await fetch(`${restored.url}${VENDORS}/list`, { headers });
      expect(await list.json()).toMatchObject([{ name: 'Cloud Ltd' }]);
      const verified = await runProgram('cli/manage.ts', ['audit', 'verify', '--server', restored.url], {
        DATA_DIR: pathTo('empty'),
      });
      expect(verified.code).toBe(0);
      expect(await stopServiceProcess(restored)).toBe(0);
    });

    test('it moves an existing database aside only with --replace', async () => {
      expect((await createVendor('Second')).status).toBe(201);
      await backupReport('data', 'create', pathTo('second.tar.gz'), '--server', service.url);
      const rejected = await runBackup('empty', ['restore', pathTo('second.tar.gz')]);
      expect(rejected).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/--replace.*\n$/) });
      const { kept, rows } = await backupReport('empty', 'restore', pathTo('second.tar.gz'), '--replace');
      expect(rows['vendor']).toBe(2);
      expect(await readdir(kept ?? '')).toContain('PG_VERSION');
      expect((await readdir(pathTo('empty'))).filter((name) => name.startsWith('.'))).toEqual([]);
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
    beforeAll(async () => {
      await backupReport('kept', 'restore', backup);
    });

    /** Creates a copy of the backup with changed content. */
    async function changedBackup(name: string, change: (inside: string) => Promise<unknown>): Promise<string> {
      const inside = pathTo(`inside-${name}`);
      await mkdir(inside);
      execFileSync('tar', ['-xzf', backup, '-C', inside]);
      await change(inside);
      execFileSync('tar', ['-czf', pathTo(`${name}.tar.gz`), '-C', inside, 'manifest.json', 'pglite']);
      return pathTo(`${name}.tar.gz`);
    }

    const manifest = async (inside: string, edit: (manifest: Record<string, unknown>) => object) => {
      const file = join(inside, 'manifest.json');
      await writeFile(file, JSON.stringify(edit(JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>)));
    };

    test.for([
      [
        'truncated',
        async () => {
          const bytes = await readFile(backup);
          await writeFile(pathTo('cut.tar.gz'), bytes.subarray(0, bytes.length / 2));
          return pathTo('cut.tar.gz');
        },
      ],
      [
        'with a corrupt byte',
        async () => {
          const bytes = await readFile(backup);
          bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
          await writeFile(pathTo('turned.tar.gz'), bytes);
          return pathTo('turned.tar.gz');
        },
      ],
      [
        'not an archive',
        async () => {
          await writeFile(pathTo('else.tar.gz'), 'not a backup');
          return pathTo('else.tar.gz');
        },
      ],
      [
        'with a missing file',
        () => changedBackup('less', (inside) => rm(join(inside, 'pglite', 'global', 'pg_control'))),
      ],
      ['with an extra file', () => changedBackup('more', (inside) => copyFile(backup, join(inside, 'pglite', 'more')))],
      [
        'with a replaced file',
        () => changedBackup('other', (inside) => writeFile(join(inside, 'pglite', 'PG_VERSION'), '9')),
      ],
      [
        'with a file named like a property of Object.prototype',
        () => changedBackup('proto', (inside) => writeFile(join(inside, 'pglite', '__proto__'), 'unknown')),
      ],
      [
        'that is a directory',
        async () => {
          await mkdir(pathTo('folder.tar.gz'));
          return pathTo('folder.tar.gz');
        },
      ],
      [
        'with rows that do not match the manifest',
        () => changedBackup('rows', (inside) => manifest(inside, (all) => ({ ...all, rows: { company: 2 } }))),
      ],
      [
        'of an unknown format',
        () => changedBackup('format', (inside) => manifest(inside, (all) => ({ ...all, format: 2 }))),
      ],
      [
        'of a newer version',
        () =>
          changedBackup('newer', (inside) =>
            manifest(inside, (all) => ({ ...all, migrations: ['Migration99990101000000'] })),
          ),
      ],
      [
        'with a symbolic link',
        () =>
          changedBackup('link', async (inside) =>
            execFileSync('ln', ['-s', '/etc/passwd', join(inside, 'pglite', 'link')]),
          ),
      ],
    ] as const)('%s', async ([, make]) => {
      const file = await make();
      const restored = restoreBackup(file, { dataDir: pathTo('kept'), replace: true, anyTrail: true });
      await expect(restored).rejects.toThrow(new RegExp(`^${file}:? [^\\n]+$`));
      await expect(restored).rejects.toBeInstanceOf(ConfigError);
      expect(await readdir(pathTo('kept'))).toContain('pglite');
      expect((await readdir(pathTo('kept'))).filter((name) => /^\.|^re/.test(name))).toEqual([]);
    });

    test('a directory and a missing file are reported in one line', async () => {
      for (const command of ['verify', 'restore']) {
        const result = await runBackup('none', [command, folder]);
        expect(result).toMatchObject({
          code: 1,
          stdout: '',
          stderr: `${folder}: expected a backup file, not a directory\n`,
        });
        const missing = await runBackup('none', [command, pathTo('missing')]);
        expect(missing).toMatchObject({ code: 1, stdout: '', stderr: `${pathTo('missing')} does not exist\n` });
      }
    });

    test('the existing database is unchanged', async () => {
      expect(await companyNames('kept')).toEqual(['Demo']);
    });
  });

  describe('a killed restore leaves either the old or the new database:', () => {
    beforeAll(async () => {
      await runProgram('cli/manage.ts', ['company', 'create', '--name', 'New', '--server', service.url], {
        DATA_DIR: pathTo('data'),
      });
      await backupReport('data', 'create', pathTo('new.tar.gz'), '--server', service.url);
      await backupReport('old', 'restore', backup);
    });

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

    test.for([
      ['open', 5, 'before', OLD],
      ['rename', 1, 'before', OLD],
      ['rename', 1, 'after', NEW],
      ['rename', 2, 'after', NEW],
      ['rename', 3, 'after', NEW],
    ] as const)('at %s %i, %s', async ([name, call, when, expected], { task }) => {
      const dataDir = `killed-${task.id}`;
      await cp(pathTo('old'), pathTo(dataDir), { recursive: true });
      const args = ['restore', pathTo('new.tar.gz'), '--replace'];
      const killed = await runBackup(dataDir, args, { NODE_OPTIONS: `--import=${killing(name, call, when)}` });
      expect(killed).toMatchObject({ signal: 'SIGKILL', stdout: '' });
      expect(await companyNames(dataDir)).toEqual(expected);
      const names = await readdir(pathTo(dataDir));
      expect(names.filter((entry) => entry === 'restored' || entry.startsWith('.'))).toEqual([]);
      expect(names.filter((entry) => entry.startsWith('replaced-'))).toHaveLength(expected === NEW ? 1 : 0);
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

    test('the next start completes the restore', async () => {
      await cp(pathTo('old'), pathTo('ended'), { recursive: true });
      await runBackup('ended', ['restore', pathTo('new.tar.gz'), '--replace'], {
        NODE_OPTIONS: `--import=${killing('rename', 2, 'after')}`,
      });
      expect(await readdir(pathTo('ended'))).not.toContain('pglite');
      const next = await startServiceProcess({ DATA_DIR: pathTo('ended') });
      expect(next.output).not.toContain('svc_sk_live_');
      expect(await stopServiceProcess(next)).toBe(0);
      expect(await companyNames('ended')).toEqual(NEW);
    });
  });
});
