import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { cp, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { filesFolder } from '../../database/pglite/files-folder.ts';
import { openPglite } from '../../database/pglite/open.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { databaseDir } from '../../server/config/data-dir.ts';
import { sqlOn, withClient } from '../support/database/client.ts';
import type { RunSql } from '../support/database/client.ts';
import { ownerUrl } from '../support/database/database.ts';
import { OPERATOR_TOKEN } from '../support/http/client.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';
import { prepareDataDir } from '../support/database/template.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { verify } from '../support/storage/verify.ts';
import { startAppOn } from '../upgrade/scenario/app.ts';
import { Client, asPerson, rest } from '../upgrade/scenario/client.ts';
import { recordScenario } from '../upgrade/scenario/create-fixture.ts';
import type { FixtureRecord } from '../upgrade/scenario/record.ts';
import { replay } from '../upgrade/replay.ts';

const KILLS = Number(process.env['KILLS'] ?? 4);
const root = join(import.meta.dirname, '..', '..');
const folder = await temporaryFolder();

interface Report {
  rows: Record<string, number>;
  files: number;
  bytes: number;
  trails: { intact: boolean }[];
  set: Record<string, string>;
}

/** Creates an empty database whose owner is subject to row-level security, until the end of the test. */
async function createTarget(): Promise<string> {
  const { url, serviceUrl, drop } = await createScratchDatabase(ownerUrl ?? '');
  onTestFinished(drop);
  const [name, owner] = [new URL(url).pathname.slice(1), new URL(serviceUrl).username];
  await withClient(url, (admin) => admin.query(`alter database ${name} owner to ${owner}`));
  return serviceUrl;
}

/** Every row of every table, in the order of the text, and the state of the sequences. */
async function dump(run: RunSql): Promise<Record<string, string[]>> {
  const tables = await run<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const dumped: Record<string, string[]> = {};
  for (const { name } of tables) {
    const rows = await run<{ row: string }>(`select to_jsonb(t)::text as row from "${name}" t`);
    dumped[name] = rows.map(({ row }) => row).toSorted();
  }
  const sequences = await run<{ name: string }>(
    `select sequencename as name from pg_sequences where schemaname = 'public' order by 1`,
  );
  for (const { name } of sequences)
    dumped[name] = [JSON.stringify(await run(`select last_value::text, is_called from "${name}"`))];
  return dumped;
}

/** The same of a copy of DATA_DIR, migrated as the command does. */
async function dumpSource(dataDir: string): Promise<Record<string, string[]>> {
  const copy = join(folder, 'expected');
  await cp(databaseDir(dataDir), copy, { recursive: true });
  await using stack = new AsyncDisposableStack();
  const database = stack.adopt(await openPglite(copy), (opened) => opened.close());
  await database.migrate();
  const owner = database.embedded?.owner ?? expect.fail('expected the embedded database');
  // Awaited here, before the database is closed.
  return await owner.transaction((query) => dump((text, ...values) => query(text, values)));
}

/** Files of a folder with their digests. */
async function digests(of: string): Promise<Record<string, string>> {
  const entries = (await readdir(of, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, hash('sha256', await readFile(path))])));
}

