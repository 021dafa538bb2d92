import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPglite } from '../../database/pglite/open.ts';
import { Session } from '../../database/session.ts';
import { createCaller } from '../../procedures/index.ts';
import { restoreBackup } from '../../cli/backup/files.ts';
import { ConfigError } from '../../server/config/settings.ts';
import { databaseDir, recoverDataDir } from '../../server/config/data-dir.ts';
import { createCompany } from '../support/tenants/company.ts';
import { databaseUrl } from '../support/database/database.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { http } from '../support/http/server.ts';

const VENDORS = '/external/smart-inventory/vendor';

interface BackupReport {
  file: string;
  sha256: string;
  rows: Record<string, number>;
  trails: { name: string; intact: boolean; sealed: number }[];
  kept?: string;
}

let folder: string;
const pathTo = (...names: string[]) => join(folder, ...names);
/** Runs a backup command with this DATA_DIR. */
const runBackup = (dataDir: string, args: string[], environment: Record<string, string> = {}) =>
  runProgram('cli/manage.ts', ['backup', ...args], { DATA_DIR: pathTo(dataDir), ...environment });

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
  const names = (await management.company.list()).map(({ name }) => name);
  await database.close();
  return names;
}

let service: ServiceProcess;
let key: string;
let backup: string;

/** Creates a vendor on the server that is backed up. */
const createVendor = (name: string) =>
  fetch(`${service.url}${VENDORS}/new`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name }),
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compliance-'));
});
afterAll(() => rm(folder, { recursive: true }));

