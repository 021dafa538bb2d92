import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restoreBackup, verifyFile } from '../../cli/backup.ts';
import { extractArchive } from '../../server/backup/archive.ts';
import { ConfigError } from '../../server/config/settings.ts';
import { createCompany } from '../support/tenants/company.ts';
import { databaseUrl } from '../support/database/database.ts';
import { createBackupFolder, startBackedUpService } from '../support/servers/backup.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { http } from '../support/http/server.ts';

const { folder, pathTo, runBackup, backupReport, changeDatabase, companyNames } = await createBackupFolder();

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

  const operatorHeaders = async () => ({
    Authorization: `Bearer ${(await readFile(pathTo('data', 'operator-token'), 'utf8')).trim()}`,
  });
  const ask = (method: string, headers: Record<string, string>) =>
    fetch(`${service.url}/operator/backup`, { method, headers });

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

    test('contains neither a raw key, nor the operator token, nor the encryption key', async () => {
      await mkdir(pathTo('unpacked'));
      execFileSync('tar', ['-xzf', backup, '-C', pathTo('unpacked')]);
      const token = (await readFile(pathTo('data', 'operator-token'), 'utf8')).trim();
      const encryptionKey = (await readFile(pathTo('data', 'encryption-key'), 'utf8')).trim();
      const files = await readdir(pathTo('unpacked'), { recursive: true, withFileTypes: true });
      let found = 0;
      for (const { parentPath, name } of files.filter((entry) => entry.isFile())) {
        const bytes = await readFile(join(parentPath, name));
        for (const secret of [key, token, encryptionKey]) expect(bytes.includes(secret)).toBe(false);
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
      const response = await ask('POST', await operatorHeaders());
      await writeFile(pathTo('busy.tar.gz'), await response.bytes());
      const after = writing.completed;
      writing.ended = true;
      await Promise.all(writers);
      const { rows, trails } = await verifyFile(pathTo('busy.tar.gz'));
      const vendors = (rows['vendor'] ?? 0) - 1;
      expect(vendors).toBeGreaterThanOrEqual(before);
      expect(vendors).toBeLessThanOrEqual(after + writers.length);
      expect(trails).toMatchObject([{ intact: true, sealed: rows['audit_event'] }]);
    });
  });

  describe('an audit log that is not intact', () => {
    let broken: ServiceProcess;
    beforeAll(async () => {
      await mkdir(pathTo('broken'));
      await extractArchive(backup, pathTo('broken'));
      await changeDatabase(
        'broken',
        'set session_replication_role = replica',
        `update audit_event set changes = '{}' where action = 'vendor.create'`,
      );
      broken = await startServiceProcess({ DATA_DIR: pathTo('broken') });
    });
    afterAll(() => stopServiceProcess(broken, 'SIGKILL'));

    test('is backed up with exit code 1, and restored only with --any-trail', async () => {
      const made = await runBackup('broken', ['create', pathTo('broken.tar.gz'), '--server', broken.url]);
      expect(made).toMatchObject({ code: 1, stderr: '' });
      expect(JSON.parse(made.stdout)).toMatchObject({
        trails: [{ intact: false, reason: expect.stringContaining('vendor.create, or its seal was modified') }],
      });
      const options = { dataDir: pathTo('unbroken'), replace: false, anyTrail: false };
      const rejected = restoreBackup(pathTo('broken.tar.gz'), options);
      await expect(rejected).rejects.toThrow(/^audit log of company 1: [^\n]+ --any-trail restores it anyway$/);
      await expect(rejected).rejects.toBeInstanceOf(ConfigError);
      expect(await readdir(pathTo('unbroken'))).not.toContain('pglite');
      const restored = await runBackup('unbroken', ['restore', pathTo('broken.tar.gz'), '--any-trail']);
      expect(restored).toMatchObject({ code: 1, stderr: '' });
      expect(await companyNames('unbroken')).toEqual(['Demo']);
    });
  });

  describe('only the operator can create backups:', () => {
    const rejection = async (method: string, headers: Record<string, string>) => {
      const response = await ask(method, headers);
      return [response.status, response.headers.get('X-Error-Code'), (await response.text()).slice(0, 9)];
    };

    test('a request without credentials, with a wrong token or with an API key is rejected', async () => {
      expect(await rejection('POST', {})).toEqual([401, 'unauthorized', '{"error":']);
      const wrong = { Authorization: `Bearer ${'x'.repeat(43)}` };
      expect(await rejection('POST', wrong)).toEqual([401, 'unauthorized', '{"error":']);
      expect(await rejection('POST', { 'X-API-Key': key })).toEqual([403, 'forbidden', '{"error":']);
      expect(await rejection('GET', { 'X-API-Key': key })).toEqual([403, 'forbidden', '{"error":']);
    });

    test('one backup at a time, and only with POST', async () => {
      const headers = await operatorHeaders();
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
  const line = `DATABASE_URL: expected no value for this command; PostgreSQL is backed up with pg_dump or pg_basebackup: docs/operations.md\n`;
  for (const command of ['create', 'restore']) {
    const environment = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nowhere' };
    const result = await runBackup('none', [command, pathTo('never.tar.gz')], environment);
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
  await stopServiceProcess(onPostgreSql, 'SIGKILL');
});