// It needs both databases, so it runs with PostgreSQL.
describe.runIf(ownerUrl !== undefined)('a copy of the embedded database in PostgreSQL', () => {
  const dataDir = join(folder, 'data');
  let record: FixtureRecord;
  let before: Record<string, string>;
  let expected: Record<string, string[]>;

  beforeAll(async () => {
    record = await recordScenario(root, dataDir);
    before = await digests(databaseDir(dataDir));
    expected = await dumpSource(dataDir);
  });

  const runCopy = (to: string, from = dataDir, ...options: string[]) =>
    runProgram('cli/manage.ts', ['database', 'copy', '--to', to, ...options], { DATA_DIR: from });

  /** Requires the rows of the source, which has not changed. The verification may seal events, and the bytes of files are in the database now. */
  async function requireEverything(to: string): Promise<void> {
    const copied = await withClient(to, async (client) => {
      await client.query('set timezone = utc');
      const forced = await sqlOn(client)<{ name: string }>(
        `select relname as name from pg_class where relforcerowsecurity and relnamespace = 'public'::regnamespace`,
      );
      expect(forced.length).toBeGreaterThan(40);
      for (const { name } of forced) await client.query(`alter table "${name}" no force row level security`);
      const dumped = await dump(sqlOn(client));
      for (const { name } of forced) await client.query(`alter table "${name}" force row level security`);
      return dumped;
    });
    const { audit_seal: seals = [], audit_watermark: _, file_chunk: chunks = [], ...others } = copied;
    const { audit_seal: expectedSeals = [], audit_watermark: __, file_chunk: ___, ...expectedOthers } = expected;
    expect(others).toEqual({
      ...expectedOthers,
      file: expectedOthers['file']?.map((row) => row.replace('"store": "files"', '"store": "database"')).toSorted(),
    });
    expect(Object.keys(others).length).toBeGreaterThan(60);
    expect(seals).toEqual(expect.arrayContaining(expectedSeals));
    expect(chunks.length).toBeGreaterThan(0);
    expect(await digests(databaseDir(dataDir))).toEqual(before);
  }

  test('has every row and file, and serves the same keys, sessions, cursors and heads', async () => {
    const to = await createTarget();
    const { code, stdout, stderr } = await runCopy(to);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const report = JSON.parse(stdout) as Report;
    expect(report.rows['task']).toBe(expected['task']?.length);
    expect(report.trails.map(({ intact }) => intact)).not.toContain(false);
    expect(report.files).toBe(Object.keys(await digests(filesFolder(databaseDir(dataDir)))).length);
    expect(report.set['SIGNING_KEY']).toBe(`the content of ${join(dataDir, 'signing-key')}`);
    const signingKey = await readFile(join(dataDir, 'signing-key'), 'utf8');
    for (const secret of [new URL(to).password, record.encryptionKey, ...signingKey.split('\n').slice(1, 2)])
      expect(stdout.replaceAll(new URL(to).pathname.slice(1), '')).not.toContain(secret);
    await requireEverything(to);

    const database = await openPostgreSql(to);
    onTestFinished(() => database.close());
    const { client, stop } = await startAppOn(database, record);
    onTestFinished(stop);
    expect(await replay(client, record, record.responses)).toEqual([]);

    const service = await startServiceProcess({
      DATABASE_URL: to,
      DATA_DIR: join(folder, 'other'),
      OPERATOR_TOKEN,
      ENCRYPTION_KEY: record.encryptionKey,
      SIGNING_KEY: signingKey,
    });
    onTestFinished(async () => void (await stopServiceProcess(service, 'SIGKILL')));
    const served = new Client(service.url);
    const { people, keys, framework } = record.scenario;
    expect(await served.query(asPerson(people.admin.cookie), 'account.get')).toMatchObject({
      email: people.admin.email,
    });
    const created = await served.require(
      rest(keys.all, 'POST', `/external/task/framework/${framework}/new`, { title: 'After the copy' }),
    );
    expect(created).toMatchObject({ title: 'After the copy' });
    expect(await verify(service.url)).toMatchObject({ files: report.files, problems: [] });
  });

  test(`is complete after ${KILLS} kills of the command, and is then refused as a target`, async () => {
    const to = await createTarget();
    const startedAt = performance.now();
    expect(await runCopy(await createTarget())).toMatchObject({ code: 0 });
    const duration = performance.now() - startedAt;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = spawn(process.execPath, ['cli/manage.ts', 'database', 'copy', '--to', to], {
        cwd: root,
        env: { ...process.env, DATABASE_URL: '', MIGRATION_DATABASE_URL: '', DATA_DIR: dataDir },
        stdio: 'ignore',
      });
      const exited = once(child, 'exit');
      await Promise.race([wait(duration * ((kill + Math.random()) / KILLS)), exited]);
      child.kill('SIGKILL');
      await exited;
      if (child.exitCode === 0) break; // the last kill came too late
    }
    const last = await runCopy(to);
    const refusal = expect.stringMatching(/^--to: expected an empty database, or an unfinished copy.* it has api_key/);
    expect([
      { code: 0, stderr: '' },
      { code: 1, stderr: refusal },
    ]).toContainEqual({
      code: last.code,
      stderr: last.stderr,
    });
    await requireEverything(to);
    expect(await runCopy(to)).toMatchObject({ code: 1, stdout: '', stderr: refusal });
    expect((await readdir(dataDir)).filter((name) => name.startsWith('.staging-'))).toEqual([]);
  });

  test('is not begun in a database with tables, or with an unfinished copy of another one', async () => {
    const to = await createTarget();
    await withClient(to, (client) => client.query('create table invoice ()'));
    const line = '--to: expected an empty database, or an unfinished copy of this one; it has invoice\n';
    expect(await runCopy(to)).toMatchObject({ code: 1, stdout: '', stderr: line });
    await withClient(to, async (client) => {
      await client.query('drop table invoice');
      await client.query('create table unfinished_copy (source text not null)');
      await client.query(`insert into unfinished_copy values ('${'0'.repeat(64)}')`);
    });
    const other = '--to: has an unfinished copy of another database; expected an empty one\n';
    expect(await runCopy(to)).toMatchObject({ code: 1, stdout: '', stderr: other });
    await withClient(to, async (client) =>
      expect((await client.query(`select from pg_tables where schemaname = 'public'`)).rowCount).toBe(1),
    );
  });

  test('is not completed while the bytes of a file are damaged, and can be continued with them', async () => {
    const to = await createTarget();
    const damaged = join(folder, 'damaged');
    await cp(dataDir, damaged, { recursive: true });
    const [file = ''] = Object.keys(await digests(filesFolder(databaseDir(damaged))));
    const { size } = await stat(file);
    await truncate(file, size - 1);
    const id = file.split('/').slice(-2).join('/');
    expect(await runCopy(to, damaged)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(`^--to: the bytes of the file ${id} are missing or damaged: .*\n$`),
    });
    await rm(file);
    expect((await runCopy(to, damaged)).stderr).toContain(`${id} are missing or damaged`);
    expect(await runCopy(to)).toMatchObject({ code: 0 });
    await requireEverything(to);
  });

  test('needs --any-trail for an audit log that is not intact', async () => {
    const to = await createTarget();
    const changed = join(folder, 'changed');
    await cp(dataDir, changed, { recursive: true });
    const database = await openPglite(databaseDir(changed));
    await database.embedded?.owner.transaction(async (query) => {
      await query('alter table audit_event disable trigger user');
      await query(`update audit_event set request_id = 'changed' where id = (select min(id) from audit_event)`);
      await query('alter table audit_event enable trigger user');
    });
    await database.close();
    expect(await runCopy(to, changed)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^audit log of company 1: not intact: seq 1: event .* was modified; --any-trail copies it anyway\n$/,
      ),
    });
    const { code, stdout } = await runCopy(to, changed, '--any-trail');
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Report).trails.map(({ intact }) => intact)).toContain(false);
  });

  test('is not begun without room for the copy, and leaves the source as it is', async () => {
    const large = join(folder, 'large');
    await cp(dataDir, large, { recursive: true });
    const sparse = join(databaseDir(large), 'base', 'sparse');
    await writeFile(sparse, '');
    await truncate(sparse, 2 ** 43);
    expect(await runCopy(await createTarget(), large)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^DATA_DIR: \S+ lacks \d{7,} MiB for a copy; free that much space\n$/),
    });
    await rm(sparse);
    expect(Object.values(await digests(databaseDir(large)))).toEqual(Object.values(before));
    expect((await readdir(large)).toSorted()).toEqual((await readdir(dataDir)).toSorted());
  });

  test('is an error with one line for a running service, no database, and a URL that is wrong', async () => {
    const used = join(folder, 'used');
    await prepareDataDir(used);
    const service = await startServiceProcess({ DATA_DIR: used, OPERATOR_TOKEN });
    onTestFinished(async () => void (await stopServiceProcess(service, 'SIGKILL')));
    const to = await createTarget();
    const lines = [
      await runCopy(to, used),
      await runCopy(to, join(folder, 'missing')),
      await runCopy('http://127.0.0.1/db'),
      await runCopy(to.replace(/[^/]+$/, 'missing')),
    ].map(({ stderr }) => stderr);
    expect(lines).toEqual([
      `DATA_DIR: ${used} is in use by process ${service.child.pid}\n`,
      `DATA_DIR: ${join(folder, 'missing')} contains no database\n`,
      '--to: expected postgresql://user:password@host:port/database\n',
      '--to: database "missing" does not exist\n',
    ]);
  });
});
