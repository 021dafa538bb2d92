import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes, randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { OPERATOR_TOKEN, sendRequest } from '../support/http/client.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createMigratedDatabase } from '../support/database/migrated-database.ts';
import { startService, stopServiceProcess } from '../support/servers/service-process.ts';
import { manage } from '../support/storage/verify.ts';

// An erase is killed at random moments, until it is not: on PostgreSQL the command, and with the embedded database the service too.
const KILLS = Number(process.env['KILLS'] ?? 4);
const ROWS = Number(process.env['ROWS'] ?? 400);
/** Longest time after which a kill comes, in milliseconds. */
const MAX_KILL_MS = 1500;
const root = join(import.meta.dirname, '..', '..');

async function createSettings() {
  const folder = await mkdtemp(join(tmpdir(), 'erase-kills-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const settings = { LOG_LEVEL: 'fatal', TMPDIR: folder, DATA_DIR: join(folder, 'data') };
  if (ownerUrl === undefined) return settings;
  const scratch = await createMigratedDatabase(ownerUrl);
  onTestFinished(scratch.drop);
  return {
    ...settings,
    DATABASE_URL: scratch.serviceUrl,
    MIGRATION_DATABASE_URL: scratch.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
}

/** Runs a command until it ends or is killed. */
function startCommand(settings: Record<string, string>, url: string, args: string[]) {
  const child = spawn(process.execPath, ['cli/manage.ts', ...args, '--server', url], {
    cwd: root,
    env: { ...process.env, OPERATOR_TOKEN, ...settings },
  });
  const result = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (result.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (result.stderr += String(chunk)));
  return { child, ended: once(child, 'close').then(() => ({ code: child.exitCode, ...result })) };
}

test(`an erase that is killed ${KILLS} times is continued, and other companies stay as they are`, async () => {
  const settings = await createSettings();
  let service = await startService(settings);
  onTestFinished(async () => void (await stopServiceProcess(service, 'SIGKILL')));
  const { url } = service;

  /** Creates a company with tasks, vendors and files. */
  async function createCompany(name: string) {
    const { id } = await manage<{ id: number }>(url, 'company.create', { name });
    const framework = await manage<{ id: number }>(url, 'framework.create', { name: 'ISO' }, id);
    const { key } = await manage<{ key: string }>(url, 'apiKey.create', { name: 'Key', scopes: SCOPES }, id);
    const post = (path: string, body: object | Uint8Array<ArrayBuffer>) =>
      fetch(url + path, {
        method: 'POST',
        headers: {
          'X-API-Key': key,
          'Content-Type': body instanceof Uint8Array ? 'application/pdf' : 'application/json',
        },
        body: body instanceof Uint8Array ? body : JSON.stringify(body),
      });
    const vendors = '/external/smart-inventory/vendor';
    const created = (await (await post(`${vendors}/new`, { name: 'Cloud' })).json()) as { uniqueId: string };
    for (let file = 0; file < 8; file += 1) {
      const response = await post(
        `${vendors}/${created.uniqueId}/evidence/new?name=File-${file}`,
        randomBytes(300_000),
      );
      if (response.status !== 201) throw new Error(`upload: ${response.status} ${await response.text()}`);
    }
    for (let left = ROWS; left > 0; left -= 100) {
      const items = Array.from({ length: Math.min(100, left) }, (_, index) => ({
        op: 'create',
        framework: framework.id,
        body: { title: `Task ${index}` },
      }));
      const response = await post('/external/task/batch', { items });
      if (!response.ok) throw new Error(`batch: ${response.status} ${await response.text()}`);
    }
    return { id, key };
  }
  const gone = await createCompany('Gone');
  const stays = await createCompany('Stays');

  /** Responses of the other company. */
  const responses = () =>
    Promise.all(
      [
        '/external/task/list?limit=100',
        '/external/smart-inventory/vendor/list',
        '/external/evidence/list',
        '/external/audit/list?limit=100',
      ].map(async (path) => {
        const { status, text } = await sendRequest(service.url + path, {
          method: 'GET',
          headers: { 'X-API-Key': stays.key },
        });
        return [path, status, text];
      }),
    );
  const verify = () =>
    manage<{ intact: boolean; sealed: number; head: object }>(service.url, 'audit.verify', {}, stays.id);
  await vi.waitFor(async () => expect(await verify()).toMatchObject({ unsealed: 0 }), {
    timeout: 60_000,
    interval: 100,
  });
  const before = { responses: await responses(), verified: await verify() };
  expect(before.responses.map(([, status]) => status)).toEqual([200, 200, 200, 200]);
  await manage(url, 'company.close', { name: 'Gone' }, gone.id);

  const args = ['company', 'erase', '--company', String(gone.id), '--name', 'Gone'];
  for (let kills = 0; kills < KILLS; kills += 1) {
    const { child, ended } = startCommand(settings, service.url, args);
    await wait(kills === 0 ? 6000 : randomInt(200, MAX_KILL_MS));
    const killsService = ownerUrl === undefined && kills % 2 === 1;
    if (killsService) await stopServiceProcess(service, 'SIGKILL');
    child.kill('SIGKILL');
    await ended;
    if (killsService) service = await startService(settings);
  }
  const { code, stdout, stderr } = await startCommand(settings, service.url, args).ended;
  expect([code, stderr]).toEqual([0, '']);
  const erased = JSON.parse(stdout) as { rows: Record<string, number> };
  expect(erased).toMatchObject({ id: gone.id, sequence: expect.any(Number), hash: expect.any(String) });

  expect({ responses: await responses(), verified: await verify() }).toEqual(before);
  const files = await manage<{ files: number; problems: object[] }>(service.url, 'evidence.verify', { position: {} });
  expect([files.files, files.problems]).toEqual([8, []]);
  await expectNothingLeft(settings, gone.id);
}, 600_000);

/** Looks into the tables of PostgreSQL, or into the folder with the files of the embedded database. */
async function expectNothingLeft(settings: Record<string, string>, company: number): Promise<void> {
  const { MIGRATION_DATABASE_URL: connectionString, DATA_DIR: folder = '' } = settings;
  if (connectionString === undefined) {
    const names = await readdir(folder, { recursive: true });
    expect(names.filter((name) => new RegExp(`(^|/)files/${company}/.`).test(name))).toEqual([]);
    return;
  }
  const client = new Client({ connectionString });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
  );
  const reads = tables.rows.map(({ name }) => `select '${name}' as name from ${name} where company_id = ${company}`);
  const { rows } = await client.query(reads.join(' union all '));
  await client.end();
  expect(rows).toEqual([]);
}