// Starts separate processes with the embedded database, so one run is enough, whatever database the other tests use.
describe.runIf(databaseUrl === undefined)('of the embedded database,', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    service = await startServiceProcess({ DATA_DIR: pathTo('data') });
    key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? '';
    await createVendor('Cloud Ltd');
    backup = pathTo('first.tar.gz');
    await backupReport('data', 'create', backup, '--server', service.url);
  });

  afterAll(() => stopServiceProcess(service));

  describe('a backup', () => {
    test('is a file that only its owner can read, and its verification lists the content', async () => {
      expect((await stat(backup)).mode & 0o777).toBe(0o600);
      const verification = await backupReport('none', 'verify', backup);
      expect(verification).toMatchObject({
        file: backup,
        sha256: createHash('sha256')
          .update(await readFile(backup))
          .digest('hex'),
        rows: { company: 1, vendor: 1, api_key: 1 },
        trails: [{ name: 'Demo', intact: true, sealed: verification.rows['audit_event'] }],
      });
    });

    test('contains neither a raw key nor the operator token', async () => {
      await mkdir(pathTo('unpacked'));
      execFileSync('tar', ['-xzf', backup, '-C', pathTo('unpacked')]);
      const token = (await readFile(pathTo('data', 'operator-token'), 'utf8')).trim();
      const files = await readdir(pathTo('unpacked'), { recursive: true, withFileTypes: true });
      let found = 0;
      for (const { parentPath, name } of files.filter((entry) => entry.isFile())) {
        const bytes = await readFile(join(parentPath, name));
        for (const secret of [key, token]) expect(bytes.includes(secret)).toBe(false);
        if (bytes.includes('Cloud Ltd')) found += 1;
      }
      expect(found).toBeGreaterThan(0);
    });

    test('leaves no temporary files in DATA_DIR or next to the backup', async () => {
      const names = [...(await readdir(folder)), ...(await readdir(pathTo('data')))];
      expect(names.filter((name) => name.startsWith('.') || name.endsWith('.part'))).toEqual([]);
    });

    test('does not overwrite an existing file', async () => {
      const before = await readFile(backup);
      const result = await runBackup('data', ['create', backup, '--server', service.url]);
      expect(result).toMatchObject({ code: 1, stdout: '', stderr: `${backup}: already exists\n` });
      expect((await readFile(backup)).equals(before)).toBe(true);
    });

    test('made during writes is a consistent snapshot with every acknowledged write', async () => {
      const writing = { completed: 0, ended: false };
      const write = async () => {
        while (!writing.ended) {
          expect((await createVendor('Written meanwhile')).status).toBe(201);
          writing.completed += 1;
        }
      };
      const writers = [write(), write()];
      await expect.poll(() => writing.completed, { timeout: 60_000 }).toBeGreaterThan(10);
      const before = writing.completed;
      const { rows, trails } = await backupReport('data', 'create', pathTo('busy.tar.gz'), '--server', service.url);
      const after = writing.completed;
      writing.ended = true;
      await Promise.all(writers);
      const vendors = (rows['vendor'] ?? 0) - 1;
      expect(vendors).toBeGreaterThanOrEqual(before);
      expect(vendors).toBeLessThanOrEqual(after + writers.length);
      expect(trails).toMatchObject([{ intact: true, sealed: rows['audit_event'] }]);
    });
  });

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
      const rejected = await runBackup('empty', ['restore', pathTo('busy.tar.gz')]);
      expect(rejected).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/--replace.*\n$/) });
      const { kept, rows } = await backupReport('empty', 'restore', pathTo('busy.tar.gz'), '--replace');
      expect(rows['vendor']).toBeGreaterThan(1);
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

  describe('an audit log that is not intact', () => {
    let broken: ServiceProcess;
    beforeAll(async () => {
      await backupReport('broken', 'restore', backup);
      const database = await openPglite(databaseDir(pathTo('broken')));
      for (const change of [
        'reset role',
        'set session_replication_role = replica',
        `update audit_event set changes = '{}' where action = 'vendor.create'`,
      ]) {
        await database.query(`test.${change}`, change, []);
      }
      await database.close();
      broken = await startServiceProcess({ DATA_DIR: pathTo('broken') });
    });
    afterAll(() => stopServiceProcess(broken));

    test('is backed up with exit code 1, and restored only with --any-trail', async () => {
      const made = await runBackup('broken', ['create', pathTo('broken.tar.gz'), '--server', broken.url]);
      expect(made).toMatchObject({ code: 1, stderr: '' });
      expect(JSON.parse(made.stdout)).toMatchObject({
        trails: [{ intact: false, reason: expect.stringContaining('vendor.create, or its seal was modified') }],
      });
      const rejected = await runBackup('unbroken', ['restore', pathTo('broken.tar.gz')]);
      expect(rejected).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^audit log of company 1/) });
      expect(await readdir(pathTo('unbroken'))).not.toContain('pglite');
      const restored = await runBackup('unbroken', ['restore', pathTo('broken.tar.gz'), '--any-trail']);
      expect(restored).toMatchObject({ code: 1, stderr: '' });
      expect(await companyNames('unbroken')).toEqual(['Demo']);
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

  describe('only the operator can create backups:', () => {
    const ask = (method: string, headers: Record<string, string>) =>
      fetch(`${service.url}/operator/backup`, { method, headers });
    const rejection = async (method: string, headers: Record<string, string>) => {
      const response = await ask(method, headers);
      return [response.status, response.headers.get('X-Error-Code'), (await response.text()).slice(0, 9)];
    };

    test('a request without credentials, with a wrong token or with an API key is rejected', async () => {
      expect(await rejection('POST', {})).toEqual([401, 'unauthorized', '{"error":']);
      expect(await rejection('POST', { Authorization: `Bearer ${'x'.repeat(43)}` })).toEqual([
        401,
        'unauthorized',
        '{"error":',
      ]);
      expect(await rejection('POST', { 'X-API-Key': key })).toEqual([403, 'forbidden', '{"error":']);
      expect(await rejection('GET', { 'X-API-Key': key })).toEqual([403, 'forbidden', '{"error":']);
    });

    test('one backup at a time, and only with POST', async () => {
      const token = (await readFile(pathTo('data', 'operator-token'), 'utf8')).trim();
      const headers = { Authorization: `Bearer ${token}` };
      expect(await rejection('GET', headers)).toEqual([405, 'method_not_allowed', '{"error":']);
      const responses = await Promise.all([ask('POST', headers), ask('POST', headers)]);
      expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
      // A cancelled download leaves no files, and the next one succeeds.
      for (const { body } of responses) await body?.cancel();
      await expect.poll(async () => (await readdir(pathTo('data'))).filter((name) => name.startsWith('.'))).toEqual([]);
      const next = await ask('POST', headers);
      expect(next.status).toBe(200);
      expect((await next.arrayBuffer()).byteLength).toBeGreaterThan(100_000);
    });

    test('the path does not exist on a server without backups', async () => {
      const acme = await createCompany();
      expect(await http('POST', '/operator/backup', { key: acme.key })).toMatchObject({ status: 404 });
    });
  });
});

test('with DATABASE_URL set, a backup command names the PostgreSQL tools in one line', async () => {
  for (const args of [
    ['create', pathTo('never.tar.gz')],
    ['restore', pathTo('never.tar.gz')],
  ]) {
    const result = await runBackup('none', args, { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nowhere' });
    const line =
      'DATABASE_URL: expected no value for this command; PostgreSQL is backed up with pg_dump or pg_basebackup: docs/operations.md\n';
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: line });
  }
});

test.runIf(databaseUrl !== undefined)('a server on PostgreSQL names the PostgreSQL tools too', async () => {
  const onPostgreSql = await startServiceProcess({
    DATA_DIR: pathTo('postgresql'),
    DATABASE_URL: databaseUrl ?? '',
    RUN_MIGRATIONS: 'false',
  });
  const result = await runBackup('postgresql', ['create', pathTo('never.tar.gz'), '--server', onPostgreSql.url]);
  expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^PostgreSQL is backed up with/) });
  await stopServiceProcess(onPostgreSql);
});
